"""Panes beside the chat: how one gets to them and back, what stands around them, and the list they are made of."""

import subprocess
import sys

import pytest
from textual.app import App

from paitui.context.report import HistoryRow
from paitui.engine import events as e
from paitui.engine import ops
from paitui.locale import Words, phrase
from paitui.ui.glyphs import UNICODE
from paitui.ui.lines import glyph
from paitui.ui.look import Look
from paitui.ui.screens.inspector import ContextInspector
from paitui.ui.screens.pane import PaneScreen
from paitui.ui.widgets.row_list import RowList
from tests.ui.scenes import asking, opened
from tests.ui.test_ui_app import Driven


def rows(count):
    return tuple(
        HistoryRow(n + 1, 100 + n, "tool", "", 10, "live", False, "", 40, "grep", f"hit {n}") for n in range(count)
    )


async def opened_pane(d, count=30):
    await d.press("f5")
    await d.emit(e.HistoryShown(rows(count)))
    await d.press("home")
    assert isinstance(d.app.screen, ContextInspector)
    return d.app.screen


async def test_a_pane_is_made_when_it_is_opened_and_keeps_its_cursor():
    async with Driven(opened()) as d:
        assert d.app.panes.current is None and not d.app.panes._made
        pane = await opened_pane(d)
        await d.press("down", "j", "j", "k")
        assert pane.rows.cursor == 2
        await d.press("f2")
        assert d.app.screen is d.app.chat and d.app.panes.current is None
        await d.press("x", "f5")
        assert d.app.screen is pane and pane.rows.cursor == 2 and d.prompt.draft == "x"


@pytest.mark.parametrize("way", [("f2",), ("escape",), ("q",), ("ctrl+c",)])
async def test_every_way_back_leaves_the_draft_and_the_keyboard_to_the_prompt(way):
    async with Driven(opened()) as d:
        await d.press("h", "f5", *way, "i")
        assert d.app.screen is d.app.chat and d.prompt.draft == "hi" and d.prompt.has_focus


async def test_a_pane_is_not_opened_from_a_modal():
    async with Driven(opened()) as d:
        await d.press("f1", "f5")
        assert d.app.panes.current is None
        await d.press("escape")
        await opened_pane(d)
        await d.press("f1", "f2")
        assert d.app.panes.current is not None and not isinstance(d.app.screen, PaneScreen)


async def test_letters_go_to_the_draft_in_the_chat_and_to_the_list_in_a_pane():
    async with Driven(opened()) as d:
        await d.press("j", "j")
        assert d.prompt.draft == "jj"
        pane = await opened_pane(d)
        await d.press("j")
        assert pane.rows.cursor == 1 and d.prompt.draft == "jj"


async def test_the_command_opens_the_pane_and_the_header_names_those_there_are():
    async with Driven(opened()) as d:
        await d.press(*"/context", "enter")
        assert isinstance(d.app.screen, ContextInspector) and ops.ShowHistory() in d.worker.ops
        head = d.screen_text().splitlines()[0]
        assert "chat F2" in head and "memory F3" in head and "▸context F5" in head and "ledger F4" in head


async def test_a_click_on_a_tab_leads_there():
    async with Driven(opened()) as d:
        await opened_pane(d)
        at = d.screen_text().splitlines()[0].index("chat")
        await d.pilot.click(offset=(at, 0))
        await d.pilot.pause()
        assert d.app.screen is d.app.chat


async def test_what_waits_for_the_user_is_said_in_a_pane_and_answered_only_in_the_chat():
    async with Driven(asking("rm -r build")) as d:
        await opened_pane(d)
        d.clock.seconds += 5
        await d.pilot.pause(0.6)
        assert "approval waits: F2" in d.screen_text() and "rm -r build" in d.screen_text()
        await d.press("y", "enter", "f2", "n")
        assert not any(isinstance(op, ops.Decide) for op in d.worker.ops), "the panel has not been seen yet"
        assert d.prompt.draft == "n"


async def test_an_answer_in_passing_stays_until_the_cursor_moves_and_an_error_until_it_is_dismissed():
    async with Driven(opened()) as d:
        await opened_pane(d)
        await d.emit(e.Notice("info", phrase("engine.nothing_to_clear")), e.Notice("error", phrase("disk full")))
        said = d.app._look.words("engine.nothing_to_clear")[:20]
        assert said in d.screen_text() and "disk full" in d.screen_text()
        await d.press("down")
        assert said not in d.screen_text() and "disk full" in d.screen_text()


