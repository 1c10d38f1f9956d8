"""What a new fact means for those that are there: the same again, or something against it."""

from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

from paitui.memory import conflict, dedupe
from paitui.memory.conflict import Conflict
from paitui.memory.entry import Entry
from paitui.memory.normal import normalise
from paitui.trust import secrets

MOST_CHARS = 2_000
"""A longer text is no single fact, and is not saved."""
MOST_QUOTED = 1_000
"""Characters that are kept of the words that a fact rests on."""


def tidy(fact: str) -> str:
    """Bring a fact into one line without needless white space; nothing else of it is touched."""
    return " ".join(fact.split())


def excerpt(words: str, fact: str) -> str:
    """Take of long words the part around a fact, verbatim."""
    if len(words) <= MOST_QUOTED:
        return words
    at = max(0, words.find(fact[:20]))
    start = max(0, min(at - MOST_QUOTED // 4, len(words) - MOST_QUOTED))
    return words[start : start + MOST_QUOTED]


def holds_secret(fact: str) -> bool:
    """Whether a fact looks like a credential or personal data, also in full-width letters and digits."""
    return bool(secrets.find(fact) or secrets.find(normalize("NFKC", fact)))


def find_same(fact: str, group: Iterable[Entry]) -> Entry | None:
    """Give the entry of a group that says a fact already; None if none does."""
    form = _normal(fact)
    for entry in group:
        if dedupe.same_normalised(form, _normal(entry.content)) or fact == entry.content:
            return entry
    return None


def find_against(fact: str, group: Iterable[Entry]) -> tuple[tuple[Entry, Conflict], ...]:
    """Say which entries of a group disagree with a fact, the closest first."""
    subject = conflict.prepare(fact)
    found = [
        (entry, clash) for entry in group if (clash := conflict.compare(subject, conflict.prepare(entry.content)))
    ]
    order = {"numbers": 0, "similar": 1, "possible": 2}
    return tuple(sorted(found, key=lambda pair: order[pair[1].reason]))


class Known:
    """Facts by what they say, for many questions about duplicates."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._alike: dict[str, list[Entry]] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Take in one more."""
        self._alike.setdefault(self._key(entry.content), []).append(entry)

    def same(self, fact: str) -> Entry | None:
        """Give the first that says a fact already; None if none does."""
        return find_same(fact, self._alike.get(self._key(fact), ()))

    def _key(self, content: str) -> str:
        return dedupe.key(_normal(content)) or content  # without letters, only the same text is the same


@lru_cache(maxsize=20_000)
def _normal(content: str) -> str:
    return normalise(content)
