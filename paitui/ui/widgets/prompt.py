"""Where the user types."""

from collections.abc import Callable
from typing import Any, Protocol

from rich.text import Text
from textual import events
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.geometry import Offset, Size
from textual.message import Message
from textual.widgets import TextArea

from paitui.messages.message import Spans
from paitui.trust.safe_text import safe_text
from paitui.ui.keymap import Keymap
from paitui.ui.look import Look
from paitui.ui.prompting import caret
from paitui.ui.prompting.chips import label
from paitui.ui.prompting.marks import Draft, Mark, Marks, difference, folds, snapped, spliced, widened
from paitui.ui.typed_wrap import break_typed_lines

break_typed_lines()

MAX_PASTE = 2_000_000
"""Characters of a paste that are taken; no model reads more at once."""
MAX_OPEN = 500_000
"""Characters of a folded paste that can stand open in the prompt; the text area becomes slow far beyond this."""
JOINER = "\u200d"
"""Joins emoji to one; the text area would drop it as nothing that is printed."""
KNOWN = 500
"""States of the draft whose marks are remembered for undo."""


class Surroundings(Protocol):
    """What the prompt asks at once, because the next key may follow in the same moment."""

    def press(self, key: str, action: str | None) -> bool:
        """Take a key before the prompt does; says whether it was taken."""
        ...

    def edited(self) -> None:
        """The text changed."""
        ...

    def send(self, steer: bool) -> None:
        """The user wants to send what stands here."""
        ...


