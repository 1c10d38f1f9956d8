"""A plan before it runs: looked at in full, run, changed or dropped. No key of somebody typing runs or drops it."""

from typing import Literal

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from paitui.clock import Clock
from paitui.engine.events import PlanProposed
from paitui.engine.ops import DecidePlan
from paitui.ui.door import own
from paitui.ui.intents import Ask
from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render.plan_review import body
from paitui.ui.render.question import Place, choices
from paitui.ui.widgets.approval import GRACE_S
from paitui.ui.widgets.fact_editor import FactEditor
from paitui.ui.widgets.line_widget import LineWidget

BOX = 108
"""Cells of the box, where there are as many."""
ANSWERS = ("plan_run", "plan_change", "plan_fold", "plan_fold_all", "plan_cancel")


class _Body(LineWidget):
    """The plan."""

    def __init__(self, look: Look, asked: PlanProposed) -> None:
        super().__init__(look, id="question-body")
        self._asked = asked
        self.current = 0
        self.folded: set[int] = set()

    def draw(self, total: int) -> list[Line]:
        """All of it."""
        return self._placed(total)[0]

    def place(self) -> tuple[int, int]:
        """From which to which row (exclusive) the current task stands."""
        return self._placed(self.content_size.width)[1][self.current]

    def task_at(self, y: int) -> int | None:
        """The task that is drawn on a row."""
        places = self._placed(self.content_size.width)[1]
        return next((at for at, (start, end) in enumerate(places) if start <= y < end), None)

    def _placed(self, total: int) -> tuple[list[Line], list[tuple[int, int]]]:
        return body(self._asked, self.current, self.folded, self.look, total)