async def test_the_agent_is_stopped_from_a_pane():
    async with Driven([*opened(), e.TurnStarted(1), e.UserSaid("go"), e.ModelStarted(2)]) as d:
        await opened_pane(d)
        await d.press("ctrl+c")
        assert ops.Interrupt() in d.worker.ops and isinstance(d.app.screen, ContextInspector)


@pytest.mark.parametrize("size", [(40, 6), (60, 20), (80, 24), (200, 60)])
async def test_a_pane_bears_any_size(size):
    async with Driven(opened(), size=size) as d:
        pane = await opened_pane(d, 300)
        await d.press("end")
        assert pane.rows.cursor == 299 and "▌ 300  tool" in d.screen_text()
        await d.pilot.resize_terminal(20, 4)
        await d.pilot.resize_terminal(*size)
        await d.pilot.pause()
        assert "▌ 300  tool" in d.screen_text()


def test_no_pane_is_imported_before_it_is_opened():
    code = (
        "import sys; import paitui.ui.app; print([m for m in sys.modules if 'inspector' in m or 'screens.pane' in m])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# -- the list


class Numbers:
    """Rows that count how often they are asked for."""

    def __init__(self, names):
        self.names = names
        self.drawn = 0

    def __len__(self):
        return len(self.names)

    def key(self, at):
        return self.names[at]

    def find(self, key):
        return self.names.index(key) if key in self.names else None

    def head(self, total):
        return (glyph("name"),)

    def row(self, at, total):
        self.drawn += 1
        return (glyph(f"row {self.names[at]}"),)


class ListApp(App):
    def __init__(self, source):
        super().__init__()
        self.list = RowList(Look(Words("en"), UNICODE), source, (glyph("nothing"),))

    def compose(self):
        yield self.list

    def text(self):
        return [strip.text[:38].rstrip() for strip in self.screen._compositor.render_strips()]


async def test_only_rows_in_view_are_drawn_however_many_there_are():
    drawn = []
    for count in (100, 1_000_000):
        source = Numbers(range(count))
        app = ListApp(source)
        async with app.run_test(size=(40, 20)) as pilot:
            await pilot.pause()
            source.drawn = 0
            app.list.last()
            await pilot.pause()
            app.list.page(-1)
            await pilot.pause()
            drawn.append(source.drawn)
            assert app.text()[0] == "  name" and app.list.cursor == count - 1 - 18
    assert drawn[0] == drawn[1] < 100


async def test_the_cursor_is_in_view_and_marked():
    app = ListApp(Numbers(range(100)))
    async with app.run_test(size=(40, 11)) as pilot:
        app.list.focus()
        for go, shown in ((app.list.last, "▌ row 99"), (app.list.first, "▌ row 0")):
            go()
            await pilot.pause()
            assert shown in app.text()
        app.list.move(12)
        await pilot.pause()
        assert app.text()[-1] == "▌ row 12"


async def test_the_cursor_stays_on_its_row_when_others_come_and_go():
    app = ListApp(Numbers(list("abcdef")))
    async with app.run_test(size=(40, 11)) as pilot:
        app.list.move_to(3)
        app.list.show(Numbers(list("cdefgh")))
        assert app.list.cursor == 1
        app.list.show(Numbers(list("xy")))
        assert app.list.cursor == 1, "its row is gone; the place stays"
        app.list.show(Numbers(list("xyz")))
        assert app.list.cursor == 2, "at the end it stays at the end"
        app.list.show(Numbers([]))
        await pilot.pause()
        assert app.text()[0] == "  nothing" and app.list.cursor == 0


async def test_a_click_makes_a_row_current_and_a_second_one_chooses_it():
    chosen = []

    class Clicked(ListApp):
        def on_row_list_chosen(self, event):
            chosen.append(event.at)

    app = Clicked(Numbers(range(50)))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.click(RowList, offset=(5, 4))
        assert app.list.cursor == 3 and not chosen
        await pilot.click(RowList, offset=(5, 0))
        assert app.list.cursor == 3, "the head is no row"
        await pilot.click(RowList, offset=(5, 4), times=2)
        assert chosen == [3]
