"""The model's text, lightly dressed: headings, lists, tables, quotes, code, and all of it while it grows.

What is complete is drawn once. Only the last block, which may still become something else, is drawn again with each
piece that comes; blocks that may grow long have ways of their own (see `markdown.growing`).
"""

from typing import TYPE_CHECKING

from paitui.ui.lines import BLANK, Line
from paitui.ui.look import Look

if TYPE_CHECKING:  # markdown-it is not needed for the first frame, and takes a tenth of a second
    from paitui.ui.render.markdown.document import Document

MEASURE = 100
"""Cells of a row of prose at most; longer rows are hard to read."""

MAX_CHARS = 100_000
"""Characters of one text that are drawn; what is beyond stands in the ledger."""


def warm() -> None:
    """Import what is needed when a text comes and when code is coloured; for a thread, after the first frame."""
    from paitui.ui.render.markdown import document, lexing

    document.warm()
    lexing.warm()


class Answer:
    """Renders one text that may grow."""

    def __init__(self, look: Look, total: int) -> None:
        """Set up.

        Args:
            look: Signs.
            total: Cells of a row.
        """
        self._look = look
        self._total = total
        self._document: Document | None = None

    @property
    def rendered_chars(self) -> int:
        """Characters rendered so far, repetitions included; a test watches that this grows with the text."""
        return self._document.rendered_chars if self._document else 0

    @property
    def pending(self) -> bool:
        """Whether code still waits for its colours; asking for the rows again goes on with that.

        Colours never change how many rows there are.
        """
        return self._document is not None and self._document.pending

    def rows(self, text: str) -> list[Line]:
        """Render the text as it stands now."""
        if self._document is None:
            from paitui.ui.render.markdown.document import Document

            self._document = Document(self._look, min(self._total, MEASURE), self._total)
        rows = self._document.rows(text)
        while rows and rows[-1] == BLANK:
            rows.pop()
        return rows
