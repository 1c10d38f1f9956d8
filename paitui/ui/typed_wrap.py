"""Breaks the lines of text areas where mixed Chinese text may break.

Textual breaks them at white space only, so that a Chinese sentence behind a space jumps to the next row whole.
"""

from textual._wrap import compute_wrap_offsets
from textual.document import _wrapped_document

from paitui.ui.wrap import breaks, width

LONGEST = 5_000
"""Characters of a line that is broken so at each key; a longer one is Textual's."""


def wrap_offsets(
    text: str,
    cells: int,
    tab_size: int,
    fold: bool = True,
    precomputed_tab_sections: list[tuple[str, int]] | None = None,
) -> list[int]:
    """Decide where a line of a text area breaks; arguments and result are Textual's.

    Args:
        text: One line.
        cells: Of a row.
        tab_size: Cells between tab stops.
        fold: Whether a word that is longer than a row is broken.
        precomputed_tab_sections: The line between its tabs.

    Returns:
        Where each row but the first begins, in characters. White space at a break ends the row above it; at the end
        of the line it gets rows of its own, since the caret needs a place there.
    """
    if text.isascii() or "\t" in text or len(text) > LONGEST or cells < 2:
        return compute_wrap_offsets(text, cells, tab_size, fold, precomputed_tab_sections)
    rows = breaks(text, cells)
    offsets = [start for start, _ in rows[1:]]
    start, end = rows[-1]
    at = end + max(0, cells - width(text[start:end]))
    while at < len(text):
        offsets.append(at)
        at += cells
    return offsets


def break_typed_lines() -> None:
    """Have every text area break its lines so; Textual has no setting for it."""
    vars(_wrapped_document)["compute_wrap_offsets"] = wrap_offsets
