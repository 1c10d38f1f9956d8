"""Blocks that still grow and may grow long: each line of them is drawn once, by what stands fast already."""

import re
from collections.abc import Sequence

from paitui.ui.door import SafeText, code
from paitui.ui.door import line as one_line
from paitui.ui.lines import Line, Span, flow, margin
from paitui.ui.look import Look
from paitui.ui.render.markdown.blocks import Drawn
from paitui.ui.render.markdown.code import LONG, is_diff, line_rows
from paitui.ui.render.markdown.coloring import Code
from paitui.ui.render.markdown.table import Table, split_row

_ENDS_TABLE = re.compile(
    r"[ \t]*$| {4}|\t| {0,3}(?:>|#{1,6}(?:[ \t]|$)|`{3}|~{3}|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)"
    r"|([-*_])(?:[ \t]*\1){2,}[ \t]*$)"
)
"""A line that is no row of the table above it."""


class GrowingFence:
    """Code whose closing sign has not come yet: lines on the ground of code, without colours."""

    def __init__(self, opening: str, look: Look, total: int, at: int) -> None:
        """Begin.

        Args:
            opening: The line with the opening sign.
            look: Signs.
            total: Cells of a row.
            at: Row where the code begins.
        """
        bare = opening.lstrip(" ")
        words = bare.lstrip(bare[0])
        self._sign = bare[: len(bare) - len(words)]
        self._indent = len(opening) - len(bare)
        self._language = words.strip()
        self._diff = is_diff(self._language)
        self._look = look
        self._total = total
        self._at = at
        self._lines: list[SafeText] = []
        self._starts: list[int] = []
        self._begun = 0
        """Characters of the line that grows which have been drawn for good."""

    def take(self, text: str) -> tuple[Drawn, int, bool]:
        """Draw what has come.

        Args:
            text: From the first line not taken yet.

        Returns:
            Rows, with the code if it is complete; characters taken; whether it is complete.
        """
        drawn = Drawn()
        at = 0
        while (end := text.find("\n", at)) >= 0:
            line = text[at:end].removesuffix("\r")
            at = end + 1
            if not self._begun and self._closes(line):
                drawn.code += self._code()
                return drawn, at, True
            if not self._begun:
                self._starts.append(self._at + len(drawn.rows))
            line = self._stripped(line)
            drawn.rows += line_rows(line, self._diff, self._look, self._total, self._begun)
            self._lines.append(code(line))
            self._begun = 0
        grown = self._stripped(text[at:])
        while len(grown) - self._begun > LONG:
            if not self._begun:
                self._starts.append(self._at + len(drawn.rows))
            piece = grown[: self._begun + LONG]
            drawn.rows += line_rows(piece, self._diff, self._look, self._total, self._begun)
            self._begun += LONG
        self._at += len(drawn.rows)
        return drawn, at, False

    def tail(self, text: str) -> Drawn:
        """Draw a line that is not complete; it may be the closing sign, with which many a text ends."""
        if not self._begun and self._closes(text):
            return Drawn([], self._code())
        if not text.strip(f" {self._sign[0]}"):
            return Drawn()
        line = self._stripped(text.removesuffix("\r"))
        return Drawn(line_rows(line, self._diff, self._look, self._total, self._begun))

    def _code(self) -> list[Code]:
        """The code, if it has colours."""
        if not self._lines or not self._language or self._diff:
            return []
        return [Code(tuple(self._lines), tuple(self._starts), self._language.split()[0], self._total)]

    def _stripped(self, line: str) -> str:
        return line[min(self._indent, len(line) - len(line.lstrip(" "))) :]

    def _closes(self, line: str) -> bool:
        bare = line.strip(" \t")
        if bare.strip(self._sign[0]) or len(line) - len(line.lstrip(" ")) > 3:
            return False
        return len(bare) >= len(self._sign)


class GrowingTable:
    """A table whose columns stand fast; rows are added."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def take(self, text: str) -> tuple[Drawn, int, bool]:
        """Draw the rows that have come.

        Args:
            text: From the first line not taken yet.

        Returns:
            Rows on the screen; characters taken; whether the table is complete.
        """
        drawn = Drawn()
        at = 0
        while (end := text.find("\n", at)) >= 0:
            line = text[at:end].removesuffix("\r")
            if _ENDS_TABLE.match(line):
                return drawn, at, True
            drawn.rows += self._row(line)
            at = end + 1
        return drawn, at, False

    def tail(self, text: str) -> Drawn:
        """Draw a row that is not complete."""
        return Drawn(self._row(text) if text.strip(" |") else [])

    def _row(self, line: str) -> list[Line]:
        return self._table.row(split_row(line, self._table.columns), first=False)


def raw(lines: Sequence[str], prose: int) -> list[Line]:
    """Draw lines as they are, until it is worth parsing them."""
    rows: list[Line] = []
    for source in lines:
        bare = source.lstrip(" ")
        indent = min(len(source) - len(bare), prose // 2)
        rows += flow([Span(one_line(bare))], prose, (margin(indent),))
    return rows
