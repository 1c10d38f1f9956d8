"""Before and after a step that shortened the history: what went, what came, what became of the rest."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from paitui.context.report import HistoryRow
from paitui.engine.events import BoundaryKind
from paitui.ui.door import own
from paitui.ui.lines import Ink, Line, Span, cells, clip, gap, glyph, pad_right
from paitui.ui.look import Look
from paitui.ui.render.inspector import Columns
from paitui.ui.render.numbers import grouped

Fate = Literal["went", "came", "changed", "same"]
Side = Literal["before", "after"]

SIDES = 96
"""Cells from which on before and after stand side by side."""
_BETWEEN = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the comparison."""

    fate: Fate
    before: HistoryRow | None = None
    after: HistoryRow | None = None
    count: int = 0
    """Messages that stayed as they were, in a run."""
    tokens: int = 0
    """Their tokens now."""

    @property
    def row(self) -> HistoryRow | None:
        """The message, as it is if it still is."""
        return self.after or self.before


def compare(before: Sequence[HistoryRow], after: Sequence[HistoryRow]) -> list[Change]:
    """Compare a history with what it was, in order.

    Args:
        before: As it was, and what came since.
        after: As it is.

    Returns:
        What went and what came, message by message; what stayed as it was in runs.
    """
    stays = {row.uid for row in after}
    stood = {row.uid for row in before}
    found: list[Change] = []
    run: list[HistoryRow] = []

    def end_run() -> None:
        if run:
            found.append(Change("same", run[0], run[-1], len(run), sum(row.tokens for row in run)))
            run.clear()

    old, new = 0, 0
    while old < len(before) or new < len(after):
        if old < len(before) and before[old].uid not in stays:
            end_run()
            found.append(Change("went", before=before[old]))
            old += 1
        elif new < len(after) and after[new].uid not in stood:
            end_run()
            found.append(Change("came", after=after[new]))
            new += 1
        else:
            one, other = before[old], after[new]
            if _looks(one) == _looks(other):
                run.append(other)
            else:
                end_run()
                found.append(Change("changed", one, other))
            old, new = old + 1, new + 1
    end_run()
    return found


