"""Finds paths by a few of their letters. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest

_BOUNDARY = "/._- "


@dataclass(frozen=True, slots=True)
class Match:
    """A path that a query finds."""

    path: str
    hits: tuple[int, ...] = ()
    """Characters that match."""


def best(query: str, paths: Iterable[str], limit: int) -> list[Match]:
    """Give the paths that fit best.

    A query that stands in the file's name as it is comes first, then one that stands elsewhere in the path, then one
    whose letters only follow each other; shorter paths before longer ones.

    Args:
        query: Letters in their order; capitals do not count.
        paths: Relative, with ``/``; a folder ends with one.
        limit: How many.
    """
    wanted = query.lower()
    if not wanted:
        shallow = nsmallest(limit, paths, key=lambda path: (path.count("/", 0, -1), path.lower()))
        return [Match(path) for path in shallow]
    follows = re.compile("".join(f"[^{re.escape(letter)}]*{re.escape(letter)}" for letter in wanted), re.DOTALL)
    fitting = ((rank, path) for path in paths if (rank := _rank(wanted, path.lower(), follows)) is not None)
    return [Match(path, _hits(wanted, path)) for _, path in nsmallest(limit, fitting)]


def _rank(query: str, path: str, follows: re.Pattern[str]) -> tuple[int, int, int] | None:
    name_at = path.rfind("/", 0, -1) + 1
    at = path.find(query, name_at)
    if at == name_at:
        return 0, len(path) - name_at, len(path)
    if at > 0:
        return (1 if path[at - 1] in _BOUNDARY else 2), len(path) - name_at, len(path)
    at = path.find(query)
    if at >= 0:
        return (3 if at == 0 or path[at - 1] in _BOUNDARY else 4), len(path), 0
    if follows.match(path, name_at):
        return 5, len(path) - name_at, len(path)
    return (6, len(path), 0) if follows.match(path) else None


def _hits(query: str, path: str) -> tuple[int, ...]:
    """Which characters match; none where lower case is longer than what is shown."""
    lower = path.lower()
    if len(lower) != len(path):
        return ()
    name_at = lower.rfind("/", 0, -1) + 1
    for at in (lower.find(query, name_at), lower.find(query)):
        if at >= 0:
            return tuple(range(at, at + len(query)))
    for start in (name_at, 0):
        found: list[int] = []
        at = start
        for letter in query:
            at = lower.find(letter, at)
            if at < 0:
                break
            found.append(at)
            at += 1
        else:
            return tuple(found)
    return ()
