"""Keys and commands, made from the two tables."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from paitui.ui.actions import Scope
from paitui.ui.door import own
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render.help import help_lines
from paitui.ui.widgets.line_widget import LineWidget


class HelpText(LineWidget):
    """All that there is to know."""

    def __init__(self, look: Look, keymap: Keymap, scope: Scope) -> None:
        super().__init__(look, id="help-text")
        self._keymap = keymap
        self._scope = scope

    def draw(self, total: int) -> list[Line]:
        """All of it."""
        return help_lines(self._keymap, self._scope, self.look, total)


class HelpModal(ModalScreen[None]):
    """Help above the chat, or above a pane."""

    CSS_PATH = "../styles/help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]

    def __init__(self, look: Look, keymap: Keymap, scope: Scope = "screen") -> None:
        """Set up.

        Args:
            look: Words and signs.
            keymap: The keys.
            scope: Where help was asked for; the keys that count there are told.
        """
        super().__init__()
        self._look = look
        self._keymap = keymap
        self._scope = scope
        self.set_class(look.glyphs.plain, "-plain")
        for key in keymap.keys("help"):
            self._bindings.bind(key, "close", show=False)

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        box = VerticalScroll(HelpText(self._look, self._keymap, self._scope), id="help")
        box.border_title = own(self._look.words("help.title"))
        box.border_subtitle = own(self._look.words("help.close"))
        yield box

    def action_close(self) -> None:
        """Back to the chat."""
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """A click beside the box closes it."""
        if event.widget is self:
            self.dismiss(None)
