"""The whole screen, driven by keys, against a scripted worker."""

import asyncio

import pytest
from textual.keys import Keys

from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import phrase
from paitui.ui.bridge import OpenFailed
from paitui.ui.keys import extend_terminal_keys
from paitui.ui.modals.help import HelpModal
from paitui.ui.widgets.approval import ApprovalPanel
from paitui.ui.widgets.prompt import Prompt
from tests.stubs.scripted_worker import ScriptedWorker
from tests.ui.scenes import EMPTY, Scene, asking, asking_write, build, opened, work


class Driven:
    """An app under a pilot, with its worker."""

    def __init__(self, events, size=(100, 30), **scene):
        self.scene = Scene(list(events), size, **scene)
        self.app, self.clock = build(self.scene)
        self.worker = ScriptedWorker(events)

        async def open_worker():
            return self.worker

        self.app._link._open = open_worker
        self.size = size

    async def __aenter__(self):
        self._context = self.app.run_test(size=self.size)
        self.pilot = await self._context.__aenter__()
        for _ in range(100):
            await self.pilot.pause()
            if self.app.state.phase != "opening":
                break
        return self

    async def __aexit__(self, *error):
        await self._context.__aexit__(*error)

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def emit(self, *events):
        self.worker.emit(*events)
        await self.pilot.pause()
        await self.pilot.pause()

    @property
    def prompt(self) -> Prompt:
        return self.app.chat.prompt

    @property
    def panel(self) -> ApprovalPanel:
        return self.app.chat.approval

    def screen_text(self) -> str:
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())


RUNNING = [*opened(), e.TurnStarted(1), e.UserSaid("go"), e.ModelStarted(2)]


async def test_enter_sends_and_a_line_break_is_a_line_break():
    async with Driven(opened()) as d:
        await d.press("h", "i", "ctrl+j", "x", "shift+enter", "y", "alt+enter", "z")
        assert d.prompt.draft == "hi\nx\ny\nz" and d.prompt.size.height == 4
        await d.press("enter")
        assert d.worker.ops == [ops.Submit("hi\nx\ny\nz")] and d.prompt.draft == ""
        await d.press("enter", "space", "enter")
        assert len(d.worker.ops) == 1


async def test_the_prompt_grows_to_a_third_of_the_screen_and_no_further():
    async with Driven(opened()) as d:
        await d.press("ctrl+j")
        assert d.prompt.size.height == 2
        d.prompt.insert("\n" * 40)
        await d.pilot.pause()
        assert d.prompt.size.height == 10
        assert d.app.chat.query_one("#dock").region.bottom == d.app.chat.footer.region.y, "no empty rows below it"


def test_alt_enter_of_legacy_terminals_is_known():
    from textual._xterm_parser import XTermParser

    extend_terminal_keys()
    keys = [event.key for event in XTermParser().feed("\x1b\r")]
    assert keys == ["alt+enter"]
    assert [event.key for event in XTermParser().feed("\r")] == [Keys.Enter.value]


async def test_steering_stopping_and_going_to_the_context():
    async with Driven(RUNNING) as d:
        await d.press("n", "o", "ctrl+s")
        await d.press("q", "enter")
        await d.press("f5", "escape", "escape")
        assert d.worker.ops == [ops.Steer("no"), ops.Submit("q"), ops.ShowHistory(), ops.Interrupt()]


async def test_a_queue_that_waits_is_started_by_the_user():
    queue = e.QueueChanged((e.QueuedMessage(1, "later"),))
    async with Driven([*opened(), queue]) as d:
        assert "start the queue" in d.screen_text() and "queued 1: later" in d.screen_text()
        await d.press("ctrl+s")
        assert d.worker.ops == [ops.RunQueue()]
        await d.emit(e.QueueChanged())
        await d.press("ctrl+s")
        assert len(d.worker.ops) == 1


