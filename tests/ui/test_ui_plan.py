"""A plan in the chat and in its pane: one block, a conversation for each unit, requests that say whose they are."""

import pytest

from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import phrase
from paitui.messages.message import Message
from paitui.ui.blocks import AnswerBlock, PlanBlock, ToolBlock
from paitui.ui.bridge import Merger
from paitui.ui.reducer import reduce
from paitui.ui.state import ViewState
from paitui.ui.unit_state import timed
from tests.ui import plan_scenes as plans
from tests.ui.scenes import opened
from tests.ui.test_ui_app import Driven


def after(*told):
    state = ViewState()
    for event in [*opened(), *told]:
        state = reduce(state, event)
    return state


def plan_blocks(state):
    return [block for block in state.blocks if isinstance(block, PlanBlock)]


def test_a_plan_is_one_block_that_changes_where_it_stands():
    state = after(*plans.over())
    (block,) = plan_blocks(state)
    assert [row.unit.status for row in block.rows] == ["done", "done", "done", "failed", "skipped"]
    assert block.done == 2 and len(block.work) == 4 and not block.left
    assert block.used == 3_400 + 6_210 + 14_120 + 4_930 == state.plan.used
    assert [row.needs for row in block.rows][-1] == ("stream", "tests")
    assert isinstance(state.blocks[-2], AnswerBlock) and state.mode == "react"


def test_a_unit_has_a_state_of_its_own_made_by_the_same_rules():
    state = after(*plans.running())
    view = state.plan.views[plans.name("tests")]
    cards = [block for block in view.blocks if isinstance(block, ToolBlock)]
    assert [card.status for card in cards] == ["ok", "asking"] and view.phase == "approval"
    assert view.report.used == 4_930 and state.report.used == 3_310, "the gauge of the main agent is its own"
    assert not any(isinstance(block, ToolBlock) for block in state.blocks)
    state = reduce(state, e.ApprovalResolved("a1", "once"))
    assert [
        block.status for block in state.plan.views[plans.name("tests")].blocks if isinstance(block, ToolBlock)
    ] == [
        "ok",
        "running",
    ]
    assert plan_blocks(state)[0].rows[3].phase == "tool" and not state.approvals


def test_cancelling_reaches_every_unit_and_what_is_left_is_offered():
    state = after(*plans.interrupted())
    for task in ("stream", "tests"):
        view = state.plan.views[plans.name(task)]
        assert not view.working and view.phase == "idle"
        assert all(block.status != "running" for block in view.blocks if isinstance(block, ToolBlock))
    (block,) = plan_blocks(state)
    assert block.left and [row.unit.status for row in block.rows][2:4] == ["cancelled", "cancelled"]
    again = [e.TurnStarted(2, "plan"), e.UserSaid("go on"), plans.changed(stream=plans.RUNS)]
    for event in again:
        state = reduce(state, event)
    old, new = plan_blocks(state)
    assert not old.left and [row.unit.status for row in old.rows][2] == "cancelled"
    assert not new.left and new.rows[2].unit.status == "running"


def test_a_plan_that_was_not_wanted_is_not_offered_again():
    dropped = {task.id: {"status": "cancelled"} for task in plans.TASKS}
    end = e.TurnEnded(1, "cancelled", phrase("plan.dropped"))
    state = after(*plans.proposed(), e.PlanResolved("p1", "cancel"), plans.changed(**dropped), end)
    assert not plan_blocks(state)[0].left and state.proposal is None


def test_how_long_a_unit_took_is_noted_from_the_outside():
    state = timed(after(*plans.proposed(), plans.changed(read=plans.RUNS)), 10.0)
    assert timed(state, 11.0) is state
    state = timed(reduce(state, plans.changed(read={"status": "done"})), 14.5)
    assert plan_blocks(state)[0].rows[1].seconds == 4.5


def test_a_warning_inside_a_unit_reaches_whoever_looks_at_the_chat():
    notice = e.Notice("warning", phrase("plan.dropped"))
    state = after(*plans.running(), e.UnitEvent(plans.name("stream"), notice))
    assert state.notices == (notice,)


