"""The detail of a pane: text of any length, in pieces that are drawn when they come into view."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.widgets.selectable_rows import SelectableRows

Piece = Callable[[int], list[Line]]
"""Draws a part of the text at a width, in cells."""
GUESS = 120
"""Rows that a piece is taken to have until it is drawn."""


class PaneDetail(SelectableRows, can_focus=True, inherit_bindings=False):
    """Shows the current row of a pane as a whole; its keys are those of the screen it is on."""

    FOCUS_ON_CLICK: ClassVar[bool] = True
    DEFAULT_CSS = """
    PaneDetail {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    """

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._pieces: Sequence[Piece] = ()
        self._key: Hashable = None
        self._drawn_from: object = None

    def show(self, key: Hashable, pieces: Sequence[Piece], drawn_from: object = None) -> None:
        """Show something.

        Args:
            key: What it is. The same thing stays where it is scrolled to; another one begins at its top.
            pieces: Its text.
            drawn_from: What the text is made of; while that is the same, nothing is drawn anew and what is selected
                stays so. None if nobody knows.
        """
        same = key == self._key
        if same and drawn_from is not None and drawn_from == self._drawn_from:
            return
        self._key, self._pieces, self._drawn_from = key, pieces, drawn_from
        if not same:
            self.scroll_y = self.scroll_target_y = 0
        if self._wrapped_at:
            self._rebuild()

    def count(self) -> int:
        """Pieces."""
        return len(self._pieces)

    def guess(self, at: int, width: int) -> int:
        """Guess the rows of a piece."""
        return GUESS

    def draw(self, at: int, width: int) -> list[Line]:
        """Draw a piece."""
        return self._pieces[at](width)
