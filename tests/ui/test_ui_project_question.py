"""The question whether a project's own files count: calm, in full, and never answered by somebody typing."""

import pytest

from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import phrase
from paitui.trust.project_told import Item
from paitui.ui.modals.trust import ProjectQuestion
from tests.ui.memory_scenes import asked as memory_asked
from tests.ui.scenes import opened
from tests.ui.test_ui_app import Driven

ASKED = e.ProjectAsked(
    "project-1",
    "/home/me/shop",
    (".paitui/settings.toml", ".paitui/mcp.json"),
    (),
    (
        Item(phrase("project_trust.program", value="sh -c 'touch [red]x[/]'", name="files"), True),
        *(Item(phrase("project_trust.other", value="1", name=f"context.n{n}")) for n in range(40)),
        Item(phrase("project_trust.other", value="1", name="context.last")),
    ),
)


async def calm(d, seconds=1.0):
    d.clock.seconds += seconds
    for _ in range(35):
        await d.pilot.pause(0.02)
        if isinstance(d.app.screen, ProjectQuestion) and d.app.screen.is_mounted:
            await d.pilot.pause()
            return


async def up(d):
    await d.emit(ASKED)
    await calm(d)
    assert isinstance(d.app.screen, ProjectQuestion), d.screen_text()
    d.clock.seconds += 1.0


def decided(d):
    return [op for op in d.worker.ops if isinstance(op, ops.DecideProject)]


@pytest.mark.parametrize(("key", "trusted"), [("y", True), ("n", False), ("escape", False), ("ctrl+c", False)])
async def test_each_answer(key, trusted):
    async with Driven(opened()) as d:
        await up(d)
        await d.press(key)
        assert decided(d) == [ops.DecideProject("project-1", trusted)] and d.app.screen is d.app.chat
        await calm(d)
        assert d.app.screen is d.app.chat, "it is not asked twice"
        await d.emit(e.ProjectResolved("project-1"))
        assert d.app.state.project_asked is None and d.prompt.has_focus


async def test_enter_never_trusts_and_a_key_too_soon_is_none():
    async with Driven(opened()) as d:
        await d.emit(ASKED)
        await calm(d)
        d.clock.seconds += 0.2
        await d.press("enter", "tab")
        assert isinstance(d.app.screen, ProjectQuestion)
        d.clock.seconds += 1.0
        await d.press("enter", "tab", "enter")
        assert not decided(d)


async def test_it_does_not_come_up_under_somebody_typing_and_typing_puts_it_off():
    async with Driven(opened()) as d:
        await d.press("y", "e")
        await d.emit(ASKED)
        await calm(d)
        assert d.app.screen is d.app.chat and d.prompt.text == "ye"
        await d.press("backspace", "backspace")
        await calm(d)
        assert isinstance(d.app.screen, ProjectQuestion)
        await d.press("y")  # half a second has not gone by: it belongs to the prompt
        assert d.app.screen is d.app.chat and d.prompt.text == "y"
        assert decided(d) == [ops.DecideProject("project-1", False)]


@pytest.mark.parametrize("size", [(80, 24), (60, 12), (160, 48)])
async def test_all_of_it_can_be_read_and_the_answers_stay_in_view(size):
    async with Driven(opened(), size=size) as d:
        await up(d)
        text = d.screen_text()
        assert "touch [red]x[/]" in text.replace("\n", " ") and "y trust" in text and "n not now" in text
        for _ in range(30):
            await d.press("pagedown")
        text = d.screen_text()
        assert "context.last" in text and "y trust" in text and not decided(d)


async def test_memory_is_asked_about_first():
    async with Driven(opened()) as d:
        await d.emit(ASKED)
        await d.emit(memory_asked())
        await calm(d)
        assert d.app.screen is not d.app.chat and not isinstance(d.app.screen, ProjectQuestion)
