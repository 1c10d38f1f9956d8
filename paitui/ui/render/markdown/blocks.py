"""Blocks as rows: headings, lists, quotes, code, tables, one inside the other."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from paitui.ui.door import SafeText, code, own
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, flow, margin
from paitui.ui.look import Look
from paitui.ui.render.markdown.code import is_diff, line_rows
from paitui.ui.render.markdown.coloring import Code
from paitui.ui.render.markdown.inline import spans
from paitui.ui.render.markdown.table import Align, Table

_TASK = re.compile(r"\[(?P<done>[ xX])\] +")
_DOT = re.compile(r"[·•] +(?=\S)")
_LEAST = 8
"""Cells of a row below which nothing is indented any more."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where blocks are drawn."""

    prose: int
    """Cells of a row of prose."""
    full: int
    """Cells of a row of code or of a table."""
    base: Ink = "text"
    indent: str = ""
    """What a copy puts before an item of a list here, since it stands in the item of another."""

    def inset(self, size: int) -> "Room":
        """What is left beside something `size` cells wide; all of it where that would be too little."""
        if self.prose - size < _LEAST:
            return self
        return replace(self, prose=self.prose - size, full=self.full - size)


@dataclass(slots=True)
class Drawn:
    """Rows of blocks."""

    rows: list[Line] = field(default_factory=list)
    code: list[Code] = field(default_factory=list)
    """Code among them that is complete and could have colours."""

    def add(self, more: "Drawn", before: Line = BLANK, after: Line = BLANK) -> None:
        """Put other rows below.

        Args:
            more: Those rows.
            before: Put before the first of them.
            after: Put before the rows after it, except blank ones; as many spans.
        """
        start = len(self.rows)
        for number, row in enumerate(more.rows):
            if number == 0:
                self.rows.append((*before, *row))
            else:
                self.rows.append((*after, *row) if row else row)
        self.code += [item.moved(start, len(before)) for item in more.code]


