"""The question whether the project's own files count. Who goes on typing has answered that it can wait."""

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from paitui.clock import Clock
from paitui.engine.events import ProjectAsked
from paitui.engine.ops import DecideProject
from paitui.ui.door import own
from paitui.ui.intents import Ask
from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render import project as render
from paitui.ui.render.question import Place, choices
from paitui.ui.widgets.approval import GRACE_S
from paitui.ui.widgets.line_widget import LineWidget

BOX = 84
"""Cells of the box, where there are as many."""
ANSWERS = ("trust_project", "not_now")


class _Body(LineWidget):
    """What the files would set."""

    def __init__(self, look: Look, asked: ProjectAsked) -> None:
        super().__init__(look, id="question-body")
        self._asked = asked

    def draw(self, total: int) -> list[Line]:
        """All of it."""
        return render.body(self._asked, self.look, total)


class _Answers(LineWidget):
    """The two answers; they light up when keys begin to count."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="question-answers")
        self._words = {name: own(look.words(f"project_trust.key_{name}")) for name in ANSWERS}
        self._keys = {name: label(keymap.keys(name)[0]) for name in ANSWERS}
        self.lit = False

    def draw(self, total: int) -> list[Line]:
        """One line."""
        return self._placed(total)[0]

    def answer_at(self, x: int, y: int) -> str | None:
        """Name the answer drawn at a cell."""
        places = self._placed(self.content_size.width)[1]
        return next((name for name, row, start, end in places if row == y and start <= x < end), None)

    def _placed(self, total: int) -> tuple[list[Line], list[Place]]:
        return choices(self._words, self._keys, self.lit, total)


class ProjectQuestion(ModalScreen[None]):
    """Asks once. Keys count half a second after the last one that was meant for something else."""

    AUTO_FOCUS = ""
    CSS_PATH = "../styles/question.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-tall")]  # noqa: RUF012 - Textual declares it so

    def __init__(self, asked: ProjectAsked, look: Look, keymap: Keymap, clock: Clock, typing: bool = False) -> None:
        """Set up.

        Args:
            asked: What is asked.
            look: Words and signs.
            keymap: Keys.
            clock: For the half second.
            typing: Whether there is a prompt below that takes what is typed.
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
        self.set_class(look.glyphs.plain, "-plain")
        for binding in keymap.bindings("app"):
            self._bindings.bind(binding.key, binding.action, show=False, priority=binding.priority)

    def compose(self) -> ComposeResult:
        """A box in the middle: the text, which scrolls, and the answers."""
        with Vertical(id="question") as box:
            box.border_title = Text(own(self._look.words("project_trust.ask_title")))
            with VerticalScroll(id="question-scroll", can_focus=False):
                yield self._body
            yield self._answers

    def on_mount(self) -> None:
        """The answers light up when keys begin to count."""
        self._wait()

    def on_resize(self) -> None:
        """The answers stay in view, however low the window."""
        frame = 2 if self.has_class("-low") else 5
        rows = len(self._answers.draw(max(1, min(BOX, self.size.width) - 6)))
        self.query_one(VerticalScroll).styles.max_height = max(1, self.size.height - frame - rows)

    @property
    def counts(self) -> bool:
        """Whether a key is an answer now."""
        return self._clock.monotonic() - self._since >= GRACE_S

    def _wait(self) -> None:
        self._since = self._clock.monotonic()
        self._light(False)
        self.set_timer(GRACE_S, lambda: self._light(self.counts))

    def _light(self, lit: bool) -> None:
        if lit != self._answers.lit:
            self._answers.lit = lit
            self._answers.redraw()

    def before_input(self, event: events.Key | events.Paste) -> bool:
        """Take an answer, or scroll; who types or pastes something else puts the question off.

        Returns:
            Whether the event is dealt with.
        """
        if isinstance(event, events.Paste):
            return self._put_off()
        if event.key in ("pageup", "pagedown", "up", "down"):
            self._scroll(event.key)
            return True
        name = self._keymap.name(event.key, "trust")
        if name in ANSWERS and self.counts:
            self.answer(name)
            return True
        if event.key in ("ctrl+c", "escape"):
            self.answer("not_now")
            return True
        if event.is_printable:
            return self._put_off()
        if name is None:
            self._wait()
        return False

    def _put_off(self) -> bool:
        """What is typed belongs to the prompt below, if there is one."""
        if not self._typing:
            self._wait()
            return True
        self.answer("not_now")
        return False

    def _scroll(self, key: str) -> None:
        view = self.query_one(VerticalScroll)
        step = 1 if key in ("up", "down") else max(1, view.size.height - 1)
        view.scroll_to(y=view.scroll_y + (step if key in ("down", "pagedown") else -step), animate=False)

    def on_click(self, event: events.Click) -> None:
        """A click on an answer gives it."""
        offset = event.get_content_offset(self._answers)
        name = self._answers.answer_at(offset.x, offset.y) if offset is not None else None
        if name and self.counts:
            event.stop()
            self.answer(name)

    def answer(self, name: str) -> None:
        """Send the answer and go."""
        if not self.decided:
            self.decided = True
            self.post_message(Ask(DecideProject(self.asked.id, name == "trust_project")))
            self.dismiss(None)
