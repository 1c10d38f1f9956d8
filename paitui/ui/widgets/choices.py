"""The rows right above the prompt: a list to choose from, and a line about what the prompt is for now."""

from collections.abc import Sequence

from paitui.ui.door import SafeText, own
from paitui.ui.lines import Ink, Line
from paitui.ui.look import Look
from paitui.ui.prompting.picker import Picker
from paitui.ui.render.prompting import Hint, picker_rows, status
from paitui.ui.widgets.line_widget import LineWidget


class Choices(LineWidget):
    """Takes no room while there is nothing to say."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="choices")
        self._picker: Picker | None = None
        self._said: tuple[SafeText, tuple[Hint, ...], Ink] | None = None

    def offer(self, picker: Picker | None) -> None:
        """Show a list, or none."""
        if picker != self._picker:
            self._picker = picker
            self.redraw()

    def say(self, title: str, hints: Sequence[Hint] = (), ink: Ink = "dim") -> None:
        """Show a line of paitui's own words; nothing takes it away."""
        said = (own(title), tuple(hints), ink) if title or hints else None
        if said != self._said:
            self._said = said
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """The line, then the list."""
        rows = [status(*self._said[:2], self.look, total, self._said[2])] if self._said else []
        return rows + (picker_rows(self._picker, self.look, total) if self._picker else [])
