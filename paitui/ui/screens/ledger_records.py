"""The records of a ledger as a list: followed, filtered, searched, each shown as a whole."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.timer import Timer
from textual.widgets import Input

from paitui.ledger.files import ENDING, LedgerFile
from paitui.ledger.index import EVERYTHING, LedgerFilter
from paitui.ledger.row import Row
from paitui.ledger.view import LedgerView, Progress
from paitui.locale import phrase
from paitui.ui.actions import LEDGER, Scope
from paitui.ui.door import line as one_line
from paitui.ui.door import own
from paitui.ui.keymap import label
from paitui.ui.ledger_jobs import LedgerJobs, unreadable
from paitui.ui.ledger_pages import LedgerPages, turned
from paitui.ui.ledger_text import pieces_of
from paitui.ui.lines import Line, Span
from paitui.ui.render import ledger as render
from paitui.ui.screens.pane import PaneParts, PaneScreen
from paitui.ui.state import ViewState
from paitui.ui.widgets.fact_editor import FactEditor
from paitui.ui.widgets.given_lines import GivenLines
from paitui.ui.widgets.pane_detail import PaneDetail
from paitui.ui.widgets.row_list import RowList

FOLLOW_S = 0.5
"""So often a ledger that is in view is looked at for new records."""
_LETTERS = frozenset(action.name for action in LEDGER)


class LedgerRecords(PaneScreen):
    """The records of one ledger."""

    CSS_PATH = ["../styles/pane.tcss", "../styles/sessions.tcss", "../styles/ledger.tcss"]  # type: ignore[assignment]  # noqa: RUF012
    OPENED_BY: ClassVar[str] = "ledger"
    SCOPE: ClassVar[Scope] = "ledger"

    def __init__(self, parts: PaneParts) -> None:
        look = parts.look
        detail = PaneDetail(look, id="ledger-detail")
        self._view = LedgerView(Path())
        self._pages = LedgerPages(self._view)
        nothing = (Span(own(look.words("ledger_pane.nothing")), "dim"),)
        super().__init__(
            parts,
            RowList(look, render.LedgerRows(self._pages, look, parts.clock.now()), nothing, id="ledger-rows"),
            detail,
        )
        self._pane = detail
        self._jobs = LedgerJobs(self, self.answer)
        self._session = ""
        self._which = EVERYTHING
        self._query = ""
        self._progress: Progress | None = None
        self._searched: int | None = None
        self._source = False
        self._seen = 0
        self._target: tuple[str, str] | None = None
        self._files: list[tuple[LedgerFile, str]] | None = None
        self._timer: Timer | None = None
        self.heading = GivenLines(look, self._draw_heading, id="session-heading")
        self.search = Input(
            id="session-search",
            compact=True,
            select_on_focus=False,
            placeholder=look.words("ledger_pane.search_placeholder"),
        )
        self.search.cursor_blink = False
        self.editor = FactEditor(look)
        self.rows.border_title = look.words("ledger_pane.title")

    def above(self) -> ComposeResult:
        """Which ledger and which records, and the fields for a search and for a file."""
        self.search.display = False
        yield self.heading
        yield self.search
        yield self.editor

    # -- what is shown

    def open(self, state: ViewState) -> None:
        """It comes into view, with the ledger of the session that runs."""
        super().open(state)
        if not self._session or self._live:
            self._look_at(state.session)
        if self._timer is not None:
            self._timer.resume()

    def on_mount(self) -> None:
        """Follow the file while it is looked at."""
        super().on_mount()
        self._timer = self.set_interval(FOLLOW_S, self._follow)

    def on_screen_suspend(self) -> None:
        """Out of view: nothing is read, nothing is searched."""
        self._stop_search()
        if self._timer is not None:
            self._timer.pause()

    def show_record(self, role: str, text: str) -> None:
        """Go to the record that holds a text, once the ledger is read.

        Args:
            role: Whose message it is; empty for any record.
            text: Part of it, such as the id of a call.
        """
        self._which = LedgerFilter(role=role)
        self._target = (role, text)
        if self.complete:
            self._go_to_target()

    @property
    def complete(self) -> bool:
        """Whether the ledger is read to its end and listed."""
        return self._progress is not None and self._progress.complete

    @property
    def _live(self) -> bool:
        return self._session == self.state.session

    @property
    def _path(self) -> Path:
        return self._parts.ledgers / f"{self._session}{ENDING}"

    def _look_at(self, session: str) -> None:
        """Open a ledger."""
        if session == self._session and self._view.path == self._path:
            self._follow()
            return
        self._session, self._files = session, None
        self._view = LedgerView(self._path)
        self._which, self._query, self._progress, self._seen = EVERYTHING, "", None, 0
        self._stop_search()
        self._jobs.read(self._view, False, self._grown)

    def _follow(self) -> None:
        if self._session and self._files is None:
            self._jobs.read(self._view, self.complete, self._grown)

    def _grown(self, view: LedgerView, progress: Progress | None) -> None:
        if view is not self._view:
            return
        self._progress = progress
        if progress is None or progress.complete:
            self._list()
            if progress is not None and self._target is not None:
                self._go_to_target()
        self.heading.redraw()

    def _list(self) -> None:
        """Show what is there now; at the end the cursor stays at the end."""
        was, at_end = self._pages, self.rows.cursor >= len(self.rows.rows) - 1
        try:
            self._pages = LedgerPages.of(self._view, self._which)
        except OSError as error:
            self.answer(unreadable(self._view, error))
            return
        first = was.view is not self._view or isinstance(self.rows.rows, render.FileRows) or not len(self.rows.rows)
        if first:
            self.rows.cursor = max(0, self._pages.count - 1)
        self.rows.show(self._made())
        if first or at_end:
            self._seen = self._pages.count
            self.rows.last()
        self.draw()

    def _made(self) -> render.LedgerRows:
        return render.LedgerRows(self._pages, self._look, self._parts.clock.now(), self._query)

    def draw(self) -> None:
        """Show the current record, and what stands above the list."""
        self._draw_detail()
        self.heading.redraw()
        typing = self.editor.display or self.focused is self.search
        hidden = _LETTERS | {"read"} if typing else _LETTERS if self._files is not None else frozenset()
        self.footer.hide(hidden)

    @property
    def current(self) -> Row | None:
        """The record that keys act on."""
        rows = self.rows.rows
        if not isinstance(rows, render.LedgerRows) or not len(rows):
            return None
        try:
            return rows.pages.row(self.rows.cursor)
        except OSError:
            return None

    def _draw_detail(self) -> None:
        row = self.current
        self.set_class(self.reading and row is not None and row.event == "boundary", "-sides")
        if row is None:
            self._pane.border_title = None
            self._pane.show(None, [])
            return
        self._pane.border_title = Text(one_line(render.word_of(render.name_of(row), self._look)))
        key = (str(self._view.path), row.offset, self._source)
        try:
            self._pane.show(key, pieces_of(self._view, row, self._source, self._look), (key, row.line))
        except OSError as error:
            why = self._look.say(unreadable(self._view, error))
            self._pane.show(key, [lambda total: [(Span(why, "danger"),)]])

    def _draw_heading(self, total: int) -> list[Line]:
        if self._files is not None:
            return [(Span(own(self._look.words("ledger_pane.choose", n=len(self._files))), "text"),)]
        keys = {name: self._key(f"ledger_{name}") for name in ("event", "role", "tool", "unit")}
        progress = self._progress
        part = None if progress is None or progress.complete else 100 * progress.done // max(1, progress.total)
        at_end = self.rows.cursor >= len(self.rows.rows) - 1
        if at_end:
            self._seen = self._pages.count
        what = render.Heading(
            file=self._session,
            live=self._live,
            which=self._which,
            count=self._pages.count,
            keys=keys,
            progress=part if progress is not None else (0 if self._pages.newest is not None else None),
            below=0 if at_end else max(0, self._pages.count - self._seen),
            query=self._query,
            searching=self._searched,
        )
        return render.heading(what, self._look, total)

    def _key(self, name: str) -> str:
        return label(self._parts.keymap.keys(name)[0])

    # -- whose key it is

    def before_input(self, event: Key | Paste) -> bool:
        """Act on a key at once: where one moves the keyboard to a field, what follows is text and no command.

        Returns:
            Whether the key is dealt with.
        """
        if isinstance(event, Paste) or self.focused in (self.search, self.editor.field):
            return False
        name = self._parts.keymap.name(event.key, "ledger") or self._parts.keymap.name(event.key, "pane")
        if name is None:
            return False
        getattr(self, f"action_{name}")()
        return True

    # -- actions, named in the keymap

    def action_ledger_next(self) -> None:
        """To the next boundary."""
        self._jump(self._view.next_boundary)

    def action_ledger_previous(self) -> None:
        """To the boundary before."""
        self._jump(self._view.previous_boundary)

    def _jump(self, find: Callable[[int, LedgerFilter], int | None]) -> None:
        row = self.current
        if row is None or row.line < 0:
            self.answer(phrase("ledger_pane.still_indexing") if self._pages.newest is not None else None)
            return
        which = replace(self._which, event="boundary", role="") if self._which.unit else EVERYTHING
        line = find(row.line, which)
        if line is None:
            self.answer(phrase("ledger_pane.no_boundary"))
            return
        found = self._view.row(line)
        if found is not None and not self._which.takes(found.facts):
            self._filter(LedgerFilter(unit=self._which.unit))
        self.rows.move_to(self._pages.nearest(line))

    def action_ledger_event(self) -> None:
        """Show another kind of event."""
        self._turn("event")

    def action_ledger_role(self) -> None:
        """Show messages of another role."""
        self._turn("role")

    def action_ledger_tool(self) -> None:
        """Show what is about another tool."""
        self._turn("tool")

    def action_ledger_unit(self) -> None:
        """Show another unit."""
        self._turn("unit")

    def action_ledger_everything(self) -> None:
        """Show all records."""
        self._query = ""
        self._filter(EVERYTHING)

    def _turn(self, name: str) -> None:
        """Go on to the next value of a filter; behind the last one, to all."""
        if self._pages.newest is not None:
            self.answer(phrase("ledger_pane.still_indexing"))
            return
        self._filter(turned(self._which, name, self._view.facets()[name]))

    def _filter(self, which: LedgerFilter) -> None:
        row = self.current
        self._which = which
        self._pages = LedgerPages.of(self._view, which)
        self._seen = self._pages.count
        self.rows.show(self._made())
        if row is not None and row.line >= 0 and self._pages.newest is None:
            self.rows.move_to(self._pages.nearest(row.line))
        self.draw()

    def action_ledger_search(self) -> None:
        """Look for something."""
        self.search.display = True
        self.search.value = self._query
        self.set_focus(self.search)
        self.draw()

    def action_ledger_older(self) -> None:
        """To the match before."""
        self._search(backwards=True)

    def action_ledger_newer(self) -> None:
        """To the next match."""
        self._search(backwards=False)

    def _search(self, backwards: bool) -> None:
        if not self._query:
            self.action_ledger_search()
            return
        row = self.current
        offset = None if row is None else row.offset if backwards else row.offset + row.size + 1
        self._begin_search(self._query, offset, backwards)

    def _begin_search(self, query: str, offset: int | None, backwards: bool) -> None:
        self._searched = 0
        self.heading.redraw()
        self._jobs.search(self._view, query, offset, backwards, self._which, self._searching, self._found)

    def _stop_search(self) -> None:
        self._jobs.stop_search()
        self._searched = None

    def _searching(self, part: int) -> None:
        self._searched = part
        self.heading.redraw()

    def _found(self, row: Row | None, backwards: bool) -> None:
        self._searched = None
        self.heading.redraw()
        if row is None:
            self.answer(phrase("ledger_pane.no_older" if backwards else "ledger_pane.no_newer", text=self._query))
            return
        place = self._pages.find(row.offset)
        if place is None:
            self.answer(phrase("ledger_pane.still_indexing"))
        else:
            self.answer(None)
            self.rows.move_to(place)

    def _go_to_target(self) -> None:
        """Go to the record that another screen asked for."""
        (role, text), self._target = self._target or ("", ""), None
        self._filter(LedgerFilter(role=role))
        self._begin_search(text, None, True)
        self._which = EVERYTHING

    def action_ledger_source(self) -> None:
        """Show the JSON of a record, or again what it says."""
        self._source = not self._source
        self.draw()

    @on(Input.Submitted, "#session-search")
    def _looked_for(self, event: Input.Submitted) -> None:
        event.stop()
        self._query = event.value.strip()
        self.set_focus(self.rows)
        if self._query:
            self.rows.show(self._made())
            row = self.current
            self._begin_search(self._query, None if row is None else row.offset + row.size + 1, True)
        self.draw()