async def test_a_long_paste_is_shown_in_part_until_unfolded():
    text = "\n".join(f"pasted {n}" for n in range(300))
    async with Driven([*opened(), e.TurnStarted(1), e.UserSaid(text)], size=(100, 60)) as d:
        assert "pasted 23" in d.screen_text() and "pasted 24" not in d.screen_text()
        assert f"{len(text):,} characters in all" in d.screen_text()
        await d.press("ctrl+o")
        assert "pasted 299" in d.screen_text()


async def test_slash_commands():
    async with Driven(opened()) as d:
        for line in ("/compact mind the tables", "/nonsense", "/etc/hosts is a path"):
            d.prompt.insert(line)
            await d.press("enter")
        assert d.worker.ops == [ops.Compact("mind the tables"), ops.Submit("/etc/hosts is a path")]
        assert [notice.phrase.key for notice in d.app.state.notices] == ["commands.unknown"]
        assert "/nonsense" in d.screen_text()
        await d.press("ctrl+l")
        assert d.app.state.notices == () and "/nonsense" not in d.screen_text()
        d.prompt.insert("/help")
        await d.press("enter")
        assert isinstance(d.app.screen, HelpModal) and "/compact" in d.screen_text()
        await d.press("escape")
        assert d.app.screen is d.app.chat and ops.Interrupt() not in d.worker.ops


async def test_ctrl_c_copies_stops_clears_and_then_quits():
    async with Driven(RUNNING) as d:
        await d.press("a", "b")
        d.prompt.select_all()
        await d.press("ctrl+c")
        assert d.app.clipboard == "ab" and d.worker.ops == []
        await d.press("right", "ctrl+c")
        assert d.worker.ops == [ops.Interrupt()] and d.prompt.draft == "ab"
        await d.emit(e.TurnEnded(1, "cancelled", phrase("x")))
        await d.press("ctrl+c")
        assert d.prompt.draft == ""
        await d.press("ctrl+c")
        assert d.app.is_running and "Ctrl+C" in d.screen_text().splitlines()[-1]
        await d.press("ctrl+c")
        for _ in range(50):
            await asyncio.sleep(0.01)
            if d.app._exit:
                break
        assert d.worker.ops[-1] == ops.Close() and d.app._exit and d.app.return_value == 0


async def test_text_sent_before_the_worker_is_ready_is_kept_and_shown():
    gate = asyncio.Event()
    worker = ScriptedWorker(opened())
    app, _ = build(Scene([], (100, 30)))

    async def open_worker():
        await gate.wait()
        return worker

    app._link._open = open_worker
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("h", "i", "enter")
        await pilot.pause()
        assert app.state.held == ("hi",)
        assert "sent when ready: hi" in "\n".join(s.text for s in app.screen._compositor.render_strips())
        gate.set()
        await asyncio.sleep(0.05)
        await pilot.pause()
        assert worker.ops == [ops.Submit("hi")] and app.state.held == () and app.state.phase == "idle"


async def test_a_session_that_cannot_be_opened_ends_with_one_clear_line():
    app, _ = build(Scene([], (100, 30)))

    async def open_worker():
        raise OpenFailed(phrase("themes.broken", file="/p", why="[bold]no permission"))

    app._link._open = open_worker
    async with app.run_test(size=(100, 30)) as pilot:
        for _ in range(20):
            await pilot.pause()
        assert app.return_value == 1
        [said] = app._exit_renderables
        assert "[bold]no permission" in said.plain


# -- approvals


async def test_an_approval_leaves_the_keyboard_to_someone_typing():
    async with Driven(asking()) as d:
        await d.press("y")
        d.clock.seconds += 5
        d.app.chat._offer_keyboard()
        await d.press("e", "s")
        assert d.prompt.has_focus and d.prompt.draft == "yes" and d.worker.ops == []
        await d.press("tab")
        assert d.panel.has_focus
        await d.press("enter")
        assert d.worker.ops == []
        await d.press("y")
        assert d.worker.ops == [ops.Decide("a1", "once")] and d.prompt.draft == "yes"


