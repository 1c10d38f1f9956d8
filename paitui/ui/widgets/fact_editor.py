"""Where a fact is written or changed: one paragraph that grows with its text; Enter is the end of it."""

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import TextArea

from paitui.trust.safe_text import safe_text
from paitui.ui.door import SafeText
from paitui.ui.lines import Line, Span, gap, spread
from paitui.ui.look import Look
from paitui.ui.widgets.line_widget import LineWidget


class FactField(TextArea):
    """The text; a line break typed or pasted is a space."""

    class Entered(Message):
        """Enter was pressed."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered())
            return
        await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert(" ".join(safe_text(event.text).split()))


class _Label(LineWidget):
    """What is asked for, and the keys."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.title = SafeText("")
        self.keys = SafeText("")

    def draw(self, total: int) -> list[Line]:
        """One line."""
        return [spread((gap(1), Span(self.title, "strong")), (Span(self.keys, "dim"), gap(1)), total)]


class FactEditor(Vertical):
    """A label with the field under it; out of sight until it is opened."""

    DEFAULT_CSS = """
    FactEditor { height: auto; display: none; background: $surface; }
    FactEditor TextArea {
        height: auto;
        max-height: 6;
        border: none;
        padding: 0 1;
        background: $surface;
        color: $foreground;
        scrollbar-size-vertical: 1;
    }
    """

    class Saved(Message):
        """The user finished a text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._label = _Label(look)
        self._before = ""
        self.field = FactField(compact=True, soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False)
        """The text area itself."""
        self.field.cursor_blink = False

    def compose(self) -> ComposeResult:
        """Label and field."""
        yield self._label
        yield self.field

    def open(self, title: SafeText, keys: SafeText, text: str = "") -> None:
        """Show it; the caller gives it the keyboard, at once.

        Args:
            title: What is asked for.
            keys: What Enter and Esc do.
            text: What stands there already, to be changed; what a terminal could mistake is made visible in it.
        """
        self._label.title, self._label.keys = title, keys
        self._label.redraw()
        self._before = safe_text(" ".join(text.split()), keep_newlines=False)
        self.field.text = self._before
        self.field.move_cursor(self.field.document.end)
        self.display = True

    def close(self) -> None:
        """Out of sight; the keyboard is for the caller to give away."""
        self.display = False

    @property
    def unchanged(self) -> bool:
        """Whether the text is what it was when it was opened."""
        return self.field.text == self._before

    @on(FactField.Entered)
    def _entered(self, event: FactField.Entered) -> None:
        """Hand the text on."""
        event.stop()
        self.post_message(self.Saved(" ".join(self.field.text.split())))
