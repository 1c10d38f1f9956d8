"""Which stored memories disagree, kept up to date as the memory changes."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from paitui.memory.conflict import Conflict, compare, prepare
from paitui.memory.entry import Entry
from paitui.memory.pairs import MOST, disagreeing

AT_ONCE = 300
"""So many entries are compared with each other at once; of more, seconds may pass."""
FEW = 20
"""So many changed entries are compared one by one with all others."""

Against = dict[str, list[tuple[Entry, Conflict]]]


@dataclass(slots=True)
class Disputes:
    """Knows for every entry which others disagree with it. Safe for several threads."""

    _entries: tuple[Entry, ...] = ()
    _against: Against = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)

    def known(self, entries: tuple[Entry, ...]) -> Against | None:
        """Give what is known, brought up to date if that is quick.

        Args:
            entries: All entries, as the store gives them.

        Returns:
            By id; None if `find` would have to look at too many.
        """
        with self._lock:
            if entries is self._entries:
                return self._against
            old = {entry.id: entry for entry in self._entries}
            now = {entry.id: entry for entry in entries}
            new = [entry for entry in entries if entry.id not in old or _said(old[entry.id]) != _said(entry)]
            if len(entries) <= AT_ONCE or (self._entries and len(new) <= FEW):
                self._against = self._renewed(entries, now, new) if self._entries else disagreeing(entries)
                self._entries = entries
                return self._against
            return None

    def find(self, entries: tuple[Entry, ...]) -> Against:
        """Compare all entries, however long that takes: some seconds for ten thousand.

        Raises:
            Stopped: `stop` was called.
        """
        found = disagreeing(entries, self._stop.is_set)
        with self._lock:
            self._entries, self._against = entries, found
        return found

    def stop(self) -> None:
        """End a comparison that is under way: the program is about to end, and would wait for it."""
        self._stop.set()

    def _renewed(self, entries: Sequence[Entry], now: dict[str, Entry], new: Sequence[Entry]) -> Against:
        fresh = {entry.id for entry in new}
        against: Against = {}
        for name, others in self._against.items():
            if name in now and name not in fresh:
                kept = [(now[other.id], why) for other, why in others if other.id in now and other.id not in fresh]
                if kept:
                    against[name] = kept
        for entry in new:
            for other in entries:
                if other.id == entry.id or _group(other) != _group(entry):
                    continue
                if other.id in fresh and other.id < entry.id:
                    continue  # the pair was looked at from the other side
                if why := compare(prepare(entry.content), prepare(other.content)):
                    _note(against, entry, other, why)
                    _note(against, other, entry, why)
        return against


def _note(against: Against, entry: Entry, other: Entry, why: Conflict) -> None:
    known = against.setdefault(entry.id, [])
    if len(known) < MOST:
        known.append((other, why))


def _group(entry: Entry) -> tuple[str, str, str]:
    return entry.type, entry.scope, entry.project


def _said(entry: Entry) -> tuple[str, ...]:
    return (entry.content, *_group(entry))
