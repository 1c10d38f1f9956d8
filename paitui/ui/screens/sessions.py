"""The sessions: look through them, go on with one, copy, delete or export one."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.timer import Timer
from textual.widgets import Input

from paitui.engine.events import SessionChanged, SessionsShown
from paitui.engine.ops import Sessions
from paitui.engine.session_command import form_of
from paitui.engine.session_desk import SessionView
from paitui.locale import Phrase, phrase
from paitui.session.info import SessionInfo
from paitui.ui.actions import SESSIONS, Scope
from paitui.ui.door import line as one_line
from paitui.ui.door import own
from paitui.ui.intents import Ask, Resume
from paitui.ui.keymap import label
from paitui.ui.lines import Line, Span
from paitui.ui.render import sessions as render
from paitui.ui.screens.pane import PaneParts, PaneScreen
from paitui.ui.state import ViewState
from paitui.ui.widgets.fact_editor import FactEditor
from paitui.ui.widgets.given_lines import GivenLines
from paitui.ui.widgets.pane_detail import PaneDetail
from paitui.ui.widgets.row_list import RowList

REST_S = 0.12
"""So long the cursor rests on a session before all of it is read."""
_LETTERS = frozenset(action.name for action in SESSIONS)


class SessionBrowser(PaneScreen):
    """The stored sessions."""

    CSS_PATH = ["../styles/pane.tcss", "../styles/sessions.tcss"]  # type: ignore[assignment]  # noqa: RUF012
    OPENED_BY: ClassVar[str] = "sessions"
    SCOPE: ClassVar[Scope] = "sessions"

    def __init__(self, parts: PaneParts) -> None:
        look = parts.look
        detail = PaneDetail(look, id="session-detail")
        super().__init__(
            parts, RowList(look, render.SessionRows((), "", look, parts.clock.now()), id="sessions"), detail
        )
        self._pane = detail
        self._shown: SessionsShown | None = None
        self._everywhere = False
        self._query = ""
        self._views: dict[tuple[str, str], SessionView] = {}
        self._changed_before: SessionChanged | None = None
        self._go_to = ""
        self._to_delete = ""
        self._to_export = ""
        self._waiting: Timer | None = None
        self._drawn: object = None
        self.heading = GivenLines(look, self._draw_heading, id="session-heading")
        self.search = Input(
            id="session-search",
            compact=True,
            select_on_focus=False,
            placeholder=look.words("sessions.search_placeholder"),
        )
        self.search.cursor_blink = False
        self.editor = FactEditor(look)
        self.rows.border_title = look.words("sessions.title")

    def above(self) -> ComposeResult:
        """How many there are, and the fields for a search and for a file."""
        self.search.display = False
        yield self.heading
        yield self.search
        yield self.editor

    # -- what is shown

    def open(self, state: ViewState) -> None:
        """It comes into view: ask which there are now."""
        self._changed_before = state.session_changed
        self._to_delete = ""
        super().open(state)
        self._ask_list()

    def show(self, state: ViewState) -> None:
        """Draw another state; after a change, say what came of it and ask anew."""
        if state.session_shown is not None:
            view = state.session_shown.view
            self._views[view.info.id, view.info.changed] = view
        super().show(state)
        event = state.session_changed
        if self.is_mounted and event is not None and event is not self._changed_before:
            self._changed_before = event
            self.answer(event.phrase)
            if event.result == "forked":
                self._go_to = event.id
                self.answer(phrase("sessions.forked", key=self._key("resume")))
            if event.result in ("forked", "deleted"):
                self._ask_list()

    def draw(self) -> None:
        """Show the sessions, if they are others, and the current one."""
        shown = self.state.sessions
        if shown is not None and shown is not self._shown and shown.everywhere == self._everywhere:
            self._shown = shown
        self._draw_rows()
        self._draw_detail()
        self.heading.redraw()
        typing = self.editor.display or self.focused is self.search
        self.footer.hide(self._idle(typing))

    def _idle(self, typing: bool) -> frozenset[str]:
        if typing:
            return _LETTERS | {"read"}
        info = self.current
        if info is None:
            return _LETTERS - {"session_all", "session_search"} | {"read"}
        here = info.id == self.state.session
        return frozenset({"read", *(("session_resume", "session_delete") if here else ())})

    def _draw_rows(self) -> None:
        shown = self._shown
        found = matching(shown.sessions, self._query) if shown is not None else ()
        drawn = (found, self.state.session, shown is None, bool(self._query))
        if drawn == self._drawn:
            return
        self._drawn = drawn
        word = "reading" if shown is None else "nothing_found" if self._query else "nothing"
        self.rows.empty = (Span(own(self._look.words(f"sessions.{word}")), "dim"),)
        rows = render.SessionRows(found, self.state.session, self._look, self._parts.clock.now(), self._everywhere)
        self.rows.show(rows)
        if self._go_to and (at := rows.find(self._go_to)) is not None:
            self._go_to = ""
            self.rows.cursor = at
            self.rows.show(rows)

    def _draw_detail(self) -> None:
        info = self.current
        if info is None:
            self._pane.border_title = None
            self._pane.show(None, [])
            return
        look, now, current = self._look, self._parts.clock.now(), self.state.session
        view = self._views.get((info.id, info.changed))
        self._pane.border_title = Text(one_line(info.id))
        draw = [lambda total: render.detail(info, view, current, look, now, total)]
        self._pane.show(info.id, draw, (info, view, current))

    def _draw_heading(self, total: int) -> list[Line]:
        if self._shown is None:
            return []
        rows = self._listed
        what = render.Heading(
            listed=len(rows),
            everywhere=self._everywhere,
            broken=sum(render.standing(info, self.state.session) == "broken_off" for info in rows),
            query=self._query,
            all_key=self._key("all"),
            problems=self._shown.problems,
        )
        return render.heading(what, self._look, total)

    def _key(self, name: str) -> str:
        return label(self._parts.keymap.keys(f"session_{name}")[0])

    @property
    def _listed(self) -> Sequence[SessionInfo]:
        rows = self.rows.rows
        return rows.sessions if isinstance(rows, render.SessionRows) else ()

    @property
    def current(self) -> SessionInfo | None:
        """The session that keys act on."""
        listed = self._listed
        return listed[self.rows.cursor] if self.rows.cursor < len(listed) else None

    def moved(self) -> None:
        """Another session is current: read all of it once the cursor rests."""
        self._to_delete = ""
        self._draw_detail()
        self.footer.hide(self._idle(False))
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(REST_S, self._ask_view)

    # -- asking the worker

    def _ask_list(self) -> None:
        self.post_message(Ask(Sessions("list", everywhere=self._everywhere)))

    def _ask_view(self) -> None:
        self._waiting = None
        info = self.current
        if info is not None and (info.id, info.changed) not in self._views:
            self.post_message(Ask(Sessions("show", id=info.id, shown=True)))

    def before_input(self, event: Key | Paste) -> bool:
        """Act on a key at once: where one moves the keyboard to a field, what follows is text and no command.

        Returns:
            Whether the key is dealt with.
        """
        if isinstance(event, Paste) or self.focused in (self.search, self.editor.field):
            return False
        name = self._parts.keymap.name(event.key, "sessions") or self._parts.keymap.name(event.key, "pane")
        if self._to_delete and name != "session_delete":
            self._to_delete = ""
            self.answer(phrase("sessions.kept"))
            if name == "go_back":
                return True  # it answered the question
        if name is None:
            return False
        getattr(self, f"action_{name}")()
        return True

    # -- actions, named in the keymap

    def action_session_resume(self) -> None:
        """Go on with it."""
        if (info := self.current) is not None:
            self.post_message(Resume(info))

    def action_session_fork(self) -> None:
        """Copy it."""
        if (info := self.current) is not None:
            self.post_message(Ask(Sessions("fork", id=info.id, shown=True)))

    def action_session_delete(self) -> None:
        """Delete it, at the second press."""
        info = self.current
        if info is None:
            return
        if info.id == self.state.session:
            self.answer(phrase("sessions.delete_here"))
        elif self._to_delete == info.id:
            self._to_delete = ""
            self.post_message(Ask(Sessions("delete", id=info.id, shown=True)))
        else:
            self._to_delete = info.id
            self.answer(phrase("sessions.delete_ask", words=info.first_words, key=self._key("delete")))

    def action_session_export(self) -> None:
        """Write it to a file; where to is asked."""
        if (info := self.current) is not None:
            self._to_export = info.id
            words = self._look.words
            self.editor.open(own(words("sessions.export_to")), own(words("sessions.export_keys")), _file_of(info.id))
            self.set_focus(self.editor.field)

    def action_session_search(self) -> None:
        """Look for something."""
        self.search.display = True
        self.set_focus(self.search)

    def action_session_all(self) -> None:
        """List other projects too, or no more."""
        self._everywhere = not self._everywhere
        self._ask_list()
        self.draw()

    def action_session_look(self) -> None:
        """To the detail."""
        super().action_read()

    def action_read(self) -> None:
        """Go on with the current session; from the search, to what was found."""
        if self.focused is self.search:
            self.set_focus(self.rows)
        else:
            self.action_session_resume()

    def action_go_back(self) -> None:
        """Leave the field or the search, else as in every pane."""
        if self.editor.display:
            self._close_editor()
        elif self.focused is self.search or (self.search.display and not self.reading):
            self._leave_search()
        else:
            super().action_go_back()

    def answer(self, what: Phrase | None) -> None:
        """Say something in passing; a question is over."""
        super().answer(what)

    # -- the fields

    def _close_editor(self) -> None:
        self.editor.close()
        self.set_focus(self.rows)

    @on(FactEditor.Saved)
    def _named(self, event: FactEditor.Saved) -> None:
        unchanged = self.editor.unchanged
        self._close_editor()
        if not event.text:
            return
        # Left as it is, the name is only a proposal: the next free one is taken.
        file = "" if unchanged else event.text
        op = Sessions("export", id=self._to_export, text=file, form=form_of("", event.text), shown=True)
        self.post_message(Ask(op))

    @on(Input.Changed, "#session-search")
    def _typed(self, event: Input.Changed) -> None:
        self._query = event.value.strip()
        self.draw()

    @on(Input.Submitted, "#session-search")
    def _to_found(self, event: Input.Submitted) -> None:
        event.stop()
        self.set_focus(self.rows)

    def _leave_search(self) -> None:
        self.search.display = False
        self.search.value = ""
        self._query = ""
        self.set_focus(self.rows)
        self.draw()


def matching(sessions: Sequence[SessionInfo], query: str) -> tuple[SessionInfo, ...]:
    """Give the sessions in which every word of a query stands: in the request, the id, the model or the project."""
    wanted = query.lower().split()
    return tuple(
        info
        for info in sessions
        if all(word in f"{info.first_words}\n{info.id}\n{info.model}\n{info.project}".lower() for word in wanted)
    )


def _file_of(session: str) -> str:
    return f"paitui-{session}.md"
