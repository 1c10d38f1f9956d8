"""The ledger viewer, driven by keys, over real files."""

import random
import time
from itertools import islice

import pytest

from paitui.ledger.records import Record, to_line
from paitui.ui.screens.ledger import LedgerViewer
from tests.bench import ledger as big
from tests.ui import ledger_scenes as scenes
from tests.ui.scenes import opened, work
from tests.ui.test_ui_app import Driven
from tests.ui.test_ui_memory_real import until


class Viewing(Driven):
    """An app with a ledger on the disk, at the viewer."""

    def __init__(self, home, events=None, size=(120, 36), **scene):
        super().__init__(events or opened(), size, home=home, **scene)

    async def at_ledger(self, records):
        await self.press("f4")
        await until(self, lambda: isinstance(self.pane, LedgerViewer) and self.pane._pages.count == records)
        return self.pane

    @property
    def pane(self):
        return self.app.screen


@pytest.fixture
def home(tmp_path):
    scenes.write(tmp_path / "home")
    return tmp_path / "home"


COUNT = len(scenes.records())


async def test_the_newest_record_is_current_and_boundaries_are_rules(home):
    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        assert pane.current.seq == COUNT
        text = d.screen_text()
        assert "this session" in text and f"{COUNT} records" in text
        assert "◌ clear  58,910 → 41,200 tokens  2 messages ──" in text
        assert "⋯ summary  98,400 → 12,310 tokens  7 messages ──" in text
        assert "<tool_result" not in "\n".join(line[:70] for line in text.splitlines()), (
            "what wraps says nothing here"
        )


async def test_n_and_p_jump_and_a_boundary_shows_what_went_and_came(home):
    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        await d.press("p")
        assert pane.current.kind == "summary"
        await d.press("enter")
        await until(d, lambda: "Stream the order export" in d.screen_text() and "went out (7)" in d.screen_text())
        await d.press("escape", "p")
        assert pane.current.kind == "clear"
        await d.press("p")
        assert pane.current.kind == "clear" and "No further boundary" in d.screen_text()
        await d.press("n")
        assert pane.current.kind == "summary"


async def test_filters_turn_through_what_there_is_and_a_shows_all(home):
    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        await d.press("r")
        assert (pane._which.event, pane._which.role) == ("message", "assistant") and pane._pages.count == 4
        await d.press("t")
        assert pane._which.tool == "execute_command" and pane._pages.count == 0
        await d.press("a", "f")
        assert pane._which.event == "approval" and pane._pages.count == 1
        await d.press("a")
        assert pane._pages.count == COUNT


async def test_a_search_goes_back_from_the_newest_and_says_when_there_is_no_more(home):
    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        await d.press("slash", *"export_1", "enter")
        await until(d, lambda: pane.current.seq == 7)
        await d.press("left_square_bracket")
        await until(d, lambda: "nowhere before" in d.screen_text())
        await d.press("escape")
        assert not pane.search.display and pane._query == ""


async def test_the_json_of_a_record_and_back(home):
    async with Viewing(home) as d:
        await d.at_ledger(COUNT)
        await d.press("up")
        assert "逐行写出" in d.screen_text() and '"payload"' not in d.screen_text()
        await d.press("s")
        assert '"payload": {' in d.screen_text()


async def test_it_follows_at_the_end_and_tells_what_came_below_elsewhere(home):
    file = home / "history/raw/s1.jsonl"

    def more(seq):
        with file.open("ab") as out:
            out.write(to_line(Record(seq, "2026-12-01T09:00:00.000Z", "s1", "react", "turn", {"turn": seq})) + b"\n")

    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        more(COUNT + 1)
        await until(d, lambda: pane.current.seq == COUNT + 1)
        await d.press("home")
        more(COUNT + 2)
        await until(d, lambda: pane._pages.count == COUNT + 2)
        assert pane.current.seq == 1 and "1 new below" in d.screen_text()


async def test_a_block_of_the_chat_leads_to_its_record(home):
    async with Viewing(home, events=work()) as d:
        d.app.on_show_record(type("Wanted", (), {"role": "tool", "text": "c1"}))
        await until(d, lambda: isinstance(d.pane, LedgerViewer) and d.pane.current is not None)
        await until(d, lambda: d.pane.current.tools == ("read_file",) and d.pane.current.seq in (5, 7, 9))


async def test_what_is_listed_is_exported_and_nothing_overwritten(home, tmp_path):
    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        target = tmp_path / "out.md"
        for said in ("records written", "is there already"):
            await d.press("e")
            pane.editor.field.text = str(target)
            await d.press("enter")
            await until(d, lambda said=said: said in d.screen_text())
        assert "金额一律用分" in target.read_text("utf-8")


async def test_other_ledgers_are_listed_and_opened(home):
    scenes.write(home, "20261130-000000-aaaa")
    async with Viewing(home) as d:
        pane = await d.at_ledger(COUNT)
        await d.press("o")
        await until(d, lambda: "2 ledgers" in d.screen_text())
        other = next(at for at, (file, _) in enumerate(pane._files) if file.session != "s1")
        pane.rows.move_to(other)
        await d.press("enter")
        await until(d, lambda: "stored session" in d.screen_text() and pane._pages.count == COUNT)
        await d.press("escape")
        await until(d, lambda: "this session" in d.screen_text())


async def test_without_a_ledger_it_says_what_will_stand_there(tmp_path):
    async with Viewing(tmp_path / "empty") as d:
        await d.press("f4")
        await until(d, lambda: "Nothing yet" in d.screen_text())


async def test_damage_is_shown_and_harms_nothing(home):
    with (home / "history/raw/s1.jsonl").open("ab") as out:
        out.write(b'{"broken": \x1b]0;evil\x07\n')
    async with Viewing(home) as d:
        await d.at_ledger(COUNT + 1)
        assert "damaged line" in d.screen_text()
        assert "\x1b" not in d.screen_text() and "\x07" not in d.screen_text()


async def test_a_hundred_thousand_records_open_at_once_and_boundaries_are_near(tmp_path):
    home = tmp_path / "home"
    file = scenes.write(home)
    with file.open("wb") as out:
        out.write(b"".join(islice(big.records(random.Random(1), 1 << 40, True), 100_000)))
    async with Viewing(home) as d:
        begin = time.perf_counter()
        await d.press("f4")
        await until(d, lambda: isinstance(d.pane, LedgerViewer) and d.pane._pages.count > 0)
        first = time.perf_counter() - begin
        await until(d, lambda: d.pane._pages.count == 100_000)
        pane, took = d.pane, []
        for _ in range(20):
            begin = time.perf_counter()
            pane.action_ledger_previous()
            took.append(time.perf_counter() - begin)
            assert pane.current.event == "boundary"
        assert first < 5 and sorted(took)[10] < 0.2
