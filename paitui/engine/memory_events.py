"""What the worker tells about long-term memory; a part of `paitui.engine.events`."""

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from paitui.locale import Phrase

if TYPE_CHECKING:  # the screen loads this file before its first frame, and needs no memory for that
    from paitui.memory.view import MemoryView


class MemoriesUsed(Struct, frozen=True):
    """Memories that were attached to the user's message, or still stand in the history unchanged; may be none."""

    entries: "tuple[MemoryView, ...]"


class MemoriesShown(Struct, frozen=True):
    """The answer to `Memory("list")` and `Memory("search")`; told anew after each change while a face looks on."""

    entries: "tuple[MemoryView, ...]"
    """In the order of the file, or best first for a search."""
    query: str = ""
    file: str = ""
    """Where they are kept."""
    changed_by_others: float | None = None
    """Seconds since another process changed the file; None if none did in this session."""
    elsewhere: int = 0
    """Entries that belong to other projects."""
    movable: int = 0
    """Of these, entries of a folder that is gone and whose repository this one is: `relink` brings them here."""


class MemoryShown(Struct, frozen=True):
    """The answer to `Memory("show")`."""

    entry: "MemoryView"


class MemoryAsked(Struct, frozen=True):
    """Something is to be remembered, and the user has to decide first by `DecideMemory` with this id."""

    id: str
    why: Literal["conflict", "secret", "permission", "clear"]
    """``conflict``: others disagree; ``secret``: it looks like a credential or personal data; ``permission``: the
    model wants to save what the user did not ask it to; ``clear``: all memories are to be deleted."""
    fact: str
    """In full what would be saved; empty for ``clear``."""
    scope: Literal["project", "global"] = "project"
    against: "tuple[MemoryView, ...]" = ()
    """What disagrees, the closest first."""
    quote: str = ""
    """The user's words that it rests on, as far as there are any."""
    count: int = 0
    """For ``clear``: how many entries."""


class MemoryResolved(Struct, frozen=True):
    """A `MemoryAsked` was answered, or nobody waits for it any more."""

    id: str


class MemoryChanged(Struct, frozen=True):
    """What became of an attempt to change long-term memory; ``extracted``: an entry was added unasked."""

    result: Literal[
        "stored",
        "extracted",
        "duplicate",
        "replaced",
        "verified",
        "deleted",
        "moved",
        "cleared",
        "undone",
        "left",
        "refused",
        "not_found",
        "failed",
    ]
    entry: "MemoryView | None" = None
    """The entry as it stands now, or as it stood before it was deleted."""
    phrase: Phrase | None = None
    """More to say: why it was refused or failed, how many were cleared."""
