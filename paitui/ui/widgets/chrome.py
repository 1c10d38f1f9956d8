"""Header, activity line, notices and footer as widgets."""

from textual.timer import Timer

from paitui.clock import Clock
from paitui.ui.door import SafeText
from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import Ink, Line, Span, glyph
from paitui.ui.look import Look
from paitui.ui.render import chrome
from paitui.ui.render.footer import footer
from paitui.ui.render.gauge import narrow, one_line, wide
from paitui.ui.render.used import asks, mark, used
from paitui.ui.state import Phase, ViewState
from paitui.ui.widgets.line_widget import LineWidget

KEPT_FOR_MEMORIES = 6
"""Lines of the pane beside the conversation that are kept for memories, however much else there is to show."""
TICK_S = 0.125
"""Between two steps of the spinner."""


class StateWidget(LineWidget):
    """Draws a slice of the state, and only when that slice changed."""

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.state = ViewState()

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """The slice; overridden by each widget."""
        raise NotImplementedError

    def show(self, state: ViewState) -> None:
        """Draw another state."""
        old, self.state = self.state, state
        if any(a is not b and a != b for a, b in zip(self.watched(old), self.watched(state), strict=True)):
            self.redraw()


def _far(state: ViewState) -> tuple[int, int] | None:
    """How far the plan is that is worked on."""
    plan = state.plan if state.mode != "react" else None
    return (plan.done, len(plan.work)) if plan is not None else None


class Header(StateWidget):
    """Name, project, model, mode, cost."""

    def __init__(self, look: Look, project: str) -> None:
        super().__init__(look, id="header")
        self._project = project

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """The model may change, and whether the session is clean."""
        return (state.model, state.external, state.spent, state.mode, state.next_mode, _far(state))

    def draw(self, total: int) -> list[Line]:
        """One line."""
        return [chrome.header(self.state, self._project, self.look, total)]


class Footer(StateWidget):
    """The keys that matter now, or a short hint in their place."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="footer")
        self._keymap = keymap
        self._hint: Span | None = None
        self._keyboard: chrome.Keyboard = "prompt"
        self._unfolded = False

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """What decides which keys count."""
        asked = state.approvals or state.memory_asked or state.proposal
        return (state.busy, bool(state.notices), bool(asked), bool(state.queued))

    def hint(self, word: str | None) -> None:
        """Show a phrase of the screen in place of the keys; None takes it away."""
        self._hint = Span(self.look.word(word), "warning") if word else None
        self.redraw()

    def say(self, words: SafeText) -> None:
        """Say in place of the keys what was done; `hint(None)` takes it away."""
        self._hint = Span(words, "good")
        self.redraw()

    def keyboard(self, holder: chrome.Keyboard) -> None:
        """What holds the keyboard."""
        if holder != self._keyboard:
            self._keyboard = holder
            self.redraw()

    def unfolded(self, now: bool) -> None:
        """Whether everything is unfolded."""
        if now != self._unfolded:
            self._unfolded = now
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """One line."""
        if self._hint is not None:
            return [(glyph(" "), self._hint)]
        return [footer(self.state, self._keyboard, self._unfolded, self._keymap, self.look, total)]


class ActivityRule(StateWidget):
    """The line between conversation and prompt: what goes on at its left, what is out of sight at its right."""

    def __init__(self, look: Look, keymap: Keymap, clock: Clock) -> None:
        super().__init__(look, id="rule")
        self._keymap = keymap
        self._clock = clock
        self._below = (True, 0)
        self._since = clock.monotonic()
        self._ink: Ink = "border"
        self._spinner: Timer | None = None

    def _turn(self) -> None:
        """Let the one thing move that moves by itself; while nothing goes on there is no timer to wake for."""
        moves = bool(chrome.activity(self.state, 0, 0, self.look))
        if moves and self._spinner is None:
            self._spinner = self.set_interval(TICK_S, self.redraw)
        elif not moves and self._spinner is not None:
            self._spinner.stop()
            self._spinner = None

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """What goes on, and what was remembered for it."""
        return (state.phase, state.tool, state.memories_used, _far(state))

    def show(self, state: ViewState) -> None:
        """Draw another state; the seconds count from where the work began."""
        resting: tuple[Phase, ...] = ("idle", "opening")
        if state.turn != self.state.turn or (self.state.phase in resting and state.phase not in resting):
            self._since = self._clock.monotonic()
        super().show(state)
        self._turn()

    def below(self, following: bool, new_lines: int) -> None:
        """How much is out of sight below."""
        self._below = (following, new_lines)
        self.redraw()

    def focused_ink(self, ink: Ink) -> None:
        """Colour the line like the border it belongs to."""
        if ink != self._ink:
            self._ink = ink
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """One line."""
        following, new = self._below
        right: list[Span] = []
        if not following:
            word = self.look.word("below_new", n=f"{new:,}") if new else self.look.word("below")
            key = label(self._keymap.keys("chat")[0])
            right = [Span(word, "accent" if new else "dim"), glyph(f" {self.look.glyphs.down} ", "accent")]
            right.append(glyph(key, "key"))
        now = self._clock.monotonic()
        left = chrome.activity(self.state, now - self._since, now, self.look)
        tees = self.screen.has_class("-wide")
        if following and not tees and (memories := mark(self.state.memories_used, self.look)):
            right = [*memories, glyph(f" {label(self._keymap.keys('memory')[0])}", "key")]
        return [chrome.rule(left, right, self.look, total, tees, self._ink)]


class Notices(StateWidget):
    """Warnings and errors until they are dismissed."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="notices")

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """The notices."""
        return (state.notices,)

    def draw(self, total: int) -> list[Line]:
        """As many lines as they take."""
        return chrome.notices(self.state, self.look, total)


