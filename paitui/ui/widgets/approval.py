"""The panel that asks before something is written or run. It waits; it never grabs the keyboard."""

from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

from paitui.clock import Clock
from paitui.engine.events import ApprovalRequested
from paitui.engine.ops import Decide, Decision
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render import approval as render
from paitui.ui.render.chrome import Keyboard
from paitui.ui.widgets.line_widget import LineWidget

GRACE_S = 0.5
"""Seconds in which a key is taken for typing, not for an answer."""


class FullText(ScrollView, can_focus=False):
    """The whole of what is to be approved, scrollable."""

    def __init__(self, look: Look) -> None:
        super().__init__(id="approval-text")
        self._look = look
        self._request: ApprovalRequested | None = None
        self._wrapped: dict[int, list[Line]] = {}

    def show(self, request: ApprovalRequested) -> None:
        """Show another request from its beginning."""
        self._request = request
        self._wrapped.clear()
        self._wrap()
        self.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._wrap()

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        if width:
            self.virtual_size = Size(width, len(self._rows(width)))
            self.refresh()

    def _rows(self, width: int) -> list[Line]:
        """The text at a width; a long one is wrapped once for each, however often the layout asks."""
        if self._request is None:
            return []
        if width not in self._wrapped:
            self._wrapped = dict(list(self._wrapped.items())[-1:])  # with and without a scroll bar
            self._wrapped[width] = render.full_text(self._request, self._look, width)
        return self._wrapped[width]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As tall as the text, up to two fifths of the window.

        Not a limit of the style sheet: Textual leaves that out when it measures what lies around, which then grows
        by all that is scrolled here.
        """
        return max(1, min(len(self._rows(width)), viewport.height * 2 // 5))

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        at = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        rows = self._rows(width)
        return self._look.strip(rows[at] if at < len(rows) else (), width, self.rich_style)


class AskLine(LineWidget):
    """What kind of thing is asked, and how many more wait."""

    request: ApprovalRequested | None = None
    asker: Line = ()
    """The unit that asks; empty for the main agent."""
    waiting = 0
    keyboard: Keyboard = "prompt"

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="approval-ask")
        self._keymap = keymap

    def draw(self, total: int) -> list[Line]:
        """One line."""
        if self.request is None:
            return []
        return render.question(self.request, self.waiting, self.keyboard, self._keymap, self.look, total, self.asker)


class Answers(LineWidget):
    """The four answers; a click on one gives it."""

    request: ApprovalRequested | None = None
    keyboard: Keyboard = "prompt"

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="approval-answers")
        self._keymap = keymap

    def draw(self, total: int) -> list[Line]:
        """One line or two."""
        return render.answers(self.request, self.keyboard, self._keymap, self.look, total)[0] if self.request else []

    def answer_at(self, x: int, y: int) -> str | None:
        """Name the answer drawn at a cell."""
        if self.request is None:
            return None
        _, places = render.answers(self.request, self.keyboard, self._keymap, self.look, self.content_size.width)
        return next((name for name, row, start, end in places if row == y and start <= x < end), None)


class ApprovalPanel(Vertical, can_focus=True):
    """Shows the oldest request and takes the answer, while it holds the focus."""

    class Answered(Message):
        """The user decided."""

        def __init__(self, decide: Decide) -> None:
            super().__init__()
            self.decide = decide

    class Left(Message):
        """The panel gives the keyboard back, with what was typed into it after the answer."""

        def __init__(self, typed: str) -> None:
            super().__init__()
            self.typed = typed

    def __init__(self, look: Look, keymap: Keymap, clock: Clock) -> None:
        super().__init__(id="approval")
        self._look = look
        self._keymap = keymap
        self._clock = clock
        self._since = 0.0
        self._drafts: dict[str, str] = {}
        self._decided = False  # an answer to the request is on its way
        self.request: ApprovalRequested | None = None
        """What is asked now."""
        self.display = False

    def compose(self) -> ComposeResult:
        """Question, full text, answers, and the field for a reason."""
        yield AskLine(self._look, self._keymap)
        yield FullText(self._look)
        yield Answers(self._look, self._keymap)
        field = Input(
            id="approval-reason",
            compact=True,
            select_on_focus=False,
            placeholder=self._look.word("reason_placeholder"),
        )
        field.cursor_blink = False
        field.display = False
        yield field

    @property
    def age(self) -> float:
        """Seconds since this request appeared."""
        return self._clock.monotonic() - self._since

    @property
    def reasoning(self) -> bool:
        """Whether the field for a reason holds the focus."""
        return self.query_one(Input).has_focus

    def show(self, requests: tuple[ApprovalRequested, ...], asker: Line = ()) -> bool:
        """Show the oldest of the requests.

        Args:
            requests: What waits, the oldest first.
            asker: The unit that asks the oldest; empty for the main agent.

        Returns:
            Whether another request than before is shown now.
        """
        new = requests[0] if requests else None
        ask = self.query_one(AskLine)
        ask.waiting, ask.asker = len(requests), asker
        if new is self.request:
            ask.redraw()
            return False
        field = self.query_one(Input)
        late = field.value if self._decided else ""
        self._put_draft_away()
        self.request, self._decided = new, False
        self.display = new is not None
        if new is None:
            if self.has_focus or self.reasoning or late:
                self.post_message(self.Left(late))
            self._drafts.clear()
            return False
        self._since = self._clock.monotonic()
        ask.request = new
        ask.redraw()
        self.query_one(FullText).show(new)
        answers = self.query_one(Answers)
        answers.request = new
        answers.redraw()
        field.display = False
        field.value = self._drafts.get(new.id, "")
        return True

    def _put_draft_away(self) -> None:
        if self.request is not None:
            self._drafts[self.request.id] = self.query_one(Input).value

    def keyboard(self, holder: Keyboard) -> None:
        """Show where keys count now."""
        for line in (self.query_one(AskLine), self.query_one(Answers)):
            if holder != line.keyboard:
                line.keyboard = holder
                line.redraw()

    def press(self, event: events.Key) -> Literal["answered", "scrolled", "typing", "other"]:
        """Take an answer, or scroll.

        Returns:
            What the key was; with ``typing`` the user says something else, and the key is not used up.
        """
        if event.key in ("up", "down"):
            self._scroll(-1 if event.key == "up" else 1)
            return "scrolled"
        answer = self._keymap.name(event.key, "approval")
        if answer in ("once", "always", "no", "reason") and self.age >= GRACE_S and self.answer(answer):
            return "answered"
        return "typing" if event.is_printable else "other"

    def page(self, direction: int) -> None:
        """Scroll the text by almost a page; direction is -1 or 1."""
        self._scroll(direction * max(1, self.query_one(FullText).size.height - 1))

    def _scroll(self, rows: int) -> None:
        text = self.query_one(FullText)
        text.scroll_to(y=text.scroll_y + rows, animate=False)

    def answer(self, name: str) -> bool:
        """Give one of the four answers, or open the field for a reason.

        Returns:
            Whether that answer can be given now.
        """
        request = self.request
        if request is None or self._decided or (name == "always" and not request.always):
            return False
        if name == "reason":
            field = self.query_one(Input)
            field.display = True
            self.screen.set_focus(field)
            return True
        decisions: dict[str, Decision] = {"once": "once", "always": "always", "no": "no"}
        self._decide(request, decisions[name])
        return True

    def _decide(self, request: ApprovalRequested, decision: Decision, reason: str = "") -> None:
        self._decided = True
        self.query_one(Input).value = ""  # what is typed from here on is no reason any more
        self.post_message(self.Answered(Decide(request.id, decision, reason)))

    def leave_reason(self) -> None:
        """Back from the field to the answers; what was typed stays."""
        self.query_one(Input).display = False
        self.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """No, and why."""
        event.stop()
        if self.request is not None and not self._decided:
            self._decide(self.request, "no", event.value.strip())

    def on_click(self, event: events.Click) -> None:
        """A click on an answer gives it; anywhere else it only brings the focus."""
        answers = self.query_one(Answers)
        if event.widget is answers and self.age >= GRACE_S:
            offset = event.get_content_offset(answers)
            name = answers.answer_at(offset.x, offset.y) if offset is not None else None
            if name:
                event.stop()
                self.answer(name)
