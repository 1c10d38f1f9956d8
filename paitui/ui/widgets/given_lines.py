"""Lines that whoever owns the widget draws."""

from collections.abc import Callable

from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.widgets.line_widget import LineWidget


class GivenLines(LineWidget):
    """Asks for its lines when it is drawn; its owner says when they are others."""

    def __init__(self, look: Look, draw: Callable[[int], list[Line]], *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._given = draw

    def draw(self, total: int) -> list[Line]:
        """Whatever the owner gives."""
        return self._given(total)
