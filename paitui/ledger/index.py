"""The index of a ledger: where each line ends and what it is, about ten bytes a line."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from paitui.ledger.facts import Facts

BLOCK_LINES = 16_384
"""Lines in a block."""
MOST_SHAPES = 65_536
"""Different facts that are told apart. A ledger with more than that many units and tools is made up; of what
comes later only the event, the role and the kind are kept."""


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Which lines are wanted; what is empty is not looked at."""

    event: str = ""
    role: str = ""
    unit: str = ""
    tool: str = ""
    """Its results, calls of it, and decisions about it."""

    def takes(self, facts: Facts) -> bool:
        """Whether a line with these facts is wanted."""
        return (
            self.event in ("", facts.event)
            and self.role in ("", facts.role)
            and self.unit in ("", facts.unit)
            and (not self.tool or self.tool in facts.tools)
        )


EVERYTHING = LedgerFilter()


@dataclass(slots=True)
class Block:
    """Some lines that follow one another."""

    base: int
    """Offset of the first one."""
    ends: "array[int]" = field(default_factory=lambda: array("I"))
    """Offset behind each line end, from `base`."""
    shapes: "array[int]" = field(default_factory=lambda: array("H"))
    """What each line is, as a number in `Index.shapes`."""
    uids: "array[int]" = field(default_factory=lambda: array("I"))
    """`Message.uid` of each; 0 where it is no message."""
    counts: Counter[int] = field(default_factory=Counter)
    """How many lines of each shape."""
    uid_low: int = 1 << 62
    uid_high: int = 0
    """Smallest and largest uid."""


