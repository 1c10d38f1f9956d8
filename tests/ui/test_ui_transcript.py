"""The conversation by keys and by mouse: a cursor on its blocks, folds, selections, copies."""

import re

import pytest

from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import phrase
from paitui.ui.modals.reader import Reader
from paitui.ui.screens.ledger import LedgerViewer
from paitui.ui.selection import Place, Selection
from paitui.ui.widgets.lazy_rows import EDGE
from tests.ui.scenes import DIFF, opened, tool, work
from tests.ui.test_ui_app import RUNNING, Driven, long_talk

CHINESE = "测试失败的原因是一次性读入了全部订单，大表会用完内存；👨‍👩‍👧 also 🇨🇳 flags. " * 6


def rows(d: Driven) -> list[str]:
    transcript = d.app.chat.transcript
    return [transcript.render_line(y).text for y in range(transcript.view)]


def marked(d: Driven) -> list[str]:
    """The rows beside which the cursor stands."""
    return [row[EDGE:].strip() for row in rows(d) if row.startswith("▐")]


def talk(*answers: str) -> list[e.Event]:
    found = [*opened(), e.TurnStarted(1), e.UserSaid("go")]
    for answer in answers:
        found += [e.ModelStarted(1), e.AnswerFinished(answer)]
    return found


# -- the cursor


async def test_the_cursor_walks_the_blocks_and_typing_goes_to_the_prompt():
    async with Driven(talk("first", "second", "third")) as d:
        assert marked(d) == []
        await d.press("ctrl+t")
        assert marked(d) == ["third"] and d.app.chat.transcript.has_focus
        await d.press("up", "k")
        assert marked(d) == ["first"]
        await d.press("j")
        assert marked(d) == ["second"]
        await d.press("x", "中")
        assert d.prompt.has_focus and d.prompt.draft == "x中" and marked(d) == []


async def test_escape_goes_back_to_the_prompt_and_only_then_stops_the_work():
    async with Driven([*RUNNING, e.AnswerFinished("here")]) as d:
        await d.press("ctrl+t", "escape")
        assert d.prompt.has_focus and d.worker.ops == []
        await d.press("escape")
        assert d.worker.ops == [ops.Interrupt()]
        await d.press("ctrl+t", "ctrl+t", "a")
        assert d.prompt.draft == "a"


async def test_a_paste_goes_to_the_prompt():
    from textual.events import Paste

    async with Driven(talk("first")) as d:
        await d.press("ctrl+t")
        d.app.post_message(Paste("a pasted\ntext"))
        await d.pilot.pause()
        assert d.prompt.has_focus and d.prompt.draft == "a pasted\ntext"


async def test_tab_and_a_click_never_bring_the_keyboard_to_the_conversation():
    async with Driven(talk("first")) as d:
        await d.press("tab", "tab")
        await d.pilot.click("#transcript", offset=(5, 3))
        assert not d.app.chat.transcript.has_focus


async def test_the_keyboard_comes_back_when_the_window_was_left():
    from textual.events import AppBlur, AppFocus

    async with Driven(talk("first", "second")) as d:
        await d.press("ctrl+t", "up")
        d.app.post_message(AppBlur())
        await d.pilot.pause()
        d.app.post_message(AppFocus())
        await d.pilot.pause()
        await d.press("up")
        assert marked(d) == ["▌ go"]


async def test_the_footer_names_the_keys_of_the_moment():
    async with Driven([*talk("first"), e.TurnEnded(1, "done")], size=(140, 30)) as d:
        assert "Ctrl+T blocks" in d.screen_text().splitlines()[-1]

        async def foot(*keys: str) -> str:
            await d.press(*keys)
            return d.screen_text().splitlines()[-1].strip()

        assert await foot("ctrl+t") == "c copy  o open  v select  l record  Up previous  Down next  Esc back"
        await d.emit(*tool("c", "grep", "x", "1 hit", text="found"))
        assert (await foot("down")).startswith("Enter unfold  c copy  o open  v select  l record  Up previous")
        assert (await foot("enter")).startswith("Enter fold  c copy")
        assert await foot("v") == "c copy  Up select up  Down select down  Esc drop the selection"
        assert (await foot("escape")).startswith("Enter fold  c copy")
        assert "c copy" not in await foot("escape")
        y = next(y for y, row in enumerate(rows(d)) if "first" in row)
        await drag(d, (EDGE + 2, y), (EDGE + 5, y))
        assert "Ctrl+C copy  Esc drop the selection" in await foot()


