"""The arguments of `paitui memory`, read into what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from paitui.locale import Phrase, phrase

Verb = Literal[
    "list", "search", "show", "log", "verify", "replace", "delete", "scope", "clear", "undo", "relink", "export",
    "import", "add", "check",
]  # fmt: skip

SHAPES: dict[Verb, str] = {
    "list": "[--all]",
    "search": "[--all] <words>",
    "show": "<id>",
    "log": "<id>",
    "verify": "<id>",
    "replace": "[--force] <id> <fact>",
    "delete": "<id>",
    "scope": "<id> project|global",
    "clear": "[--all] [--force]",
    "undo": "[<id>]",
    "relink": "",
    "export": "[--all] <file>",
    "import": "<file>",
    "add": "[--global] [--force] <fact>",
    "check": "",
}
"""What belongs to each verb, as the help writes it."""
_FLAGS = ("--all", "--json", "--global", "--force", "--help", "-h")
_VALUED = ("--project", "--lang")
OPTIONS = (*_FLAGS, *_VALUED)
"""All options that stand behind `paitui memory`."""
_TAKES: dict[str, tuple[Verb, ...]] = {"--global": ("add",), "--force": ("add", "replace", "clear")}
_FACTS: tuple[Verb, ...] = ("add", "replace", "search")
"""Verbs whose last argument is text, also as several words."""


class CallError(Exception):
    """The arguments make no sense.

    Attributes:
        phrase: What is wrong and how it is written.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class MemoryCall:
    """What `paitui memory` was asked for."""

    verb: Verb = "list"
    id: str = ""
    """An entry's id, or the beginning of one."""
    text: str = ""
    """The fact (``-`` for standard input), the query or the file."""
    scope: Literal["project", "global"] = "project"
    force: bool = False
    everywhere: bool = False
    json: bool = False
    help: bool = False
    options: dict[str, str] = field(default_factory=dict, hash=False)
    """``--project`` and ``--lang``, as they were given."""


def read_call(given: Sequence[str]) -> MemoryCall:
    """Read what stands behind `paitui memory`; nothing lists.

    Args:
        given: The arguments. Flags may stand anywhere, but not behind the first word of a fact that was given as
            several words: there it cannot be told whether they belong to it.

    Raises:
        CallError: A verb or an option is unknown, or something is missing or too much.
    """
    words, flags, options, late = _sorted(given)
    verb = _verb(words[0]) if words else "list"
    if "--help" in flags or "-h" in flags:
        return MemoryCall(verb, help=True, options=options)
    for flag in flags:
        if verb not in _TAKES.get(flag, SHAPES):
            raise CallError(phrase("memory_cli.not_with", option=flag, usage=usage(verb)))
    name, text, scope = _operands(verb, words[1:], late)
    return MemoryCall(
        verb=verb,
        id=name,
        text=text,
        scope="global" if "--global" in flags else scope,
        force="--force" in flags,
        everywhere="--all" in flags,
        json="--json" in flags,
        options=options,
    )


def usage(verb: Verb) -> str:
    """Give how a verb is written."""
    return f"paitui memory {verb} {SHAPES[verb]}".strip()


def _verb(word: str) -> Verb:
    for verb in SHAPES:
        if verb == word:
            return verb
    from difflib import get_close_matches  # only needed for a mistyped verb

    close = get_close_matches(word, SHAPES, n=1)
    known = close[0] if close else ", ".join(SHAPES)
    key = "memory_cli.unknown_close" if close else "memory_cli.unknown"
    raise CallError(phrase(key, verb=word, known=known))


def _sorted(given: Sequence[str]) -> tuple[list[str], list[str], dict[str, str], int]:
    """Tell words from options.

    Returns:
        The words, the flags, the options with a value, and the number of words before the last flag.
    """
    words, flags, options, late = list[str](), list[str](), dict[str, str](), 0
    rest = list(given)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        option, equals, value = word.partition("=")
        if option in _VALUED:
            if not equals and not rest:
                raise CallError(phrase("memory_cli.needs_value", option=option))
            options[option] = value if equals else rest.pop(0)
        elif word in _FLAGS:
            flags.append(word)
            late = len(words)
        elif word.startswith("-") and word != "-" and " " not in word:
            raise CallError(phrase("memory_cli.unknown_option", option=word))
        else:
            words.append(word)
    return words, flags, options, late


def _operands(verb: Verb, words: list[str], late: int) -> tuple[str, str, Literal["project", "global"]]:
    """Read the words behind a verb as id, text and scope."""
    wrong = CallError(phrase("memory_cli.usage", usage=usage(verb)))
    if any(not word.strip() for word in words):
        raise wrong
    if verb in _FACTS:
        first = 1 if verb == "replace" else 0
        if len(words) <= first:
            raise wrong
        if len(words) > first + 1 and late > first + 1:
            raise CallError(phrase("memory_cli.quote_fact", usage=usage(verb)))
        return words[0] if first else "", " ".join(words[first:]), "project"
    match verb, words:
        case ("show" | "log" | "verify" | "delete" | "undo", [name]):
            return name, "", "project"
        case ("scope", [name, "project"]):
            return name, "", "project"
        case ("scope", [name, "global"]):
            return name, "", "global"
        case ("export" | "import", [file]):
            return "", file, "project"
        case ("list" | "clear" | "undo" | "relink" | "check", []):
            return "", "", "project"
    raise wrong
