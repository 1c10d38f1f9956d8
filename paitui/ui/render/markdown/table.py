"""Tables: columns as wide as their cells, cells that break where the room is narrow, nothing torn.

How wide the columns are is decided by the first rows. So a table that grows is never laid out again, and every
row costs the same however many there are.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from paitui.ui.door import own
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, flow, glyph
from paitui.ui.look import Look
from paitui.ui.render.markdown.inline import spans
from paitui.ui.wrap import longest, width

DECIDING = 40
"""Rows that decide how wide the columns are."""
NARROWEST = 6
"""Cells of a column; where there is not even that for each, a row is drawn as a list of its cells."""
_GAP = 3

Align = Literal["left", "center", "right"]
Cell = list[list[Span]]
"""Lines of a cell before they are broken."""

_BREAK = re.compile(r"<br */?>")
_BAR = re.compile(r"(?<!\\)\|")


def split_row(source: str, columns: int) -> list[str]:
    """Take one line of a table apart; missing cells are empty, those that are too many are dropped."""
    parts = [part.replace(r"\|", "|").strip() for part in _BAR.split(source.strip())]
    if parts and not parts[0]:
        del parts[0]
    if parts and not parts[-1]:
        del parts[-1]
    return (parts + [""] * columns)[:columns]


class Table:
    """The layout of one table. Rows are drawn one by one."""

    def __init__(
        self, head: Sequence[str], aligns: Sequence[Align], body: Sequence[Sequence[str]], look: Look
    ) -> None:
        """Take what is known when the table begins to be drawn.

        Args:
            head: Cells of its head, as Markdown.
            aligns: One for each column.
            body: The rows there are; the first `DECIDING` are looked at.
            look: Signs.
        """
        self.columns = len(head)
        self._look = look
        self._aligns = aligns
        self._head = [_cell(text, "strong") for text in head]
        self._deciding = [[_cell(text) for text in row] for row in body[:DECIDING]]
        self._widths: list[int] = []
        self._stacked = False
        self._ruled = False

    def fit(self, total: int) -> "Table":
        """Decide the widths for `total` cells of a row."""
        room = total - _GAP * (self.columns - 1)
        wanted = [max(1, *(_widest(row[at]) for row in (self._head, *self._deciding))) for at in range(self.columns)]
        if len(self._deciding) == DECIDING:  # more may come, and wider ones: numbers get longer
            spare = max(0, room - sum(wanted)) // self.columns
            wanted = [size + min(spare, max(4, size // 4)) for size in wanted]
        whole = [max(_longest(row[at]) for row in (self._head, *self._deciding)) for at in range(self.columns)]
        self._widths = _shared(wanted, whole, room)
        self._stacked = min(self._widths) < min(NARROWEST, *wanted) if sum(wanted) > room else False
        if self._stacked:
            self._widths = [total] * self.columns
        self._ruled = any(
            len(cell) > 1 or _widest(cell) > size
            for row in self._deciding
            for cell, size in zip(row, self._widths, strict=True)
        )
        return self

    def top(self) -> list[Line]:
        """The head and the line below it; nothing where each row names its cells."""
        return [] if self._stacked else [*self._side_by_side(self._head), self._rule()]

    def row(self, texts: Sequence[str], first: bool) -> list[Line]:
        """Draw a row of the body.

        Args:
            texts: Its cells, as Markdown.
            first: Whether it is the first one.
        """
        row = [_cell(text) for text in texts]
        if self._stacked:
            return [*([] if first else [BLANK]), *self._one_below_the_other(row)]
        return [*([self._rule()] if self._ruled and not first else []), *self._side_by_side(row)]

    def _rule(self) -> Line:
        glyphs = self._look.glyphs
        sign = f"{glyphs.rule}{glyphs.cross}{glyphs.rule}".join(glyphs.rule * size for size in self._widths)
        return (Span(own(sign), "border", "", ""),)

    def _side_by_side(self, row: Sequence[Cell]) -> list[Line]:
        bar = Span(own(f" {self._look.glyphs.guide} "), "border", "")
        broken = [_broken(cell, size) for cell, size in zip(row, self._widths, strict=True)]
        found: list[Line] = []
        for at in range(max(map(len, broken))):
            line: list[Span] = []
            for column, (rows, size) in enumerate(zip(broken, self._widths, strict=True)):
                if column:
                    line.append(bar)
                piece = rows[at] if at < len(rows) else BLANK
                line += _placed(piece, size, self._aligns[column], column + 1)
            found.append(tuple(line))
        return found

    def _one_below_the_other(self, row: Sequence[Cell]) -> list[Line]:
        found: list[Line] = []
        for column, (head, cell) in enumerate(zip(self._head, row, strict=True)):
            label = [span._replace(ink="dim", copy="", column=column + 1) for span in head[0]]
            name = [*label, Span(own(": " if label else ""), "dim", "", None, column + 1)]
            for number, line in enumerate(cell):
                for piece in flow([*(name if not number else ()), *line], self._widths[0], BLANK, (glyph("  "),)):
                    marked = [span if span.copy == "" and span.column == 0 else _at(span, column) for span in piece]
                    if found and marked and all(span.glue is None for span in marked):
                        marked[0] = marked[0]._replace(glue=" " if number else "")
                    found.append(tuple(marked))
        return found


def _at(span: Span, column: int) -> Span:
    return span._replace(column=column + 1)


def _cell(text: str, base: Ink = "text") -> Cell:
    if "<" not in text:
        return spans(text, base)
    return [line for part in _BREAK.split(text) for line in spans(part.strip(), base)]


def _widest(cell: Cell) -> int:
    return max(map(cells, cell))


def _longest(cell: Cell) -> int:
    return max(longest("".join(span.text for span in line)) for line in cell)


def _shared(wanted: Sequence[int], whole: Sequence[int], room: int) -> list[int]:
    """Give every column what it wants where there is enough.

    Else each has at least what its longest word takes, if that is possible, and the wide ones share what is left.
    """
    if sum(wanted) <= room:
        return list(wanted)
    least = [min(size, want, room // 3) for size, want in zip(whole, wanted, strict=True)]
    if sum(least) > room:
        least = [1] * len(wanted)
    found = list(least)
    left = max(0, room - sum(least))
    by_size = sorted(range(len(wanted)), key=lambda at: wanted[at] - least[at])
    for number, at in enumerate(by_size):
        more = min(wanted[at] - least[at], left // (len(wanted) - number))
        found[at] += more
        left -= more
    return found


def _broken(cell: Cell, size: int) -> list[Line]:
    if len(cell) == 1 and cells(cell[0]) <= size and not (cell[0] and cell[0][-1].text.endswith(" ")):
        return [tuple(cell[0])]
    found: list[Line] = []
    for line in cell:
        rows = flow(line, size) if line else [BLANK]
        if found and rows[0]:
            rows[0] = (rows[0][0]._replace(glue=" "), *rows[0][1:])
        found += rows
    return found


def _placed(piece: Iterable[Span], size: int, align: Align, column: int) -> list[Span]:
    line: list[Span] = []
    room = size
    for text, ink, copy, glue, _ in piece:
        line.append(Span(text, ink, copy, glue, column))
        room -= width(text)
    left = 0 if align == "left" or room < 1 else room if align == "right" else room // 2
    if left:
        line.insert(0, Span(own(" " * left), "text", "", None, column))
    if room > left or not line:
        line.append(Span(own(" " * (room - left)), "text", "", None, column))
    return line
