"""A memory as a face shows it: the entry with everything that was found out about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

State = Literal["unconfirmed", "stale", "fresh"]
Scope = Literal["project", "global"]
Source = Literal["typed", "tool", "extracted", "imported", ""]
Reason = Literal["numbers", "similar", "possible"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a file of the project says about a memory."""

    agrees: bool
    file: str
    """Path relative to the project."""
    line: int
    """Line number from 1; 0 where it is the file as such."""
    says: str
    """What stands there: ``21``, ``pnpm``, ``missing``."""


@dataclass(frozen=True, slots=True)
class Against:
    """Another memory that disagrees."""

    id: str
    content: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One long-term memory."""

    id: str
    content: str
    scope: Scope
    state: State
    written: datetime | None = None
    verified: datetime | None = None
    """When the user last verified it."""
    project: str = ""
    """Absolute path of the project that it belongs to; empty for a global one."""
    source: Source = ""
    """How it came in; empty if nobody knows."""
    session: str = ""
    turn: int = 0
    """The turn of that session; 0 if not known."""
    quote: str = ""
    """The user's words that it rests on."""
    tokens: int = 0
    used: int = 0
    """How often it was attached to a message."""
    last_used: datetime | None = None
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Against, ...] = ()
    """Memories of the same scope that disagree with it."""
    matched: tuple[tuple[int, int], ...] = ()
    """For an answer to a search: spans of `content` that answer the query."""
    external: str = ""
    """What content from outside was in the session when it was written: ``web https://example.org/page``."""

    @property
    def age_from(self) -> datetime | None:
        """What its age counts from: the last verification, else the writing."""
        return self.verified or self.written

    @property
    def to_review(self) -> bool:
        """Whether the user should look at it."""
        return self.state != "fresh" or bool(self.against) or any(not item.agrees for item in self.evidence)