def _looks(row: HistoryRow) -> tuple[object, ...]:
    """What of a message a step may change; tokens follow the measure of the moment."""
    return (row.uid, row.state, row.stored, row.text, row.chars)


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands on one line: two sides, or one of them."""

    left: Change | None
    right: Change | None


def paired(changes: Sequence[Change]) -> list[Pair]:
    """Put what went beside what came in its place."""
    pairs: list[Pair] = []
    went: list[Change] = []
    came: list[Change] = []

    def end_hunk() -> None:
        for at in range(max(len(went), len(came))):
            pairs.append(Pair(went[at] if at < len(went) else None, came[at] if at < len(came) else None))
        went.clear()
        came.clear()

    for change in changes:
        if change.fate == "went":
            went.append(change)
        elif change.fate == "came":
            came.append(change)
        else:
            end_hunk()
            pairs.append(Pair(change, change))
    end_hunk()
    return pairs


class BoundaryRows:
    """The comparison as the rows of a list: side by side where there is room, else one below the other."""

    def __init__(self, before: Sequence[HistoryRow], after: Sequence[HistoryRow], look: Look) -> None:
        self._before, self._after = before, after
        self._look = look
        self._changes = compare(before, after)
        self._pairs = paired(self._changes)
        self._columns: dict[tuple[bool, int], Columns] = {}
        self.side_by_side = False
        """Whether both sides are drawn; the list's width says."""
        self.side: Side = "after"
        """Of two sides, the one that is looked at."""

    def __len__(self) -> int:
        return len(self._pairs if self.side_by_side else self._changes)

    def change(self, at: int) -> Change | None:
        """What stands on a row; of two sides on the one that is looked at, if anything does."""
        if not 0 <= at < len(self):
            return None
        if not self.side_by_side:
            return self._changes[at]
        left, right = self._pairs[at].left, self._pairs[at].right
        return (left or right) if self.side == "before" else (right or left)

    def first_change(self) -> int:
        """The first row on which something is not as it was."""
        changes = (self.change(at) for at in range(len(self)))
        return next((at for at, change in enumerate(changes) if change and change.fate != "same"), 0)

    def key(self, at: int) -> Hashable:
        """The message's identity."""
        change = self.change(at)
        return None if change is None or change.row is None else (change.fate, change.row.uid)

    def find(self, key: Hashable) -> int | None:
        """Where the message stands."""
        return next((at for at in range(len(self)) if self.key(at) == key), None)

    def counts(self) -> dict[Fate, int]:
        """How many messages had which fate."""
        found: dict[Fate, int] = {"went": 0, "came": 0, "changed": 0, "same": 0}
        for change in self._changes:
            found[change.fate] += change.count or 1
        return found

    def head(self, total: int) -> Line:
        """Which side is which."""
        if not self.side_by_side:
            return ()
        half = max(0, total - _BETWEEN) // 2
        words = self._look.words
        return (
            pad_right(own(words("inspector.before")), half + _BETWEEN, "accent" if self.side == "before" else "dim"),
            Span(own(words("inspector.after")), "accent" if self.side == "after" else "dim"),
        )

    def row(self, at: int, total: int) -> Line:
        """Draw one line."""
        if not self.side_by_side:
            return self._half(self._changes[at], total, None)
        half = max(0, total - _BETWEEN) // 2
        pair = self._pairs[at]
        if pair.left is not None and pair.left.fate == "same":
            return self._half(pair.left, total, None)
        left = self._half(pair.left, half, "before") if pair.left else ()
        right = self._half(pair.right, half, "after") if pair.right else ()
        middle = glyph(f" {self._look.glyphs.guide} ", "border")
        return (*left, gap(half - cells(left)), middle, *right)

    def _half(self, change: Change, total: int, side: Side | None) -> Line:
        look = self._look
        if change.fate == "same":
            text = own(look.words("inspector.unchanged", n=grouped(change.count), tokens=grouped(change.tokens)))
            return clip((gap(2), Span(text, "dim")), total)
        sign, ink = _SIGNS[change.fate]
        if change.fate == "changed":
            sign, ink = ("-", "removed") if side == "before" else ("+", "added") if side == "after" else (sign, ink)
        row = change.before if side == "before" else change.row
        if row is None:
            return ()
        return (glyph(f"{sign} ", ink), *self._at(row is change.before, total - 2).row(row))

    def _at(self, old: bool, total: int) -> Columns:
        if (old, total) not in self._columns:
            rows = self._before if old else self._after
            self._columns[old, total] = Columns(rows, self._look, total, bar=False)
        return self._columns[old, total]


_SIGNS: dict[Fate, tuple[str, Ink]] = {
    "went": ("-", "removed"),
    "came": ("+", "added"),
    "changed": ("~", "warning"),
    "same": (" ", "dim"),
}


def boundary_line(kind: BoundaryKind, rows: BoundaryRows, before: int, after: int, look: Look, total: int) -> Line:
    """Say what a step was: its tier, tokens before and after, how many messages went, came and changed.

    Args:
        kind: The tier.
        rows: The comparison.
        before: Tokens of the request before.
        after: Tokens of the request now.
        look: Words and signs.
        total: Cells of the line.
    """
    numbers = f"  {grouped(before)} {look.glyphs.arrow} {grouped(after)} "
    line: list[Span] = [
        gap(1),
        glyph(f"{look.glyphs.tier(kind)} ", kind),
        Span(look.word(f"step_{kind}"), kind),
        glyph(numbers, "text"),
        Span(look.word("unit_tokens"), "dim"),
    ]
    for fate, count in rows.counts().items():
        if count and fate != "same":
            text = own(look.words(f"inspector.count_{fate}", n=grouped(count)))
            line += [gap(3), glyph(f"{_SIGNS[fate][0]} ", _SIGNS[fate][1]), Span(text, "text")]
    return clip(line, total)
