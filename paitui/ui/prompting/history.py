"""What the user sent before, to be had back: in order, one after the other, or by search. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paitui.messages.message import Spans
from paitui.ui.prompting.marks import Draft

MAX_ENTRIES = 2_000
"""Entries held."""
SEARCHED = 2_000
"""Characters of an entry that are searched."""
MAX_FOUND = 200
"""Entries that a search gives at most."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was sent, or cleared before it was sent."""

    text: str
    """In full."""
    pasted: Spans = ()
    """What of it was pasted."""
    project: str = ""
    """Resolved path of the project."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that a search found."""

    entry: Entry
    shown: str
    """Its beginning, on one line."""
    hits: tuple[int, ...] = ()
    """Characters of it that match."""


def ordered(entries: Iterable[Entry], project: str) -> list[Entry]:
    """Put this project's entries first, each group newest first, and each text once.

    Args:
        entries: Newest first.
        project: Resolved path of the project.
    """
    own: dict[str, Entry] = {}
    other: dict[str, Entry] = {}
    for entry in entries:
        (own if entry.project == project else other).setdefault(entry.text, entry)
    return [*own.values(), *(entry for text, entry in other.items() if text not in own)][:MAX_ENTRIES]


def search(entries: Sequence[Entry], query: str) -> list[Found]:
    """Find entries that hold all words of a query, capitals or not, in their order."""
    words = query.casefold().split()
    found: list[Found] = []
    for entry in entries:
        shown = " ".join(entry.text[:SEARCHED].split())
        folded = shown.casefold()
        if all(word in folded for word in words):
            # A letter that is longer in lower case moves what follows it; then nothing is highlighted.
            hits = {at for word in words for at in _places(folded, word)} if len(folded) == len(shown) else set()
            found.append(Found(entry, shown, tuple(sorted(hits))))
            if len(found) == MAX_FOUND:
                break
    return found


def _places(text: str, word: str) -> range:
    at = text.find(word)
    return range(at, at + len(word))


@dataclass(slots=True)
class Recall:
    """Going back and forth through the entries; what was typed on the way is kept where it was typed."""

    project: str = ""
    """Resolved path of the project."""
    entries: list[Entry] = field(default_factory=list)
    """This project's first, newest first."""
    _at: int = -1
    _edited: dict[int, Draft] = field(default_factory=dict)

    @property
    def recalling(self) -> bool:
        """Whether an entry stands in the prompt."""
        return self._at >= 0

    def add(self, draft: Draft) -> Entry | None:
        """Put what was just sent, or gave way to something else, first, and begin anew.

        Returns:
            The new entry; None if there is nothing to keep.
        """
        entry = Entry(*draft.said(), self.project)
        if not entry.text.strip():
            return None
        self.entries = [entry, *(old for old in self.entries if old.text != entry.text)][:MAX_ENTRIES]
        self.reset()
        return entry

    def take_up(self, earlier: Iterable[Entry]) -> None:
        """Add what earlier sessions sent, newest first, behind what was sent since."""
        self.entries = ordered([*self.entries, *earlier], self.project)

    def reset(self) -> None:
        """Begin anew at the draft."""
        self._at = -1
        self._edited.clear()

    def move(self, step: int, current: Draft) -> Entry | Draft | None:
        """Go to the next older (1) or newer (-1) one.

        Args:
            step: 1 or -1.
            current: What stands in the prompt; it comes back when one returns to it.

        Returns:
            What is to stand there now; None if there is nothing further that way.
        """
        to = self._at + step
        if not -1 <= to < len(self.entries):
            return None
        self._edited[self._at] = current
        self._at = to
        return self._edited.get(to) or (self.entries[to] if to >= 0 else Draft())
