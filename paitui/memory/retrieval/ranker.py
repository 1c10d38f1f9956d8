"""The default ranking: BM25 over words and BM25 over character n-grams, added up on one scale."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from heapq import nlargest
from operator import itemgetter

from paitui.memory.retrieval.bm25 import Index
from paitui.memory.retrieval.explain import Found, explain, pieces_shared
from paitui.memory.retrieval.segmenter import Segmenter
from paitui.memory.retrieval.words import Stem, grams, tokens

_WORD_BUDGET = 8_000
_GRAM_BUDGET = 8_000
"""Postings that one query visits, rarest terms first, so that it takes milliseconds among thousands of entries."""
_DEAD_SHARE = 0.25
"""Share of removed documents from which on the index is built anew."""
_CACHED_TEXTS = 20_000
_UNKNOWN_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Document:
    """An entry as the ranking sees it."""

    id: str
    """The entry's id."""
    content: str
    """Its text."""
    time: datetime | None = None
    """When it was last verified or written; only decides between equal scores."""


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that a query found."""

    id: str
    """The entry's id."""
    score: float
    """0 to 2; comparable within one answer only."""
    words: tuple[Found, ...]
    """What of the query stands in the entry, and where; empty unless asked for."""


class Vocabulary:
    """What turns texts into terms: a segmenter and a stemmer, and the terms of texts already seen."""

    def __init__(self) -> None:
        self.segmenter = Segmenter()
        self._stem: Stem | None = None
        self._cache: dict[bytes, Counter[str]] = {}

    @property
    def ready(self) -> bool:
        """Whether terms are found at once."""
        return self.segmenter.ready and self._stem is not None

    def warm(self) -> None:
        """Load what finding terms needs (about 0.4 s); call it in a thread before the first search."""
        self.segmenter.warm()
        self.stem("warm")

    def stem(self, word: str) -> str:
        """Take the ending off an English word."""
        if self._stem is None:
            import snowballstemmer  # only here: not needed before the first search

            self._stem = lru_cache(maxsize=50_000)(snowballstemmer.stemmer("english").stemWord)
        return self._stem(word)

    def terms(self, text: str) -> Counter[str]:
        """Count the words of a text; remembered by its hash, so that an entry is cut once."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._cache.get(digest)
        if known is None:
            known = Counter(token.term for token in tokens(text, self.segmenter.words, self.stem))
            if len(self._cache) >= _CACHED_TEXTS:
                del self._cache[next(iter(self._cache))]
            self._cache[digest] = known
        return known


class Ranker:
    """Ranks one set of entries, such as all that a project may see; takes changes without building anew.

    Not safe for several threads at once: one thread updates and searches.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._documents: dict[str, Document] = {}
        self._start()

    def _start(self) -> None:
        self._words, self._grams = Index(_WORD_BUDGET), Index(_GRAM_BUDGET)
        self._numbers: dict[str, int] = {}
        self._ids: list[str | None] = []

    def update(self, documents: Iterable[Document]) -> None:
        """Make the set what is given; only what is new, changed or gone costs time.

        Args:
            documents: All entries of the set.
        """
        wanted = {document.id: document for document in documents}
        for id_, known in self._documents.items():
            new = wanted.get(id_)
            if new is None or new.content != known.content:
                self._remove(id_)
        self._documents = wanted
        if len(self._ids) - len(self._numbers) > max(64, _DEAD_SHARE * len(self._ids)):
            self._start()
        for id_, document in wanted.items():
            if id_ not in self._numbers:
                self._add(document)

    def search(self, query: str, limit: int = 10, *, explained: bool = False) -> list[Match]:
        """Rank the entries that have something of the query in them.

        Args:
            query: What is asked or worked on.
            limit: How many at most.
            explained: Whether to say where each entry matched; costs about a millisecond an entry.

        Returns:
            Matches, best first. Of equal scores the newer entry comes first; order in the file plays no part.
        """
        words = self._words.scores(self._vocabulary.terms(query))
        pieces = self._grams.scores(grams(query))
        best_word, best_piece = max(words.values(), default=1.0) or 1.0, max(pieces.values(), default=1.0) or 1.0
        scores = {number: score / best_piece for number, score in pieces.items()}
        for number, score in words.items():
            scores[number] = scores.get(number, 0.0) + score / best_word
        matches: list[Match] = []
        for id_, score in self._ordered(scores, limit):
            if len(matches) == limit:
                break
            # An entry that shares no word may share n-grams that no reader would see.
            if self._numbers[id_] not in words and not pieces_shared(query, self._documents[id_].content):
                continue
            matches.append(Match(id_, score, self.explain(query, id_) if explained else ()))
        return matches

    def explain(self, query: str, id_: str) -> tuple[Found, ...]:
        """Say what of a query stands in an entry, and where (see `explain.explain`)."""
        content = self._documents[id_].content
        return explain(query, content, self._vocabulary.segmenter.words, self._vocabulary.stem)

    def _ordered(self, scores: dict[int, float], limit: int) -> list[tuple[str, float]]:
        ids = self._ids
        if len(ids) > len(self._numbers):
            scores = {number: score for number, score in scores.items() if ids[number]}
        # Twice as many as asked for: n-grams alone may have found entries that share nothing a reader would see.
        best = nlargest(2 * limit, scores.items(), key=itemgetter(1))
        if best:
            floor = best[-1][1] - 1e-9  # all that are equal to the last, so that order in the file plays no part
            best = [(number, score) for number, score in scores.items() if score >= floor]
        named = [(id_, score) for number, score in best if (id_ := ids[number])]
        named.sort(key=lambda item: (-round(item[1], 9), self._tie(self._documents[item[0]])))
        return named

    def _tie(self, document: Document) -> tuple[float, str]:
        time = document.time or _UNKNOWN_TIME
        digest = hashlib.blake2b(f"{document.id}\0{document.content}".encode("utf-8", "surrogatepass"), digest_size=8)
        return -(time - _UNKNOWN_TIME).total_seconds(), digest.hexdigest()

    def _add(self, document: Document) -> None:
        number = self._words.add(self._vocabulary.terms(document.content))
        self._grams.add(grams(document.content))
        self._numbers[document.id] = number
        self._ids.append(document.id)

    def _remove(self, id_: str) -> None:
        number = self._numbers.pop(id_)
        self._ids[number] = None
        self._words.remove(number)
        self._grams.remove(number)
