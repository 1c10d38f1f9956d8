"""The user is called back when something waits and nobody looks, and only then."""

from textual.events import AppBlur, AppFocus

from paitui.engine import events as e
from paitui.ui.attention import AWAY_S, LONG_TASK_S, Attention, way
from tests.ui.scenes import asking, opened
from tests.ui.test_ui_app import RUNNING, Driven


def test_the_way_follows_the_setting_and_the_terminal():
    assert way("auto", {}) == "bell"
    assert way("auto", {"TERM_PROGRAM": "WezTerm"}) == way("auto", {"TERM": "xterm-kitty"}) == "desktop"
    assert way("auto", {"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"}) == "bell", "tmux swallows the text"
    assert way("bell", {"TERM": "xterm-kitty"}) == "bell"
    assert way("desktop", {}) == "desktop"
    assert way("nonsense", {}) == way("off", {}) == "off"


class Listening(Driven):
    """Keeps what would be sent to the terminal."""

    def __init__(self, events, how):
        super().__init__(events)
        self.rung = []
        self.app.ring = self.rung.append
        self.app.attention = Attention(self.app, self.app._look.words, self.clock, "shop\x1b]0;api", how)


async def blur(driven):
    driven.app.post_message(AppBlur())
    await driven.pilot.pause()


async def test_an_approval_calls_somebody_who_looks_elsewhere_once():
    requested = next(event for event in asking() if isinstance(event, e.ApprovalRequested))
    async with Listening(RUNNING, "bell") as d:
        await blur(d)
        await d.emit(requested)
        assert d.rung == ["\x07"]
        await d.emit(e.Notice("info", e.Phrase("ui.cleared")))
        assert d.rung == ["\x07"], "once for each question"


async def test_nobody_is_called_who_looks_on():
    requested = next(event for event in asking() if isinstance(event, e.ApprovalRequested))
    async with Listening(RUNNING, "bell") as d:
        await blur(d)
        d.app.post_message(AppFocus())
        await d.pilot.pause()
        d.clock.seconds += AWAY_S * 2
        await d.emit(requested)
        assert d.rung == []


async def test_without_reports_of_focus_the_last_key_counts():
    requested = next(event for event in asking() if isinstance(event, e.ApprovalRequested))
    async with Listening(RUNNING, "bell") as d:
        await d.press("x")
        await d.emit(requested)
        assert d.rung == []
    async with Listening(RUNNING, "bell") as d:
        await d.press("x")
        d.clock.seconds += AWAY_S + 1
        await d.emit(requested)
        assert d.rung == ["\x07"]


async def test_the_end_of_a_long_task_calls_with_a_text_that_cannot_leave_its_sequence():
    async with Listening(opened(), "desktop") as d:
        await blur(d)
        await d.emit(e.TurnStarted(1))
        d.clock.seconds += LONG_TASK_S + 1
        await d.emit(e.TurnEnded(1, "done"))
        assert len(d.rung) == 1
        (sent,) = d.rung
        assert sent.startswith("\x1b]9;paitui is done") and sent.endswith("\x07")
        assert "\x1b" not in sent[1:] and "\x07" not in sent[:-1]


async def test_the_end_of_a_short_task_and_the_setting_off_call_nobody():
    async with Listening(opened(), "bell") as d:
        await blur(d)
        await d.emit(e.TurnStarted(1), e.TurnEnded(1, "done"))
        assert d.rung == []
    async with Listening(opened(), "off") as d:
        await blur(d)
        await d.emit(e.TurnStarted(1))
        d.clock.seconds += LONG_TASK_S + 1
        await d.emit(e.TurnEnded(1, "done"))
        assert d.rung == []
