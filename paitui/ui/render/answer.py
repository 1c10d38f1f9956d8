"""The model's text, lightly dressed: headings, lists, quotes, code. Line by line, so that it can stream.

Nothing here waits for a closing sign: a fence that still grows is drawn as plain tinted lines, and a growing
text is rendered again only from its last unfinished line.
"""

import re
from collections.abc import Iterator

from paitui.ui.door import SafeText, block
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, flow, gap, glyph
from paitui.ui.look import Look
from paitui.ui.wrap import breaks, width

MEASURE = 100
"""Cells of a row of prose at most; longer rows are hard to read."""

MAX_CHARS = 200_000
"""Characters of one text that are drawn; what is beyond stands in the ledger."""

_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?P=tick)"
    r"|\*\*(?P<strong>\S(?:.*?\S)?)\*\*"
    r"|(?<![\w*])\*(?P<emphasis>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
)
_HEADING = re.compile(r"#{1,6} +(?P<text>.+?)(?: +#+)?$")
_ITEM = re.compile(r"(?P<indent> *)(?P<mark>[-*+·•]|\d{1,3}[.)]) +(?P<text>.*)$")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})")
_CODE_INDENT = "    "
_INDENTED, _LIST = "indented", "list"
"""What a line can be in the middle of; besides these the sign of an open fence, or nothing."""
_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,})$")


def inline(text: str, base: Ink = "text") -> Iterator[Span]:
    """Dress the marks inside one line of safe text."""
    at = 0
    for match in _INLINE.finditer(text):
        if match.start() > at:
            yield Span(SafeText(text[at : match.start()]), base)
        if match["code"] is not None:
            yield Span(SafeText(match["code"].strip() or match["code"]), "code")
        elif match["strong"] is not None:
            yield Span(SafeText(match["strong"]), "strong")
        else:
            yield Span(SafeText(match["emphasis"]), "emphasis")
        at = match.end()
    if at < len(text) or not text:
        yield Span(SafeText(text[at:]), base)


class Answer:
    """Renders one text that may grow.

    Finished source lines are rendered once; only the line that still grows is rendered again.
    """

    def __init__(self, look: Look, total: int) -> None:
        """Set up.

        Args:
            look: Signs.
            total: Cells of a row.
        """
        self._look = look
        self._total = total
        self._done = ""
        self._rows: list[Line] = []
        self._within = ""
        self.rendered_chars = 0
        """Characters rendered so far, repetitions included; a test watches that this grows with the text."""

    def rows(self, text: str) -> list[Line]:
        """Render the text as it stands now."""
        if not text.startswith(self._done):
            self._done, self._rows, self._within = "", [], ""
        cut = text.rfind("\n") + 1
        if cut > len(self._done):
            fresh = text[len(self._done) : cut - 1]
            self._done = text[:cut]
            for source in block(fresh).split("\n"):
                rows, self._within = self._line(source, self._within)
                self._extend(self._rows, rows)
            self.rendered_chars += len(fresh)
        tail = text[len(self._done) :]
        self.rendered_chars += len(tail)
        result = list(self._rows)
        if tail:
            rows, _ = self._line(block(tail), self._within)
            self._extend(result, rows)
        while result and not result[-1]:
            result.pop()
        return result

    @staticmethod
    def _extend(rows: list[Line], more: list[Line]) -> None:
        for row in more:
            if row or (rows and rows[-1]):  # one blank line says as much as three
                rows.append(row)

    def _line(self, source: str, within: str) -> tuple[list[Line], str]:
        """Render one source line; also give what the next one is in the middle of."""
        mark = _FENCE.match(source)
        if within and not within.strip("`~"):
            if mark and mark["fence"].startswith(within) and not source.strip(" `~"):
                return [], ""
            return self._code(source), within
        if source.startswith(_CODE_INDENT) and (within == _INDENTED or (within != _LIST and source.strip())):
            return self._code(source.removeprefix(_CODE_INDENT)), _INDENTED
        if mark:
            return [], mark["fence"]
        if not source.strip():
            return [BLANK], within
        measure = min(self._total, MEASURE)
        if item := _ITEM.match(source):
            sign = item["mark"] if item["mark"][0].isdigit() else self._look.glyphs.bullet
            lead: Line = (gap(len(item["indent"])), glyph(f"{sign} ", "dim"))
            return flow([*inline(item["text"])], measure, lead, (gap(cells(lead)),)), _LIST
        if source.startswith(" "):
            indent = (gap(min(len(source) - len(source.lstrip()), measure // 2)),)
            return flow([*inline(source.lstrip())], measure, indent), within if within == _LIST else ""
        return self._plain(source, measure), ""

    def _plain(self, source: str, measure: int) -> list[Line]:
        """A line that stands at the edge."""
        if heading := _HEADING.match(source):
            return flow([*inline(heading["text"], "heading")], measure)
        if _RULE.match(source):
            return [(glyph(self._look.glyphs.rule * min(measure, 24), "border"),)]
        if source.startswith(">"):
            lead = (glyph(f"{self._look.glyphs.guide} ", "border"),)
            return flow([*inline(source.lstrip("> "), "dim")], measure, lead)
        return flow([*inline(source)], measure)

    def _code(self, source: str) -> list[Line]:
        """A line of code on its own ground, padded so that the ground is a rectangle."""
        room = self._total - 2
        rows: list[Line] = []
        for start, end in breaks(source, room):
            text = source[start:end]
            rows.append((Span(SafeText(f" {text}{' ' * (room - width(text))} "), "code"),))
        return rows
