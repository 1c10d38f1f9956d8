"""The memory browser: what is remembered, how it stands, and one key for whatever can be done about it."""

from typing import ClassVar, Literal

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.timer import Timer
from textual.widgets import Input

from paitui.engine.events import MemoryChanged
from paitui.engine.ops import Memory, MemoryVerb
from paitui.locale import Phrase
from paitui.memory.view import MemoryView
from paitui.ui.actions import Scope
from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.intents import Ask
from paitui.ui.keymap import label
from paitui.ui.lines import Line, Span
from paitui.ui.memory_feed import Feed, idle_keys
from paitui.ui.memory_said import told
from paitui.ui.memory_state import FILTERS, Act, Filter, Review, arranged, review
from paitui.ui.render import memory as render
from paitui.ui.screens.pane import Movable, PaneParts, PaneScreen
from paitui.ui.state import ViewState
from paitui.ui.widgets.fact_editor import FactEditor
from paitui.ui.widgets.given_lines import GivenLines
from paitui.ui.widgets.pane_detail import PaneDetail
from paitui.ui.widgets.row_list import RowList

TYPED_S = 0.15
"""So long after the last key a search is asked for."""
AFTER_S = 0.2
"""So long after a change the list is asked for anew: what an entry says may stand against others now."""
LOOK_S = 1.0
"""Between two looks whether another program changed the file."""


