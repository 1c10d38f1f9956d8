"""The simple ranking that the default one is measured against: shared words, times a factor for age."""

import re
from collections.abc import Iterable
from datetime import datetime

from paitui.memory.retrieval.words import Segment

_HAN_OR_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\W\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_DAY_HOURS = 24.0
_FLOOR = 0.5


def query_words(query: str, cut: Segment) -> list[str]:
    """The words of a query, each once; single characters and punctuation are dropped."""
    found: dict[str, None] = {}
    for run in _HAN_OR_WORD.findall(query.lower()):
        for word in [word for word, _ in cut(run)] if not run.isascii() else [run]:
            if len(word) > 1:
                found[word] = None
    return list(found)


def score(query: str, words: Iterable[str], content: str, written: datetime | None, now: datetime) -> float:
    """Score one entry.

    Args:
        query: The whole query.
        words: Its `query_words`.
        content: The entry's text.
        written: When it was written; None leaves age out.
        now: The present time.

    Returns:
        1.0 if the entry holds the whole query, else the share of words it holds times max(0.5, 1 - hours / 24); 0 is
        no match.
    """
    text = content.lower()
    whole = query.strip().lower()
    if whole and whole in text:
        return 1.0
    words = list(words)
    if not words:
        return 0.0
    share = sum(word in text for word in words) / len(words)
    hours = 0.0 if written is None else max(0.0, (now - written).total_seconds() / 3_600)
    return share * max(_FLOOR, 1 - hours / _DAY_HOURS)
