"""The context inspector: what it lists, what its keys do, and all of it against the engine itself."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from paitui.clock import SystemClock
from paitui.context.report import HistoryRow
from paitui.context.undo import fingerprint
from paitui.engine import events as e
from paitui.engine import ops
from paitui.engine.assembly import OpenOptions, open_worker
from paitui.locale import Words, phrase
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import violations
from paitui.paths import Paths
from paitui.settings import ContextSettings, Settings, UiSettings
from paitui.ui.glyphs import ASCII, UNICODE
from paitui.ui.launch import make_app
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.render.boundary import BoundaryRows, compare, paired
from paitui.ui.render.inspector import HistoryRows, totals
from paitui.ui.render.message import facts, whole
from paitui.ui.screens.inspector import ContextInspector
from tests.ui.inspected import AFTER, BEFORE, CALL, LISTED, RESULT, SUMMED_UP
from tests.ui.scenes import REPORT, SMALL, inspecting, opened
from tests.ui.test_ui_app import Driven

LOOKS = [Look(Words(language), glyphs) for language in ("en", "zh") for glyphs in (UNICODE, ASCII)]
EN = LOOKS[0]


# -- what is drawn


@pytest.mark.parametrize("look", LOOKS)
def test_every_row_fits(look):
    for total in range(16, 200, 7):
        shown = HistoryRows(BEFORE, look, cut=5)
        steps = BoundaryRows(BEFORE, AFTER, look)
        for rows in (shown, steps):
            assert all(cells(rows.row(at, total)) <= total for at in range(len(rows)))
            assert cells(rows.head(total)) <= total
        steps.side_by_side = True
        assert all(cells(steps.row(at, total)) <= total for at in range(len(steps)))
        assert cells(totals(LISTED[0], REPORT, look, total)) <= total
        assert all(cells(line) <= total for line in facts(BEFORE[6], REPORT.used, look)(total))


def test_in_a_narrow_window_the_signs_outlive_the_schemas():
    for total, schemas in ((58, False), (90, True)):
        said = words_of(totals(LISTED[0], REPORT, EN, total))
        assert all(sign in said for sign in "▪◌✦") and ("schemas" in said) is schemas


async def test_keys_for_what_is_out_of_view_are_not_offered():
    async with Driven(inspecting(LISTED), size=(80, 24)) as d:
        await d.press("f5", "up")
        assert "Enter read" in d.screen_text() and "p pin" in d.screen_text()
        await d.press("enter")
        assert "Enter read" not in d.screen_text() and "p pin" in d.screen_text()
        await d.press("escape", "g")
        assert "Enter read" not in d.screen_text() and "p pin" not in d.screen_text()


def test_a_row_says_number_role_tokens_state_and_first_words():
    rows = HistoryRows(BEFORE, EN)
    assert re.match(r" 5  tool\s+6,020 ◌  read_file \[result cleared", words_of(rows.row(4, 90)))
    assert re.match(r" 7  tool\s+12,330 ▪  execute_command", words_of(rows.row(6, 90)))
    assert re.match(r" 9  tool\s+214  ✦ edit_file", words_of(rows.row(8, 90)))
    assert re.match(r" 2  summary\s+3,020 ⋯  ", words_of(HistoryRows(AFTER, EN).row(1, 90)))
    assert words_of(rows.row(11, 90)).endswith("████████"), "the largest one has the whole bar"
    assert words_of(rows.row(8, 90)).rstrip().endswith("▏"), "what takes anything shows"


def test_the_cut_is_a_line_of_its_own_between_what_goes_and_what_stays():
    rows = HistoryRows(BEFORE, EN, cut=11)
    assert len(rows) == 14 and rows.message(10) is None and "a summary now" in words_of(rows.row(10, 80))
    assert [rows.message(at).number for at in (9, 11)] == [10, 11]
    for at in range(len(rows)):
        assert rows.find(rows.key(at)) == at
    assert len(HistoryRows(BEFORE, EN, cut=0)) == len(HistoryRows(BEFORE, EN, cut=1)) == 13


def test_before_and_after_name_what_went_what_came_and_what_changed():
    changes = compare(BEFORE, AFTER)
    assert [change.fate for change in changes].count("went") == 8
    assert [change.after.origin for change in changes if change.fate == "came"] == [
        "summary",
        "acknowledgement",
        "carried",
    ]
    assert [change.count for change in changes if change.fate == "same"] == [1, 1, 3]
    cleared = replace(BEFORE[3], state="cleared", tokens=40, text="[result cleared]")
    changed = compare(BEFORE, [*BEFORE[:3], cleared, *BEFORE[4:]])
    assert [change.fate for change in changed] == ["same", "changed", "same"]
    assert compare(BEFORE, [replace(row, tokens=row.tokens * 2) for row in BEFORE])[0].count == 13, "measured anew"
    assert compare([], []) == [] and [change.fate for change in compare([], BEFORE[:2])] == ["came", "came"]
    for pair in paired(changes):
        assert pair.left is not None or pair.right is not None
    assert sum(pair.left is not None and pair.left.fate == "went" for pair in paired(changes)) == 8


def text_of(pieces, total=60):
    return [words_of(line) for piece in pieces for line in piece(total)]


def test_a_message_is_shown_whole_with_what_it_calls_and_nothing_in_it_acts():
    evil = replace(CALL, content="[red]\x1b[2J\u202egnp.exe[/red]\n" + "long " * 5_000)
    drawn = text_of(whole(e.MessageShown(evil), EN))
    joined = "".join(drawn)
    assert "\x1b" not in joined and "\u202e" not in joined and "[red]" in joined
    assert joined.count("long") == 5_000, "all of it"
    assert any("→ grep" in line for line in drawn) and '  "path": "app/"' in drawn
    assert any("reasoning" in line for line in drawn)


def test_a_message_that_the_last_step_changed_shows_both_ways():
    cleared = replace(RESULT, content="[result cleared]", state="cleared")
    drawn = text_of(whole(e.MessageShown(cleared, RESULT), EN))
    at = next(n for n, line in enumerate(drawn) if "before the last step" in line)
    assert "[result cleared]" in drawn[:at] and any("test_299" in line for line in drawn[at:])


# -- keys


async def inspected(d):
    await d.press("f5")
    assert isinstance(d.app.screen, ContextInspector)
    return d.app.screen


async def settled(d, wanted):
    """Wait until an op of this kind was asked for."""
    for _ in range(200):
        if any(isinstance(op, wanted) for op in d.worker.ops):
            return
        await d.pilot.pause()
        await asyncio.sleep(0.005)
    raise AssertionError(f"{wanted} was not asked for: {d.worker.ops}")


async def test_keys_ask_for_what_they_say():
    async with Driven(inspecting(LISTED), size=(120, 36)) as d:
        pane = await inspected(d)
        assert pane.current.number == 13, "the newest message is the first one looked at"
        await d.press("home", *["down"] * 6)
        assert pane.current.number == 7
        await d.press("p", "o", "c", "u", "down", "down", "p")
        asked = [op for op in d.worker.ops if not isinstance(op, ops.ShowHistory | ops.ShowMessage)]
        assert asked == [ops.Pin(17), ops.OffloadOne(17), ops.ClearOne(17), ops.Undo(), ops.Unpin(19)]


async def test_why_something_is_not_done_is_said_and_what_has_to_wait_too():
    async with Driven(inspecting(LISTED), size=(120, 36)) as d:
        await inspected(d)
        await d.press("c")
        await d.emit(e.Notice("info", phrase("engine.nothing_to_clear")))
        assert "There is nothing to clear" in d.screen_text()
        await d.press("b")
        assert "There is nothing to take back" in d.screen_text()
        await d.emit(e.TurnStarted(1), e.UserSaid("go"), e.ModelStarted(3))
        await d.press("o")
        assert "before the next request" in d.screen_text()


async def test_the_message_is_asked_for_when_the_cursor_rests_and_shown_at_the_right():
    async with Driven(inspecting(LISTED), size=(120, 36)) as d:
        pane = await inspected(d)
        await settled(d, ops.ShowMessage)
        d.worker.ops.clear()
        await d.press("home", *["down"] * 6)
        await settled(d, ops.ShowMessage)
        await d.pilot.pause(0.2)
        assert d.worker.ops[-1] == ops.ShowMessage(17)
        await d.emit(e.MessageShown(RESULT))
        assert "test_0 PASSED" in d.screen_text() and "21%" in d.screen_text()
        await d.press("enter", "pagedown")
        assert pane.reading and "::test_20" in d.screen_text()
        await d.press("end")
        assert "::test_299" in d.screen_text() and pane.current.number == 7
        await d.press("escape")
        assert not pane.reading and d.app.screen is pane


async def test_in_one_column_the_message_takes_the_place_of_the_list():
    async with Driven(inspecting(LISTED), size=(80, 24)) as d:
        pane = await inspected(d)
        await d.press("home", *["down"] * 6)
        assert not pane.detail.display and not any(isinstance(op, ops.ShowMessage) for op in d.worker.ops)
        await d.press("enter")
        await settled(d, ops.ShowMessage)
        await d.emit(e.MessageShown(RESULT))
        assert pane.detail.display and not pane.rows.display and "test_0 PASSED" in d.screen_text()
        await d.press("down", "q")
        assert pane.rows.display and not pane.detail.display and pane.current.number == 7


async def test_the_list_follows_the_engine_and_asks_only_now_and_then():
    async with Driven(inspecting(LISTED), size=(120, 36)) as d:
        pane = await inspected(d)
        await d.press("home", "down", "down")
        d.worker.ops.clear()
        await d.emit(*(e.ContextChanged(replace(REPORT, used=58_910 + used)) for used in range(10)))
        await settled(d, ops.ShowHistory)
        await d.pilot.pause(0.3)
        assert d.worker.ops.count(ops.ShowHistory()) == 1
        await d.emit(e.HistoryShown(AFTER))
        assert pane.rows.cursor == 2 and "summary" in d.screen_text()
        await d.press("f2")
        d.worker.ops.clear()
        await d.emit(e.ContextChanged(REPORT))
        await d.pilot.pause(0.3)
        assert not d.worker.ops, "nothing is asked for a pane that nobody sees"


async def test_a_step_is_compared_side_by_side_and_both_sides_can_be_read():
    async with Driven(inspecting(SUMMED_UP, SMALL), size=(120, 36)) as d:
        pane = await inspected(d)
        await d.press("home", "b")
        text = d.screen_text()
        assert "summary  58,910 → 36,410 tokens" in text and "- 8 went" in text and "+ 3 came" in text
        assert pane.current.origin == "summary", "at the first change, on what came"
        await d.press("left")
        assert pane.current.number == 2 and pane.current.role == "user"
        d.worker.ops.clear()
        await d.press("enter")
        await settled(d, ops.ShowMessage)
        assert d.worker.ops == [ops.ShowMessage(12)]
        await d.press("escape", "b")
        assert pane.current.number == 1, "back where one was"
        await d.press("b", "escape")
        assert d.app.screen is pane and "what went" not in d.screen_text()
        await d.press("b")
        await d.emit(e.HistoryShown(BEFORE))
        assert "history as it will be sent" in d.screen_text(), "it was taken back"


async def test_the_whole_gauge_is_one_key_away():
    async with Driven(inspecting(LISTED), size=(80, 24)) as d:
        await inspected(d)
        await d.press("g")
        text = d.screen_text()
        assert "answer reserve" in text and "then ⋯ summary  in about 12 calls" in text
        await d.press("escape")
        assert "first words" in d.screen_text()


async def test_an_emptied_history_is_no_list():
    async with Driven(inspecting(LISTED), size=(120, 36)) as d:
        await inspected(d)
        await d.emit(e.HistoryCleared())
        assert "The history is empty" in d.screen_text()
        await d.press("p", "c", "o", "b", "enter", "down", "end")


async def test_a_history_of_ten_thousand_messages_is_listed_at_once():
    many = tuple(HistoryRow(n + 1, n, "tool", "", 100, "live", False, "", 400, "grep", "hit") for n in range(10_000))
    async with Driven([*opened(), e.HistoryShown(many)], size=(120, 36)) as d:
        pane = await inspected(d)
        assert pane.rows.cursor == 9_999 and "10,000 messages" in d.screen_text()
        await d.press("home", "pagedown", "end")
        assert pane.current.number == 10_000


# -- a step taken back, in the chat


async def test_a_step_taken_back_is_a_line_in_the_chat():
    async with Driven([*opened(), e.Undone("summary", 12_000, 58_000)], size=(100, 30)) as d:
        await d.emit(e.Notice("info", phrase("engine.undone_summary", n=58_000)))
        text = d.screen_text()
        assert "⋯ taken back: the summary" in text and "12,000 → 58,000 tokens" in text
        assert "The summary was taken back" not in text, "said once"
        await d.emit(e.Undone("offload", 900, 9_000), e.Boundary("offload", 40_000, 2_000, 1, "f.txt"))
        assert "900 → 9,000 tokens" in d.screen_text() and "40,000 → 2,000 chars" in d.screen_text()


# -- against the engine itself


class Live:
    """The app with the offline engine, driven by keys alone."""

    def __init__(self, folder: Path, language="en", window=16_000, size=(120, 36)):
        project = folder / "project"
        project.mkdir()
        for n in range(16):
            (project / f"f{n:02d}.txt").write_text("".join(f"file {n}, line {at}\n" for at in range(190)))
        settings = Settings(ui=UiSettings(language, "dark"), context=ContextSettings(window=window))
        words = Words(language)
        paths = Paths(folder / "home", project.resolve())
        self.language = language
        self.size = size
        self.worker = None

        async def opening():
            self.worker = await open_worker(OpenOptions(settings, paths, words))
            return self.worker

        environment = {"HOME": str(folder), "LANG": "C.UTF-8"}
        self.app = make_app(opening, words, settings, paths, (), environment, SystemClock())

    async def __aenter__(self):
        self._context = self.app.run_test(size=self.size)
        self.pilot = await self._context.__aenter__()
        await self.until(lambda: self.app.state.phase == "idle")
        return self

    async def __aexit__(self, *error):
        await self._context.__aexit__(*error)

    async def until(self, done, seconds=20):
        async with asyncio.timeout(seconds):
            while not done():
                await self.pilot.pause()
        await self.pilot.pause()

    async def say(self, text):
        turn = self.app.state.turn
        self.app.chat.prompt.insert(text)
        await self.pilot.press("enter")
        await self.until(lambda: self.app.state.turn > turn and not self.app.state.busy)

    async def command(self, text):
        await self.pilot.press(*text, "enter")

    async def read(self, *numbers):
        verb = "read" if self.language == "en" else "读取"
        for n in numbers:
            await self.say(f"{verb} f{n:02d}.txt")

    @property
    def history(self):
        return self.worker._unit.history.messages

    def text(self):
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def inspect(self):
        await self.pilot.press("f5")
        await self.until(lambda: self.app.state.history is not None and len(self.app.screen.rows.rows) > 0)
        return self.app.screen

    async def go_to(self, pane, wanted):
        """Walk to a message with the arrow keys."""
        await self.pilot.press("home")
        for _ in range(len(pane.rows.rows)):
            if pane.current is not None and wanted(pane.current):
                return pane.current
            await self.pilot.press("down")
        raise AssertionError("no such message")


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_pins_clears_and_undo_by_hand(tmp_path, language):
    async with Live(tmp_path, language) as live:
        await live.read(0, 1, 2)
        pane = await live.inspect()
        rows = live.app.state.history.rows
        report = live.app.state.report
        assert sum(row.tokens for row in rows) + dict(report.parts)["schemas"] == pytest.approx(report.used, abs=30)
        assert [row.number for row in rows] == list(range(1, len(live.history) + 1))

        row = await live.go_to(pane, lambda row: row.role == "tool")
        await live.pilot.press("p")
        await live.until(lambda: pane.current.pinned)
        assert row.uid in live.worker._unit.manager.pinned and "✦" in live.text()
        await live.pilot.press("p")
        await live.until(lambda: not pane.current.pinned)

        before = fingerprint(live.history)
        await live.pilot.press("c")
        await live.until(lambda: pane.current.state == "cleared")
        assert pane.current.uid == row.uid and "◌" in live.text()
        await live.pilot.press("c")
        refusal = live.app._look.words("engine.nothing_to_clear")
        await live.until(lambda: refusal in live.text())
        await live.pilot.press("u")
        await live.until(lambda: pane.current.state == "live")
        assert fingerprint(live.history) == before

        await live.pilot.press("o")
        await live.until(lambda: pane.current.state == "offloaded")
        assert (Path(live.app.state.project) / pane.current.stored).read_text().startswith("file 0, line 0")
        await live.pilot.press("b")
        assert live.app._look.words("inspector.count_changed", n="1") in live.text()
        await live.pilot.press("u")
        title = live.app._look.words("inspector.title")
        await live.until(lambda: fingerprint(live.history) == before and title in live.text())
        await live.pilot.press("escape")
        await live.until(lambda: live.app.screen is live.app.chat)
        assert live.app._look.words("gauge.undone_offload") in live.text()


@pytest.mark.parametrize(("language", "window"), [("en", 16_000), ("zh", 8_000)])
async def test_a_compaction_is_looked_at_and_taken_back(tmp_path, language, window):
    async with Live(tmp_path, language, window) as live:
        await live.read(0, 1, 2, 3, 4)
        before = fingerprint(live.history)
        count = len(live.history)
        await live.command("/compact")
        await live.until(lambda: any(message.origin == "summary" for message in live.history))
        pane = await live.inspect()
        await live.until(lambda: live.app.state.history.undo == "summary")
        await live.go_to(pane, lambda row: row.origin == "summary")
        await live.until(lambda: live.app.state.message and live.app.state.message.message.uid == pane.current.uid)
        await live.pilot.press("b")
        went = sum(row.uid not in {m.uid for m in live.history} for row in live.app.state.history.before)
        assert live.app._look.words("inspector.count_went", n=str(went)) in live.text()
        await live.pilot.press("f2")
        await live.command("/compact undo")
        await live.until(lambda: not any(message.origin == "summary" for message in live.history))
        assert fingerprint(live.history) == before and len(live.history) == count
        await live.until(lambda: live.app._look.words("gauge.undone_summary") in live.text())
        await live.inspect()
        await live.until(lambda: live.app.state.history.undo != "summary")
        while (shown := live.app.state.history).undo is not None:  # clears that came before
            await live.pilot.press("u")
            await live.until(lambda shown=shown: live.app.state.history is not shown)
        await live.pilot.press("u")
        await live.until(lambda: live.app._look.words("engine.undo_nothing") in live.text())
        assert not violations(live.history)


async def test_a_pinned_result_outlives_the_clears_of_a_long_task(tmp_path):
    async with Live(tmp_path, window=16_000) as live:
        await live.read(0)
        pane = await live.inspect()
        row = await live.go_to(pane, lambda row: row.role == "tool")
        await live.pilot.press("p", "f2")
        await live.read(*range(1, 14))
        kept = next(message for message in live.history if message.uid == row.uid)
        others = [message for message in live.history if message.role == "tool" and message.uid != row.uid]
        assert kept.state != "cleared" and "file 0, line 0" in kept.content
        assert any(message.state == "cleared" for message in others) or any(
            message.origin == "summary" for message in live.history
        )
        marks = {point.mark for point in live.app.state.report.trend}
        assert marks & {"clear", "summary"}, "the trend bears the signs"


async def test_a_step_at_work_is_seen_in_the_open_inspector(tmp_path):
    async with Live(tmp_path, window=16_000) as live:
        await live.read(0, 1, 2, 3)
        pane = await live.inspect()
        shown = live.app.state.history
        await live.pilot.press("f2")
        live.app.chat.prompt.insert("read f04.txt")
        await live.pilot.press("enter", "f5")
        await live.until(lambda: not live.app.state.busy)
        await live.until(lambda: len(live.app.state.history.rows) == len(live.history) > len(shown.rows))
        assert len(pane.rows.rows) >= len(live.history)


def test_messages_named_in_a_scene_are_as_the_engine_tells_them():
    assert CALL.tool_calls[0] == ToolCall("c1", "grep", '{"pattern": "def export", "path": "app/"}')
    assert isinstance(RESULT, Message) and all(row.uid == 10 + row.number for row in BEFORE)
