"""The reader: the whole of a block, whatever its size, a page at a time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.engine import events as e
from paitui.engine import ops
from paitui.ui import pages as paging
from paitui.ui.finding import hits, needle
from paitui.ui.lines import flow, glyph
from paitui.ui.modals.reader import Reader
from paitui.ui.pages import FilePages, TextPages
from tests.ui.scenes import DIFF, opened, tool
from tests.ui.test_ui_app import Driven

CHINESE = "测试失败的原因是一次性读入了全部订单，大表会用完内存。"
STORED = ".paitui/tool-outputs/s1/001-grep.txt"


def stored(tmp_path, whole: str) -> list[e.Event]:
    file = tmp_path / STORED
    file.parent.mkdir(parents=True)
    file.write_text(whole, "utf-8")
    head = whole[:1_900] + "\n[... 1,000 ...]\n" + whole[-1_900:]
    return [
        e.SessionOpened("s1", str(tmp_path), "offline"),
        *tool("c", "grep", "x", "1 hit", text=head, stored=STORED, chars=len(whole)),
    ]


async def searched(d: Driven) -> None:
    await d.pilot.pause()
    for worker in [worker for worker in d.app.workers if worker.name == "search"]:
        await worker.wait()
    await d.pilot.pause()


async def opened_reader(d: Driven) -> Reader:
    await d.press("ctrl+t", "o")
    assert isinstance(d.app.screen, Reader)
    return d.app.screen


# -- pages

TEXT = st.text(alphabet="ab 中文é👍\n", max_size=400)


@given(TEXT, st.integers(1, 30), st.integers(1, 15))
def test_pages_put_together_are_the_text(tmp_path_factory, text, size, reach):
    reach = min(reach, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "PAGE", max(size, 4))
        patch.setattr(paging, "REACH", max(reach, 4))
        file = tmp_path_factory.mktemp("pages") / "text"
        file.write_bytes(text.encode())
        with file.open("rb") as handle:
            for whole in (TextPages(text, max(size, 4)), FilePages(handle)):
                parts = [whole.page(at) for at in range(len(whole))]
                assert "".join(parts) == text
                for at in range(1, len(parts)):
                    if parts[at] and parts[at - 1]:
                        assert whole.goes_on(at) == (not parts[at - 1].endswith("\n"))


@given(st.lists(st.sampled_from(["abc", "中文", "AB", " ", "b"]), max_size=30), st.integers(4, 12))
def test_a_text_is_found_wherever_rows_were_broken(parts, total):
    text = "".join(parts)
    rows = flow([glyph(text)], total, (glyph("│ "),))
    found = hits(rows, needle("aB"))
    assert sum(hit.begins for hit in found) == text.lower().count("ab")
    for hit in found:
        assert 2 <= hit.first < hit.last <= total


# -- reading


async def test_an_answer_is_read_dressed_and_a_diff_in_its_colours():
    events = [
        *opened(),
        e.AnswerFinished("# Head\n\n**strong** words"),
        *tool("c", "edit_file", "a", "+1", diff=DIFF),
    ]
    async with Driven(events) as d:
        await opened_reader(d)
        assert "+++ b/app/orders/export.py" in d.screen_text()
        styles = {s.text.strip(): s.style for strip in d.app.screen._compositor.render_strips() for s in strip}
        added = next(style for text, style in styles.items() if "iterator" in text)
        assert added.color == d.app._look.inks["added"].color
        await d.press("escape", "ctrl+t", "up", "o")
        assert "Head" in d.screen_text() and "**" not in d.screen_text() and "# " not in d.screen_text()


async def test_a_stored_result_is_read_from_its_file_to_the_end(tmp_path):
    whole = "".join(f"line {n} {CHINESE}\n" for n in range(5_000))
    async with Driven(stored(tmp_path, whole), size=(100, 30)) as d:
        reader = await opened_reader(d)
        assert "line 0 " in d.screen_text()
        assert f"{len(whole.encode()):,} bytes" in d.screen_text()
        assert reader._text.measured < 8
        await d.press("end")
        assert "line 4999 " in d.screen_text() and "100%" in d.screen_text()
        assert reader._text.measured < 20
        await d.press("pageup", "home")
        assert "line 0 " in d.screen_text()
        await d.press("c")
        assert d.app.clipboard == whole and "characters copied" in d.screen_text()
        await d.press("escape")
        assert d.app.chat.transcript.has_focus


async def test_reading_up_and_down_shows_each_line_once(tmp_path):
    whole = "".join(f"<{n}> " + "词" * (n * 37 % 230) + "\n" for n in range(900))
    async with Driven(stored(tmp_path, whole), size=(100, 30)) as d:
        text = (await opened_reader(d))._text

        def shown() -> list[str]:
            return [text.render_line(y).text.strip() for y in range(text.view)]

        seen: list[str] = []
        last = -1
        while text.top_row != last:
            last = text.top_row
            seen += [row for row in shown() if row.startswith("<")]
            text.page(1)
        numbers = [int(row[1 : row.index(">")]) for row in seen]
        assert list(dict.fromkeys(numbers)) == list(range(900))
        while text.top_row:
            before = shown()
            text.page(-1)
            assert shown()[text.view - 2 :] == before[:2] or not text.top_row


async def test_what_is_looked_for_is_found_from_where_one_is(tmp_path):
    lines = [f"line {n} {CHINESE}" for n in range(4_000)]
    for n in (7, 2_000, 3_990):
        lines[n] += " Needle 针"
    async with Driven(stored(tmp_path, "\n".join(lines)), size=(100, 30)) as d:
        reader = await opened_reader(d)

        async def at() -> str:
            await searched(d)
            assert reader._text.selected_text().lower() == "needle 针"
            return next(row for row in d.screen_text().splitlines() if "Needle" in row)

        await d.press("slash", *"needle", "space", "针", "enter")
        assert "line 7 " in await at()
        await d.press("n")
        assert "line 2000 " in await at()
        await d.press("n")
        assert "line 3990 " in await at()
        await d.press("n")
        assert "line 7 " in await at()
        await d.press("N")
        assert "line 3990 " in await at()
        await d.press("slash", *"nowhere", "enter")
        await searched(d)
        assert "does not occur" in d.screen_text()


async def test_the_field_is_left_before_the_reader(tmp_path):
    async with Driven(stored(tmp_path, "one\ntwo")) as d:
        await opened_reader(d)
        await d.press("slash", "q", "escape")
        assert isinstance(d.app.screen, Reader)
        await d.press("v", "down", "c")
        assert d.app.clipboard == "one\ntwo"
        await d.press("q")
        assert d.app.screen is d.app.chat and d.prompt.draft == ""


async def test_a_file_that_is_gone_is_said(tmp_path):
    events = stored(tmp_path, "x")
    (tmp_path / STORED).unlink()
    async with Driven(events) as d:
        await d.press("ctrl+t", "o")
        assert d.app.screen is d.app.chat and "001-grep.txt" in d.screen_text()
        assert [notice.level for notice in d.app.state.notices] == ["warning"]


LONG = "\n".join(f"row {n} {CHINESE}" for n in range(300))
PART = [*opened(), *tool("c", "read_file", "a.txt", "300 lines", text=LONG[:2000] + "\n[...]\n", chars=len(LONG))]


async def test_what_a_card_has_only_in_part_is_asked_of_the_engine():
    async with Driven(PART) as d:
        await d.press("ctrl+t", "c")
        assert d.worker.ops == [ops.ShowResult("c")] and d.app.clipboard == ""
        await d.emit(e.ResultShown("other", "x"), e.ResultShown("c", LONG))
        assert d.app.clipboard == LONG
        await d.press("o")
        await d.emit(e.ResultShown("c", LONG))
        assert isinstance(d.app.screen, Reader)
        await d.press("end")
        assert "row 299" in d.screen_text()


async def test_what_is_gone_from_the_history_is_read_in_part_and_said():
    async with Driven(PART) as d:
        await d.press("ctrl+t", "o")
        await d.emit(e.ResultShown("c", None))
        assert isinstance(d.app.screen, Reader) and "row 0 " in d.screen_text()
        await d.press("escape")
        assert "The middle of this result" in d.screen_text()


async def test_a_resumed_result_unfolds_without_its_wrapping():
    from paitui.messages.message import Message, ToolCall
    from paitui.trust.boundary import wrap

    call = ToolCall("c", "grep", '{"pattern": "x"}')
    body = "found <tool_result> here"
    history = (
        Message("user", "go"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", wrap("grep", body), tool_call_id="c", name="grep", body_chars=len(body), ok=False),
    )
    async with Driven([e.SessionOpened("s", "/p", "offline", history, True)]) as d:
        assert "found <tool_result> here" in d.screen_text() and "untrusted-data" not in d.screen_text()
        await d.press("ctrl+t", "c")
        assert d.app.clipboard == body


# -- much at once


async def test_a_megabyte_on_one_line_is_shown_at_once_and_to_its_end():
    text = "很" + CHINESE * 38_000 + "完"
    assert len(text) > 1_000_000
    async with Driven([*opened(), *tool("c", "grep", "x", "1 hit", text=text)], size=(100, 30)) as d:
        await d.press("ctrl+t", "enter", "end")
        assert "more characters; open the block" in d.screen_text()
        begin = time.perf_counter()
        await d.press("o")
        reader = d.app.screen
        assert isinstance(reader, Reader)
        assert time.perf_counter() - begin < 2.0  # wrapped whole it takes many times as long
        assert reader._text.measured < 8 and "很测试" in d.screen_text()
        await d.press("end")
        assert "完" in d.screen_text()
        await d.press("home", "v", "down")
        for _ in range(200):
            reader.action_row_down()
        await d.press("c")
        assert text.startswith(d.app.clipboard) and len(d.app.clipboard) > 8_000


async def test_a_megabyte_is_copied_and_its_size_told():
    text = CHINESE * 38_000
    async with Driven([*opened(), e.UserSaid(text)]) as d:
        await d.press("ctrl+t", "c")
        assert d.app.clipboard == text and f"{len(text):,} characters copied" in d.screen_text()


async def test_more_than_a_clipboard_takes_is_copied_in_part_and_said():
    text = "x" * 2_500_000
    async with Driven([*opened(), *tool("c", "grep", "x", "1 hit", text=text)]) as d:
        await d.press("ctrl+t", "c")
        assert len(d.app.clipboard) == 2_000_000 and "The first 2,000,000 characters" in d.screen_text()