class Painter:
    """Draws parsed blocks."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def draw(self, tokens: Sequence[Token], room: Room, source: Sequence[str], number: int | None = None) -> Drawn:
        """Draw one block.

        Args:
            tokens: All of its tokens.
            room: Where.
            source: The lines that were parsed; they tell whether a fence is closed.
            number: For a numbered list, the number of its first item if not the written one.
        """
        first = tokens[0]
        match first.type:
            case "heading_open":
                return Drawn(self._text(tokens[1].content, replace(room, base="heading")))
            case "paragraph_open":
                return Drawn(self._text(tokens[1].content, room))
            case "hr":
                rule = self._look.glyphs.rule * min(room.prose, 24)
                return Drawn([(Span(own(rule), "border", "---"),)])
            case "fence" | "code_block":
                return self._code(first, room, first.type == "code_block" or is_closed(first, source))
            case "blockquote_open":
                bar: Line = (Span(own(f"{self._look.glyphs.guide} "), "border", ""),)
                inner = room.inset(2)
                quoted = self._stack(tokens[1:-1], replace(inner, base="dim"), source)
                lead = bar if inner is not room else BLANK
                return Drawn(
                    [(*lead, *row) for row in quoted.rows], [item.moved(0, len(lead)) for item in quoted.code]
                )
            case "bullet_list_open" | "ordered_list_open":
                return self._list(tokens, room, source, number)
            case "table_open":
                return Drawn(self.table(tokens, room)[1])
            case _:
                return Drawn(self._text("".join(token.content for token in tokens), room))

    def _stack(self, tokens: Sequence[Token], room: Room, source: Sequence[str], tight: bool = False) -> Drawn:
        """Blocks one below the other, a blank line between them."""
        found = Drawn()
        for block in groups(tokens):
            nested_list = block[0].type in ("bullet_list_open", "ordered_list_open")
            if found.rows and found.rows[-1] != BLANK and not (tight and nested_list):
                found.rows.append(BLANK)
            found.add(self.draw(block, room, source))
        return found

    def _text(self, text: str, room: Room) -> list[Line]:
        return [row for line in spans(text, room.base) for row in self._line(line, room.prose)]

    def _line(self, line: list[Span], total: int) -> list[Line]:
        """Break a line; what follows a dot that stands for an item hangs, though Markdown knows no such sign."""
        if not line or not (dot := _DOT.match(line[0].text)):
            return flow(line, total)
        lead: Line = (Span(own(f"{self._look.glyphs.bullet} "), "dim", dot.group()),)
        rest = line[0]._replace(text=SafeText(line[0].text[dot.end() :]))
        return flow([rest, *line[1:]], total, lead, (margin(2),))

    def _code(self, token: Token, room: Room, complete: bool) -> Drawn:
        if not token.content:
            return Drawn()
        language = token.info.strip()
        diff = is_diff(language)
        sources = token.content.removesuffix("\n").split("\n")
        rows: list[Line] = []
        starts: list[int] = []
        for source in sources:
            starts.append(len(rows))
            rows += line_rows(source, diff, self._look, room.full)
        if not complete or diff or not language:
            return Drawn(rows)
        lines = tuple(map(code, sources))
        return Drawn(rows, [Code(lines, tuple(starts), language.split()[0], room.full)])

    def _list(self, tokens: Sequence[Token], room: Room, source: Sequence[str], number: int | None) -> Drawn:
        found = Drawn()
        ordered = tokens[0].type == "ordered_list_open"
        if ordered and number is None:
            number = int(tokens[0].attrGet("start") or 1)
        loose = False
        for item in groups(tokens[1:-1]):
            if loose:
                found.rows.append(BLANK)
            loose = is_loose(item)
            inner, task = _task(item[1:-1])
            lead = self._lead(number if ordered else None, item[0].markup, task, room.indent)
            beside = room.inset(cells(lead))
            hang: Line = (margin(cells(lead) if beside is not room else 0),)
            written = 2 if task or not ordered else cells(lead)
            drawn = self._stack(inner, replace(beside, indent=room.indent + " " * written), source, tight=True)
            if not drawn.rows:
                drawn.rows.append(BLANK)
            found.add(drawn, lead, hang)
            number = (number or 0) + 1
        return found

    def _lead(self, number: int | None, mark: str, task: str, indent: str) -> Line:
        glyphs = self._look.glyphs
        if task:
            done = bool(task.strip())
            sign = f"[{glyphs.good if done else ' '}] "
            return (Span(own(sign), "good" if done else "dim", f"{indent}- [{task}] "),)
        sign = f"{glyphs.bullet} " if number is None else f"{number}{mark} "
        return (Span(own(sign), "dim", indent + ("- " if number is None else sign)),)

    def table(self, tokens: Sequence[Token], room: Room) -> tuple[Table, list[Line]]:
        """Draw a table to which rows may be added.

        Returns:
            Its layout, and its rows on the screen.
        """
        head, aligns, body = cells_of(tokens)
        table = Table(head, aligns, body, self._look).fit(room.full)
        return table, [*table.top(), *(line for at, row in enumerate(body) for line in table.row(row, at == 0))]


def is_closed(token: Token, source: Sequence[str]) -> bool:
    """Whether a fence at any depth has its closing sign; what is around it may stand before that."""
    first, after = token.map or (0, 0)
    if after - 1 <= first or after > len(source):
        return False
    last = source[after - 1].strip("> \t\r")
    return len(last) >= len(token.markup) and not last.strip(token.markup[0])


def is_loose(item: Sequence[Token]) -> bool:
    """Whether a list item needs a blank line after it: it holds more than a text and lists below that."""
    return sum(block[0].type not in ("bullet_list_open", "ordered_list_open") for block in groups(item[1:-1])) > 1


def groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The blocks of one level, each with all its tokens."""
    start = depth = 0
    for at, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0 and token.nesting <= 0:
            yield tokens[start : at + 1]
            start = at + 1


def cells_of(tokens: Iterable[Token]) -> tuple[list[str], list[Align], list[list[str]]]:
    """Head, alignment and body of a parsed table."""
    rows: list[list[str]] = []
    aligns: list[Align] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
        elif token.type == "th_open":
            style = str(token.attrGet("style") or "")
            aligns.append("right" if "right" in style else "center" if "center" in style else "left")
    return rows[0], aligns, rows[1:]


def _task(tokens: Sequence[Token]) -> tuple[Sequence[Token], str]:
    """Take the box off the text of an item; gives the rest, and what is in the box."""
    if len(tokens) > 1 and tokens[0].type == "paragraph_open" and (box := _TASK.match(tokens[1].content)):
        text = tokens[1].copy(content=tokens[1].content[box.end() :])
        return [tokens[0], text, *tokens[2:]], box["done"]
    return tokens, ""
