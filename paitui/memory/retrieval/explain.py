"""Why an entry matched: the words that it shares with the query, and where they stand in it."""

import re
from dataclasses import dataclass

from paitui.memory.retrieval.words import Segment, Stem, folded, plain, tokens

_HAN = 2
_OTHER = 4
"""Characters that a piece shared below the level of words must have, in Chinese and in other scripts."""
_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\W\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A place in an entry that answers the query."""

    text: str
    """What stands there."""
    start: int
    """Offset of its first character in the entry's content."""
    end: int
    """Offset after its last character."""


def explain(query: str, content: str, segment: Segment, stem: Stem) -> tuple[Found, ...]:
    """Find what of a query stands in an entry.

    Args:
        query: What was asked.
        content: The entry's text.
        segment: Cuts Chinese.
        stem: Stems English.

    Returns:
        Places in order, none overlapping: shared words, or where there are none, shared pieces of words. Empty
        if the two have nothing in common that a reader would see.
    """
    wanted = {token.term for token in tokens(query, segment, stem)}
    spans = [(token.start, token.end) for token in tokens(content, segment, stem) if token.term in wanted]
    if not spans:
        spans = _pieces(query, content)
    return tuple(Found(content[start:end], start, end) for start, end in _merged(spans))


def pieces_shared(query: str, content: str) -> bool:
    """Whether two texts share a piece of a word that a reader would see; cheaper than `explain`."""
    line = plain(content).lower()
    return any(window in line for window in _windows(query))


def _pieces(query: str, content: str) -> list[tuple[int, int]]:
    wanted = set(_windows(query))
    line, places = folded(content)
    spans: list[tuple[int, int]] = []
    for run in _RUN.finditer(line.lower()):
        size = _size(run[0])
        for at in range(run.start(), run.end() - size + 1):
            if line[at : at + size].lower() in wanted:
                last = at + size - 1
                spans.append((places[at], places[last] + 1) if places else (at, last + 1))
    return spans


def _windows(text: str) -> list[str]:
    runs = _RUN.findall(plain(text).lower())
    return [run[at : at + _size(run)] for run in runs for at in range(len(run) - _size(run) + 1)]


def _size(run: str) -> int:
    return _HAN if "\u3400" <= run[0] <= "\u9fff" or "\uf900" <= run[0] <= "\ufaff" else _OTHER


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
