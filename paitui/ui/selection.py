"""What is selected in a widget of rows, in cells: pure, for the mouse and for the keyboard.

Textual's own selection counts characters and rows of a whole widget; rows drawn here are cells wide, and their
numbers change when a height above them turns out different. So a place is an item, a row of it and a cell.
"""

from collections.abc import Sequence
from typing import NamedTuple

from paitui.ui.door import SafeText
from paitui.ui.lines import Ink, Line, Span, cells
from paitui.ui.wrap import clusters

END = 1 << 30
"""A cell beyond every row."""


class Place(NamedTuple):
    """Where something stands; places compare in reading order."""

    item: int
    row: int
    """Row of the item, from 0."""
    cell: int = 0
    """Cell of the row, from 0."""


class Selection(NamedTuple):
    """From one place to another, in either order."""

    anchor: Place
    """Where it began."""
    head: Place
    """Where it was drawn to."""

    @property
    def start(self) -> Place:
        """The first place."""
        return min(self)

    @property
    def end(self) -> Place:
        """The place after the last cell."""
        return max(self)

    def on_row(self, item: int, row: int) -> tuple[int, int] | None:
        """Say which cells of a row are selected.

        Returns:
            First cell and the one after the last; `END` for the whole rest. None if there are none.
        """
        here = (item, row)
        if not self.start[:2] <= here <= self.end[:2]:
            return None
        first = self.start.cell if here == self.start[:2] else 0
        last = self.end.cell if here == self.end[:2] else END
        return (first, last) if first < last else None


def whole_rows(anchor: Place, head: Place) -> Selection:
    """Select rows from end to end, from that of one place to that of another."""
    if head[:2] < anchor[:2]:
        return Selection(anchor._replace(cell=END), head._replace(cell=0))
    return Selection(anchor._replace(cell=0), head._replace(cell=END))


def character(line: Sequence[Span], cell: int) -> tuple[int, int]:
    """Say which cells the character takes that stands at a cell.

    Returns:
        Its first cell and the one after its last; beyond the line, the cell itself twice.
    """
    at = 0
    for span in line:
        for _start, _end, size in clusters(span.text):
            if at <= cell < at + size:
                return at, at + size
            at += size
    return cell, cell


def tinted(line: Sequence[Span], first: int, last: int, ink: Ink) -> Line:
    """Draw some cells of a line in another ink; a wide character is never taken apart.

    Args:
        line: The row.
        first: First cell.
        last: The cell after the last.
        ink: The ink.
    """
    found: list[Span] = []
    at = 0
    for span in line:
        size = cells((span,))
        low, high = _character(span.text, first - at), _character(span.text, last - at)
        for start, end, own in ((0, low, span.ink), (low, high, ink), (high, len(span.text), span.ink)):
            if start < end:
                found.append(span._replace(text=SafeText(span.text[start:end]), ink=own))
        at += size
    return tuple(found)


def _character(text: SafeText, cell: int) -> int:
    """The first character that stands at a cell or after it."""
    if cell <= 0:
        return 0
    if text.isascii():
        return min(cell, len(text))
    used = 0
    for start, _end, size in clusters(text):
        if used >= cell:
            return start
        used += size
    return len(text)