async def test_l_leads_to_the_record_of_a_block():
    async with Driven(talk("first")) as d:
        await d.press("ctrl+t", "l")
        assert isinstance(d.app.screen, LedgerViewer)


async def test_a_block_taller_than_the_view_is_read_before_it_is_left():
    tall = "\n".join(f"- row {n}" for n in range(60))
    async with Driven(talk(tall, "end"), size=(80, 24)) as d:
        await d.press("ctrl+t", "up")
        seen = set()
        for _ in range(8):
            seen |= {int(n) for row in marked(d) for n in re.findall(r"row (\d+)", row)}
            await d.press("up")
        assert seen == set(range(60)) and marked(d) == ["▌ go"]


async def test_the_cursor_is_always_in_view():
    async with Driven(long_talk(60), size=(80, 24)) as d:
        await d.press("ctrl+t")
        for key in ("pageup", "pageup", "home", "down", "pagedown", "end", "up", "pageup"):
            await d.press(key)
            assert marked(d), key
        await d.press("home")
        assert marked(d) == ["▌ question 0"]


async def test_the_view_stays_with_the_cursor_while_more_streams_in():
    async with Driven([*long_talk(30), e.ModelStarted(1)], size=(80, 24)) as d:
        await d.press("ctrl+t", "up", "up")
        before = rows(d)
        await d.emit(e.TextDelta("new\n\n" * 10))
        await d.pilot.pause(0.2)
        assert rows(d) == before and "new below" in d.screen_text()
        await d.press("end")
        assert d.app.chat.transcript.following


# -- folds


async def test_one_block_is_unfolded_alone_and_keeps_its_place():
    events = [*opened(), e.TurnStarted(1)]
    for n in range(3):
        events += tool(f"c{n}", "grep", f"pattern {n}", "3 hits", text=f"result {n}\nmore {n}")
    async with Driven(events) as d:
        await d.press("ctrl+t", "up")
        head = next(y for y, row in enumerate(rows(d)) if "pattern 1" in row)
        await d.press("enter")
        assert "more 1" in d.screen_text() and "more 0" not in d.screen_text() and "more 2" not in d.screen_text()
        assert "pattern 1" in rows(d)[head]
        await d.press("space")
        assert "more 1" not in d.screen_text()
        await d.press("enter", "ctrl+o")
        assert all(f"more {n}" in d.screen_text() for n in range(3))
        await d.press("enter")
        assert "more 1" not in d.screen_text() and "more 2" in d.screen_text()


async def test_a_click_on_the_head_unfolds():
    async with Driven([*opened(), *tool("c", "grep", "pattern", "3 hits", text="the result")]) as d:
        y = next(y for y, row in enumerate(rows(d)) if "pattern" in row)
        await d.pilot.click("#transcript", offset=(4, y + 1))
        await d.pilot.pause()
        assert "the result" in d.screen_text() and d.prompt.has_focus


async def test_unfolding_above_a_stream_lets_what_is_read_stand_still():
    async with Driven([*work(), e.ModelStarted(1)], size=(100, 40)) as d:
        await d.press("ctrl+t", "home", "down", "enter")
        before = rows(d)[:6]
        await d.emit(e.TextDelta("word " * 400))
        await d.pilot.pause(0.2)
        assert rows(d)[:6] == before


# -- copying


async def test_a_block_is_copied_as_it_was_written():
    answer = "# Head\n\n" + CHINESE + "\n\n```\ncode\n```"
    async with Driven(talk(answer)) as d:
        await d.press("ctrl+t", "c")
        assert d.app.clipboard == answer
        assert f"{len(answer):,} characters copied" in d.screen_text()


async def test_a_diff_is_copied_whole():
    async with Driven([*opened(), *tool("c", "edit_file", "a.py", "+1", diff=DIFF)]) as d:
        await d.press("ctrl+t", "y")
        assert d.app.clipboard == DIFF


async def test_a_stored_result_is_copied_from_its_file(tmp_path):
    folder = tmp_path / ".paitui/tool-outputs/s1"
    folder.mkdir(parents=True)
    whole = "第一行\n" + "很长的结果。" * 30_000
    (folder / "001-grep.txt").write_text(whole, "utf-8")
    stored = ".paitui/tool-outputs/s1/001-grep.txt"
    events = [e.SessionOpened("s1", str(tmp_path), "offline"), *tool("c", "grep", "x", "1 hit", stored=stored)]
    async with Driven(events) as d:
        await d.press("ctrl+t", "c")
        assert d.app.clipboard == whole


