"""Which memories a text calls for, and each memory with everything that is known about it."""

import hashlib
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paitui.clock import Clock, iso
from paitui.memory.conflict import Conflict
from paitui.memory.entry import Entry
from paitui.memory.freshness import state
from paitui.memory.retrieval.explain import Found
from paitui.memory.retrieval.ranker import Document, Match, Ranker, Vocabulary
from paitui.memory.usage import UsageLog
from paitui.memory.view import Against, Evidence, MemoryView

CANDIDATES = 30
"""Entries that are looked at for the ten that are attached; some are too long for what is left."""
SEARCHED = 100
"""Entries that a search gives at most."""


@dataclass(slots=True)
class Recall:
    """Searches what a project sees. Safe for several threads; the first search loads the words of the language."""

    clock: Clock
    usage: UsageLog
    _vocabulary: Vocabulary = field(default_factory=Vocabulary)
    _ranker: Ranker = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _indexed: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nothing indexed."""
        self._ranker = Ranker(self._vocabulary)

    def warm(self, entries: Sequence[Entry]) -> None:
        """Load what searching needs and take the entries in, before somebody waits for it; for a thread.

        Takes 0.4 s, and half a millisecond an entry.
        """
        self._vocabulary.warm()
        with self._lock:
            self._update(entries)

    def search(self, entries: Sequence[Entry], query: str) -> list[tuple[Entry, tuple[Found, ...]]]:
        """Rank entries by a query.

        Args:
            entries: What is searched.
            query: What is looked for.

        Returns:
            What has something of the query in it, best first, each with the places that answer it.
        """
        by_id = {entry.id: entry for entry in entries}
        matches = self._matches(entries, query, SEARCHED, explained=True)
        return [(by_id[match.id], match.words) for match in matches]

    def candidates(self, entries: Sequence[Entry], text: str) -> list[Entry]:
        """Give the entries that a text may call for, best first: those whose size has to be known."""
        by_id = {entry.id: entry for entry in entries}
        return [by_id[match.id] for match in self._matches(entries, text, CANDIDATES, explained=False)]

    def view(
        self,
        entry: Entry,
        against: Iterable[tuple[Entry, Conflict]] = (),
        evidence: Iterable[Evidence] = (),
        matched: Iterable[Found] = (),
    ) -> MemoryView:
        """Give an entry as faces show it.

        Args:
            entry: The entry.
            against: Others that disagree with it.
            evidence: What the project's files say about it.
            matched: Where it answers a query.
        """
        used = self.usage.of(entry.id)
        now = self.clock.now()
        return MemoryView(
            id=entry.id,
            content=entry.content,
            scope=entry.scope,
            state=state(entry.written or now, entry.verified, entry.confirmed, now),
            written=entry.written,
            verified=entry.verified,
            project=entry.project,
            source=entry.source or "",
            session=entry.session,
            turn=entry.turn or 0,
            quote=entry.quote,
            external=entry.external,
            tokens=entry.tokens,
            used=used.times,
            last_used=used.last,
            evidence=tuple(evidence),
            against=tuple(Against(other.id, other.content, clash.reason) for other, clash in against),
            matched=tuple((one.start, one.end) for one in matched),
        )

    def _update(self, entries: Sequence[Entry]) -> None:
        if entries != self._indexed:
            self._ranker.update(Document(one.id, one.content, one.verified or one.written) for one in entries)
            self._indexed = list(entries)

    def _matches(self, entries: Sequence[Entry], query: str, limit: int, *, explained: bool) -> list[Match]:
        with self._lock:
            self._update(entries)
            return self._ranker.search(query, limit, explained=explained)


def mark(entry: Entry) -> str:
    """Name an entry in its present state: another mark means that it says or counts something else now."""
    state = "\0".join((entry.content, entry.scope, iso(entry.verified) if entry.verified else ""))
    return f"{entry.id}@{hashlib.sha256(state.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