class MemoryWaits(StateWidget):
    """That something is to be remembered, or a plan is to be run, once the user decided."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="memory-waits")
        self._keymap = keymap

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """What waits."""
        return (state.memory_asked, state.proposal)

    def draw(self, total: int) -> list[Line]:
        """One line, or none."""
        key = label(self._keymap.keys("answer")[0])
        if self.state.memory_asked or self.state.proposal is None:
            return asks(self.state.memory_asked, key, self.look, total)
        from paitui.ui.render.plan_review import waits  # not needed for the first frame

        return waits(self.state.proposal, key, self.look, total)


class BrokenOff(StateWidget):
    """That the last session ended in a crash and can be gone on with."""

    def __init__(self, look: Look, clock: Clock) -> None:
        super().__init__(look, id="broken-off")
        self._clock = clock

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """The offer."""
        return (state.broken_off,)

    def draw(self, total: int) -> list[Line]:
        """One line, or none."""
        if (info := self.state.broken_off) is None:
            return []
        from paitui.ui.render.sessions import offer  # not needed for the first frame

        return offer(info, self._clock.now(), self.look, total)


class GaugePane(StateWidget):
    """The gauge beside the conversation."""

    def __init__(self, look: Look, clock: Clock) -> None:
        super().__init__(look, id="gauge")
        self._clock = clock
        self.border_title = look.word("pane_context")

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """The manager's account, the provider's, and what was remembered."""
        return (state.report, state.spent, state.memories_used)

    def on_resize(self) -> None:
        """What there is room for depends on the height, too, and that is known only now."""
        self.redraw()

    def draw(self, total: int) -> list[Line]:
        """The whole pane; a few lines of it are kept for what was remembered."""
        height, views = self.content_size.height, self.state.memories_used
        kept = min(len(views) + 2, KEPT_FOR_MEMORIES) if views else 0
        lines = wide(self.state.report, self.look, total, self.state.spent, max(1, height - kept))
        if not views:
            return lines
        lines = lines[: max(0, height - kept)] if height else lines
        return [*lines, *used(views, self.look, self._clock.now(), total, max(kept, height - len(lines)))]


class GaugeLine(StateWidget):
    """The gauge as one line, where there is no room beside the conversation."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="gauge-line")

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """The manager's account."""
        return (state.report,)

    def draw(self, total: int) -> list[Line]:
        """One line; the shortest form under 60 columns."""
        draw = narrow if self.screen.has_class("-tiny") else one_line
        return [draw(self.state.report, self.look, total)]
