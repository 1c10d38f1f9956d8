"""What long-term memory adds to a message."""

from dataclasses import dataclass

from paitui.memory.view import MemoryView


@dataclass(frozen=True, slots=True)
class Attached:
    """What goes with a message."""

    block: str = ""
    """Ready to be sent; empty if nothing is attached."""
    marks: tuple[str, ...] = ()
    """One for each entry in the block."""
    used: tuple[MemoryView, ...] = ()
    """The entries in the block, and those called for that still stand in the history."""


NOTHING = Attached()
