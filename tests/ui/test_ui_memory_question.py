"""The question before something is remembered: it waits for a pause, and no key of somebody typing answers it."""

import pytest
from textual.events import Key, Paste

from paitui.engine import events as e
from paitui.engine import ops
from paitui.ui.modals.conflict import MemoryQuestion
from tests.ui.memory_scenes import JAVA, asked, shown
from tests.ui.scenes import asking, opened
from tests.ui.test_ui_app import RUNNING, Driven


async def calm(d, seconds=1.0):
    """Let time pass in which nobody types."""
    d.clock.seconds += seconds
    for _ in range(35):
        await d.pilot.pause(0.02)
        if isinstance(d.app.screen, MemoryQuestion) and d.app.screen.is_mounted:
            await d.pilot.pause()
            return


async def up(d, why="conflict"):
    await d.emit(asked(why))
    await calm(d)
    assert isinstance(d.app.screen, MemoryQuestion), d.screen_text()
    d.clock.seconds += 1.0


def decided(d):
    return [op for op in d.worker.ops if isinstance(op, ops.DecideMemory)]


ANSWERS = [
    ("conflict", "r", ops.DecideMemory("m1", "replace", JAVA.id)),
    ("conflict", "b", ops.DecideMemory("m1", "keep")),
    ("conflict", "escape", ops.DecideMemory("m1", "leave")),
    ("secret", "s", ops.DecideMemory("m1", "save")),
    ("secret", "escape", ops.DecideMemory("m1", "leave")),
    ("permission", "s", ops.DecideMemory("m1", "save")),
    ("permission", "ctrl+c", ops.DecideMemory("m1", "leave")),
    ("clear", "y", ops.DecideMemory("m1", "save")),
    ("clear", "escape", ops.DecideMemory("m1", "leave")),
]


@pytest.mark.parametrize(("why", "key", "op"), ANSWERS)
async def test_each_answer(why, key, op):
    async with Driven(opened()) as d:
        await up(d, why)
        await d.press(key)
        assert decided(d) == [op] and d.app.screen is d.app.chat
        await calm(d)
        assert d.app.screen is d.app.chat, "it is not asked twice"
        await d.emit(e.MemoryResolved("m1"))
        assert not d.app.state.memory_asked and d.prompt.has_focus


async def test_enter_never_decides_and_a_key_too_soon_is_none():
    async with Driven(opened()) as d:
        await d.emit(asked())
        await calm(d)
        d.clock.seconds += 0.2
        await d.press("escape", "enter")
        assert isinstance(d.app.screen, MemoryQuestion) and not decided(d)
        d.clock.seconds += 1.0
        await d.press("enter", "tab", "enter", "space")
        assert not decided(d)


@pytest.mark.parametrize("why", ["secret", "permission", "clear", "conflict"])
async def test_enter_decides_no_kind_of_question(why):
    async with Driven(opened()) as d:
        await up(d, why)
        await d.press("enter", "enter")
        assert not decided(d) and isinstance(d.app.screen, MemoryQuestion)


async def test_it_does_not_come_up_while_somebody_types_or_has_a_draft():
    async with Driven(opened()) as d:
        await d.press("a", "b")
        await d.emit(asked())
        await calm(d)
        assert d.app.screen is d.app.chat and "memories disagree" in d.screen_text()
        await d.press("r", "b", "y")
        assert d.prompt.draft == "abrby" and not decided(d)
        await d.press("tab")
        assert isinstance(d.app.screen, MemoryQuestion)
        d.clock.seconds += 1.0
        await d.press("b")
        assert decided(d) == [ops.DecideMemory("m1", "keep")] and d.prompt.draft == "abrby"


async def test_a_letter_in_the_first_half_second_belongs_to_the_prompt():
    async with Driven(opened()) as d:
        await d.emit(asked())
        await calm(d)
        await d.press("r", "u", "n")
        assert d.prompt.draft == "run" and not decided(d) and d.app.screen is d.app.chat
        await calm(d)
        assert d.app.screen is d.app.chat, "there is a draft now"


async def test_a_word_that_begins_with_no_answer_belongs_to_the_prompt():
    async with Driven(opened()) as d:
        await up(d)
        await d.press("t", "r", "y")
        assert d.prompt.draft == "try" and not decided(d)


def fast(d, keys):
    """Press keys faster than any of them can be looked at."""
    for key in keys:
        d.app.post_message(Key(key, key if len(key) == 1 else None))