@pytest.mark.parametrize(
    "stored", ["../outside.txt", "/etc/passwd", ".paitui/settings.toml", ".paitui/tool-outputs/../settings.toml"]
)
async def test_no_other_file_is_read_for_a_block(tmp_path, stored):
    (tmp_path / ".paitui/tool-outputs").mkdir(parents=True)
    (tmp_path / ".paitui/settings.toml").write_text("secret", "utf-8")
    events = [e.SessionOpened("s1", str(tmp_path), "offline"), *tool("c", "grep", "x", "1 hit", stored=stored)]
    async with Driven(events) as d:
        await d.press("ctrl+t", "c", "o")
        assert d.app.clipboard == "" and not isinstance(d.app.screen, Reader)
        assert len(d.app.state.notices) == 2


async def test_rows_are_selected_by_keys_and_copied_without_breaks_and_signs():
    async with Driven(talk("before", CHINESE), size=(60, 30)) as d:
        await d.press("ctrl+t", "v", *["down"] * 30)
        assert d.app.chat.transcript.selection is not None
        await d.press("c")
        assert d.app.clipboard.strip() == CHINESE.strip()
        assert d.app.chat.transcript.selection is None
        await d.press("v", "escape")
        assert d.app.chat.transcript.selection is None and d.app.chat.transcript.has_focus
        await d.press("shift+up", "shift+up", "shift+up", "ctrl+c")
        assert CHINESE.strip().startswith(d.app.clipboard.strip().splitlines()[-1]) and d.app.is_running


