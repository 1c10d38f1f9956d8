"""Keys that come faster than the screen answers: a laggy line, a paste without brackets, a quick hand."""

import pytest
from textual.events import Key, Paste

from paitui.engine import events as e
from paitui.engine import ops
from tests.ui.scenes import asking, opened
from tests.ui.test_ui_app import RUNNING, Driven


def burst(driven: Driven, *keys: str) -> None:
    """Hand in keys all at once, as the terminal does when they waited on the way."""
    for key in keys:
        character = {"space": " ", "enter": "\r"}.get(key, key)
        driven.app.post_message(Key(key, character if len(character) == 1 else None))


async def settled(driven: Driven) -> None:
    for _ in range(4):
        await driven.pilot.pause()


async def focused_panel(driven: Driven) -> None:
    driven.clock.seconds += 1
    driven.panel.focus()
    await settled(driven)


async def test_a_text_that_begins_while_the_panel_has_the_keyboard_answers_nothing() -> None:
    async with Driven(asking()) as d:
        await focused_panel(d)
        burst(d, *"hello", "space", *"many", "space", *"are")
        await settled(d)
        assert d.worker.ops == [] and d.prompt.draft == "hello many are" and d.prompt.has_focus


async def test_a_text_right_behind_an_answer_goes_to_the_prompt_whole() -> None:
    async with Driven(asking()) as d:
        await focused_panel(d)
        burst(d, "y", *"run", "space", *"any", "enter", *"rest")
        await settled(d)
        assert d.worker.ops == [ops.Decide("a1", "once"), ops.Submit("run any")] and d.prompt.draft == "rest"
        await d.emit(e.ApprovalResolved("a1", "once"))
        assert d.prompt.draft == "rest" and d.prompt.has_focus


async def test_a_reason_is_typed_as_fast_as_anything() -> None:
    async with Driven(asking()) as d:
        await focused_panel(d)
        burst(d, "r", *"nay")
        await settled(d)
        await d.press("enter")
        assert d.worker.ops == [ops.Decide("a1", "no", "nay")] and d.prompt.draft == ""
        await d.press(*"on")
        assert d.prompt.draft == "on"


async def test_a_paste_goes_to_the_prompt_whoever_has_the_keyboard() -> None:
    async with Driven(asking()) as d:
        await focused_panel(d)
        d.app.post_message(Paste("yes\nplease"))
        await settled(d)
        assert d.worker.ops == [] and d.prompt.draft == "yes\nplease"


@pytest.mark.parametrize("start", [opened(), RUNNING])
async def test_lines_in_one_burst_are_messages_of_their_own(start: list[e.Event]) -> None:
    async with Driven(start) as d:
        burst(d, *"one", "enter", *"two", "enter", *"three")
        await settled(d)
        assert d.worker.ops == [ops.Submit("one"), ops.Submit("two")] and d.prompt.draft == "three"


async def test_steering_takes_the_whole_text_before_it_and_nothing_after_it() -> None:
    async with Driven(RUNNING) as d:
        burst(d, *"stop", "ctrl+s", *"and")
        await settled(d)
        assert d.worker.ops == [ops.Steer("stop")] and d.prompt.draft == "and"


async def test_a_yes_takes_a_reason_begun_before_with_it() -> None:
    async with Driven(asking()) as d:
        await focused_panel(d)
        await d.press("r", "n", "o", "escape", "y")
        await d.emit(e.ApprovalResolved("a1", "once"))
        assert d.worker.ops == [ops.Decide("a1", "once")] and d.prompt.draft == ""
