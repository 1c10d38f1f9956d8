"""`/save` and `/memory`, read into ops."""

from typing import Literal

from paitui.engine.ops import Memory
from paitui.locale import Phrase, phrase

VERBS = "list search show log verify replace delete scope clear export import undo relink"
"""What `/memory` can do, in the order in which it is told."""


class MemoryUsage(Exception):
    """The command cannot be read.

    Attributes:
        phrase: What is wrong and how it is written.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def read_save(text: str) -> Memory:
    """Read the argument of `/save`.

    Args:
        text: ``[--global] [--force] <fact>``; the flags stand before the fact, which is taken word for word.

    Raises:
        MemoryUsage: There is no fact.
    """
    rest, flags = _flags(text, ("--global", "--project", "--force"))
    if not rest:
        raise MemoryUsage(phrase("commands.save_usage"))
    scope: Literal["project", "global"] = "global" if "--global" in flags else "project"
    return Memory("save", text=rest, scope=scope, force="--force" in flags)


def read_memory(text: str) -> Memory:
    """Read the argument of `/memory`; without one it lists.

    Args:
        text: A verb and what belongs to it.

    Raises:
        MemoryUsage: The verb is unknown, or lacks what it needs.
    """
    rest, flags = _flags(text, ("--all",))
    word, _, rest = rest.partition(" ")
    rest, more = _flags(rest, ("--all",))
    everywhere = bool(flags or more)
    verb = next((known for known in VERBS.split() if known == (word or "list")), None)
    match verb:
        case None:
            raise MemoryUsage(phrase("commands.memory_unknown", verb=word, known=VERBS.replace(" ", ", ")))
        case "list" | "clear" | "undo" | "relink":
            return Memory(verb, everywhere=everywhere)
        case "search" if rest:
            return Memory("search", text=rest, everywhere=everywhere)
        case "export" | "import" if rest:
            return Memory(verb, text=rest)
        case "show" | "log" | "verify" | "delete" if rest and " " not in rest:
            return Memory(verb, id=rest)
        case "replace" | "scope":
            name, _, value = rest.partition(" ")
            value = value.strip()
            if verb == "replace" and name and value:
                return Memory("replace", id=name, text=value)
            if verb == "scope" and name and value in ("project", "global"):
                return Memory("scope", id=name, scope="global" if value == "global" else "project")
        case _:
            pass
    raise MemoryUsage(phrase(f"commands.memory_{verb}_usage"))


def _flags(text: str, known: tuple[str, ...]) -> tuple[str, list[str]]:
    """Take the flags off the beginning of a text."""
    found: list[str] = []
    rest = text.strip()
    while True:
        word, _, after = rest.partition(" ")
        if word not in known:
            return rest, found
        found.append(word)
        rest = after.strip()
