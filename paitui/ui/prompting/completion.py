"""What the text before the caret asks to be completed: a command, its argument, or a file. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from paitui.engine.commands import COMMANDS
from paitui.locale import Words
from paitui.ui.prompting.fuzzy import Match

Kind = Literal["command", "argument", "file"]

MAX_NAME = 300
"""Characters before the caret in which the name of a file is looked for."""

_COMMAND = re.compile(r"\s*[/／、](?P<name>[A-Za-z-]*)")
"""A command begins the draft. Chinese input methods give the full-width sign, or this comma, for the same key."""
_ARGUMENT = re.compile(r"\s*/(?P<name>[a-z-]+) +(?P<rest>\S*)")
_FILE = re.compile(
    r"(?<![A-Za-z0-9._%+-])[@＠](?P<quote>[\"“])?(?P<path>(?(quote)[^\"”\n]*|[^\s@＠\"'“”‘’，。；：！？、（）《》<>|]*))$"
)
"""A file may follow Chinese text at once, but not a Latin letter: that is an e-mail address."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be completed."""

    kind: Kind
    start: int
    """First character that a choice replaces."""
    end: int
    """The caret."""
    partial: str
    """What stands there of the name."""
    command: str = ""
    """For an argument: whose."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose."""

    shown: str
    """As the list shows it."""
    text: str
    """What replaces the wish."""
    note: str = ""
    """What it means."""
    hint: str = ""
    """What may follow it."""
    hits: tuple[int, ...] = ()
    """Characters of `shown` that match."""
    goes_on: bool = False
    """Whether there is more to complete behind it."""


def wish(text: str, caret: int) -> Wish | None:
    """Read what stands before the caret.

    Args:
        text: The whole draft.
        caret: Characters before it.

    Returns:
        What is to be completed; None if nothing is.
    """
    before = text[:caret]
    if "\n" not in text:
        if match := _COMMAND.fullmatch(before):
            return Wish("command", match.start("name") - 1, caret, match["name"].lower())
        if match := _ARGUMENT.fullmatch(before):
            return Wish("argument", match.start("rest"), caret, match["rest"], match["name"])
    line = before[max(before.rfind("\n") + 1, caret - MAX_NAME) :]
    if match := _FILE.search(line):
        return Wish("file", caret - len(line) + match.start(), caret, match["path"])
    return None


def commands(partial: str, words: Words) -> list[Choice]:
    """Commands whose name begins so, then those that hold it."""
    found: list[Choice] = []
    for first in (True, False):
        for command in COMMANDS:
            at = command.name.find(partial)
            if at < 0 or (at == 0) != first:
                continue
            ends = " " if command.argument else ""
            found.append(
                Choice(
                    f"/{command.name}",
                    f"/{command.name}{ends}",
                    words(command.help),
                    command.argument,
                    tuple(range(at + 1, at + 1 + len(partial))),
                    bool(command.argument),
                )
            )
    return found


def is_command(text: str) -> bool:
    """Whether a text is a whole command's name, with or without the slash."""
    return any(command.name == text.strip().removeprefix("/") for command in COMMANDS)


def arguments(partial: str, names: Iterable[str]) -> list[Choice]:
    """Arguments that begin so; one that stands there whole already leaves nothing to choose."""
    wanted = partial.lower()
    fitting = [name for name in names if name.lower().startswith(wanted)]
    if partial in fitting:
        fitting = [name for name in fitting if name != partial]
    return [Choice(name, name, hits=tuple(range(len(partial))), goes_on=name.endswith("/")) for name in fitting]


def files(partial: str, matches: Sequence[Match]) -> list[Choice]:
    """Files as they are named in a message, names with spaces quoted; none once one stands there whole."""
    found: list[Choice] = []
    for match in matches:
        if match.path == partial:
            if not partial.endswith("/"):
                return []
            continue
        folder = match.path.endswith("/")
        spaced = re.search(r"\s|[，。；：！？、（）《》]", match.path) is not None
        name = f'@"{match.path}' if spaced else f"@{match.path}"
        text = name if folder else f'{name}" ' if spaced else f"{name} "
        found.append(Choice(match.path, text, hits=match.hits, goes_on=folder))
    return found
