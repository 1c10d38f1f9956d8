"""The base of everything that is drawn as lines."""

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from paitui.ui.lines import Line
from paitui.ui.look import Look


class LineWidget(Widget):
    """A widget whose content is a list of lines; it is as tall as they are many."""

    DEFAULT_CSS = "LineWidget { height: auto; width: 1fr; }"

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.look = look
        self._drawn: tuple[int, list[Line]] | None = None

    def draw(self, total: int) -> list[Line]:
        """Give the lines; overridden by each widget.

        Args:
            total: Cells of a line.
        """
        raise NotImplementedError

    def redraw(self) -> None:
        """What is drawn has changed."""
        before = len(self._drawn[1]) if self._drawn else -1
        width = self._drawn[0] if self._drawn else self.content_size.width
        self._drawn = None
        self.refresh(layout=len(self._lines(width)) != before if width else True)

    def _lines(self, width: int) -> list[Line]:
        if self._drawn is None or self._drawn[0] != width:
            self._drawn = (width, self.draw(width) if width > 0 else [])
        return self._drawn[1]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As tall as there are lines."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width = self.content_size.width
        lines = self._lines(width)
        return self.look.strip(lines[y] if y < len(lines) else (), width, self.rich_style)
