"""Earlier input and drafts in the running app."""

import json
from pathlib import Path

import pytest

from paitui.engine import ops
from paitui.ui.prompting.drafts import DraftFile
from paitui.ui.widgets import composer
from tests.ui.scenes import errands_done, new_home, opened
from tests.ui.test_ui_app import RUNNING, Driven
from tests.ui.test_ui_prompt_kept import dead_process
from tests.ui.test_ui_prompt_paste import LINES, paste

PROJECT = "/home/lin/work/shop-api"


async def ready(driven: Driven) -> None:
    await errands_done(driven.pilot)


async def test_up_recalls_what_other_sessions_sent_and_the_draft_comes_back() -> None:
    async with Driven(opened(), sent=("first", "second\nwith two lines")) as d:
        await ready(d)
        await d.press(*"draft", "up")
        assert d.prompt.draft == "second\nwith two lines"
        await d.press("up")
        assert d.prompt.draft == "second\nwith two lines"  # the caret went to the first line
        await d.press("up")
        assert d.prompt.draft == "first"
        await d.press("down")
        assert d.prompt.draft == "second\nwith two lines"
        await d.press("down")
        assert d.prompt.draft == "draft" and d.worker.ops == []


async def test_a_recalled_command_offers_no_list_that_would_take_the_keys() -> None:
    async with Driven(opened(), sent=("older", "/compact")) as d:
        await ready(d)
        await d.press("up", "up")
        assert d.prompt.draft == "older"


async def test_what_is_sent_or_cleared_is_kept_for_the_next_session() -> None:
    home = new_home()
    async with Driven(opened(), home=home) as d:
        await ready(d)
        await d.press(*"sent", "enter", *"cleared", "ctrl+c")
        assert d.prompt.draft == ""
        await d.press("up")
        assert d.prompt.draft == "cleared"
    async with Driven(opened(), home=home) as d:
        await ready(d)
        d.app.chat.composer.clear()  # the recalled text came back as the draft
        await d.press("up", "up")
        assert d.prompt.draft == "sent"


async def test_a_recalled_paste_is_still_a_paste() -> None:
    home = new_home()
    async with Driven(opened(), home=home) as d:
        await ready(d)
        await paste(d, "short paste")
        await d.press("enter")
    async with Driven(opened(), home=home) as d:
        await ready(d)
        await d.press("up", "enter")
        assert d.worker.ops == [ops.Submit("short paste", ((0, 11),))]


async def test_a_giant_paste_is_kept_by_name_only() -> None:
    home = new_home()
    async with Driven(opened(), home=home) as d:
        await ready(d)
        await paste(d, LINES)
        await d.press("enter", "up", "enter")
        assert [op.text for op in d.worker.ops] == [LINES, LINES]  # this session still has it
    async with Driven(opened(), home=home) as d:
        await ready(d)
        await d.press("up")
        assert d.prompt.content.said() == ("[pasted 10,000 lines, 470 KB]", ())


async def test_a_search_narrows_as_one_types_enter_takes_and_escape_returns_the_draft() -> None:
    async with Driven(opened(), sent=("read README.md", "运行测试", "run the tests", "/help")) as d:
        await ready(d)
        await d.press(*"draft", "ctrl+r")
        assert "1 of 4" in d.screen_text() and d.prompt.draft == ""
        await d.press(*"READ")
        assert "read README.md" in d.screen_text() and "1 of 1" in d.screen_text()
        await d.press("escape")
        assert d.prompt.draft == "draft" and "earlier input" not in d.screen_text()
        await d.press("ctrl+r", "测", "试", "enter")
        assert d.prompt.draft == "运行测试" and d.worker.ops == []
        await d.press("up")
        assert d.prompt.draft == "draft"  # what gave way to it is the newest entry
        await d.press("ctrl+r", "ctrl+r", "ctrl+r", "enter")
        assert d.prompt.draft == "run the tests"


async def test_ctrl_c_leaves_a_search_in_which_nothing_is_typed_and_does_not_quit() -> None:
    async with Driven(opened(), sent=("run the tests",)) as d:
        await ready(d)
        await d.press(*"draft", "ctrl+r", "ctrl+c")
        assert d.prompt.draft == "draft" and "earlier input" not in d.screen_text()
        assert "again to quit" not in d.screen_text()


async def test_nothing_found_takes_and_sends_nothing() -> None:
    async with Driven(RUNNING, sent=("one",)) as d:
        await ready(d)
        await d.press("ctrl+r", *"zz", "enter", "ctrl+s", "tab")
        assert "nothing found" in d.screen_text() and d.worker.ops == []
        await d.press("ctrl+c")
        assert d.worker.ops == [ops.Interrupt()]
        await d.press("escape", "escape")
        assert d.worker.ops == [ops.Interrupt(), ops.Interrupt()]


async def test_the_draft_of_a_session_that_ended_badly_is_offered_and_gone_once_sent() -> None:
    home = new_home()
    crashed = DraftFile(home / "drafts", PROJECT, dead_process())
    crashed.save([("older one", ()), ("写到一半的话", ())])
    async with Driven(opened(), home=home) as d:
        await ready(d)
        assert d.prompt.draft == "写到一半的话" and "your draft from last time" in d.screen_text()
        await d.press("!")
        assert "your draft from last time" not in d.screen_text()
        await d.press("enter")
        await ready(d)
        assert list((home / "drafts").iterdir()) == []
        await d.press("up", "up")
        assert d.prompt.draft == "older one"


async def test_a_draft_is_saved_while_one_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composer, "SAVE_AFTER_S", 0.02)
    home = new_home()
    async with Driven(opened(), home=home) as d:
        await ready(d)
        await paste(d, "pasted")
        await d.press(*" and typed")
        here = DraftFile(home / "drafts", PROJECT).path
        for _ in range(100):
            await d.pilot.pause(0.01)
            if here.exists() and "typed" in here.read_text():
                break
        assert json.loads(here.read_text())["drafts"] == [{"text": "pasted and typed", "pasted": [[0, 6]]}]
        await d.press("ctrl+c")
        await ready(d)
        assert not here.exists()


async def test_who_types_already_gets_no_old_draft_in_between() -> None:
    home = new_home()
    async with Driven(opened(), home=home) as d:
        await ready(d)
        DraftFile(home / "drafts", PROJECT, dead_process()).save([("from before", ())])
        await d.press(*"typed")
        d.app.chat.composer.wake()
        await ready(d)
        assert d.prompt.draft == "typed"
        await d.press("up")
        assert d.prompt.draft == "from before"


async def test_a_home_that_cannot_be_written_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where a folder should be")
    async with Driven(opened(), home=home) as d:
        await ready(d)
        for _ in range(2):
            await d.press("h", "i", "enter")
            await ready(d)
        assert d.worker.ops == [ops.Submit("hi")] * 2
        told = [notice.phrase.key for notice in d.app.state.notices]
        assert told.count("prompt.history_write") == 1 and len(told) <= 3