async def test_what_is_typed_fast_over_a_question_reaches_the_prompt_in_its_order():
    async with Driven(opened()) as d:
        await up(d)
        fast(d, "tabs or spaces")
        await d.pilot.pause()
        await d.pilot.pause()
        assert d.prompt.draft == "tabs or spaces" and not decided(d) and d.app.screen is d.app.chat


async def test_what_is_typed_fast_after_the_key_that_edits_is_text():
    async with Driven(opened()) as d:
        await up(d)
        fast(d, "erb8")
        await d.pilot.pause()
        await d.pilot.pause()
        assert not decided(d) and d.app.screen.editor.field.text == "项目用 Java 21rb8"


async def test_what_is_pasted_is_never_an_answer():
    async with Driven(opened()) as d:
        await up(d)
        d.app.post_message(Paste("r"))
        await d.pilot.pause()
        await d.pilot.pause()
        assert d.prompt.draft == "r" and not decided(d)


async def test_an_approval_is_answered_first():
    async with Driven(asking("make build")) as d:
        await d.emit(asked("permission"))
        await calm(d)
        assert d.app.screen is d.app.chat
        await d.emit(e.ApprovalResolved("a1", "once"))
        await calm(d)
        assert isinstance(d.app.screen, MemoryQuestion)


async def test_the_new_fact_is_edited_and_checked_again():
    async with Driven(opened()) as d:
        await up(d)
        await d.press("e", "enter")
        assert not decided(d), "the same wording is no answer"
        await d.press("e", "backspace", "5", "r", "backspace", "enter")
        assert decided(d) == [ops.DecideMemory("m1", "keep", text="项目用 Java 25")]
        await d.emit(e.MemoryResolved("m1"))
    async with Driven(opened()) as d:
        await up(d, "secret")
        await d.press("e", "x", "escape")
        assert isinstance(d.app.screen, MemoryQuestion) and not decided(d)
        await d.press("e", "x", "enter")
        [op] = decided(d)
        assert op.decision == "save" and op.text.endswith("2b1cx")


async def test_one_of_several_is_chosen():
    async with Driven(opened()) as d:
        await up(d, "several")
        assert "fact-2d10c4e8" in d.screen_text()
        await d.press("down", "down")
        assert "fact-0011aabb" in d.screen_text()
        await d.press("up", "down", "r")
        assert decided(d) == [ops.DecideMemory("m1", "replace", "fact-0011aabb")]


async def test_it_goes_when_nobody_waits_for_it_any_more():
    async with Driven(RUNNING) as d:
        await up(d)
        await d.emit(e.MemoryResolved("m1"))
        assert d.app.screen is d.app.chat and not decided(d)


async def test_it_comes_up_above_the_browser_and_typing_there_answers_nothing_too_soon():
    async with Driven(opened()) as d:
        await d.press("f3")
        await d.emit(shown())
        pane = d.app.screen
        await d.emit(asked())
        await calm(d)
        await d.press("r", "x", "b")
        assert isinstance(d.app.screen, MemoryQuestion) and not decided(d) and d.prompt.draft == ""
        d.clock.seconds += 1.0
        await d.press("r")
        assert decided(d) and d.app.screen is pane


async def test_a_long_text_can_be_read_to_its_end():
    async with Driven(opened(), size=(60, 16)) as d:
        fact = " ".join(f"word{n}" for n in range(300))
        await d.emit(e.MemoryAsked("m1", "secret", fact))
        await calm(d)
        assert "word299" not in d.screen_text() and "Esc " in d.screen_text()
        await d.press(*["pagedown"] * 20)
        assert "word299" in d.screen_text()


@pytest.mark.parametrize("size", [(30, 8), (60, 20), (80, 24), (200, 60)])
async def test_it_bears_any_size(size):
    async with Driven(opened(), size=size) as d:
        await up(d)
        assert "Esc" in d.screen_text()
        await d.press("r")
        assert decided(d)


async def test_a_click_answers():
    async with Driven(opened()) as d:
        await up(d)
        rows = d.screen_text().splitlines()
        y = next(at for at, row in enumerate(rows) if "keep both" in row)
        await d.pilot.click(offset=(rows[y].index("keep both") + 1, y))
        await d.pilot.pause()
        assert decided(d) == [ops.DecideMemory("m1", "keep")]