async def test_the_keyboard_is_offered_only_after_calm():
    async with Driven(asking()) as d:
        d.app.chat._offer_keyboard()
        await d.pilot.pause()
        assert d.panel.has_focus  # nobody typed for half a second before
        d.app.chat.prompt.focus()
        await d.press("x", "backspace")
        d.app.chat._offer_keyboard()
        await d.pilot.pause()
        assert d.prompt.has_focus
        d.clock.seconds += 0.6
        d.app.chat._offer_keyboard()
        await d.pilot.pause()
        assert d.panel.has_focus


async def test_a_key_in_the_grace_time_is_typing_not_an_answer():
    second = e.ApprovalRequested("a2", "c1", "execute_command", "command", "rm -r build", always="rm")
    async with Driven(asking()) as d:
        d.clock.seconds += 1
        d.panel.focus()
        await d.press("y")
        await d.emit(second, e.ApprovalResolved("a1", "once"))
        assert d.panel.request == second
        await d.press("y")
        assert d.worker.ops == [ops.Decide("a1", "once")] and d.prompt.draft == "y"


@pytest.mark.parametrize(
    ("key", "decision"),
    [("y", ops.Decide("a1", "once")), ("a", ops.Decide("a1", "always")), ("n", ops.Decide("a1", "no"))],
)
async def test_the_answers(key, decision):
    async with Driven(asking()) as d:
        d.clock.seconds += 1
        d.panel.focus()
        await d.press(key)
        assert d.worker.ops == [decision]
        await d.emit(e.ApprovalResolved("a1", decision.decision))
        assert d.prompt.has_focus and not d.panel.display


async def test_a_no_with_a_reason_has_its_own_field_and_keeps_drafts():
    async with Driven(asking()) as d:
        d.prompt.insert("draft")
        d.clock.seconds += 1
        d.panel.focus()
        await d.press("r", "n", "o", "t", "escape")
        assert d.panel.has_focus and d.worker.ops == []
        await d.press("r", "space", "y", "enter")
        assert d.worker.ops == [ops.Decide("a1", "no", "not y")] and d.prompt.draft == "draft"


async def test_always_is_not_offered_where_it_covers_nothing():
    events = [*asking()[:-1], e.ApprovalRequested("a1", "c1", "execute_command", "command", "rm x")]
    async with Driven(events) as d:
        d.clock.seconds += 1
        d.panel.focus()
        await d.press("a")
        assert d.worker.ops == [] and "always" not in d.screen_text()


async def test_the_full_text_is_shown_and_scrolls():
    request = e.ApprovalRequested(
        "a1", "c1", "write_file", "write", "big.txt", "\n".join(f"+line {n}" for n in range(400)), "./"
    )
    async with Driven([*asking_write()[:-1], request]) as d:
        d.clock.seconds += 1
        d.panel.focus()
        assert "+line 399" not in d.screen_text()
        assert d.app.chat.query_one("#composer").region.bottom == d.app.chat.footer.region.y - 1
        assert d.app.chat.transcript.size.height > 1
        await d.press("pagedown")
        assert "+line 12" in d.screen_text() and "+line 0" not in d.screen_text()
        for _ in range(60):
            d.panel.page(1)
        await d.pilot.pause()
        assert "+line 399" in d.screen_text()


async def test_a_click_answers():
    async with Driven(asking()) as d:
        d.clock.seconds += 1
        answers = d.app.chat.query_one("#approval-answers")
        text = answers.render_line(0).text
        await d.pilot.click(answers, offset=(text.index("n no") + 2, 0))
        await d.pilot.pause()
        assert d.worker.ops == [ops.Decide("a1", "no")]


# -- reading back


def long_talk(count: int) -> list[e.Event]:
    talk: list[e.Event] = [*opened(), e.TurnStarted(1)]
    for n in range(count):
        talk += [
            e.UserSaid(f"question {n}"),
            e.ModelStarted(1),
            e.AnswerFinished(f"answer {n} " + "word " * (n % 40)),
        ]
    return talk


