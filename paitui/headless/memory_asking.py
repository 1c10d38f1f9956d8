"""Typed answers to questions about long-term memory: clear ones only, and never an empty line."""

from paitui.engine.events import MemoryAsked
from paitui.engine.ops import DecideMemory


def read_memory_answer(line: str, asked: MemoryAsked) -> DecideMemory | None:
    """Understand an answer.

    Args:
        line: What was typed.
        asked: What was asked.

    Returns:
        The decision; None if the line says nothing clear, so that it is asked again.
    """
    word, _, rest = line.strip().partition(" ")
    word, rest = word.lower(), rest.strip()
    if word in ("n", "no", "l", "leave") and not rest:
        return leaving(asked)
    match asked.why, word:
        case ("conflict", "r" | "replace"):
            return _replacing(rest, asked)
        case ("conflict", "b" | "both") if not rest:
            return DecideMemory(asked.id, "keep")
        case ("conflict", "e" | "edit") if rest:
            return DecideMemory(asked.id, "keep", text=rest)
        case ("secret" | "permission", "y" | "yes") if not rest:
            return DecideMemory(asked.id, "save")
        case ("clear", "yes") if not rest:
            return DecideMemory(asked.id, "save")
    return None


def leaving(asked: MemoryAsked) -> DecideMemory:
    """Give the answer that changes nothing."""
    return DecideMemory(asked.id, "leave")


def _replacing(name: str, asked: MemoryAsked) -> DecideMemory | None:
    """Replace the one that is named, the closest one if none is; another name is no clear answer."""
    found = [view.id for view in asked.against if not name or view.id.startswith((name, f"fact-{name}"))]
    if not found or (name and len(found) > 1):
        return None
    return DecideMemory(asked.id, "replace", replaced=found[0])
