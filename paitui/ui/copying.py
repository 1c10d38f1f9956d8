"""What a selection of drawn rows is as text.

What is drawn is not what was written: rows are broken, indented, framed and padded. Each span says what a copy
takes of it (see `Span`), and here that is put together. Places are cells, as the mouse reports them, never
characters.
"""

from collections.abc import Iterator, Sequence

from paitui.ui.lines import Line, Span, cells
from paitui.ui.wrap import clusters

_END = 1 << 30


def row_cells(row: Line) -> int:
    """Cells that a row takes."""
    return cells(row)


def copied(rows: Sequence[Line], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Give the text of a selection.

    Args:
        rows: Drawn rows; those outside the selection are not looked at.
        start: `(row, cell)` where it begins.
        end: `(row, cell)` before which it ends. Either may lie beyond the end of its row. A character two cells wide
            is taken whole if either of its cells is selected.

    Returns:
        The text as it was before it was broken into rows: no gutters, frames or padding, cells of tables with tabs
        between them. Empty if `end` is not after `start`.
    """
    if end <= start:
        return ""
    lines: list[dict[int, str]] = []
    first, last = max(0, start[0]), min(end[0], len(rows) - 1)
    for at in range(first, last + 1):
        row = rows[at]
        low = start[1] if at == start[0] else 0
        high = end[1] if at == end[0] and end[1] < cells(row) else _END
        goes_on = any(span.glue is not None for span in row)
        if not goes_on or not lines:
            lines.append({})
        columns = lines[-1]
        for span, text in _parts(row, low, high):
            if span.column in columns:
                columns[span.column] += (span.glue or "") + text
            elif text or span.column:
                columns[span.column] = text
        if goes_on and len(lines) == 1 and not columns:
            lines.pop()  # the selection begins in a rule or a frame, which is no line of the text
    return "\n".join(_side_by_side(columns) for columns in lines)


def word_at(row: Line, cell: int) -> tuple[int, int]:
    """Find the word at a cell, for a double click.

    Args:
        row: A drawn row.
        cell: Where in it.

    Returns:
        First cell and the one after the last: of an identifier, a path or an address, of a run of
        ideographs, of white space, of a single other sign; two equal cells where nothing is that could be copied.
    """
    found, kind = (cell, cell), ""
    begin = 0
    for start, end, this in _kinds(row):
        if this != kind or this in ("other", ""):
            if found[1] > cell:
                break
            begin, kind = start, this
        if kind and end > cell:
            found = (begin, end)
        elif not kind:
            found = (cell, cell)
    return found if found[0] <= cell else (cell, cell)


def _side_by_side(columns: dict[int, str]) -> str:
    table = "\t".join(text for column, text in sorted(columns.items()) if column)
    return columns.get(0, "") + table


def _parts(row: Line, low: int, high: int) -> Iterator[tuple[Span, str]]:
    """What is taken of each span between two cells."""
    at = 0
    for span in row:
        size = cells([span])
        begin, at = at, at + size
        if not size:
            if low <= begin < high:
                yield span, _whole(span)
        elif begin >= high or at <= low:
            continue
        elif span.copy is not None or (low <= begin and at <= high):
            yield span, _whole(span)
        else:
            yield span, _between(span.text, low - begin, high - begin)


def _whole(span: Span) -> str:
    return span.text if span.copy is None else span.copy


def _between(text: str, low: int, high: int) -> str:
    found = ""
    at = 0
    for start, end, size in clusters(text):
        if at < high and (at + size > low or at == low):
            found += text[start:end]
        at += size
    return found


def _kinds(row: Line) -> Iterator[tuple[int, int, str]]:
    """First cell, cell after the last, and kind of every character of a row; no kind for what no copy takes."""
    at = 0
    for span in row:
        for start, _end, size in clusters(span.text):
            yield at, at + size, "" if span.copy == "" else _kind(span.text[start], size)
            at += size


def _kind(character: str, size: int) -> str:
    if character.isspace():
        return "blank"
    if size == 2:
        return "wide" if character.isalnum() else "other"
    return "word" if character.isalnum() or character in "_-./\\:@~#%&=+?$" else "other"