class Index:
    """Grows at its end only. One thread adds; others may read meanwhile and see the lines that `lines` counts."""

    def __init__(self, start: int = 0) -> None:
        self.blocks: list[Block] = []
        self.shapes: list[Facts] = []
        self.boundaries = array("Q")
        """Positions of the boundaries."""
        self.lines = 0
        """Lines that can be asked for."""
        self.end = start
        """Offset behind the last of them."""
        self._numbers: dict[tuple[Any, ...], int] = {}

    def add(self, end: int, facts: tuple[Any, ...], uid: int) -> None:
        """Add a line.

        Args:
            end: Offset behind its line end.
            facts: What it is.
            uid: The message's uid, or 0.
        """
        number = self._numbers.get(facts)
        if number is None:
            number = self._new_shape(facts)
        blocks, lines = self.blocks, self.lines
        if lines % BLOCK_LINES == 0:
            blocks.append(Block(self.end))
        block = blocks[-1]
        try:
            block.ends.append(end - block.base)
        except OverflowError:  # over 4 GB in one block
            block.ends = array("Q", block.ends)
            block.ends.append(end - block.base)
        block.shapes.append(number)
        try:
            block.uids.append(uid)
        except OverflowError:
            block.uids = array("Q", block.uids)
            block.uids.append(uid)
        if uid:
            block.uid_low = min(block.uid_low, uid)
            block.uid_high = max(block.uid_high, uid)
        block.counts[number] += 1
        if facts[0] == "boundary":
            self.boundaries.append(lines)
        self.end = end
        self.lines = lines + 1

    def bounds(self, line: int) -> tuple[int, int]:
        """Give where a line begins, and the offset behind its line end."""
        number, at = divmod(line, BLOCK_LINES)
        block = self.blocks[number]
        return block.base + (block.ends[at - 1] if at else 0), block.base + block.ends[at]

    def facts(self, line: int) -> Facts:
        """Give what a line is."""
        number, at = divmod(line, BLOCK_LINES)
        return self.shapes[self.blocks[number].shapes[at]]

    def line_at(self, offset: int) -> int:
        """Give the line that a byte belongs to; the number of lines if it is behind all of them."""
        if offset >= self.end:
            return self.lines
        number = bisect_right(self.blocks, offset, key=lambda block: block.base) - 1
        block = self.blocks[number]
        return number * BLOCK_LINES + bisect_right(block.ends, offset - block.base)

    def wanted(self, which: LedgerFilter) -> frozenset[int]:
        """Give the numbers of the shapes that a filter takes."""
        return frozenset(number for number, facts in enumerate(self.shapes) if which.takes(facts))

    def count(self, which: LedgerFilter = EVERYTHING) -> int:
        """Count the lines that a filter takes."""
        return self.lines if which == EVERYTHING else self.rank(self.lines, which)

    def rank(self, line: int, which: LedgerFilter = EVERYTHING) -> int:
        """Count the lines before one that a filter takes: its place in the filtered list."""
        if which == EVERYTHING:
            return min(line, self.lines)
        numbers = self.wanted(which)
        full, rest = divmod(min(line, self.lines), BLOCK_LINES)
        found = sum(sum(block.counts[number] for number in numbers) for block in self.blocks[:full])
        if rest:
            found += sum(shape in numbers for shape in self.blocks[full].shapes[:rest])
        return found

    def matching(self, which: LedgerFilter, start: int = 0) -> Iterator[int]:
        """Walk through the lines that a filter takes.

        Args:
            which: The filter.
            start: How many of them are passed over.

        Yields:
            Their positions in the file, in order.
        """
        lines = self.lines
        if which == EVERYTHING:
            yield from range(max(0, start), lines)
            return
        numbers = self.wanted(which)
        for number, block in enumerate(self.blocks):
            held = sum(block.counts[shape] for shape in numbers)
            if held <= start:
                start -= held
                continue
            first = number * BLOCK_LINES
            for at, shape in enumerate(block.shapes):
                if shape in numbers:
                    if start:
                        start -= 1
                    elif first + at < lines:
                        yield first + at

    def boundary_after(self, line: int, which: LedgerFilter = EVERYTHING) -> int | None:
        """Give the next boundary behind a line that a filter takes."""
        for at in range(bisect_right(self.boundaries, line), len(self.boundaries)):
            if self.boundaries[at] < self.lines and which.takes(self.facts(self.boundaries[at])):
                return self.boundaries[at]
        return None

    def boundary_before(self, line: int, which: LedgerFilter = EVERYTHING) -> int | None:
        """Give the last boundary before a line that a filter takes."""
        for at in range(bisect_left(self.boundaries, line) - 1, -1, -1):
            if which.takes(self.facts(self.boundaries[at])):
                return self.boundaries[at]
        return None

    def message(self, uid: int, before: int) -> int | None:
        """Find the message of a uid: the last record of it before a line, else the first one behind."""
        if uid <= 0:
            return None
        last = min(before, self.lines) // BLOCK_LINES
        for number in range(min(last, len(self.blocks) - 1), -1, -1):
            found = self._in_block(number, uid)
            earlier = [line for line in found if line < before]
            if earlier:
                return earlier[-1]
        for number in range(last, len(self.blocks)):
            if found := [line for line in self._in_block(number, uid) if before <= line < self.lines]:
                return found[0]
        return None

    def _in_block(self, number: int, uid: int) -> list[int]:
        block = self.blocks[number]
        if not block.uid_low <= uid <= block.uid_high:
            return []
        found, at = list[int](), 0
        uids = block.uids
        while True:
            try:
                at = uids.index(uid, at)
            except ValueError:
                return found
            found.append(number * BLOCK_LINES + at)
            at += 1

    def facets(self) -> dict[str, Counter[str]]:
        """Count the values there are to filter by: ``event``, ``role``, ``unit``, ``tool``."""
        totals = Counter[int]()
        for block in self.blocks:
            totals.update(block.counts)
        found = {name: Counter[str]() for name in ("event", "role", "unit", "tool")}
        for number, count in totals.items():
            facts = self.shapes[number]
            for name, value in (("event", facts.event), ("role", facts.role), ("unit", facts.unit)):
                if value:
                    found[name][value] += count
            for tool in facts.tools:
                found["tool"][tool] += count
        return found

    def _new_shape(self, facts: tuple[Any, ...]) -> int:
        if len(self.shapes) >= MOST_SHAPES - 1_024:
            facts = (facts[0][:40], "", facts[2][:40], facts[3][:40], ())
            if len(self.shapes) >= MOST_SHAPES - 1:
                facts = ("", "", "", "", ())
            if (known := self._numbers.get(facts)) is not None:
                return known
        self.shapes.append(Facts(*facts))
        number = self._numbers[facts] = len(self.shapes) - 1
        return number
