"""An inverted index scored by BM25 that takes changes one document at a time."""

import math
from array import array
from collections import Counter, defaultdict

K1 = 1.2
"""How soon repeating a term stops counting."""
B = 0.75
"""How much a long document is discounted."""


class Index:
    """Documents by number, each a bag of terms."""

    def __init__(self, budget: int) -> None:
        """Start empty.

        Args:
            budget: How many postings a query may visit, its rarest terms first. What is left out are terms that
                stand in so many documents that they hardly tell them apart.
        """
        self._budget = budget
        self._postings: dict[str, array[int] | int] = {}
        self._repeats: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        self._norms: list[float] = []
        self._once: list[float] = []
        self._total = 0
        self._alive = 0

    def add(self, terms: Counter[str]) -> int:
        """Add a document.

        Args:
            terms: Its terms with their counts.

        Returns:
            Its number; numbers count up from 0 and are not used again.
        """
        number = len(self._lengths)
        postings = self._postings
        for term, count in terms.items():
            known = postings.get(term)
            if known is None:
                postings[term] = number  # most terms stand in one document: a plain number is a tenth of an array
            elif isinstance(known, int):
                postings[term] = array("I", (known, number))
            else:
                known.append(number)
            if count > 1:
                self._repeats.setdefault(term, []).append((number, count))
        length = terms.total()
        self._lengths.append(length)
        self._total += length
        self._alive += 1
        self._norms = []
        return number

    def remove(self, number: int) -> None:
        """Take a document out of the averages. Its postings stay, so the caller leaves its number out of results."""
        self._total -= self._lengths[number]
        self._lengths[number] = 0
        self._alive -= 1
        self._norms = []

    def scores(self, terms: Counter[str]) -> dict[int, float]:
        """Score the documents that hold at least one of the terms.

        Args:
            terms: The terms of the query; their counts are not used.

        Returns:
            Scores by document number, removed documents included.
        """
        if not self._norms:
            self._compute_norms()
        norms, once = self._norms, self._once
        lists = [(_as_list(found), term) for term in terms if (found := self._postings.get(term)) is not None]
        lists.sort(key=lambda item: (len(item[0]), item[1]))
        scores: defaultdict[int, float] = defaultdict(float)
        visited = 0
        for postings, term in lists:
            visited += len(postings)
            if scores and visited > self._budget:
                break
            share = (self._alive - len(postings) + 0.5) / (len(postings) + 0.5)
            weight = math.log(1 + max(share, 0.0)) * (K1 + 1)
            for number in postings:
                scores[number] += weight * once[number]
            for number, count in self._repeats.get(term, ()):
                scores[number] += weight * (count / (count + norms[number]) - once[number])
        return scores

    def _compute_norms(self) -> None:
        average = self._total / self._alive if self._total else 1.0
        self._norms = [K1 * (1 - B + B * length / average) for length in self._lengths]
        self._once = [1 / (1 + norm) for norm in self._norms]


def _as_list(postings: "array[int] | int") -> "array[int] | tuple[int]":
    return (postings,) if isinstance(postings, int) else postings