class _Answers(LineWidget):
    """What can be done; it lights up when keys begin to count."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="question-answers")
        self._words = {name: own(look.words(f"plan_screen.key_{name}")) for name in ANSWERS}
        self._keys = {name: label(keymap.keys(name)[0]) for name in ANSWERS}
        self.lit = False

    def draw(self, total: int) -> list[Line]:
        """One line or two."""
        return self._placed(total)[0]

    def answer_at(self, x: int, y: int) -> str | None:
        """Name the answer drawn at a cell."""
        places = self._placed(self.content_size.width)[1]
        return next((name for name, row, start, end in places if row == y and start <= x < end), None)

    def _placed(self, total: int) -> tuple[list[Line], list[Place]]:
        return choices(self._words, self._keys, self.lit, total)


class PlanReview(ModalScreen[None]):
    """Shows one plan. Keys count half a second after the last one that was meant for something else."""

    AUTO_FOCUS = ""  # else a field that is not in view would take the keys
    CSS_PATH = "../styles/question.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-tall")]  # noqa: RUF012 - Textual declares it so

    def __init__(self, asked: PlanProposed, look: Look, keymap: Keymap, clock: Clock, typing: bool = False) -> None:
        """Set up.

        Args:
            asked: The plan.
            look: Words and signs.
            keymap: Keys.
            clock: For the half second.
            typing: Whether there is a prompt below: then what is typed goes there, and the plan steps back.
        """
        super().__init__()
        self.asked = asked
        """What is asked."""
        self.decided = False
        """Whether an answer is on its way."""
        self._look = look
        self._keymap = keymap
        self._clock = clock
        self._since = clock.monotonic()
        self._typing = typing
        self._body = _Body(look, asked)
        self._answers = _Answers(look, keymap)
        self.editor = FactEditor(look)
        self.set_class(look.glyphs.plain, "-plain")
        for binding in keymap.bindings("app"):
            self._bindings.bind(binding.key, binding.action, show=False, priority=binding.priority)

    def compose(self) -> ComposeResult:
        """A box in the middle: the plan, which scrolls, the field, the answers."""
        with Vertical(id="question") as box:
            box.border_title = Text(own(self._look.words("plan_screen.review_title", n=len(self.asked.tasks))))
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
        field = 5 if self.editor.display else 0
        self.query_one(VerticalScroll).styles.max_height = max(1, self.size.height - frame - rows - field)

    @property
    def counts(self) -> bool:
        """Whether a key is an answer now."""
        return self._clock.monotonic() - self._since >= GRACE_S

    def _wait(self) -> None:
        self._since = self._clock.monotonic()
        if self.is_mounted:
            self._light(False)
            self.set_timer(GRACE_S, lambda: self._light(self.counts and not self.editor.display))

    def _light(self, lit: bool) -> None:
        if lit != self._answers.lit:
            self._answers.lit = lit
            self._answers.redraw()

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
        if event.key in ("up", "down"):
            self._move(1 if event.key == "down" else -1)
            return True
        if event.key in ("pageup", "pagedown"):
            self._page(1 if event.key == "pagedown" else -1)
            return True
        name = self._keymap.name(event.key, "plan_review")
        if name in ANSWERS and self.counts:
            self.answer(name)
            return True
        if event.key == "ctrl+c":
            self.answer("plan_cancel")
            return True
        if event.is_printable:
            return self._step_back()
        if name is None:
            self._wait()
        return name is not None

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

    def _move(self, by: int) -> None:
        """To the next task; one that is taller than the view is read to its end first."""
        view = self.query_one(VerticalScroll)
        start, end = self._body.place()
        top, low = round(view.scroll_y), round(view.scroll_y) + view.size.height
        if (by > 0 and start < low < end) or (by < 0 and start < top < end):
            view.scroll_to(y=top + by, animate=False, immediate=True)
            return
        self._body.current = max(0, min(len(self.asked.tasks) - 1, self._body.current + by))
        self._body.redraw()
        self._reveal()

    def _reveal(self) -> None:
        view = self.query_one(VerticalScroll)
        start, end = self._body.place()
        if self._body.current == 0 and end <= view.size.height:
            start = 0  # with what is wanted
        top, height = round(view.scroll_y), view.size.height
        if start < top or end - start >= height:
            view.scroll_to(y=start, animate=False, immediate=True)
        elif end > top + height:
            view.scroll_to(y=end - height, animate=False, immediate=True)

    def _page(self, by: int) -> None:
        view = self.query_one(VerticalScroll)
        view.scroll_to(y=view.scroll_y + by * max(1, view.size.height - 1), animate=False, immediate=True)

    def on_click(self, event: events.Click) -> None:
        """A click on an answer gives it; one on a task makes it the current one, or folds it."""
        if self.editor.display:
            return
        offset = event.get_content_offset(self._answers)
        name = self._answers.answer_at(offset.x, offset.y) if offset is not None else None
        if name and self.counts:
            event.stop()
            self.answer(name)
            return
        inside = event.get_content_offset(self._body)
        task = self._body.task_at(inside.y) if inside is not None else None
        if task is not None:
            again = task == self._body.current
            self._body.current = task
            if again:
                self._body.folded ^= {task}
            self._body.redraw()

    # -- answers

    def answer(self, name: str) -> None:
        """Give an answer, fold, or open the field for what else the plan should mind."""
        words = self._look.words
        match name:
            case "plan_run":
                self._decide("run")
            case "plan_change":
                title, keys = own(words("plan_screen.wish")), own(words("plan_screen.wish_keys"))
                self.editor.open(title, keys)
                self.set_focus(self.editor.field)
                self._light(False)
                self.on_resize()
            case "plan_fold":
                self._body.folded ^= {self._body.current}
                self._folded()
            case "plan_fold_all":
                self._body.folded = set() if self._body.folded else set(range(len(self.asked.tasks)))
                self._folded()
            case _:
                self._decide("cancel")

    def _folded(self) -> None:
        self._body.redraw()
        self.call_after_refresh(self._reveal)

    @on(FactEditor.Saved)
    def _wished(self, event: FactEditor.Saved) -> None:
        """Another plan is made with it; an empty field asks for nothing."""
        self._close_editor()
        if event.text:
            self._decide("change", event.text)

    def _close_editor(self) -> None:
        self.editor.close()
        self.set_focus(None)
        self._wait()
        self.on_resize()

    def _decide(self, decision: Literal["run", "change", "cancel"], text: str = "") -> None:
        if not self.decided:
            self.decided = True
            self.post_message(Ask(DecidePlan(self.asked.id, decision, text)))
            self.dismiss(None)
