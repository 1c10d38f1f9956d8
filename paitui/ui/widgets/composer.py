"""The prompt with all that helps to fill it: completion, earlier input, drafts, the queue, the editor outside."""

from collections.abc import Callable
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from paitui import diagnostics
from paitui.engine.ops import HoldQueued, Op
from paitui.locale import Phrase, phrase
from paitui.messages.message import Spans
from paitui.ui.intents import Ask
from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import Line, glyph
from paitui.ui.look import Look
from paitui.ui.prompting import chips
from paitui.ui.prompting.completer import Completer
from paitui.ui.prompting.completion import Choice
from paitui.ui.prompting.desk import Desk
from paitui.ui.prompting.editor import editor_command
from paitui.ui.prompting.errands import Errands
from paitui.ui.prompting.history import Entry, Found, search
from paitui.ui.prompting.keeper import Keeper
from paitui.ui.prompting.marks import Draft, folded, rediscovered
from paitui.ui.prompting.picker import Picker
from paitui.ui.prompting.queued import QueueEditing
from paitui.ui.render.chrome import PromptUse
from paitui.ui.render.prompting import Hint
from paitui.ui.state import ViewState
from paitui.ui.widgets.choices import Choices
from paitui.ui.widgets.line_widget import LineWidget
from paitui.ui.widgets.outside import edit_outside
from paitui.ui.widgets.prompt import Prompt

SAVE_AFTER_S = 1.0
"""A draft is kept for a crash this long after it changed."""


class PromptSign(LineWidget):
    """The sign before the prompt; another colour while the prompt is for something else than a new message."""

    _plain = True

    def plain(self, now: bool) -> None:
        """Whether it is for a new message."""
        if now != self._plain:
            self._plain = now
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """One cell."""
        return [(glyph(self.look.glyphs.prompt, "user" if self._plain else "accent"),)]


