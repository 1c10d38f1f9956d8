"""The lines with numbers of the newest results: what a summary tends to round off, and the next step needs exactly.

Pure. Results in, lines out; `keeping` gives them what room the facts before them leave.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from paitui.trust.boundary import escape_markers, escape_tags

ROUNDS = 3
"""Of so many newest rounds the numbers stay known, in the tail or as lines beside the summary."""
LINE_CHARS = 160
"""A longer line keeps the stretches around its numbers."""
_BEFORE, _BEHIND = 32, 16
"""Characters that such a stretch keeps before a number and behind it: what it counts stands there."""
_LINES_MOST = 400
"""So many candidates of one result are looked at; more fit no cap."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SEVERAL = 1.0
_SINGLE = 0.2
"""What a number of several digits and a single digit count for; the latter stands in many a line by chance."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A result, by its lines with numbers."""

    what: str
    """The call that it answered."""
    lines: tuple[str, ...]
    """In their order; data of unknown origin, with look-alikes of paitui's markers escaped."""


def numbers_in(text: str) -> set[str]:
    """The different numbers of a text, as they are written."""
    return set(_NUMBER.findall(text))


def key_lines(output: str) -> tuple[str, ...]:
    """The lines of a result that hold numbers, each once; of long ones the stretches around their numbers."""
    found: dict[str, None] = {}
    for line in output.splitlines():
        for stretch in _stretches(" ".join(line.split())):
            found.setdefault(escape_markers(escape_tags(stretch)))
        if len(found) >= _LINES_MOST:
            break
    return tuple(found)


def _stretches(line: str) -> Iterator[str]:
    matches = list(_NUMBER.finditer(line))
    if not matches:
        return
    if len(line) <= LINE_CHARS:
        yield line
        return
    start, end = -1, -1
    for match in matches:
        begin = max(0, match.start() - _BEFORE)
        if start >= 0 and (begin > end or match.end() + _BEHIND - start > LINE_CHARS):
            yield line[start:end].strip()
            start = -1
        start = max(begin, end) if start < 0 else start
        end = min(len(line), max(match.end(), start + 1) + _BEHIND)
    yield line[start:end].strip()


def choose_lines(
    seen: Sequence[Seen],
    known: Collection[str],
    room: int,
    cost: Callable[[str], int],
    line_cost: Callable[[str], int],
) -> tuple[Seen, ...]:
    """Choose the lines that keep the most numbers known.

    Every result has its best line first, the newest results before the others; then lines go by the numbers that
    they add for their length.

    Args:
        seen: Results, oldest first.
        known: Numbers that stand elsewhere.
        room: Tokens for all of it.
        cost: Tokens of the line that names a result.
        line_cost: Tokens of one of its lines.

    Returns:
        Results with the chosen lines, both in their order.
    """
    have = set(known)
    chosen: dict[int, set[int]] = {}
    left = room

    def take(at: int, n: int) -> None:
        nonlocal left
        line = seen[at].lines[n]
        price = line_cost(line) + (0 if at in chosen else cost(seen[at].what))
        if price > left or not _worth(line, have):
            return
        left -= price
        have.update(numbers_in(line))
        chosen.setdefault(at, set()).add(n)

    def density(at: int, n: int) -> float:
        line = seen[at].lines[n]
        return _worth(line, have) / max(1, line_cost(line))

    places = [(at, n) for at, one in enumerate(seen) for n in range(len(one.lines))]
    for at in reversed(range(len(seen))):
        if seen[at].lines:
            take(at, max(range(len(seen[at].lines)), key=lambda n, at=at: density(at, n)))  # type: ignore[misc]
    # A line whose numbers were taken up by the ones before it is passed over by `take`.
    for at, n in sorted(places, key=lambda place: density(*place), reverse=True):
        if n not in chosen.get(at, ()):
            take(at, n)
    return tuple(
        replace(seen[at], lines=tuple(seen[at].lines[n] for n in sorted(chosen[at]))) for at in sorted(chosen)
    )


def _worth(line: str, have: Collection[str]) -> float:
    return sum(_SEVERAL if len(number) > 1 else _SINGLE for number in numbers_in(line) if number not in have)
