"""A text that may grow, block by block."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paitui.ui.door import SafeText
from paitui.ui.lines import BLANK, Line
from paitui.ui.look import Look
from paitui.ui.render.markdown.blocks import Drawn, Painter, Room, groups, is_closed, is_loose
from paitui.ui.render.markdown.coloring import Brush, Code, Coloring, paint
from paitui.ui.render.markdown.growing import GrowingFence, GrowingTable, raw
from paitui.ui.render.markdown.parser import Source, blocks
from paitui.ui.render.markdown.table import DECIDING

WINDOW = 8_000
"""Characters parsed at once, if the blocks among them are no longer."""
PARAGRAPH = 3_000
"""Characters of a paragraph that is drawn whole; a longer one is drawn in pieces, so that it can grow."""
REPEATED = 2_000
"""Characters of an open block that are drawn again each time; a longer one only when it is a quarter longer."""
COLORED = 5_000
"""Characters of code that are coloured in one go."""

_LISTS = ("bullet_list", "ordered_list")
_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)*")
_NO_PROSE = re.compile(r" {0,3}(?:[>#|`~]|(?:[-*+]|\d{1,9}[.)])[ \t])")
"""How something else than a paragraph begins, mostly; spares an attempt."""
_CUT = re.compile(r"(?s:.*)(?<=[\n 。！？；，\u4e00-\u9fff])(?=[^\W\d_])")
"""Up to the last place where a paragraph may be cut, so that what follows is still one."""


def warm() -> None:
    """Build the parser."""
    blocks("")


@dataclass(frozen=True, slots=True)
class _Before:
    """What the next block goes on with."""

    gap: bool = True
    """Whether there is a blank line before it."""
    number: int | None = None
    """Number of the next item of a list."""
    glue: str | None = None
    """What stands between the two pieces of a paragraph, if no line break."""


@dataclass(slots=True)
class _Kept:
    """A long open block: as it was parsed last, and below that, lines as they came."""

    parsed: int
    """Its characters when it was parsed."""
    drawn: Drawn
    chars: int
    """Its characters that are drawn."""


class Document:
    """Draws a text; what has been drawn of it is kept while the text only grows."""

    def __init__(self, look: Look, prose: int, full: int) -> None:
        self._look = look
        self._room = Room(prose, full)
        self._painter = Painter(look)
        self.rendered_chars = 0
        """Characters drawn so far, repetitions included."""
        self._reset()

    def _reset(self) -> None:
        self._done = ""
        self._drawn = Drawn()
        self._before = _Before(gap=False)
        self._open: GrowingFence | GrowingTable | None = None
        self._kept: _Kept | None = None
        self._seen = 0
        self._brushes: list[Brush] = []
        self._colorings: dict[tuple[str, tuple[SafeText, ...]], Coloring] = {}  # of the open block
        self.pending = False
        """Whether code waits for its colours; they come when the rows are asked for again."""

    def rows(self, text: str) -> list[Line]:
        """Draw the text as it stands now.

        Args:
            text: All of it. The same text a second time is taken as finished.
        """
        if not text.startswith(self._done):
            self._reset()
        in_haste = len(text) != self._seen and self._grew_little(len(text) - len(self._done))
        self._seen = len(text)
        while not in_haste and self._settle(text):
            pass
        self._brushes += map(self._brush, self._drawn.code)
        self._drawn.code.clear()
        left = paint(self._brushes, self._drawn.rows, self._look, COLORED)
        self._brushes = [brush for brush in self._brushes if not brush.finished]
        found = Drawn(list(self._drawn.rows))
        self._tail(found, text[len(self._done) :], in_haste)
        brushes = [self._brush(code) for code in found.code]
        paint(brushes, found.rows, self._look, left)
        self._colorings = {brush.code.key: brush.coloring for brush in brushes}
        self.pending = any(not brush.finished for brush in (*self._brushes, *brushes))
        return found.rows

    def _brush(self, code: Code) -> Brush:
        return Brush(code, self._colorings.get(code.key) or Coloring(code))

    def _grew_little(self, chars: int) -> bool:
        return self._kept is not None and chars < self._kept.parsed * 5 // 4

    def _advance(self, text: str, to: int, before: _Before) -> None:
        """All up to there is drawn for good."""
        self.rendered_chars += to - len(self._done)
        self._done = text[:to]
        self._kept = None
        self._before = before

    # -- what is complete

    def _settle(self, text: str) -> bool:
        """Draw some of what will not change any more; whether there may be more of it."""
        at = len(self._done)
        if self._open is not None:
            drawn, chars, over = self._open.take(text[at:])
            self._drawn.rows += drawn.rows
            self._drawn.code += drawn.code
            self._advance(text, at + chars, _Before())
            self._open = None if over else self._open
            return over
        if self._before.number is None and (blank := _BLANK_LINES.match(text, at)) and blank.end() > at:
            self._advance(text, blank.end(), self._before)
            return True
        if len(text) - at > 2 * PARAGRAPH and self._settle_paragraph(text, at):
            return True
        complete = text.rfind("\n") + 1
        size = WINDOW
        while at < complete:
            end = complete if complete - at <= size else text.rfind("\n", at, at + size) + 1
            if end > at and self._settle_lines(text, at, end):
                return True
            if end == complete:
                return False
            size *= 2
        return False

    def _settle_paragraph(self, text: str, at: int) -> bool:
        """Draw the beginning of a long paragraph."""
        if _NO_PROSE.match(text, at) or text.find("\n\n", at, at + 2 * PARAGRAPH) >= 0:
            return False
        found = blocks(text[at : at + 2 * PARAGRAPH])
        cut = _CUT.match(text, at, at + PARAGRAPH)
        if len(found) != 1 or found[0].kind != "paragraph" or cut is None or cut.end() - at < PARAGRAPH // 4:
            return False
        end = cut.end()
        piece = text[at:end]
        self._put(self._drawn, self._draw(blocks(piece), piece.split("\n")))
        glue = None if piece[-1] == "\n" else " " if piece[-1] == " " else ""
        self._advance(text, end, _Before(gap=False, glue=glue))
        return True

    def _settle_lines(self, text: str, at: int, end: int) -> bool:
        """Draw the blocks of some complete lines, except one that the next line may belong to."""
        source = text[at:end].split("\n")
        places = [at]
        for line in source:
            places.append(places[-1] + len(line) + 1)
        found = blocks(text[at:end])
        if not found:
            return False
        *whole, last = found
        if whole:
            self._put(self._drawn, self._draw(whole, source))
            self._advance(text, places[last.first], _Before())
        blank_below = last.after < len(source) - 1
        if last.kind == "fence" and not is_closed(last.tokens[0], source):
            self._put(self._drawn, Drawn())
            opening = source[last.first].removesuffix("\r")
            self._open = GrowingFence(opening, self._look, self._room.full, len(self._drawn.rows))
            self._advance(text, places[last.first + 1], _Before())
        elif last.kind in ("fence", "heading", "hr") or (blank_below and last.kind not in (*_LISTS, "code_block")):
            self._put(self._drawn, self._draw([last], source))
            self._advance(text, places[last.after], _Before())
        elif last.kind == "table" and last.after - last.first - 2 > DECIDING:
            table, rows = self._painter.table(last.tokens, self._room)
            self._put(self._drawn, Drawn(rows))
            self._open = GrowingTable(table)
            self._advance(text, places[last.after], _Before())
        elif last.kind in _LISTS:
            return self._settle_items(text, places, last, source) or bool(whole)
        else:
            return bool(whole)
        return True

    def _settle_items(self, text: str, places: Sequence[int], last: Source, source: Sequence[str]) -> bool:
        """Draw the items of a list before its last one."""
        *items, open_item = groups(last.tokens[1:-1])
        if not items:
            return False
        tokens = [last.tokens[0], *(token for item in items for token in item), last.tokens[-1]]
        self._put(self._drawn, self._draw([last._replace(tokens=tokens)], source))
        first = self._before.number if self._before.number is not None else last.tokens[0].attrGet("start")
        first_line = (open_item[0].map or [last.first])[0]
        number = int(1 if first is None else first) + len(items)
        self._advance(text, places[first_line], _Before(is_loose(items[-1]), number))
        return True

    # -- what may change

    def _tail(self, found: Drawn, text: str, in_haste: bool) -> None:
        """Draw what is not complete."""
        self.rendered_chars += len(text)
        if self._open is not None:
            tail = self._open.tail(text)
            found.rows += tail.rows
            found.code += tail.code
        elif in_haste and self._kept is not None:
            self.rendered_chars -= self._kept.chars
            self._put(found, self._in_haste(self._kept, text))
        else:
            drawn = self._draw(blocks(text), text.split("\n"))
            self._kept = _Kept(len(text), drawn, len(text)) if len(text) > REPEATED else None
            self._put(found, drawn)

    def _in_haste(self, kept: _Kept, text: str) -> Drawn:
        """Draw what came to a long block as it is, until the block has grown by a quarter or is finished."""
        complete = text.rfind("\n") + 1
        if complete > kept.chars:
            kept.drawn.rows += self._raw(text, kept.chars, complete - 1)
            kept.chars = complete
        grown = Drawn(list(kept.drawn.rows), list(kept.drawn.code))
        if text[kept.chars :]:
            grown.rows += self._raw(text, kept.chars, len(text))
        return grown

    def _raw(self, text: str, start: int, end: int) -> list[Line]:
        rows = raw(text[start:end].split("\n"), self._room.prose)
        return rows if text[start - 1] == "\n" else [_glued(rows[0], ""), *rows[1:]]

    # -- putting together

    def _draw(self, found: Sequence[Source], source: Sequence[str]) -> Drawn:
        """Draw blocks, a blank line between them; the first may go on with a list."""
        drawn = Drawn()
        for at, block in enumerate(found):
            if drawn.rows and drawn.rows[-1] != BLANK:
                drawn.rows.append(BLANK)
            number = None if at else self._before.number
            drawn.add(self._painter.draw(block.tokens, self._room, source, number))
        return drawn

    def _put(self, target: Drawn, more: Drawn) -> None:
        """Put blocks below what is complete, as they go on with it."""
        if self._before.gap and target.rows and target.rows[-1] != BLANK:
            target.rows.append(BLANK)
        start = len(target.rows)
        target.add(more)
        if self._before.glue is not None and more.rows:
            target.rows[start] = _glued(target.rows[start], self._before.glue)


def _glued(row: Line, glue: str) -> Line:
    return (row[0]._replace(glue=glue), *row[1:]) if row else row
