"""The queue in the running app: seen, numbered, changed in its place, told apart from steering."""

from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import phrase
from tests.ui.test_ui_app import RUNNING, Driven

THREE = (
    e.QueuedMessage(1, "first"),
    e.QueuedMessage(2, "second: pasted", ((8, 14),)),
    e.QueuedMessage(3, "third"),
)
QUEUED = [*RUNNING, e.QueueChanged(THREE)]


def status(driven: Driven) -> str:
    return next((row for row in driven.screen_text().splitlines() if "of the queue" in row), "")


async def test_queue_and_steering_are_told_apart_and_numbered() -> None:
    async with Driven([*RUNNING, e.QueueChanged(THREE[:2], ("be brief",))], size=(80, 24)) as d:
        text = d.screen_text()
        assert "steering: be brief" in text and "queued 1: first" in text and "queued 2: second" in text
        assert text.index("steering") < text.index("queued 1")


async def test_the_last_message_comes_back_to_be_changed_where_it_stands() -> None:
    async with Driven(QUEUED) as d:
        await d.press(*"draft", "alt+up")
        assert d.prompt.draft == "third" and d.worker.ops == [ops.HoldQueued(3)]
        assert "editing 3" in d.screen_text() or "and 1 more" in d.screen_text()
        assert "message 3 of the queue" in status(d) and "puts it back" in status(d)
        await d.press("!", "enter")
        assert d.worker.ops == [ops.HoldQueued(3), ops.EditQueued(3, "third!")]
        assert d.prompt.draft == "draft" and status(d) == ""


async def test_one_goes_through_the_queue_and_changes_stay() -> None:
    async with Driven(QUEUED) as d:
        await d.press(*"draft", "alt+up", "alt+up")
        assert d.prompt.draft == "second: pasted"
        await d.press("x", "alt+up", "alt+up")
        assert d.prompt.draft == "first"  # there is none before it
        await d.press("alt+down", "alt+down", "alt+down")
        assert d.prompt.draft == "draft"
        assert ops.EditQueued(2, "second: pastedx", ((8, 14),)) in d.worker.ops
        assert not any(isinstance(op, ops.EditQueued) and op.id != 2 for op in d.worker.ops)
        assert d.worker.ops[-1] == ops.HoldQueued(0)


async def test_an_emptied_message_is_removed_escape_leaves_it_and_a_key_removes_it() -> None:
    async with Driven(QUEUED) as d:
        await d.press("alt+up", "x", "escape")
        assert d.worker.ops == [ops.HoldQueued(3), ops.HoldQueued(0)] and d.prompt.draft == ""
        await d.press("alt+up", "ctrl+u")
        assert "removes it" in status(d)
        await d.press("enter")
        assert d.worker.ops[-1] == ops.EditQueued(3, "")
        await d.press("alt+up", "alt+x")
        assert d.worker.ops[-1] == ops.EditQueued(3, "")
        await d.press("up")
        assert d.prompt.draft == "third"  # removed, not lost


async def test_a_queued_message_can_steer_instead() -> None:
    async with Driven(QUEUED) as d:
        await d.press("alt+up", "ctrl+s")
        assert d.worker.ops[-2:] == [ops.EditQueued(3, ""), ops.Steer("third")]


async def test_a_message_that_went_out_meanwhile_takes_no_words_with_it() -> None:
    async with Driven([*RUNNING, e.QueueChanged(THREE[:1])]) as d:
        await d.press(*"draft", "alt+up", *" more")
        await d.emit(e.QueueChanged())
        assert d.prompt.draft == "first more" and "has gone out as it was" in d.screen_text()
        await d.press("enter")
        assert d.worker.ops[-1] == ops.Submit("first more")
        await d.press("up", "up")
        assert d.prompt.draft == "draft"
    async with Driven([*RUNNING, e.QueueChanged(THREE[:1])]) as d:
        await d.press(*"draft", "alt+up")
        await d.emit(e.QueueChanged())
        assert d.prompt.draft == "draft"


async def test_the_queue_of_a_resumed_session_is_shown_and_can_be_changed_before_it_starts() -> None:
    resumed = [e.SessionOpened("s", "/p", "offline", resumed=True), e.QueueChanged(THREE)]
    async with Driven(resumed) as d:
        assert "queued 3: third" in d.screen_text() and "start the queue" in d.screen_text()
        await d.press("alt+up", "?", "enter", "ctrl+s")
        assert d.worker.ops == [ops.HoldQueued(3), ops.EditQueued(3, "third?"), ops.RunQueue()]


async def test_a_question_does_not_take_the_keyboard_from_an_emptied_message() -> None:
    asked = e.ApprovalRequested("a1", "c1", "execute_command", "command", "rm -r build", always="rm")
    async with Driven(QUEUED) as d:
        await d.press("alt+up", "ctrl+u")
        await d.emit(asked)
        d.clock.seconds += 5
        d.app.chat._offer_keyboard()
        await d.pilot.pause()
        assert d.prompt.has_focus
        await d.press("escape")
        d.clock.seconds += 5
        d.app.chat._offer_keyboard()
        await d.pilot.pause()
        assert d.panel.has_focus


async def test_ctrl_c_on_an_idle_edit_clears_it_and_enter_then_removes() -> None:
    async with Driven([*QUEUED, e.TurnEnded(1, "cancelled", phrase("engine.cancelled"))]) as d:
        await d.press("alt+up", "ctrl+c")
        assert d.prompt.draft == "" and "removes it" in status(d)
        await d.press("enter")
        assert d.worker.ops[-1] == ops.EditQueued(3, "")
