"""Lines as data: what to draw, in which ink, before anybody knows the colours."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from paitui.ui.door import SafeText, own
from paitui.ui.wrap import breaks, cut, width

Ink = Literal[
    "text",
    "strong",
    "dim",
    "faint",
    "heading",
    "code",
    "code_keyword",
    "code_name",
    "code_string",
    "code_number",
    "code_comment",
    "code_added",
    "code_removed",
    "emphasis",
    "struck",
    "user",
    "offload",
    "clear",
    "summary",
    "danger",
    "warning",
    "good",
    "accent",
    "key",
    "border",
    "added",
    "removed",
    "bar",
    "bar_clear",
    "bar_summary",
    "on_clear",
    "on_summary",
    "track",
    "title",
    "meter",
    "meter_clear",
    "meter_offload",
    "meter_summary",
    "meter_room",
    "selected",
    "match",
    "found",
    "was",
    "becomes",
]
"""What a piece of text means; the palette decides how that looks."""


class Span(NamedTuple):
    """A piece of one line: what is drawn, and what a copy of it takes.

    A row without any `glue` begins a new line of what is copied. A row that has one goes on with what the row
    above it began; in a table each column goes on for itself.
    """

    text: SafeText
    ink: Ink = "text"
    copy: str | None = None
    """Copied instead of the text, whole or not at all: nothing for a gutter, a tab for its cells. None: the text."""
    glue: str | None = None
    """Set where this goes on with the row above: what stood between the two, such as a space dropped at the break."""
    column: int = 0
    """Column of a table, from 1; columns are copied side by side with a tab between them."""


Line = tuple[Span, ...]
"""One row of the screen."""

BLANK: Line = ()


def glyph(text: str, ink: Ink = "text") -> Span:
    """A span of paitui's own text."""
    return Span(own(text), ink)


def gap(cells: int) -> Span:
    """Empty cells."""
    return Span(own(" " * max(0, cells)), "text")


def margin(cells: int) -> Span:
    """Empty cells that no copy takes: a gutter, an indent, the room between a text and its edge."""
    return Span(own(" " * max(0, cells)), "text", "")


def mute(line: Sequence[Span]) -> Line:
    """The same to the eye, but nothing of it is copied."""
    return tuple(span._replace(copy="") for span in line)


def cells(line: Sequence[Span]) -> int:
    """Cells that a line takes."""
    return sum(width(span.text) for span in line)


def spread(left: Sequence[Span], right: Sequence[Span], total: int) -> Line:
    """Put something left and something right on one line of `total` cells; the left gives way."""
    right_cells = cells(right)
    left = clip(left, total - right_cells - 1) if right_cells else clip(left, total)
    return (*left, gap(total - cells(left) - right_cells), *right)


def clip(line: Sequence[Span], total: int, mark: str = "…") -> Line:
    """Shorten a line to `total` cells."""
    if cells(line) <= total:
        return tuple(line)
    kept: list[Span] = []
    room = max(0, total)
    for span in line:
        size = width(span.text)
        if size > room or (size == room and span is not line[-1]):
            kept.append(span._replace(text=cut(SafeText(span.text + " "), room, mark)))
            break
        kept.append(span)
        room -= size
    return tuple(kept)


def pad_left(text: str, total: int, ink: Ink = "text") -> Span:
    """Right-align a short text of paitui's own, such as a number."""
    return glyph(" " * max(0, total - width(text)) + text, ink)


def pad_right(text: SafeText, total: int, ink: Ink = "text") -> Span:
    """Left-align a text in a column; too long a text is cut."""
    short = cut(text, total)
    return Span(SafeText(short + " " * (total - width(short))), ink)


def flow(spans: Sequence[Span], total: int, lead: Line = (), hang: Line | None = None) -> list[Line]:
    """Break styled text into rows.

    Args:
        spans: The text of one source line, in pieces.
        total: Cells of a row.
        lead: Put before the first row. Like `hang` it is no part of the text, so a copy takes of it only what its
            spans say explicitly.
        hang: Put before the rows after it; the same to the eye as `lead` if None.

    Returns:
        At least one row. Copied together they give the text back, white space at the breaks included.
    """
    hang = mute(lead if hang is None else hang)
    lead = tuple(span if span.copy is not None else span._replace(copy="") for span in lead)
    text = "".join(span.text for span in spans)
    rows: list[Line] = []
    at = 0
    for start, end in breaks(text, total - cells(lead), total - cells(hang)):
        piece = _slice(spans, start, end)
        if rows and piece:
            piece[0] = piece[0]._replace(glue=taken(_slice(spans, at, start)))
        rows.append((*(hang if rows else lead), *piece))
        at = end
    if at < len(text):  # white space that ends the text
        rows[-1] = (*rows[-1], Span(SafeText(""), copy=taken(_slice(spans, at, len(text)))))
    return rows


def taken(spans: Sequence[Span]) -> str:
    """What a copy of the spans takes."""
    return "".join(span.text if span.copy is None else span.copy for span in spans)


def _slice(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    found: list[Span] = []
    at = 0
    for span in spans:
        size = len(span.text)
        low, high = max(start - at, 0), min(end - at, size)
        if low < high:
            copy = span.copy if span.copy is None or low == 0 else ""  # whole, where it begins
            found.append(span._replace(text=SafeText(span.text[low:high]), copy=copy))
        at += size
        if at >= end:
            break
    return found
