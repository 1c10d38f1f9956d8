"""The conversation of one unit: the widget of the chat, which here can have the keyboard at any time."""

from typing import ClassVar

from paitui.ui.door import own
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line, Span
from paitui.ui.look import Look
from paitui.ui.widgets.transcript import Transcript


class UnitTranscript(Transcript, can_focus=True, inherit_bindings=False):
    """Draws the blocks of a unit."""

    FOCUS_ON_CLICK: ClassVar[bool] = True
    REACHABLE: ClassVar[bool] = True
    DEFAULT_CSS = """
    UnitTranscript {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    """

    def __init__(self, look: Look, keymap: Keymap, *, id: str | None = None) -> None:
        super().__init__(look, keymap, id=id)
        self._nothing = own(look.words("plan_screen.nothing_yet"))

    def without_items(self, y: int, width: int) -> Line:
        """Say that there is nothing yet."""
        return (Span(self._nothing, "dim"),) if y == 0 else ()

    def on_focus(self) -> None:
        """The cursor stands on the last block in view."""
        if self.cursor is None and self.count() and self._wrapped_at:
            self._point_at(self._heights.find(min(self.top_row + self.view, self._heights.total) - 1)[0])
