"""Where the user types."""

from typing import Any

from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.widgets import TextArea

from paitui.ui.door import block
from paitui.ui.keymap import Keymap
from paitui.ui.look import Look

MAX_PASTE = 200_000
"""Characters of a paste that are taken; the editor below becomes slow far beyond this."""


class Prompt(TextArea):
    """A text area that grows with its text; Enter sends."""

    class Sent(Message):
        """The user wants to send what stands here."""

        def __init__(self, text: str, steer: bool) -> None:
            super().__init__()
            self.text = text
            self.steer = steer

    class Moved(Message):
        """The user pressed Home or End where there is no text to move in."""

        def __init__(self, top: bool) -> None:
            super().__init__()
            self.top = top

    class TooLong(Message):
        """A paste was cut."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(
            id="prompt",
            compact=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder=look.word("placeholder"),
        )
        self._keymap = keymap
        self.cursor_blink = False

    @property
    def draft(self) -> str:
        """What stands here."""
        return self.text

    def take(self, text: str) -> None:
        """Type a text at the cursor."""
        self.insert(text)

    def send(self, steer: bool = False) -> None:
        """Say what stands here, and empty the prompt with it: what is typed next is another text."""
        text = self.text
        if text.strip():
            self.clear()
        self.post_message(self.Sent(text, steer))

    def send_in_turn(self, steer: bool) -> None:
        """The same, after every key that was pressed before and waits to be typed here."""
        self.call_later(self.send, steer)

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor, if there is one: in the middle of an undo its line can be gone already."""
        if self.cursor_location[0] >= self.document.line_count:
            return Offset()
        return super().scroll_cursor_visible(center, animate)

    async def _on_key(self, event: events.Key) -> None:
        """Send, break the line, or leave the key to the text area."""
        action = self._keymap.name(event.key, "prompt")
        if action == "send":
            event.prevent_default().stop()
            self.send()
        elif action == "newline":
            event.prevent_default().stop()
            self.insert("\n")
        elif event.key in ("home", "end") and not self.text:
            event.prevent_default().stop()
            self.post_message(self.Moved(event.key == "home"))

    async def _on_paste(self, event: events.Paste) -> None:
        """Take pasted text through the door: it may come from anywhere."""
        event.prevent_default().stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        if len(text) > MAX_PASTE:
            text = text[:MAX_PASTE]
            self.post_message(self.TooLong())
        self.insert(block(text))

    def __rich_repr__(self) -> Any:
        yield "id", self.id
