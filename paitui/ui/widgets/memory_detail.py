"""What is known of one memory, to read and to copy."""

from collections.abc import Callable

from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.screens.pane import Detail
from paitui.ui.widgets.lazy_rows import LazyRows


class MemoryDetail(LazyRows, Detail, can_focus=True):
    """Draws the current entry, as tall as it is."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="memory-detail")
        self._drawer: Callable[[int], list[Line]] | None = None
        self._key: object = None

    def show(self, key: object, draw: Callable[[int], list[Line]] | None) -> None:
        """Show another entry, or the same one in another state.

        Args:
            key: The entry's id; another one is read from its beginning.
            draw: Draws it at a width; None for nothing.
        """
        another = key != self._key
        self._key, self._drawer = key, draw
        self._rebuild()
        if another:
            self.go_to(0)

    def count(self) -> int:
        """One item: the entry."""
        return int(self._drawer is not None)

    def guess(self, at: int, width: int) -> int:
        """It is short; drawing it is as good as guessing."""
        return len(self.draw(at, width))

    def draw(self, at: int, width: int) -> list[Line]:
        """Draw the entry."""
        return self._drawer(width) if self._drawer is not None else []

    def move(self, by: int) -> None:
        """Scroll by rows."""
        self.go_to(self.top_row + by)

    def first(self) -> None:
        """To the beginning."""
        self.go_to(0)

    def last(self) -> None:
        """To the end."""
        self.go_to(self._heights.total)