async def drag(d: Driven, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw the mouse from cell to cell; `(x, y)` in the transcript's rows."""
    region = d.app.chat.transcript.content_region
    at, to = ((region.x + x, region.y + y) for x, y in (start, end))
    await d.pilot.mouse_down(offset=at)
    await d.pilot.hover(offset=to)
    await d.pilot.mouse_up(offset=to)
    await d.pilot.pause()


async def test_the_mouse_selects_across_chinese_by_cells():
    text = "改用 iterator 逐块读取订单，👨‍👩‍👧 内存就不会用完"
    async with Driven(talk(text)) as d:
        y = next(y for y, row in enumerate(rows(d)) if "iterator" in row)
        left = EDGE + 2
        await drag(d, (left + 0, y), (left + 3, y))
        await d.press("ctrl+c")
        assert d.app.clipboard == "改用"
        await drag(d, (left + 15, y), (left + 19, y))
        await d.press("ctrl+c")
        assert d.app.clipboard == "逐块读"
        await drag(d, (left + 50, y), (left + 14, y))
        await d.press("ctrl+c")
        assert d.app.clipboard == text[12:]


async def test_a_selection_over_rows_and_blocks_has_their_line_breaks_and_no_others():
    async with Driven(talk(CHINESE.strip(), "| a | 中 |\n|---|---|\n| 1 | 2 |", "end"), size=(60, 40)) as d:
        shown = rows(d)
        first = next(y for y, row in enumerate(shown) if "测试" in row)
        last = next(y for y, row in enumerate(shown) if "end" in row)
        await drag(d, (0, first), (50, last))
        await d.press("ctrl+c")
        assert d.app.clipboard.startswith(CHINESE.strip() + "\n") and d.app.clipboard.endswith("\nend")
        assert not set(d.app.clipboard) & set("▌│▐")


async def test_ctrl_c_copies_first_then_interrupts():
    async with Driven([*RUNNING, e.AnswerFinished("some words")]) as d:
        y = next(y for y, row in enumerate(rows(d)) if "some words" in row)
        await drag(d, (EDGE + 2, y), (EDGE + 5, y))
        await d.press("ctrl+c")
        assert d.app.clipboard == "some" and d.worker.ops == []
        await d.press("ctrl+c")
        assert d.worker.ops == [ops.Interrupt()]


async def test_dragging_beyond_the_edge_scrolls():
    async with Driven(long_talk(60), size=(80, 24)) as d:
        transcript = d.app.chat.transcript
        region = transcript.content_region
        await d.pilot.mouse_down(offset=(region.x + 5, region.y + 5))
        top = transcript.top_row
        await d.pilot.hover(offset=(region.x + 5, 0))
        for _ in range(100):
            await d.pilot.pause(0.02)
            if transcript.top_row < top - 9:
                break
        await d.pilot.mouse_up(offset=(region.x + 5, 0))
        held = transcript.top_row
        await d.pilot.pause(0.15)
        assert held < top - 9 and transcript.top_row == held
        assert transcript.selected_text().count("question") >= 2


async def test_a_double_click_selects_a_word():
    async with Driven(talk("look at app/orders/export.py please")) as d:
        y = next(y for y, row in enumerate(rows(d)) if "export" in row)
        region = d.app.chat.transcript.content_region
        await d.pilot.click(offset=(region.x + EDGE + 2 + 12, region.y + y), times=2)
        await d.pilot.pause()
        await d.press("ctrl+c")
        assert d.app.clipboard == "app/orders/export.py"


async def test_what_is_selected_is_drawn_over_whole_characters():
    async with Driven(talk("改用 iterator")) as d:
        y = next(y for y, row in enumerate(rows(d)) if "iterator" in row)
        await drag(d, (EDGE + 3, y), (EDGE + 4, y))
        ground = d.app._look.inks["selected"].bgcolor
        strip = d.app.chat.transcript.render_line(y)
        assert "".join(s.text for s in strip if s.style and s.style.bgcolor == ground) == "改用"
        assert strip.cell_length == d.app.chat.transcript.scrollable_content_region.width


# -- faults that users met elsewhere


async def test_markup_in_results_names_and_notices_is_only_text():
    evil = "[/red][@click=app.quit]x[/] \x1b]52;c;aGk=\x07 [bold"
    events = [
        *opened(),
        e.UserSaid(evil),
        *tool("c", "grep", evil, "1 hit", text=f"{evil}\n{evil}", chars=9),
        e.Notice("warning", phrase(evil)),
    ]
    async with Driven(events) as d:
        await d.press("ctrl+t", "enter")
        assert d.screen_text().count("[@click=app.quit]x[/]") >= 4 and "\x1b" not in d.screen_text()
        await d.press("o")
        assert isinstance(d.app.screen, Reader)
        assert "[/red][@click=app.quit]x[/] ␛]52" in d.screen_text()
        for y in range(3, 6):
            await d.pilot.click(offset=(20, y))
        await d.press("escape")
        assert d.app.is_running and d.app.screen is d.app.chat


async def test_a_tiny_window_and_back_leaves_nothing_behind():
    async with Driven(work(), size=(120, 36)) as d:
        await d.press("ctrl+t", "up", "up")
        await d.pilot.pause()
        before = d.screen_text()
        for size in ((1, 1), (3, 2), (20, 4), (120, 36)):
            await d.pilot.resize_terminal(*size)
            await d.pilot.pause()
        assert d.screen_text() == before


async def test_warnings_stay_until_they_are_dismissed():
    async with Driven([*talk("words"), e.Notice("warning", phrase("the disk is almost full"))]) as d:
        await d.press("a", "enter", "ctrl+t", "escape")
        d.clock.seconds += 3_600
        await d.emit(e.TurnStarted(1), e.UserSaid("a"), e.AnswerFinished("b"), e.TurnEnded(1, "done"))
        assert "the disk is almost full" in d.screen_text()
        await d.press("ctrl+l")
        assert "the disk is almost full" not in d.screen_text()


async def test_cards_are_aligned_whatever_is_in_them():
    names = ["plain.py", "文档/设计说明.md", "👨‍👩‍👧 family.txt", "🇨🇳🇫🇷 flags", "é combined é", "❤️ heart"]
    events = [*opened(), *[x for n, name in enumerate(names) for x in tool(f"c{n}", "read_file", name, "9 lines")]]
    async with Driven(events, size=(90, 30)) as d:
        transcript = d.app.chat.transcript
        strips = [transcript.render_line(y) for y in range(transcript.view)]
        cards = [strip for strip in strips if "read_file" in strip.text]
        assert len(cards) == len(names)
        assert {strip.cell_length for strip in strips} == {transcript.scrollable_content_region.width}
        assert all(strip.text.rstrip().endswith("9 lines    0.0 s") for strip in cards)


async def test_copying_what_was_never_drawn_moves_nothing():
    from paitui.messages.message import Message

    history = []
    for n in range(400):
        history += [
            Message("user", f"question {n}"),
            Message("assistant", f"[{n}]\n\n" + "- 订单\n" * (n % 9) + CHINESE),
        ]
    async with Driven([e.SessionOpened("s", "/p", "offline", tuple(history), True)]) as d:
        transcript = d.app.chat.transcript
        for _ in range(3):
            await d.press("pageup")
        before = rows(d)
        last = transcript.place_at(transcript.view - 1)
        transcript.select(Selection(Place(0, 0), last._replace(cell=50)))
        text = transcript.selected_text()
        assert text.count("question") > 380 and "\n- 订单\n" not in text.split("[1]")[0]
        transcript.select(None)
        await d.pilot.pause()
        assert rows(d) == before