class MemoryBrowser(PaneScreen):
    """Long-term memory, listed and looked after."""

    CSS_PATH = ["../styles/pane.tcss", "../styles/memory.tcss"]  # type: ignore[assignment]  # noqa: RUF012
    OPENED_BY: ClassVar[str] = "memory"
    SCOPE: ClassVar[Scope] = "memory"

    def __init__(self, parts: PaneParts) -> None:
        look = parts.look
        detail = PaneDetail(look, id="memory-detail")
        super().__init__(parts, RowList(look, render.MemoryRows((), look, parts.clock.now()), id="memories"), detail)
        self._pane = detail
        self._feed = Feed(parts.clock)
        self._filter: Filter = "all"
        self._changed_before: MemoryChanged | None = None
        self._run: Review | None = None
        self._edited = ""
        self._waiting: Timer | None = None
        self._listed: object = None
        self._quiet: tuple[SafeText, str] | None = None
        self.heading = GivenLines(look, self._draw_heading, id="memory-heading")
        self.empty = GivenLines(look, self._draw_empty, id="memory-empty")
        self.search = Input(
            id="memory-search",
            compact=True,
            select_on_focus=False,
            placeholder=look.words("memories.search_placeholder"),
        )
        self.search.cursor_blink = False
        self.editor = FactEditor(look)
        self.rows.border_title = look.words("memories.title")

    def above(self) -> ComposeResult:
        """How much there is, the fields for a search and for a fact, and what to say where there is nothing."""
        self.search.display = False
        yield self.heading
        yield self.search
        yield self.editor
        yield self.empty

    def on_mount(self) -> None:
        """Look now and then whether another program changes the file."""
        super().on_mount()
        self.set_interval(LOOK_S, self._look_at_file)

    # -- what is shown

    def open(self, state: ViewState) -> None:
        """It comes into view: ask what is remembered now."""
        self._changed_before = state.memory_changed
        super().open(state)
        self._ask_list()

    def show(self, state: ViewState) -> None:
        """Draw another state; after a change, say what came of it and ask anew."""
        super().show(state)
        event = state.memory_changed
        if self.is_mounted and event is not None and event is not self._changed_before:
            self._changed_before = event
            self._settle(event)
            self.answer(told(event, self._key("memory_undo")))
            self._ask_soon()
        elif self.is_mounted and state.said is not None and state.said.key == "memory.relinked":
            self._ask_soon()

    def draw(self) -> None:
        """Show the entries, if they are others, and the current one."""
        feed = self._feed
        if feed.take(self.state.memories) and feed.shown is not None and self._run is not None:
            self._run = self._run.seen(feed.shown.entries)
        self._draw_rows()
        self._draw_detail()
        nothing = feed.nothing and self._run is None
        if nothing != self.has_class("-empty"):
            self.set_class(nothing, "-empty")
            self.empty.redraw()
            if not nothing and self.focused is None:
                self.set_focus(self.rows)
        if self._quiet is not None:
            text, id = self._quiet
            self._quiet = self._quiet if id == self._current_id else None
            self.status.say(text if self._quiet is not None else None)
        self.heading.redraw()
        writing = self.editor.display  # its own line says what Enter does
        typing = writing or self.focused is self.search
        self.footer.hide(idle_keys(self._feed, self._run, self.current is not None and not writing, typing))

    def _draw_rows(self) -> None:
        entries = self._run.entries if self._run is not None else arranged(self._feed.shown, self._filter)
        steps = self._run.steps if self._run is not None else None
        drawn = (entries, steps, self._feed.shown is None, bool(self._feed.query))
        if drawn == self._listed:
            return
        self._listed = drawn
        words = self._look.words
        nothing = words("memories.nothing_found" if self._feed.query else "memories.nothing_of_kind")
        self.rows.empty = (Span(own(words("memories.reading") if self._feed.shown is None else nothing), "dim"),)
        project = self.state.project
        self.rows.show(render.MemoryRows(entries, self._look, self._parts.clock.now(), self._run, project))
        if self._run is not None and not self._run.finished:
            self.rows.move_to(self._run.at)

    def _draw_detail(self) -> None:
        view = self.current
        look, now = self._look, self._parts.clock.now()
        if view is None:
            self._pane.border_title = None
            self._pane.show(None, [self._draw_end] if self._run is not None else [])
            return
        file = self._feed.file
        log = self.state.memory_log
        past = log.lines if log is not None and log.title.params.get("id") == view.id else ()
        self._pane.border_title = Text(one_line(view.id))
        drawn_from = (view, file, past)
        self._pane.show(view.id, [lambda total: render.detail(view, look, now, total, file, past)], drawn_from)

    def _draw_end(self, total: int) -> list[Line]:
        return [(Span(own(self._look.words("memories.review_done")), "strong"),)]

    def _draw_heading(self, total: int) -> list[Line]:
        if self._feed.shown is None:
            return []
        keys = {name: self._key(f"memory_{name}") for name in ("relink", "review", "all")}
        what = render.figures(self._feed, self._feed.shown, self._filter, len(self.rows.rows), keys)
        return render.heading(what, self._run, self._look, total)

    def _key(self, name: str) -> str:
        return label(self._parts.keymap.keys(name)[0])

    def _draw_empty(self, total: int) -> list[Line]:
        return render.empty_page(self._look, {"key": self._key("memory_new")}, self._feed.file, total)

    @property
    def current(self) -> MemoryView | None:
        """The entry that keys act on."""
        if self._run is not None:
            return self._run.current
        rows = self.rows.rows
        if not isinstance(rows, render.MemoryRows) or self.rows.cursor >= len(rows):
            return None
        return rows.entries[self.rows.cursor]

    @property
    def _current_id(self) -> str:
        return view.id if (view := self.current) is not None else ""

    def answer(self, what: Phrase | None) -> None:
        """Say something in passing, until another entry is the current one; a list told anew leaves it there."""
        super().answer(what)
        self._quiet = None if what is None else (self._look.say(what), self._current_id)

    # -- asking the worker

    def _ask_list(self) -> None:
        self.post_message(Ask(self._feed.asks()))

    def _ask_soon(self, after: float = AFTER_S) -> None:
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(after, self._ask_now)

    def _ask_now(self) -> None:
        self._waiting = None
        self._ask_list()

    def _look_at_file(self) -> None:
        """Ask anew once the file is another; another program may have written to it."""
        if not self.is_current or self._waiting is not None:
            return
        if self._feed.file_changed():
            self._ask_list()
        elif self._feed.others_s is not None:
            self.heading.redraw()

    def _do(
        self, verb: MemoryVerb, view: MemoryView, text: str = "", scope: Literal["", "project", "global"] = ""
    ) -> None:
        self._feed.sent(verb, view.id)
        self.post_message(Ask(Memory(verb, id=view.id, text=text, scope=scope)))

    def _settle(self, event: MemoryChanged) -> None:
        """What came to nothing has nothing to undo, should the review go back."""
        if (id := self._feed.came_to_nothing(event)) and self._run is not None:
            self._run = self._run.came_to_nothing(id)
            self.draw()

    def before_input(self, event: Key | Paste) -> bool:
        """Act on a key at once: where one moves the keyboard to a field, what follows is text and no command.

        Returns:
            Whether the key is dealt with.
        """
        if isinstance(event, Paste) or self.focused in (self.search, self.editor.field):
            return False
        name = self._parts.keymap.name(event.key, "memory") or self._parts.keymap.name(event.key, "pane")
        if name is None:
            return False
        getattr(self, f"action_{name}")()
        return True

    # -- actions, named in the keymap

    def action_memory_verify(self) -> None:
        """It still holds."""
        if (view := self.current) is not None:
            self._do("verify", view)
            self._dealt("verified")

    def action_memory_delete(self) -> None:
        """It goes."""
        if (view := self.current) is not None:
            self._do("delete", view)
            self._dealt("deleted")

    def action_memory_skip(self) -> None:
        """Look at it another time."""
        if self._run is not None and self.current is not None:
            self._dealt("skipped")

    def action_memory_edit(self) -> None:
        """Say it in other words."""
        if (view := self.current) is not None:
            self._edited = view.id
            self._open_editor("memories.editing", view.content)

    def action_memory_new(self) -> None:
        """Write down a fact."""
        if self._run is None:
            self._edited = ""
            self._open_editor("memories.new_fact")

    def action_memory_scope(self) -> None:
        """Let it count here only, or everywhere."""
        if self._run is None and (view := self.current) is not None:
            self._do("scope", view, scope="project" if view.scope == "global" else "global")

    def action_memory_undo(self) -> None:
        """Take back the last change; in a review, go back to the entry before."""
        if self._run is None:
            self.post_message(Ask(Memory("undo")))
            return
        self._run, step = self._run.back()
        if step is not None and step.changes:
            self.post_message(Ask(Memory("undo", id=self._run.entries[step.at].id)))
        self.draw()

    def action_memory_search(self) -> None:
        """Look for something."""
        if self._run is None:
            self.search.display = True
            self.set_focus(self.search)

    def action_memory_filter(self) -> None:
        """Show another kind."""
        if self._run is None:
            self._filter = FILTERS[(FILTERS.index(self._filter) + 1) % len(FILTERS)]
            self.draw()

    def action_memory_all(self) -> None:
        """List other projects too, or no more."""
        if self._run is None:
            self._feed.with_others = not self._feed.with_others
            self._ask_list()

    def action_memory_review(self) -> None:
        """Walk through what is to be looked at."""
        entries = arranged(self._feed.shown, "review")
        if self._run is None and entries:
            self._run = review(entries)
            self.set_class(True, "-reviewing")
            self.answer(None)
            self._to_list()
            self.draw()

    def action_memory_log(self) -> None:
        """What became of it over time."""
        if self._run is None and (view := self.current) is not None:
            self.post_message(Ask(Memory("log", id=view.id)))
            if not self.side_by_side:
                self.action_read()

    def action_memory_relink(self) -> None:
        """Take over what belonged to the folder before it was renamed."""
        if self._run is None and self._feed.shown is not None and self._feed.shown.movable:
            self.post_message(Ask(Memory("relink")))

    def action_read(self) -> None:
        """To the detail; from the search, to what was found."""
        if self.focused is self.search:
            self.set_focus(self.rows)
        elif self._run is None or self.side_by_side:
            super().action_read()

    def action_go_back(self) -> None:
        """Leave the field, the search or the review, else as in every pane."""
        if self.editor.display:
            self._close_editor()
        elif self.focused is self.search or (self.search.display and not self.reading):
            self._leave_search()
        elif self._run is not None:
            self._run = None
            self._listed = None
            self.set_class(False, "-reviewing")
            self._to_list()
            self.draw()
        else:
            super().action_go_back()

    # -- the fields

    def _dealt(self, act: Act) -> None:
        if self._run is not None:
            self._run = self._run.done(act)
            self.draw()

    def _open_editor(self, title: str, text: str = "") -> None:
        words = self._look.words
        self.editor.open(own(words(title)), own(words("memories.editor_keys")), text)
        self.set_focus(self.editor.field)

    def _close_editor(self) -> None:
        self.editor.close()
        self._to_list()

    def _to_list(self) -> None:
        """Give the keyboard to the list; in a review in a narrow window there is only the entry."""
        self.set_focus(self._pane if self._run is not None and not self.side_by_side else self.rows)

    def _mover(self) -> Movable:
        return self._pane if self._run is not None else super()._mover()

    @on(FactEditor.Saved)
    def _saved(self, event: FactEditor.Saved) -> None:
        unchanged = self.editor.unchanged
        self._close_editor()
        if not event.text or (self._edited and unchanged):
            return
        if not self._edited:
            self.post_message(Ask(Memory("save", text=event.text)))
        elif (view := self.current) is not None and view.id == self._edited:
            self._do("replace", view, text=event.text)
            self._dealt("edited")

    @on(Input.Changed, "#memory-search")
    def _typed(self, event: Input.Changed) -> None:
        self._feed.query = event.value.strip()
        self._ask_soon(TYPED_S)
        self.draw()

    @on(Input.Submitted, "#memory-search")
    def _to_found(self, event: Input.Submitted) -> None:
        event.stop()
        self.set_focus(self.rows)

    def _leave_search(self) -> None:
        self.search.display = False
        self.set_focus(self.rows)
        if self._feed.query:
            self.search.value = ""
            self._feed.query = ""
            self._ask_soon(0)
