"""The base of what is too long to be drawn whole: items are wrapped when they come into view.

All others have only a guessed height. What is above the view never moves it: when a height turns out different,
the scroll position is corrected by as much.
"""

from collections.abc import Iterable

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from paitui.ui.heights import Heights
from paitui.ui.lines import Line, Span, gap
from paitui.ui.look import Look
from paitui.ui.selection import END, Place

KEPT = 400
"""Items whose lines are kept; beyond this those far from the view are forgotten."""
EDGE = 1
"""Cells at the left of every row that are no text."""


class LazyRows(ScrollView, can_focus=False):
    """Draws items of unknown height, a screenful at a time."""

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.look = look
        self.following = False
        """Whether the view stays at the end."""
        self.measured = 0
        """Items wrapped so far; a test watches it."""
        self._heights = Heights()
        self._exact: set[int] = set()
        self._lines: dict[int, list[Line]] = {}
        self._wrapped_at = 0
        self._moving = False
        self._kept: tuple[int, float] | None = None  # where one reads, through one size after another

    # -- what a subclass says

    def count(self) -> int:
        """How many items there are."""
        raise NotImplementedError

    def guess(self, at: int, width: int) -> int:
        """Guess the rows of an item without drawing it."""
        raise NotImplementedError

    def draw(self, at: int, width: int) -> list[Line]:
        """Draw an item."""
        raise NotImplementedError

    def edge(self, at: int, row: int) -> Span:
        """What stands at the left of a row; `EDGE` cells."""
        return gap(EDGE)

    def without_items(self, y: int, width: int) -> Line:
        """Draw a row while there is nothing."""
        return ()

    def finished(self, at: int, row: int, line: Line) -> Line:
        """Give a row as it is shown now."""
        return line

    # -- moving

    @property
    def view(self) -> int:
        """Rows in view."""
        return self.scrollable_content_region.height

    @property
    def top_row(self) -> int:
        """The first row in view."""
        return round(self.scroll_y)

    @property
    def at_end(self) -> bool:
        """Whether the last row is in view."""
        return self.top_row + self.view >= self._heights.total

    def go_to(self, row: int) -> None:
        """Show a row at the top, at once."""
        self.scroll_to(y=row, animate=False)

    def page(self, direction: int) -> None:
        """Scroll by almost a page; direction is -1 or 1."""
        self.go_to(self.top_row + direction * max(1, self.view - 2))

    def move(self, by: int) -> None:
        """Scroll by some rows."""
        self.go_to(self.top_row + by)

    def first(self) -> None:
        """To the first row."""
        self.go_to(0)

    def last(self) -> None:
        """To the last row."""
        if self.count():
            at = self.count() - 1
            self.show_item(at, max(0, len(self.rows_of(at)) - 1))

    def show_item(self, at: int, row: int = 0, rows: int = 1) -> None:
        """Scroll as little as needed for some rows of an item to be in view, the first of them at any rate."""
        self._settle(self._measure_above(at))
        first = self._heights.before(at) + row
        if first < self.top_row:
            self.go_to(first)
        elif first + rows > self.top_row + self.view:
            self.go_to(min(first, first + rows - self.view))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The user scrolled, or we did."""
        super().watch_scroll_y(old_value, new_value)
        old, new = round(old_value), round(new_value)
        if self._moving or old == new or not self.count() or not self._wrapped_at:
            return
        self._kept = None
        self.moved(at_end=new >= self.max_scroll_y)
        self._settle(self._measure_upward(new, old) if new < old else 0)

    def moved(self, at_end: bool) -> None:
        """The user moved the view; before it is drawn there."""

    def _measure_upward(self, new: int, old: int) -> int:
        """Wrap what comes into view above, and say by how much it is taller than was guessed."""
        if old - new > 3 * self.view:
            return 0  # a jump; nothing in view has to keep its place
        first, last = self._heights.find(new)[0], self._heights.find(old)[0]
        return sum(self._measure(at) for at in range(first, last) if at not in self._exact)

    def on_resize(self) -> None:
        """Another width breaks every line anew; another height only shows more or less."""
        if self.scrollable_content_region.width != self._wrapped_at + (EDGE if self._wrapped_at else 0):
            kept = self._kept or (self._spot() if self._wrapped_at else None)
            self._kept = kept
            self._rebuild()
            self._kept = kept
        else:
            self._settle()

    def _spot(self) -> tuple[int, float]:
        """Where one reads: the item at the top, and which share of it is above."""
        place, offset = self._heights.find(self.top_row)
        return place, offset / max(1, self._heights[place]) if place < len(self._heights) else 0.0

    # -- measuring

    def _rebuild(self) -> None:
        """Guess all heights anew and keep the place in view."""
        place, share = self._kept or self._spot()
        self._wrapped_at = max(0, self.scrollable_content_region.width - EDGE)
        self._lines.clear()
        self._exact.clear()
        self._heights = Heights(self.guess(at, self._wrapped_at) for at in range(self.count()))
        if not self.following and place < len(self._heights):
            self._measure(place)
            target = self._heights.before(place) + round(share * self._heights[place])
            self._settle(target - self.top_row)
        else:
            self._settle()

    def _redraw(self, items: Iterable[int]) -> int:
        """Draw some items anew.

        Returns:
            By how much what is above the view grew.
        """
        anchor = self._heights.find(self.top_row)[0]
        grown = 0
        for at in items:
            self._exact.discard(at)
            more = self._measure(at)
            grown += more if at < anchor else 0
        return grown

    def _measure(self, at: int) -> int:
        """Wrap an item; gives by how much its height grew."""
        lines = self.draw(at, self._wrapped_at)
        self.measured += 1
        self._lines[at] = lines
        self._exact.add(at)
        return self._heights.put(at, len(lines))

    def _measure_above(self, at: int) -> int:
        """Make exact an item and two screens above it, so that it can be scrolled to.

        Returns:
            By how much what is above the view grew.
        """
        anchor = self._heights.find(self.top_row)[0]
        rows, grown = 0, 0
        while at >= 0 and rows < 2 * self.view:
            if at not in self._exact:
                more = self._measure(at)
                grown += more if at < anchor else 0
            rows += self._heights[at]
            at -= 1
        return grown

    def _settle(self, correction: int = 0) -> None:
        """Make exact what is in view, then tell Textual where things are."""
        if not self._wrapped_at:
            return  # no room to draw in yet, or any more; the resize that brings some wraps
        view = self.view
        top = self.top_row + correction
        if self.following:
            rows, at = 0, self.count()
            while at and rows < view:
                at -= 1
                if at not in self._exact:
                    self._measure(at)
                rows += self._heights[at]
            top = max(0, self._heights.total - view)
        else:
            self._measure_from(max(0, top), view)
        self._moving = True
        try:
            self.virtual_size = Size(self._wrapped_at + EDGE, self._heights.total)
            top = max(0, min(top, self._heights.total - view))
            self.scroll_y = self.scroll_target_y = top
        finally:
            self._moving = False
        self._forget(top, view)
        self.settled()
        self.refresh()

    def settled(self) -> None:
        """What is in view is exact now."""

    def _measure_from(self, top: int, view: int) -> None:
        at, offset = self._heights.find(top)
        rows = -offset
        while at < self.count() and rows < view:
            if at not in self._exact:
                self._measure(at)
            rows += self._heights[at]
            at += 1

    def _forget(self, top: int, view: int) -> None:
        if len(self._lines) <= KEPT:
            return
        first = self._heights.find(top)[0]
        last = self._heights.find(top + view)[0]
        near = range(max(0, first - KEPT // 4), last + KEPT // 4)
        self._lines = {at: lines for at, lines in self._lines.items() if at in near}

    def rows_of(self, at: int) -> list[Line]:
        """The rows of an item as they are drawn; the view stands still."""
        if at not in self._exact:
            self._settle(self._redraw((at,)))
        if at not in self._lines:
            self._measure(at)
        return self._lines[at]

    def place_at(self, y: int, x: int = 0) -> Place:
        """Say what stands at a cell of the view; beyond the end, the last row."""
        at, row = self._heights.find(max(0, self.top_row + y))
        if at >= self.count():
            at = max(0, self.count() - 1)
            return Place(at, max(0, self._heights[at] - 1) if self.count() else 0, END)
        return Place(at, row, max(0, x - EDGE))

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        width = self.scrollable_content_region.width
        return self.look.strip(self._line(y, width), width, self.rich_style)

    def _line(self, y: int, width: int) -> Line:
        if not self._wrapped_at:
            return ()
        if not self.count():
            return (gap(EDGE), *self.without_items(y, width - EDGE))
        at, row = self._heights.find(self.top_row + y)
        if at >= self.count():
            return ()
        lines = self.rows_of(at)  # if it was forgotten: its height is known and stays
        line = lines[row] if row < len(lines) else ()
        return (self.edge(at, row), *self.finished(at, row, line))