async def test_pieces_of_units_that_speak_at_once_are_merged_each_with_its_own():
    told = []

    class Clock:
        def monotonic(self):
            return 0.0

    merger = Merger(told.append, Clock())
    merger._last = 0.0
    for n in range(100):
        for unit in ("a", "b"):
            merger.take(e.UnitEvent(unit, e.TextDelta(f"{unit}{n} ")))
    merger.flush()
    (batch,) = told
    assert [piece.unit for piece in batch] == ["a", "b"]
    assert batch[1].event.text == "".join(f"b{n} " for n in range(100))


async def test_a_request_says_which_unit_asks_and_the_next_one_waits_its_turn():
    second = e.ApprovalRequested("a2", "c9", "write_file", "write", "README.md", unit=plans.name("stream"))
    async with Driven([*opened(), *plans.running(), second]) as d:
        text = d.screen_text()
        assert "tests Write a test with 100,000 orders" in text and "1 more waiting" in text and "asks you" in text
        await d.emit(e.ApprovalResolved("a1", "once"))
        assert "stream Change export() so that it writes" in d.screen_text()
        await d.emit(e.ApprovalResolved("a2", "once"))
        await d.emit(e.ApprovalRequested("a3", "c10", "execute_command", "command", "ls"))
        assert "stream Change export() so that it writes each row as it is read." not in d.screen_text()


async def test_the_mode_is_said_while_it_runs_and_before_the_next_message():
    async with Driven([*opened(), *plans.running()]) as d:
        assert "plan 1/4" in d.screen_text().split("\n")[0]
        await d.emit(e.ApprovalResolved("a1", "once"))
        assert "2 units at work" in d.screen_text()
    async with Driven([*opened(), e.ModeChosen("team")]) as d:
        assert "next: team" in d.screen_text().split("\n")[0]
        await d.emit(e.ModeChosen("react"))
        assert "react" in d.screen_text().split("\n")[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 12)])
async def test_the_pane_opens_each_unit_and_leads_back(size):
    async with Driven([*opened(), *plans.running()], size=size) as d:
        await d.press("f6", "home", "down")
        assert "5 units, 28,660 tokens" in d.screen_text()
        await d.press("enter")
        text = d.screen_text()
        assert "read_file" in text and "Find out how" in text and "6.2k" in text
        await d.press("escape", "down", "enter")
        assert "Change export() so that" in d.screen_text()
        await d.press("escape", "escape")
        assert d.app.screen is d.app.chat and not d.worker.ops


async def test_blocks_of_a_unit_fold_and_a_stopped_turn_is_asked_for_from_there():
    async with Driven([*opened(), *plans.running()]) as d:
        await d.press("f6", "home", "down", "enter", "up")
        assert "def export()" not in d.screen_text()
        await d.press("enter")
        assert "def export()" in d.screen_text()
        await d.press("up", "down", "f", "ctrl+c")
        assert d.worker.ops == [ops.Interrupt()]


async def test_a_resumed_plan_is_asked_for_once_and_shown():
    done = {"status": "done", "tries": 1, "answer": plans.FOUND}
    async with Driven([*opened(), plans.changed(read=done)]) as d:
        await d.pilot.pause()
        names = [plans.name("planner"), plans.name("read")]
        assert d.worker.ops == [ops.ShowUnit(name) for name in names]
        said = (Message("user", "find out how"),)
        await d.emit(e.UnitShown(names[0], ()), e.UnitShown(names[1], said, plans.report(9_000)))
        assert "/plan continue" in d.screen_text() and "9.0k" in d.screen_text()
        await d.press("f6", "home", "down", "enter")
        assert "find out how" in d.screen_text() and len(d.worker.ops) == 2


async def test_a_unit_of_thousands_of_blocks_is_drawn_a_screenful_at_a_time():
    many = [event for n in range(3_000) for event in plans.read("stream", f"x{n}", f"file{n}.py", 9_000)]
    state = after(*plans.running(), *many)
    async with Driven([*opened(), *plans.running()]) as d:
        d.app._become(state)
        await d.press("f6", "home", "down", "down", "enter")
        transcript = d.app.panes.current.transcript
        assert transcript.count() > 3_000 and transcript.measured < 300
        assert "file2999.py" in d.screen_text()


async def test_without_a_plan_the_pane_says_how_to_have_one_and_the_command_is_not_the_pane():
    async with Driven(opened()) as d:
        await d.press("f6", "enter", "f")
        assert "/plan <task>" in d.screen_text()
        await d.press("escape")
        await d.press(*"/plan ", "enter")
        assert d.worker.ops == [ops.StartPlan("")] and d.app.screen is d.app.chat
