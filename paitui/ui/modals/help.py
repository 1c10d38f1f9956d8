"""Keys and commands, made from the two tables."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from paitui.engine.commands import COMMANDS
from paitui.ui.actions import Scope, meet
from paitui.ui.door import own
from paitui.ui.keymap import Keymap
from paitui.ui.lines import BLANK, Line, Span
from paitui.ui.look import Look
from paitui.ui.render.chrome import columns
from paitui.ui.widgets.line_widget import LineWidget
from paitui.ui.wrap import width


class HelpText(LineWidget):
    """The two lists."""

    def __init__(self, look: Look, keymap: Keymap, scope: Scope) -> None:
        super().__init__(look, id="help-text")
        self._keymap = keymap
        self._scope = scope

    def draw(self, total: int) -> list[Line]:
        """All of it."""
        words = self.look.words
        keys = [
            (own(" ".join(self._keymap.labels(action))), own(words(action.help)))
            for action in self._keymap.actions
            if action.scope != "approval" and meet(action.scope, self._scope)
        ]
        commands = [
            (own(f"/{command.name} {command.argument}".rstrip()), own(words(command.help))) for command in COMMANDS
        ]
        column = max(width(left) for left, _ in [*commands, *keys]) + 2
        return [
            (Span(self.look.word("help_commands"), "heading"),),
            *columns(commands, column, total),
            BLANK,
            (Span(self.look.word("help_keys"), "heading"),),
            *columns(keys, column, total),
        ]


class HelpModal(ModalScreen[None]):
    """Help above the chat, or above a pane."""

    CSS_PATH = "../styles/help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,enter", "close", show=False)]

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

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        box = VerticalScroll(HelpText(self._look, self._keymap, self._scope), id="help")
        box.border_title = self._look.word("help_title")
        box.border_subtitle = self._look.word("help_close")
        yield box

    def action_close(self) -> None:
        """Back to the chat."""
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """A click beside the box closes it."""
        if event.widget is self:
            self.dismiss(None)
