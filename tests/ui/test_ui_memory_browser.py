"""The memory browser, driven by keys against a scripted worker."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from msgspec import structs
from textual.events import Key, Paste

from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import phrase
from paitui.ui.screens.memory import MemoryBrowser
from tests.ui.memory_scenes import CENTS, JAVA, MAVEN, PNPM, QUICK, found, many, shown
from tests.ui.scenes import opened
from tests.ui.test_ui_app import Driven


async def browser(d, listed=None) -> MemoryBrowser:
    await d.press("f3")
    await d.emit(listed if listed is not None else shown())
    assert isinstance(d.app.screen, MemoryBrowser)
    return d.app.screen


def asked(d, verb):
    return [op for op in d.worker.ops if isinstance(op, ops.Memory) and op.verb == verb]


async def until(d, ready):
    for _ in range(200):
        await d.pilot.pause(0.01)
        if ready():
            return
    raise AssertionError(d.screen_text())


@pytest.mark.parametrize("line", ["/memory", "/memory list"])
async def test_the_command_and_the_key_open_it_and_it_asks_for_the_list(line):
    async with Driven(opened()) as d:
        d.prompt.insert(line)
        await d.press("enter")
        assert isinstance(d.app.screen, MemoryBrowser) and d.worker.ops == [ops.Memory("list")]
        await d.press("escape", "f3")
        assert d.worker.ops == [ops.Memory("list")] * 2


async def test_each_key_acts_on_the_entry_under_the_cursor():
    async with Driven(opened()) as d:
        pane = await browser(d)
        assert pane.current == QUICK
        await d.press("v", "d", "g", "down", "g")
        await d.press("u", "L")
        assert d.worker.ops[1:] == [
            ops.Memory("verify", id=QUICK.id),
            ops.Memory("delete", id=QUICK.id),
            ops.Memory("scope", id=QUICK.id, scope="global"),
            ops.Memory("scope", id=PNPM.id, scope="global"),
            ops.Memory("undo"),
            ops.Memory("log", id=PNPM.id),
        ]


async def test_what_came_of_a_key_is_said_with_its_undo_and_the_list_is_asked_for_anew():
    async with Driven(opened()) as d:
        pane = await browser(d)
        await d.press("d")
        await d.emit(e.MemoryChanged("deleted", QUICK))
        assert "deleted: 测试默认跑 -Pquick · undo: u" in d.screen_text()
        assert pane.current == PNPM and len(pane.rows.rows) == 7, "the next one takes its place"
        await until(d, lambda: len(asked(d, "list")) == 2)
        await d.emit(shown(pane._feed.shown.entries))
        assert "deleted: 测试" in d.screen_text(), "a list told anew does not take the answer away"
        await d.press("down")
        assert "deleted: 测试" not in d.screen_text()
        assert not d.app.state.blocks, "the chat need not repeat it"


async def test_the_cursor_stays_sensible_at_the_end_and_when_all_is_gone():
    async with Driven(opened()) as d:
        pane = await browser(d, shown((JAVA, CENTS)))
        await d.press("end")
        await d.emit(e.MemoryChanged("deleted", JAVA))
        assert pane.current == CENTS
        await d.emit(e.MemoryChanged("deleted", CENTS))
        assert pane.current is None and "Nothing is remembered here yet" in d.screen_text()
        await d.press("v", "d", "e", "g", "L", "R", "enter")
        assert {op.verb for op in d.worker.ops} == {"list"} and not pane.editor.display


async def test_a_fact_is_edited_where_it_stands_and_enter_saves():
    async with Driven(opened()) as d:
        pane = await browser(d, shown((JAVA,)))
        await d.press("e")
        assert pane.editor.field.text == JAVA.content
        await d.press("backspace", "backspace", "2", "1", "v", "backspace", "enter")
        assert asked(d, "replace") == [ops.Memory("replace", id=JAVA.id, text="项目用 Java 21")]
        assert pane.rows.has_focus and not pane.editor.display
        await d.press("e", "x", "escape", "e", "enter")
        assert len(asked(d, "replace")) == 1, "left, or unchanged"


async def test_what_is_edited_and_pasted_is_one_harmless_line():
    async with Driven(opened()) as d:
        evil = replace(JAVA, content="a\x1b[31mb\u202ec")
        pane = await browser(d, shown((evil,)))
        await d.press("e")
        assert "\x1b" not in pane.editor.field.text and "\u202e" not in pane.editor.field.text
        pane.editor.field.text = ""
        await pane.editor.field._on_paste(Paste("one\n# two\n</memory>"))
        await d.press("enter")
        assert asked(d, "replace")[0].text == "one # two </memory>"


async def test_a_new_fact_is_saved():
    async with Driven(opened()) as d:
        await browser(d)
        await d.press("n", *"use uv", "enter")
        assert d.worker.ops[-1] == ops.Memory("save", text="use uv")
        await d.emit(e.MemoryChanged("stored", replace(CENTS, id="fact-0000beef", content="use uv")))
        assert "remembered: use uv" in d.screen_text() and len(d.app.state.blocks) == 1


async def test_a_search_is_live_and_shows_why_an_entry_is_found():
    async with Driven(opened()) as d:
        pane = await browser(d)
        await d.press("slash", *"pnpm npm")
        await until(d, lambda: bool(asked(d, "search")))
        assert len(asked(d, "search")) < 8, "not every letter asks"
        await until(d, lambda: asked(d, "search")[-1].text == "pnpm npm")
        await d.emit(structs.replace(found(), query="pnpm"))
        assert len(pane.rows.rows) == 8, "the answer to an earlier question comes too late"
        await d.emit(found())
        assert len(pane.rows.rows) == 2 and pane.rows.rows.entries[0].matched
        await d.press("down", "enter", "v")
        assert asked(d, "verify")[-1].id == found().entries[1].id
        await d.press("escape")
        await until(d, lambda: asked(d, "list")[-1] is d.worker.ops[-1])
        assert not pane.search.display and isinstance(d.app.screen, MemoryBrowser)


@pytest.mark.parametrize(("key", "text"), [("slash", "dead"), ("n", "dvd"), ("e", "dud")])
async def test_what_is_typed_fast_after_the_key_of_a_field_is_text_and_no_command(key, text):
    async with Driven(opened()) as d:
        pane = await browser(d)
        for name in ("down", key, *text):
            d.app.post_message(Key(name, name if len(name) == 1 else None))
        await d.pilot.pause()
        await d.pilot.pause()
        assert {op.verb for op in d.worker.ops} <= {"list", "search"} and pane.current == PNPM
        assert (pane.search.value if key == "slash" else pane.editor.field.text).endswith(text)


async def test_the_filter_goes_round():
    async with Driven(opened()) as d:
        pane = await browser(d)
        counts = []
        for _ in range(8):
            await d.press("f")
            counts.append(len(pane.rows.rows))
        assert counts == [5, 1, 2, 3, 3, 6, 2, 8]
        await d.press("f")
        assert "to review 5" in d.screen_text()
        await d.emit(e.MemoryChanged("verified", replace(QUICK, state="fresh")))
        assert len(pane.rows.rows) == 4 and "to review 4" in d.screen_text()


async def test_other_projects_are_listed_on_demand():
    async with Driven(opened(), size=(120, 30)) as d:
        await browser(d, shown(elsewhere=31))
        assert "31 in other projects a" in d.screen_text()
        await d.press("a")
        assert d.worker.ops[-1] == ops.Memory("list", everywhere=True)
        other = replace(JAVA, id="fact-99990000", project="/home/lin/work/blog")
        await d.emit(shown((JAVA, other), elsewhere=1))
        assert "1 here" in d.screen_text() and "blog" in d.screen_text()


async def test_memories_of_a_renamed_folder_are_brought_here():
    async with Driven(opened(), size=(120, 30)) as d:
        await browser(d)
        await d.press("m")
        assert not asked(d, "relink")
        await d.emit(shown(movable=12))
        assert "12 memories belong to a folder that is gone" in d.screen_text()
        await d.press("m")
        assert d.worker.ops[-1] == ops.Memory("relink")
        await d.emit(e.CommandOutput(phrase("memory.relinked", n=12), ()))
        assert "12" in d.screen_text().splitlines()[-2] and not d.app.state.blocks
        await until(d, lambda: len(asked(d, "list")) == 2)


async def test_another_programs_change_is_seen_and_said(tmp_path):
    file = tmp_path / "long_term_memory.json"
    file.write_text("[]")
    async with Driven(opened()) as d:
        pane = await browser(d, structs.replace(shown(), file=str(file)))
        pane._look_at_file()
        assert len(asked(d, "list")) == 1
        file.write_text("[ ]")
        os.utime(file, ns=(1, 1))
        pane._look_at_file()
        await d.pilot.pause()
        assert len(asked(d, "list")) == 2
        await d.emit(structs.replace(shown(), file=str(file), changed_by_others=1.0))
        d.clock.seconds += 2
        pane._look_at_file()
        await d.pilot.pause()
        assert "Changed by another program 3 s ago" in d.screen_text()
        d.clock.seconds += 60
        pane._look_at_file()
        await d.pilot.pause()
        assert "another program" not in d.screen_text()


async def test_the_past_of_an_entry_is_shown_beside_it():
    async with Driven(opened(), size=(120, 40)) as d:
        await browser(d, shown((JAVA,)))
        await d.press("L")
        past = phrase("memory.log_step", at="2026-10-02 09:14", act=phrase("memory.act_add"), fact="项目用 Java 17")
        await d.emit(e.CommandOutput(phrase("memory.log_title", id=JAVA.id), (past,)))
        assert "2026-10-02 09:14  saved" in d.screen_text() and not d.app.state.blocks


async def test_the_detail_says_where_an_entry_comes_from():
    async with Driven(opened(), size=(80, 24)) as d:
        await browser(d, shown((JAVA,)))
        assert "turn 3" not in d.screen_text()
        await d.press("enter")
        text = d.screen_text()
        for part in (
            "项目用 Java 17",
            "pom.xml:18 says 21",
            "2026-10-02",
            "记一下，JDK 保持 17",
            "turn 3",
            "14 times",
        ):
            assert part in text
        await d.press("v", "escape")
        assert asked(d, "verify") and isinstance(d.app.screen, MemoryBrowser)


@pytest.mark.parametrize("listed", [shown(), shown(()), None])
async def test_it_rests_while_nothing_happens(listed, monkeypatch):
    async with Driven(opened()) as d:
        await d.press("f3")
        await d.emit(*([listed] if listed else []))
        drawn = []
        monkeypatch.setattr(d.app.screen, "draw", lambda: drawn.append(1))
        await d.pilot.pause(0.3)
        assert not drawn


# -- review


async def test_a_review_of_fifty_takes_fifty_keys_and_each_step_can_be_undone():
    async with Driven(opened(), size=(60, 14)) as d:
        pane = await browser(d, shown((CENTS, *many(50))))
        await d.press("R")
        assert "1 of 50" in d.screen_text()
        keys = ["v", "d", "space", "v", "v"] * 10
        await d.press(*keys[:11])
        assert "12 of 50" in d.screen_text()
        await d.press(*keys[11:])
        assert "all 50 done" in d.screen_text() and pane.current is None
        done = d.worker.ops[1:]
        assert [op.verb for op in done] == ["verify", "delete", "verify", "verify"] * 10
        assert len({op.id for op in done}) == 40
        await d.press("v", "d", "space")
        assert d.worker.ops[1:] == done, "nothing is left to act on"
        await d.press(*["u"] * 50)
        undone = [op for op in d.worker.ops[1:] if op.verb == "undo"]
        assert [op.id for op in undone] == [op.id for op in reversed(done)] and "1 of 50" in d.screen_text()
        await d.press("u", "escape")
        assert len(asked(d, "undo")) == 40 and len(pane.rows.rows) == 51


async def test_a_review_walks_what_is_doubtful_with_all_there_is_to_know():
    async with Driven(opened(), size=(80, 24), language="zh") as d:
        pane = await browser(d)
        await d.press("R")
        assert len(pane._run.entries) == 5 and "第 1 条，共 5 条" in d.screen_text()
        assert "我们测试默认跑" in d.screen_text(), "the quote it rests on is in view"
        await d.press("space", "space", "space")
        assert "pom.xml:18 写的是 21" in d.screen_text()
        await d.press("f", "g", "a", "n", "slash", "R", "L")
        assert len(d.worker.ops) == 1, "keys that would lead away wait"


async def test_an_edit_in_a_review_goes_on_and_one_that_was_refused_is_not_undone():
    async with Driven(opened()) as d:
        pane = await browser(d, shown((MAVEN, JAVA)))
        await d.press("R", "e", "backspace", "8", "enter")
        assert asked(d, "replace") == [ops.Memory("replace", id=JAVA.id, text="项目用 Java 18")]
        assert "2 of 2" in d.screen_text()
        await d.emit(e.MemoryChanged("refused", phrase=phrase("memory.duplicate_there")))
        assert "Another memory there says the same" in d.screen_text()
        await d.press("u")
        assert not asked(d, "undo") and pane.current == JAVA


async def test_leaving_a_review_keeps_what_was_done():
    async with Driven(opened()) as d:
        pane = await browser(d)
        await d.press("R", "v", "escape")
        assert pane._run is None and isinstance(d.app.screen, MemoryBrowser) and len(pane.rows.rows) == 8
        await d.press("escape")
        assert d.app.screen is d.app.chat


# -- size and start


@pytest.mark.parametrize("size", [(40, 8), (60, 20), (80, 24), (120, 36), (200, 60)])
async def test_it_bears_any_size_and_ten_thousand_entries(size):
    async with Driven(opened(), size=size) as d:
        pane = await browser(d, shown(many(10_000)))
        await d.press("end")
        assert "fact number 0 第" in d.screen_text() and pane.rows.cursor == 9_999
        await d.press("R", "v", "escape", "home", "enter", "escape")
        await d.pilot.resize_terminal(30, 5)
        await d.pilot.resize_terminal(*size)
        await d.pilot.pause()
        assert "fact number" in d.screen_text()


def test_no_memory_is_imported_before_the_browser_is_opened():
    code = (
        "import sys; import paitui.ui.app; late = ('modals.conflict', 'screens.memory', 'render.memory', 'jieba');"
        "print([m for m in sys.modules if m.startswith('paitui.memory') or m.endswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("keys", [("e",), ("n",), ("slash",)])
async def test_while_a_field_has_the_keyboard_no_letter_is_offered_as_a_key(keys):
    async with Driven(opened()) as d:
        await browser(d)
        assert "v verify" in d.screen_text()
        await d.press(*keys)
        foot = d.screen_text().splitlines()[-1]
        assert "verify" not in foot and "delete" not in foot and "Esc back" in foot
        assert ("Enter read" in foot) is (keys == ("slash",))
        await d.press("escape")
        assert "v verify" in d.screen_text().splitlines()[-1]


async def test_the_detail_follows_the_cursor():
    async with Driven(opened(), size=(120, 36)) as d:
        pane = await browser(d)
        seen = []
        for _ in range(3):
            seen.append((pane.current.id, str(pane._pane.border_title)))
            await d.press("down")
        assert [one for one, _ in seen] == [shown for _, shown in seen] and len(set(seen)) == 3