class Composer(Vertical):
    """Decides what a key means while a list is open, in a search, and while a queued message is edited."""

    class Trouble(Message):
        """Something could not be done; the user should know."""

        def __init__(self, what: Phrase) -> None:
            super().__init__()
            self.what = what

    class Edits(Message):
        """Another queued message is in the prompt, or none."""

        def __init__(self, message_id: int) -> None:
            super().__init__()
            self.message_id = message_id

    class Turned(Message):
        """The prompt is for something else now, see `use`."""

    def __init__(self, look: Look, keymap: Keymap, desk: Desk) -> None:
        super().__init__(id="composer")
        self._look = look
        self._keymap = keymap
        self._desk = desk
        self.choices = Choices(look)
        self.prompt = Prompt(look, keymap, self)
        self._sign = PromptSign(look, id="prompt-sign")
        self.errands = Errands(self.call_later)
        self._keeper = Keeper(desk, self.errands, self._trouble)
        self._completer = Completer(self, look.words, desk.list_files, desk.names, desk.clock)
        self._queue = QueueEditing(self, lambda message: self._folded(message.text, message.pasted))
        self._aside: Draft | None = None
        """The draft while the prompt searches; None when it does not."""
        self._found: list[Found] = []
        self._picker: Picker | None = None
        self._state = ViewState()
        self._putting = False
        self._said: tuple[str, tuple[Hint, ...]] = ("", ())
        self._saving: Timer | None = None
        self._used: PromptUse = "prompt"

    def compose(self) -> ComposeResult:
        """The list above, the prompt below."""
        yield self.choices
        with Horizontal(id="prompt-row"):
            yield self._sign
            yield self.prompt

    def on_unmount(self) -> None:
        """Keep the draft, and finish what is being written."""
        self._keeper.close(self._drafts)

    def wake(self) -> None:
        """Read what earlier sessions left, once the screen is there."""
        self._keeper.wake(self._offer_draft)

    def show(self, state: ViewState) -> None:
        """Follow the queue."""
        self._state = state
        if self._queue.message is None:
            return
        if self._queue.number(state.queued):
            self._tell()
        elif (aside := self._queue.overtaken()) is not None:
            self._keeper.recall.add(aside)
            self._say(self._look.words("prompt.edit_late"))

    @property
    def engaged(self) -> bool:
        """Whether the user is in the middle of something that a question must not take the keyboard from."""
        return bool(self.prompt.draft) or self._aside is not None or self._queue.message is not None

    @property
    def use(self) -> PromptUse:
        """What the prompt is for."""
        if self._aside is not None:
            return "search"
        if self._picker is not None:
            return "list"
        return "prompt" if self._queue.message is None else "edit"

    # -- what the prompt asks

    def press(self, key: str, action: str | None) -> bool:
        """Take a key before the prompt does."""
        match action:
            case "search" if self._aside is not None:
                self._move(1)
            case "search" if self._queue.message is None:
                self._begin_search()
            case "editor":
                self.run_worker(self._edit_outside(), group="editor", exclusive=True)
            case "take_back" | "put_forward" if self._aside is None:
                self._completer.close()
                self._queue.go(-1 if action == "take_back" else 1, self._state.queued)
            case "drop" if self._queue.message is not None:
                self._keeper.remember(self.prompt.content)
                self._queue.remove()
            case "search" | "take_back" | "put_forward" | "drop":
                pass  # means nothing now, and types nothing either
            case _:
                return self._press_in_list(key, action) or self._press_at_edge(key)
        return True

    def _press_in_list(self, key: str, action: str | None) -> bool:
        if self._picker is None:
            return False
        taking = key == "tab" or action == "send"
        if key in ("up", "down"):
            self._move(-1 if key == "up" else 1)
        elif taking and self._aside is not None:
            self._take_found()
        elif action == "send":
            return self._completer.enter()
        elif taking:
            self._completer.take()
        return key in ("up", "down") or taking or (self._aside is not None and action == "newline")

    def _press_at_edge(self, key: str) -> bool:
        """Up in the first row and Down in the last go through earlier input."""
        at_edge = (key == "up" and self.prompt.on_first_row) or (key == "down" and self.prompt.on_last_row)
        if not at_edge or self._queue.message is not None:
            return False
        found = self._keeper.recall.move(1 if key == "up" else -1, self.prompt.content)
        if found is not None:
            self.put(found if isinstance(found, Draft) else self._folded(found.text, found.pasted))
        return found is not None

    def edited(self) -> None:
        """The text changed."""
        if self._putting:
            return
        self._say("")
        self._save_soon()
        if self._aside is not None:
            self._show_found()
        else:
            self._completer.look(self.prompt.text, self.prompt.caret)

    @on(TextArea.SelectionChanged)
    def _caret_moved(self) -> None:
        if self._picker is not None and self._aside is None:
            self._completer.look(self.prompt.text, self.prompt.caret)
        self._tell()

    def send(self, steer: bool) -> None:
        """Send what stands in the prompt: as a message, or back to its place in the queue."""
        draft = self.prompt.content
        typed = bool(draft.text.strip())
        if self._aside is not None:
            self._take_found()
        elif self._queue.message is None:
            if typed:
                self.prompt.clear()
            self._send(draft, steer)
        elif steer and typed and self._state.busy:
            self._queue.remove()
            self._send(draft, steer)
        else:
            self._queue.put_back()

    def _send(self, draft: Draft, steer: bool) -> None:
        text, pasted = draft.said()
        self._keeper.remember(draft)
        self._save()
        self.post_message(Prompt.Sent(text, steer, pasted))

    def clear(self) -> None:
        """Empty the prompt; what stood there can be had back like what was sent."""
        if self._aside is not None:
            self._end_search(self._aside)
            return
        self._keeper.remember(self.prompt.content)
        self.prompt.clear()
        self._save()

    def back(self) -> bool:
        """Leave a search, a list, or the queue.

        Returns:
            False if there is nothing to leave.
        """
        if self._aside is not None:
            self._end_search(self._aside)
        elif self._picker is not None:
            self._completer.close()
        elif self._queue.message is not None:
            self._queue.leave(HoldQueued(0))
        else:
            return False
        return True

    def open_chip(self) -> bool:
        """Show the pasted text beside the caret in its place.

        Returns:
            False if there is none there.
        """
        if self.prompt.chip() is None:
            return False
        if not self.prompt.open_chip():
            self._trouble(phrase("prompt.chip_large", key=label(self._keymap.keys("editor")[0])))
        return True

    # -- the list

    def errand(self, job: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Look something up for the completer; what cannot be read offers nothing."""
        self.errands.find(job, then, lambda error: diagnostics.fault("completing", error))

    def complete(self, start: int, end: int, text: str) -> None:
        """Put a choice into the draft."""
        self.prompt.put_part(start, end, text)

    def listed(self, picker: Picker | None) -> None:
        """Show a list, or none."""
        self._picker = picker
        self.choices.offer(picker)
        self._tell()

    def _move(self, step: int) -> None:
        if self._aside is None:
            self._completer.move(step)
        elif self._picker is not None:
            self.listed(self._picker.move(step))

    # -- the search in earlier input

    def _begin_search(self) -> None:
        self._aside = self.prompt.content
        self.put(Draft())
        self._show_found()

    def _show_found(self) -> None:
        self._found = search(self._keeper.recall.entries, self.prompt.text)
        self.listed(Picker("history", tuple(Choice(found.shown, "", hits=found.hits) for found in self._found)))

    def _take_found(self) -> None:
        if self._picker is not None and self._found and self._aside is not None:
            entry = self._found[self._picker.selected].entry
            self._keeper.recall.add(self._aside)
            self._end_search(self._folded(entry.text, entry.pasted))

    def _end_search(self, draft: Draft) -> None:
        self._aside = None
        self.listed(None)
        self.put(draft)

    # -- drafts

    @property
    def content(self) -> Draft:
        """What stands in the prompt."""
        return self.prompt.content

    def put(self, draft: Draft) -> None:
        """Put another draft into the prompt."""
        self._putting = True
        try:
            self.prompt.put(draft)
        finally:
            self._putting = False
        self._completer.rest(self.prompt.text, self.prompt.caret)
        self._said = "", ()
        self._save_soon()
        self._tell()

    def _folded(self, text: str, pasted: Spans) -> Draft:
        return folded(text, pasted, partial(chips.label, self._look.words))

    def _offer_draft(self, unsent: Entry) -> bool:
        if self.engaged:
            return False
        self.put(self._folded(unsent.text, unsent.pasted))
        clear = label(self._keymap.keys("cancel")[0])
        self._say(self._look.words("prompt.restored"), (clear, self._look.words("prompt.restored_clear")))
        return True

    @property
    def _drafts(self) -> list[Draft]:
        """What is typed and not sent: what was put aside, then what stands in the prompt."""
        if self._aside is not None:
            return [self._aside]
        if self._queue.message is None:
            return [self.prompt.content]
        return [self._queue.aside, *([] if self._queue.unchanged else [self.prompt.content])]

    def _save_soon(self) -> None:
        if self._saving is None and self.is_mounted:
            self._saving = self.set_timer(SAVE_AFTER_S, self._save)

    def _save(self) -> None:
        if self._saving is not None:
            self._saving.stop()
            self._saving = None
        self._keeper.save(self._drafts)

    async def _edit_outside(self) -> None:
        command = editor_command(self._desk.environment)
        if not command:
            self._trouble(phrase("prompt.editor_none"))
            return
        if self._aside is not None:
            self._end_search(self._aside)
        text, pasted = self.prompt.content.said()
        result = await edit_outside(self.app, command, self._desk.scratch, text)
        if isinstance(result, Phrase):
            self._trouble(result)
        elif result != text:
            self.put(self._folded(result, rediscovered(result, [text[start:end] for start, end in pasted])))

    # -- small things

    def ask(self, op: Op) -> None:
        """Ask the worker for something."""
        self.post_message(Ask(op))

    def edits(self, message_id: int) -> None:
        """Show which queued message is in the prompt."""
        self.post_message(self.Edits(message_id))

    def _trouble(self, what: Phrase) -> None:
        self.post_message(self.Trouble(what))

    def _say(self, title: str, *hints: Hint) -> None:
        self._said = title, hints
        self._tell()

    def _tell(self) -> None:
        """Say what the prompt is for now, if it is for something else than a new message."""
        words, keys = self._look.words, self._keymap.keys
        title, hints = self._said
        send, stop = label(keys("send")[0]), label(keys("stop")[0])
        if self._aside is not None:
            total = len(self._found)
            at = self._picker.selected + 1 if self._picker and total else 0
            count = words("prompt.search_count", n=at, total=total) if total else words("prompt.search_none")
            title = f"{words('prompt.search')}  {count}"
            hints = ((send, words("prompt.search_take")), (stop, words("prompt.search_back")))
        elif self._queue.message is not None:
            does = words("prompt.edit_put") if self.prompt.text.strip() else words("prompt.edit_drop")
            title = words("prompt.edit_title", n=self._queue.number(self._state.queued))
            drop = label(keys("drop")[0]), words("prompt.edit_drop")
            hints = ((send, does), drop, (stop, words("prompt.edit_leave")))
        elif not title and self._picker is None and self.prompt.chip() is not None:
            hints = ((label(keys("fold")[0]), words("prompt.chip_open")),)
        self.choices.say(title, hints)
        self._sign.plain(self._aside is None and self._queue.message is None)
        if self.use != self._used:
            self._used = self.use
            self.post_message(self.Turned())
