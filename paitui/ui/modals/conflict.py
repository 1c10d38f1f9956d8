"""The question before something is remembered. It takes its time, and no key of somebody typing for an answer."""

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from paitui.clock import Clock
from paitui.engine.events import MemoryAsked
from paitui.engine.ops import DecideMemory
from paitui.ui.door import own
from paitui.ui.intents import Ask
from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render import question as render
from paitui.ui.widgets.approval import GRACE_S
from paitui.ui.widgets.fact_editor import FactEditor
from paitui.ui.widgets.line_widget import LineWidget

BOX = 84
"""Cells of the box, where there are as many."""


class _Body(LineWidget):
    """What there is to know."""

    def __init__(self, look: Look, clock: Clock, asked: MemoryAsked) -> None:
        super().__init__(look, id="question-body")
        self._clock = clock
        self.asked = asked
        self.chosen = 0

    def draw(self, total: int) -> list[Line]:
        """All of it."""
        return render.body(self.asked, self.chosen, self.look, self._clock.now(), total)


class _Answers(LineWidget):
    """The answers; they light up when keys begin to count."""

    def __init__(self, look: Look, keys: dict[str, str], asked: MemoryAsked) -> None:
        super().__init__(look, id="question-answers")
        self._keys = keys
        self.asked = asked
        self.lit = False

    def draw(self, total: int) -> list[Line]:
        """One line or two."""
        return render.answers(self.asked, self._keys, self.lit, self.look, total)[0]

    def answer_at(self, x: int, y: int) -> str | None:
        """Name the answer drawn at a cell."""
        _, places = render.answers(self.asked, self._keys, self.lit, self.look, self.content_size.width)
        return next((name for name, row, start, end in places if row == y and start <= x < end), None)


class MemoryQuestion(ModalScreen[None]):
    """Asks one question. Keys count half a second after the last one that was meant for something else."""

    AUTO_FOCUS = ""  # else a field that is not in view would take the keys
    CSS_PATH = "../styles/question.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-tall")]  # noqa: RUF012 - Textual declares it so

    def __init__(self, asked: MemoryAsked, look: Look, keymap: Keymap, clock: Clock, typing: bool = False) -> None:
        """Set up.

        Args:
            asked: What is asked.
            look: Words and signs.
            keymap: Keys.
            clock: For the half second.
            typing: Whether there is a prompt below: then what is typed goes there, and the question steps back.
        """
        super().__init__()
        self.asked = asked
        """What is asked."""
        self._look = look
        self._keymap = keymap
        self._clock = clock
        self._since = clock.monotonic()
        self._typing = typing
        self.decided = False
        """Whether an answer is on its way."""
        keys = {name: label(keymap.keys(name)[0]) for name in render.names(asked)}
        self._body = _Body(look, clock, asked)
        self._answers = _Answers(look, keys, asked)
        self.editor = FactEditor(look)
        self.set_class(look.glyphs.plain, "-plain")
        for binding in keymap.bindings("app"):
            self._bindings.bind(binding.key, binding.action, show=False, priority=binding.priority)

    def compose(self) -> ComposeResult:
        """A box in the middle: the text, which scrolls, the field, the answers."""
        with Vertical(id="question") as box:
            box.border_title = Text(render.title(self.asked, self._look))
            with VerticalScroll(id="question-scroll", can_focus=False):
                yield self._body
            yield self.editor
            yield self._answers

    def on_mount(self) -> None:
        """The answers light up when keys begin to count."""
        self._wait()

    def on_resize(self) -> None:
        """The answers stay in view, however low the window."""
        frame = 2 if self.has_class("-low") else 5
        rows = len(self._answers.draw(max(1, min(BOX, self.size.width) - 6)))
        field = 6 if self.editor.display else 0
        self.query_one(VerticalScroll).styles.max_height = max(1, self.size.height - frame - rows - field)

    def _wait(self) -> None:
        self._since = self._clock.monotonic()
        if not self.is_mounted:
            return
        self._light(False)
        self.set_timer(GRACE_S, lambda: self._light(self.counts))

    def _light(self, lit: bool) -> None:
        if lit != self._answers.lit:
            self._answers.lit = lit
            self._answers.redraw()

    @property
    def counts(self) -> bool:
        """Whether a key is an answer now."""
        return self._clock.monotonic() - self._since >= GRACE_S

    # -- keys

    def before_input(self, event: events.Key | events.Paste) -> bool:
        """Take an answer, or move; what is typed or pasted otherwise goes to the prompt.

        Returns:
            Whether the event is dealt with.
        """
        if self.focused is self.editor.field:
            return False
        if isinstance(event, events.Paste):
            return self._step_back()
        if event.key in ("pageup", "pagedown", "up", "down"):
            self._move(event.key)
            return True
        name = self._keymap.name(event.key, "question")
        if name in render.names(self.asked) and self.counts:
            self.answer(name)
            return True
        if event.key == "ctrl+c":
            self.answer("leave_it")
            return True
        if event.is_printable:
            return self._step_back()
        if name is None:
            self._wait()
        return False

    def on_key(self, event: events.Key) -> None:
        """Leave the field."""
        if event.key == "escape" and self.editor.display:
            event.stop()
            self._close_editor()

    def _step_back(self) -> bool:
        """Somebody types: above the chat, leave the keyboard to the prompt until it is empty again."""
        if self._typing:
            self.dismiss(None)
            return False
        self._wait()
        return True

    def _move(self, key: str) -> None:
        down = key in ("down", "pagedown")
        if key in ("up", "down") and len(self.asked.against) > 1:
            last = len(self.asked.against) - 1
            self._body.chosen = max(0, min(last, self._body.chosen + (1 if down else -1)))
            self._body.redraw()
            return
        view = self.query_one(VerticalScroll)
        step = 1 if key in ("up", "down") else max(1, view.size.height - 1)
        view.scroll_to(y=view.scroll_y + (step if down else -step), animate=False)

    def on_click(self, event: events.Click) -> None:
        """A click on an answer gives it."""
        if self.counts and not self.editor.display:
            offset = event.get_content_offset(self._answers)
            name = self._answers.answer_at(offset.x, offset.y) if offset is not None else None
            if name:
                event.stop()
                self.answer(name)

    # -- answers

    def answer(self, name: str) -> None:
        """Give an answer, or open the field for another wording."""
        against = self.asked.against
        match name:
            case "edit_new":
                words = self._look.words
                title, keys = own(words("memories.editing_new")), own(words("memories.editor_check"))
                self.editor.open(title, keys, self.asked.fact)
                self.set_focus(self.editor.field)
                self.on_resize()
            case "replace_old" if against:
                self._decide(DecideMemory(self.asked.id, "replace", against[self._body.chosen].id))
            case "keep_both":
                self._decide(DecideMemory(self.asked.id, "keep"))
            case "save_anyway" | "clear_all":
                self._decide(DecideMemory(self.asked.id, "save"))
            case _:
                self._decide(DecideMemory(self.asked.id, "leave"))

    @on(FactEditor.Saved)
    def _edited(self, event: FactEditor.Saved) -> None:
        """Another wording is checked like any other; the same one is no answer."""
        unchanged = self.editor.unchanged
        self._close_editor()
        if event.text and not unchanged:
            conflict = self.asked.why == "conflict"
            self._decide(DecideMemory(self.asked.id, "keep" if conflict else "save", text=event.text))

    def _close_editor(self) -> None:
        self.editor.close()
        self.set_focus(None)
        self.on_resize()

    def _decide(self, op: DecideMemory) -> None:
        if not self.decided:
            self.decided = True
            self.post_message(Ask(op))
            self.dismiss(None)