async def test_scrolling_up_lets_go_of_the_end_and_counts_what_is_new():
    async with Driven(long_talk(40)) as d:
        transcript = d.app.chat.transcript
        assert transcript.following and "answer 39" in d.screen_text()
        await d.press("pageup")
        assert not transcript.following
        before = d.screen_text().splitlines()[2:15]
        await d.emit(e.UserSaid("another"), e.ModelStarted(1), e.AnswerFinished("a\n\nb\n\nc"))
        assert d.screen_text().splitlines()[2:15] == before
        assert "8 new below" in d.screen_text()
        await d.press("h", "enter")
        assert transcript.following and "new below" not in d.screen_text()


async def test_home_and_end_move_in_the_conversation_when_there_is_no_draft():
    async with Driven(long_talk(40)) as d:
        await d.press("home")
        assert "question 0" in d.screen_text()
        await d.press("end")
        assert "answer 39" in d.screen_text() and d.app.chat.transcript.following
        await d.press("a", "b", "home", "c")
        assert d.prompt.draft == "cab" and d.app.chat.transcript.following


async def test_reading_back_through_unseen_blocks_never_jumps():
    """Heights above the view are guesses until they are seen; correcting one must not move what is read."""
    from paitui.messages.message import Message

    history = []
    for n in range(300):
        history += [
            Message("user", f"question {n}"),
            Message("assistant", f"[{n}]\n" + "- item\n" * (n % 7) + "词" * (n * 13 % 400)),
        ]
    start = [e.SessionOpened("s", "/p", "offline", tuple(history), True), e.ContextChanged(EMPTY)]
    async with Driven(start) as d:
        transcript = d.app.chat.transcript
        height = transcript.scrollable_content_region.height

        def view() -> list[str]:
            return [transcript.render_line(y).text for y in range(height)]

        step = height - 2
        for _ in range(60):
            before = view()
            transcript.page(-1)
            assert view()[step:] == before[: height - step]
        for _ in range(60):
            before = view()
            transcript.page(1)
            moved = min(step, next(n for n in range(step, -1, -1) if view()[: height - n] == before[n:]))
            assert moved == step or transcript.following


async def test_another_width_keeps_the_place():
    async with Driven(long_talk(60), size=(120, 30)) as d:
        for _ in range(4):
            await d.press("pageup")
        top = d.app.chat.transcript.render_line(2).text.split()[:2]
        await d.pilot.resize_terminal(80, 30)
        await d.pilot.pause()
        near = [d.app.chat.transcript.render_line(y).text for y in range(8)]
        assert any(line.split()[:2] == top for line in near)


async def test_unfolding_shows_results_and_folds_again():
    events = [
        *opened(),
        e.TurnStarted(1),
        e.ToolStarted("c", "grep", "{}", "x"),
        e.ToolFinished("c", "grep", True, "found it"),
    ]
    async with Driven(events) as d:
        assert "found it" not in d.screen_text()
        await d.press("ctrl+o")
        assert "found it" in d.screen_text()
        await d.press("ctrl+o")
        assert "found it" not in d.screen_text()


# -- layout


@pytest.mark.parametrize(
    ("size", "pane", "line"),
    [((120, 36), True, ""), ((80, 24), False, "58.9k/128k"), ((50, 20), False, "46% ◌57k ⋯95k")],
)
async def test_the_gauge_takes_the_form_there_is_room_for(size, pane, line):
    async with Driven(work(), size=size) as d:
        await d.pilot.pause()
        assert d.app.chat.query_one("#gauge").display is pane
        assert d.app.chat.query_one("#gauge-line").display is not pane
        assert line in d.screen_text()
        await d.pilot.resize_terminal(120, 36)
        await d.pilot.pause()
        assert "58,910 / 128,000" in d.screen_text()


async def test_no_colour_means_no_colour():
    async with Driven(work(), no_color=True) as d:
        assert d.app.native_ansi_color
        styles = [s.style for strip in d.app.screen._compositor.render_strips() for s in strip if s.style]
        assert len(styles) > 50
        for style in styles:
            assert style.color is None or style.color.is_default, style
            assert style.bgcolor is None or style.bgcolor.is_default, style
        assert any(style.bold for style in styles)
