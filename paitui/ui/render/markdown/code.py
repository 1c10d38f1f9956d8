"""Code on its own ground, as wide as there is room; long lines are broken with a sign that no copy takes."""

from collections.abc import Iterable, Iterator

from paitui.ui.door import TAB_CELLS, SafeText, code, own
from paitui.ui.lines import Ink, Line, Span, cells, flow
from paitui.ui.look import Look
from paitui.ui.wrap import width

LONG = 2_000
"""Characters of a line drawn in one piece; a longer one, as in packed files, goes on below and stays plain."""

Piece = tuple[SafeText, Ink]


def is_diff(info: str) -> bool:
    """Whether the words after a fence say that it holds a diff."""
    return info.split(maxsplit=1)[:1] in (["diff"], ["patch"])


def line_rows(source: str, diff: bool, look: Look, total: int, begun: int = 0) -> list[Line]:
    """Draw one line of code that has no colours, however long it is.

    Args:
        source: The line, as it was written.
        diff: Whether it is one of a diff.
        look: Signs.
        total: Cells of a row.
        begun: Characters that have been drawn already, whole times `LONG`.
    """
    ink = _diff_ink(source) if diff else "code"
    rows: list[Line] = []
    for at in range(begun, max(1, len(source)), LONG):
        rows += code_rows([(code(source[at : at + LONG]), ink)], look, total, goes_on=at > 0)
    return rows


def _diff_ink(source: str) -> Ink:
    if source.startswith(("@@", "+++", "---", "diff ", "index ")):
        return "code_comment"
    return "code_added" if source.startswith("+") else "code_removed" if source.startswith("-") else "code"


def code_rows(pieces: Iterable[Piece], look: Look, total: int, goes_on: bool = False) -> list[Line]:
    """Draw one line of code.

    Args:
        pieces: Its text.
        look: Signs.
        total: Cells of a row.
        goes_on: Whether it is the rest of a line whose beginning has been drawn.

    Returns:
        Its rows, padded so that the ground is a rectangle. A copy gives the line back, its tabs included.
    """
    first: Line = (Span(own(" "), "code", ""),)
    more: Line = (Span(own(f"{look.glyphs.goes_on} "), "track", ""),)
    found: list[Line] = []
    for row in flow([*_widened(pieces)], total - 1, more if goes_on else first, more):
        padding = own(" " * max(1, total - cells(row)))
        found.append((*row, Span(padding, "code", "", "" if goes_on and not found else None)))
    return found


def _widened(pieces: Iterable[Piece]) -> Iterator[Span]:
    """Spans with tabs as wide as to the next stop, each to be copied as a tab."""
    at = 0
    for text, ink in pieces:
        for number, part in enumerate(text.split("\t")):
            if number:
                size = TAB_CELLS - at % TAB_CELLS
                yield Span(own(" " * size), ink, "\t")
                at += size
            if part:
                yield Span(SafeText(part), ink)
                at += width(part)
