"""A plan is looked at in full before it runs, and no key of somebody typing runs or drops it."""

import re

import pytest

from paitui.engine import events as e
from paitui.engine import ops
from paitui.ui.modals.plan_review import PlanReview
from tests.ui import plan_scenes as plans
from tests.ui.scenes import opened
from tests.ui.test_ui_app import Driven


async def calm(d, seconds=1.0):
    d.clock.seconds += seconds
    for _ in range(40):
        await d.pilot.pause(0.02)
        if isinstance(d.app.screen, PlanReview) and d.app.screen.is_mounted:
            await d.pilot.pause()
            return


async def up(d):
    await d.emit(*plans.proposed())
    await calm(d)
    assert isinstance(d.app.screen, PlanReview), d.screen_text()
    d.clock.seconds += 1.0


def decided(d):
    return [op for op in d.worker.ops if isinstance(op, ops.DecidePlan)]


@pytest.mark.parametrize(("key", "decision"), [("r", "run"), ("escape", "cancel"), ("ctrl+c", "cancel")])
async def test_each_answer(key, decision):
    async with Driven(opened()) as d:
        await up(d)
        await d.press(key)
        assert decided(d) == [ops.DecidePlan("p1", decision)] and d.app.screen is d.app.chat
        await calm(d)
        assert d.app.screen is d.app.chat, "it is not asked twice"
        await d.emit(e.PlanResolved("p1", decision))
        assert d.app.state.proposal is None and d.prompt.has_focus


async def test_a_requirement_is_added_and_the_next_plan_comes_up():
    async with Driven(opened()) as d:
        await up(d)
        await d.press("a")
        await d.press(*"no new r", "enter")
        assert decided(d) == [ops.DecidePlan("p1", "change", "no new r")], "letters are text while the field is open"
        await d.emit(e.PlanResolved("p1", "change"), e.PlanProposed("p2", plans.GOAL, plans.TASKS[:2]))
        await calm(d)
        d.clock.seconds += 1.0
        assert "plan: 2 tasks" in d.screen_text()
        await d.press("r")
        assert decided(d)[-1] == ops.DecidePlan("p2", "run")


async def test_the_field_is_left_without_an_answer_and_an_empty_one_asks_for_nothing():
    async with Driven(opened()) as d:
        await up(d)
        await d.press("a", "x", "escape")
        assert isinstance(d.app.screen, PlanReview) and not decided(d)
        await d.press("escape")  # too soon after the field was left
        assert not decided(d)
        d.clock.seconds += 1.0
        await d.press("a", "enter")
        assert isinstance(d.app.screen, PlanReview) and not decided(d)


async def test_enter_never_runs_and_a_key_too_soon_is_no_answer():
    async with Driven(opened()) as d:
        await d.emit(*plans.proposed())
        await calm(d)
        d.clock.seconds += 0.2
        await d.press("enter", "escape")
        d.clock.seconds += 1.0
        await d.press("enter", "enter", "space", "enter", "tab")
        assert isinstance(d.app.screen, PlanReview) and not decided(d)


async def test_it_does_not_come_up_under_somebody_typing_and_typing_puts_it_off():
    async with Driven(opened()) as d:
        await d.press("r", "e")
        await d.emit(*plans.proposed())
        await calm(d)
        assert d.app.screen is d.app.chat and d.prompt.text == "re" and "4 planned tasks wait" in d.screen_text()
        await d.press("backspace", "backspace")
        await calm(d)
        assert isinstance(d.app.screen, PlanReview)
        await d.press("r")  # half a second has not gone by: it belongs to the prompt
        assert d.app.screen is d.app.chat and d.prompt.text == "r" and not decided(d)
        await d.press("backspace", "tab")
        d.clock.seconds += 1.0
        await d.press("r")
        assert decided(d) == [ops.DecidePlan("p1", "run")]


async def test_tasks_fold_and_arrows_walk_them():
    async with Driven(opened()) as d:
        await up(d)
        assert "Say which functions take part." in d.screen_text()
        await d.press("enter")
        assert "Say which functions take part." not in d.screen_text()
        await d.press("f")
        assert "Say which functions take part." in d.screen_text(), "with one folded, all are unfolded"
        await d.press("f", "down", "down", "enter", "up", "down")
        assert "Say which functions" not in d.screen_text() and not decided(d)
        assert d.app.screen._body.current == 2


@pytest.mark.parametrize("size", [(80, 24), (60, 12), (160, 48)])
async def test_all_of_a_long_plan_can_be_read_and_the_answers_stay_in_view(size):
    tasks = tuple(e.PlannedTask(f"t{n}", "\n".join(f"line {m} of {n} [b]" for m in range(20))) for n in range(3))
    async with Driven(opened(), size=size) as d:
        await d.emit(e.TurnStarted(1, "plan"), e.UserSaid("x"), e.PlanProposed("p1", "x", tasks))
        await calm(d)
        d.clock.seconds += 1.0
        seen = set()
        for _ in range(64):
            text = d.screen_text()
            assert "r run it" in text and "Esc drop it" in text
            seen |= set(re.findall(r"line (\d+ of \d) \[b\]", text))
            await d.press("down")
        every = {f"{m} of {n}" for m in range(20) for n in range(3)}
        assert seen == every and not decided(d), seen ^ every


async def test_a_plan_that_nobody_waits_for_goes_away():
    async with Driven(opened()) as d:
        await up(d)
        await d.emit(e.PlanResolved("p1", "cancel"))
        await d.pilot.pause()
        assert d.app.screen is d.app.chat and not decided(d)
