"""What of the cut part still stands, word for word, after a summary."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paitui.context.estimate import text_tokens
from paitui.messages.message import Message

COMMANDS = 3
"""So many of the newest failing commands must be known."""
ROUNDS = 3
"""Numbers in the results of so many of the newest rounds must be known."""
_COMMAND_CHARS = 200
"""A command counts as known by so many characters of its beginning."""
_LINE_CHARS = 150
_ERROR = re.compile(r"\berror\b|\bfailed\b|exception\b|traceback|not found|no such", re.IGNORECASE)
_NUMBER = re.compile(r"\d[\d.,]*\d")
"""Of two digits at least: a single digit stands in any text by chance."""
_STORED = re.compile(r"\.paitui/tool-outputs/[^\s;,()\"]+\.txt")
_SHORTENED_LEAST = 120
"""Tokens below which head and tail of a message are not worth their place."""
_ENDS = 40
"""Characters by which head and tail of a shortened message are known."""


@dataclass(frozen=True, slots=True)
class Retained:
    """Shares after one summary; 1 where there was nothing to keep."""

    requests: float
    """User messages, of those that fit the cap."""
    paths: float
    """Paths of changed files."""
    commands: float
    """Last failing commands, with the lines that say what failed."""
    numbers: float
    """Numbers in the results of the last rounds."""


@dataclass(slots=True)
class Cutoff:
    """What no longer stands in the history since it began, as it was recorded."""

    said: list[str] = field(default_factory=list)
    """The user's words."""
    changed: dict[str, None] = field(default_factory=dict)
    """Paths of files that were changed, each once."""
    failed: dict[str, list[str]] = field(default_factory=dict)
    """Failing commands in the order of their last failure, each with its error lines."""

    def take(self, message: Message, answers: Mapping[str, Message]) -> None:
        """Take in a recorded message that was cut.

        Args:
            message: With paitui's names of tools.
            answers: Results as they were recorded, by the ids of their calls.
        """
        if message.is_users_words and message.content.strip():
            self.said.append(message.content)
        for call in message.tool_calls:
            result = answers.get(call.id)
            arguments = _object(call.arguments)
            if result is None:
                continue
            path, command = arguments.get("path"), arguments.get("command")
            if call.name in ("write_file", "edit_file") and result.ok and isinstance(path, str):
                self.changed[path] = None
            elif call.name == "execute_command" and not result.ok and isinstance(command, str):
                self.failed.pop(command, None)
                self.failed[command] = error_lines(result.content)


def retained(
    cut: Cutoff, before: Sequence[Message], after: Sequence[Message], cap: int, load: Callable[[str], str]
) -> Retained:
    """Look for what must still be known.

    Args:
        cut: Everything that was cut so far.
        before: The history before the summary.
        after: The history around the summary.
        cap: Estimated tokens that what is kept word for word may take.
        load: Gives the text of a stored file; empty if there is none.

    Returns:
        The shares.
    """
    text = "\n".join(_texts(after))
    beside = "\n".join(m.content for m in after if m.role == "user" and m.origin in ("summary", "carried"))
    paths = [path for path in cut.changed if path in text]
    commands = dict(list(cut.failed.items())[-COMMANDS:])
    lines = [line for command, said in commands.items() for line in (command[:_COMMAND_CHARS], *said)]
    known = [line for line in lines if line in text]
    room = cap - sum(text_tokens(line) + 2 for line in (*paths, *known))
    return Retained(
        _requests(cut.said, beside, room, cap, load),
        _share(len(paths), len(cut.changed)),
        _share(len(known), len(lines)),
        _numbers(before, text),
    )


def error_lines(output: str) -> list[str]:
    """The first and the last of the different lines that say what failed, each cut to a length that is kept."""
    found = list(dict.fromkeys(line.strip()[:_LINE_CHARS] for line in output.splitlines() if _ERROR.search(line)))
    return list(dict.fromkeys([*found[:1], *found[-1:]]))


def _requests(said: Sequence[str], beside: str, room: int, cap: int, load: Callable[[str], str]) -> float:
    """Count messages in the order in which they are to be kept, until one has no place any more."""
    found = missed = 0
    slack = cap // 20
    room -= slack
    stored = {load(path) for path in _STORED.findall(beside)}
    for text in [*said[:1], *reversed(said[1:])]:
        cost = text_tokens(text) + 12
        if text in beside:
            found += 1
            room -= cost
        elif text[:_ENDS] in beside and text[-_ENDS:] in beside and text in stored:
            found += 1
            room -= min(cost, cap // 4)
        elif min(cost, _SHORTENED_LEAST) <= room:
            missed += 1
            room -= min(cost, cap // 4)
        else:
            break
    return _share(found, found + missed)


def _numbers(before: Sequence[Message], text: str) -> float:
    wanted: set[str] = set()
    rounds = 0
    for message in reversed(before):
        if message.role == "tool" and message.state != "cleared":
            wanted.update(_NUMBER.findall(message.content))
        rounds += bool(message.tool_calls)
        if rounds == ROUNDS:
            break
    return _share(len(wanted & set(_NUMBER.findall(text))), len(wanted))


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        if message.role != "system":
            yield message.content
            for call in message.tool_calls:
                yield "\n".join(str(value) for value in _object(call.arguments).values())


def _share(found: int, all_of_them: int) -> float:
    return found / all_of_them if all_of_them else 1.0


def _object(arguments: str) -> dict[str, object]:
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