class Prompt(TextArea):
    """A text area that grows with its text; Enter sends. It knows what of its text was pasted."""

    class Sent(Message):
        """The user sends a text."""

        def __init__(self, text: str, steer: bool, pasted: Spans = ()) -> None:
            super().__init__()
            self.text = text
            self.steer = steer
            self.pasted = pasted

    class Moved(Message):
        """The user pressed Home or End where there is no text to move in."""

        def __init__(self, top: bool) -> None:
            super().__init__()
            self.top = top

    class TooLong(Message):
        """A paste was cut."""

    _marks: Marks = ()

    def __init__(self, look: Look, keymap: Keymap, around: Surroundings) -> None:
        super().__init__(
            id="prompt",
            compact=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder=look.word("placeholder"),
        )
        self._look = look
        self._keymap = keymap
        self._around = around
        self._arriving: Callable[[int, int], Mark] | None = None
        self._known: dict[int, Marks] = {}
        self.cursor_blink = False

    # -- the text and its marks

    @property
    def draft(self) -> str:
        """What stands here, as it is shown."""
        return self.text

    @property
    def content(self) -> Draft:
        """What stands here, with its marks."""
        return Draft(self.text, self._marks)

    @property
    def caret(self) -> int:
        """Characters before the caret."""
        return self._offset(self.cursor_location)

    def take(self, text: str) -> None:
        """Type a text at the cursor."""
        self.insert(text)

    def put(self, draft: Draft) -> None:
        """Show another draft, caret at its end; undo gives the former one back."""
        self.replace(draft.text, (0, 0), self.document.end, maintain_selection_offset=False)
        self._marks = draft.marks
        self._remember()
        self._line_cache.clear()
        self.refresh()

    def put_part(self, start: int, end: int, text: str) -> None:
        """Put a text in place of a part, caret behind it."""
        self.replace(text, self._location(start), self._location(end), maintain_selection_offset=False)

    def paste(self, text: str) -> None:
        """Take a text that the user did not type: as it is, or behind a chip if it is long."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if len(text) > MAX_PASTE:
            text = text[:MAX_PASTE]
            self.post_message(self.TooLong())
        long = folds(text)
        shown = label(self._look.words, text) if long else safe_text(text)
        self._insert(shown, text if long else "", True, *self.selection)

    def chip(self) -> Mark | None:
        """The chip beside the caret."""
        at = self.caret
        return next((mark for mark in self._marks if mark.body and at in (mark.start, mark.end)), None)

    def open_chip(self) -> bool:
        """Show the text of the chip beside the caret in its place.

        Returns:
            False if there is none, or its text is too long for that.
        """
        chip = self.chip()
        if chip is None or len(chip.body) > MAX_OPEN:
            return False
        self._insert(safe_text(chip.body), "", chip.pasted, self._location(chip.start), self._location(chip.end))
        return True

    def _insert(self, shown: str, body: str, pasted: bool, start: Location, end: Location) -> None:
        if pasted or body:
            self._arriving = lambda first, last: Mark(first, last, body, pasted)
        try:
            self.replace(shown, start, end, maintain_selection_offset=False)
        finally:
            self._arriving = None

    def edit(self, edit: Edit) -> EditResult:
        """Carry out a change; no chip is cut by it, and marks move with the text."""
        if not edit.text and edit.top[0] == edit.bottom[0]:
            row, columns = edit.top[0], (edit.top[1], edit.bottom[1])
            first, last = caret.widened(self.document.get_line(row), *columns)
            edit.from_location, edit.to_location = (row, first), (row, last)
        start, end = widened(self._marks, self._offset(edit.top), self._offset(edit.bottom))
        edit.from_location, edit.to_location = self._location(start), self._location(end)
        new_end = start + len(edit.text)
        arrived = self._arriving(start, new_end) if self._arriving else None
        self._marks = spliced(self._marks, start, end, new_end, arrived)
        result = super().edit(edit)
        self._remember()
        self._around.edited()
        return result

    def undo(self) -> None:
        """Take the last change back, and what was pasted with it."""
        self._travel(super().undo)

    def redo(self) -> None:
        """Make it again."""
        self._travel(super().redo)

    def _travel(self, step: Callable[[], None]) -> None:
        before, marks = self.text, self._marks
        self._marks = ()
        step()
        known = self._known.get(hash(self.text))
        self._marks = spliced(marks, *difference(before, self.text)) if known is None else known
        self._line_cache.clear()
        self._around.edited()

    def _remember(self) -> None:
        """Know the marks of this text, should undo bring it back."""
        if self._marks:
            if len(self._known) >= KNOWN:
                del self._known[next(iter(self._known))]
            self._known[hash(self.text)] = self._marks

    def _offset(self, location: Location) -> int:
        row, column = location
        lines = self.document.lines
        return sum(len(line) for line in lines[:row]) + min(row, len(lines)) + column

    def _location(self, offset: int) -> Location:
        lines = self.document.lines
        for row, line in enumerate(lines):
            if offset <= len(line):
                return row, offset
            offset -= len(line) + 1
        return len(lines) - 1, len(lines[-1])

    def validate_selection(self, selection: Selection) -> Selection:
        """Keep the caret out of chips, and out of the middle of what the eye sees as one character."""
        before = self.selection.end
        ends = [self._solid(end, end > before) for end in selection]
        if any(mark.body for mark in self._marks):
            at = self._offset(before)
            ends = [self._location(snapped(self._marks, self._offset(end), at)) for end in ends]
        return Selection(*ends)

    def _solid(self, location: Location, forward: bool) -> Location:
        row, column = location
        if row >= self.document.line_count:
            return location
        return row, caret.snapped(self.document.get_line(row), column, forward)

    @property
    def selected_text(self) -> str:
        """What is selected, chips in full."""
        start, end = sorted(self._offset(location) for location in self.selection)
        inside = tuple(
            Mark(mark.start - start, mark.end - start, mark.body)
            for mark in self._marks
            if mark.body and start <= mark.start and mark.end <= end
        )
        return Draft(self.text[start:end], inside).said()[0]

    def action_cut(self) -> None:
        """Remove what is selected, and keep it in the clipboard; chips in full."""
        text = self.selected_text
        super().action_cut()
        if text:
            self.app.copy_to_clipboard(text)

    def action_paste(self) -> None:
        """Paste what was copied here."""
        self.paste(self.app.clipboard)

    # -- how it looks

    def get_line(self, line_index: int) -> Text:
        """A line, its chips set apart."""
        line = super().get_line(line_index)
        style = self._look.inks.get("code")
        if style is not None and any(mark.body for mark in self._marks):
            first = self._offset((line_index, 0))
            for mark in self._marks:
                if mark.body and first <= mark.start <= first + len(line):
                    line.stylize(style, mark.start - first, mark.end - first)
        return line

    @property
    def on_first_row(self) -> bool:
        """Whether there is no row above the caret."""
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    @property
    def on_last_row(self) -> bool:
        """Whether there is no row below the caret."""
        return self.navigator.is_last_wrapped_line(self.cursor_location)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As tall as the draft, up to a third of the window; a limit of the style sheet would not count around it."""
        return min(super().get_content_height(container, viewport, width), max(1, viewport.height // 3))

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor, if there is one: in the middle of an undo its line can be gone already."""
        if self.cursor_location[0] >= self.document.line_count:
            return Offset()
        return super().scroll_cursor_visible(center, animate)

    # -- keys

    def send_in_turn(self, steer: bool) -> None:
        """Send, after every key that was pressed before and waits to be typed here."""
        self.call_later(self._around.send, steer)

    async def _on_key(self, event: events.Key) -> None:
        """Send, break the line, or leave the key to the text area."""
        action = self._keymap.name(event.key, "prompt")
        if self._around.press(event.key, action):
            event.prevent_default().stop()
        elif action == "send":
            event.prevent_default().stop()
            self._around.send(False)
        elif action == "newline":
            event.prevent_default().stop()
            self.insert("\n")
        elif event.character == JOINER:
            event.prevent_default().stop()
            self.insert(JOINER)
        elif event.key in ("home", "end") and not self.text:
            event.prevent_default().stop()
            self.post_message(self.Moved(event.key == "home"))

    async def _on_paste(self, event: events.Paste) -> None:
        """Take pasted text, which may come from anywhere; it never sends."""
        event.prevent_default().stop()
        self.paste(event.text)

    def __rich_repr__(self) -> Any:
        yield "id", self.id
