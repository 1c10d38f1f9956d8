"""Which of the entries found are attached to a message."""

from collections.abc import Iterable
from typing import TypeVar

MOST = 10
"""Entries attached at most."""
_T = TypeVar("_T")


def budget(window: int) -> int:
    """Tokens that attached memories may take: a 200th of the window, within 500 and 5,000.

    Args:
        window: The model's context size in tokens.
    """
    return max(500, min(5_000, window // 200))


def choose(ranked: Iterable[tuple[_T, int]], allowed: int, most: int = MOST) -> list[_T]:
    """Take the best that fit.

    Args:
        ranked: Entries with their size in tokens, best first.
        allowed: Tokens in all.
        most: Entries in all.

    Returns:
        The chosen, best first. One that does not fit is skipped; a smaller one after it may still fit.
    """
    chosen: list[_T] = []
    for entry, size in ranked:
        if len(chosen) == most:
            break
        if size <= allowed:
            chosen.append(entry)
            allowed -= size
    return chosen
