"""The base of every pane beside the chat: tabs above, a list with the detail of its current row, keys below.

Where there is room both stand side by side; else the detail takes the place of the list once it is asked for.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen

from paitui.clock import Clock
from paitui.engine.ops import Interrupt
from paitui.locale import Phrase
from paitui.ui.actions import Scope
from paitui.ui.door import SafeText
from paitui.ui.intents import Ask, Open
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render import pane as render
from paitui.ui.state import ViewState
from paitui.ui.widgets.chrome import StateWidget
from paitui.ui.widgets.plain_bar import plain_bar
from paitui.ui.widgets.row_list import RowList
from paitui.ui.widgets.selectable_rows import SelectableRows


@dataclass(frozen=True, slots=True)
class PaneParts:
    """What every pane is given."""

    look: Look
    keymap: Keymap
    clock: Clock
    ledgers: Path
    """The folder of the raw ledgers."""
    tabs: tuple[str, ...]
    """Names of the actions that lead to the chat and to the panes, in order."""


class Movable(Protocol):
    """What the keys of a pane move in: a list, or a text."""

    def move(self, by: int) -> None:
        """Go some rows up or down."""
        ...

    def page(self, direction: int) -> None:
        """Go almost a page up or down; direction is -1 or 1."""
        ...

    def first(self) -> None:
        """To the first row."""
        ...

    def last(self) -> None:
        """To the last row."""
        ...


class PaneHeader(StateWidget):
    """The tabs, and how full the context is."""

    def __init__(self, parts: PaneParts, current: str) -> None:
        super().__init__(parts.look, id="pane-header")
        self._parts = parts
        self._current = current

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """Model and context."""
        return (state.model, state.report)

    def _tabs(self, total: int) -> list[tuple[str, Line]]:
        return render.tabs(self._parts.tabs, self._current, self._parts.keymap, self.look, total)

    def draw(self, total: int) -> list[Line]:
        """One line."""
        return [render.header(self._tabs(total), self.state, self.look, total)]

    def on_click(self, event: events.Click) -> None:
        """A click on a tab opens it."""
        total = self.content_size.width
        if name := render.tab_at(self._tabs(total), event.x, total):
            self.post_message(Open(name))


class PaneStatus(StateWidget):
    """What waits in the chat, what went wrong, and the answer to what was just asked; no line if there is nothing."""

    def __init__(self, parts: PaneParts) -> None:
        super().__init__(parts.look, id="pane-status")
        self._keymap = parts.keymap
        self._said: SafeText | None = None

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """Whatever needs the user."""
        return (state.approvals, state.notices)

    def say(self, text: SafeText | None) -> None:
        """Show an answer; None takes it away."""
        if text != self._said:
            self._said = text
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """As many lines as it takes."""
        return render.status(self.state, self._said, self._keymap, self.look, total)


class PaneFooter(StateWidget):
    """The keys of the pane."""

    def __init__(self, parts: PaneParts, scope: Scope) -> None:
        super().__init__(parts.look, id="pane-footer")
        self._keymap = parts.keymap
        self._scope = scope
        self._hidden: frozenset[str] = frozenset()
        self._reading = False

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """Nothing; the pane says which keys count."""
        return ()

    def hide(self, names: frozenset[str]) -> None:
        """Leave out actions that would do nothing now."""
        if names != self._hidden:
            self._hidden = names
            self.redraw()

    def read(self, reading: bool) -> None:
        """Leave out the key that leads to the detail while the keyboard is there."""
        if reading != self._reading:
            self._reading = reading
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """One line."""
        hidden = self._hidden | {"read"} if self._reading else self._hidden
        return [render.footer(self._scope, self._keymap, hidden, self.look, total)]


class PaneScreen(Screen[None]):
    """A pane. A subclass gives the list and, if it has one, the detail, and carries out the actions of its scope."""

    CSS_PATH = "../styles/pane.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (10, "-tall")]  # noqa: RUF012 - Textual declares it so
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]  # noqa: RUF012
    OPENED_BY: ClassVar[str]
    """Name of the action that opens it."""
    SCOPE: ClassVar[Scope]
    """Where its own keys count."""

    def __init__(self, parts: PaneParts, rows: RowList, detail: SelectableRows | None = None) -> None:
        """Set up.

        Args:
            parts: What every pane is given.
            rows: The list.
            detail: What shows the current row as a whole.
        """
        super().__init__()
        self._parts = parts
        self._look = parts.look
        self._said_before: Phrase | None = None
        self._ready = False
        self.state = ViewState()
        """What there is to see."""
        self.rows = rows
        self.detail = detail
        self.header = PaneHeader(parts, self.OPENED_BY)
        self.status = PaneStatus(parts)
        self.footer = PaneFooter(parts, self.SCOPE)
        for binding in parts.keymap.bindings(self.SCOPE):
            self._bindings.bind(binding.key, binding.action, show=False, priority=binding.priority)
        self.set_class(parts.look.glyphs.plain, "-plain")

    def compose(self) -> ComposeResult:
        """Tabs, body, what needs the user, keys."""
        yield self.header
        yield from self.above()
        with Horizontal(id="pane-body"):
            yield self.rows
            if self.detail is not None:
                yield self.detail
        yield self.status
        yield self.footer

    def above(self) -> ComposeResult:
        """What stands between the tabs and the list; a subclass may add something."""
        return iter(())

    def on_mount(self) -> None:
        """The keyboard belongs to the list."""
        self.rows.add_class("pane-list")
        if self.detail is not None:
            self.detail.add_class("pane-detail")
        if self._look.glyphs.plain:
            for widget in (self.rows, self.detail):
                if widget is not None:
                    plain_bar(widget)
        self.rows.focus()
        self._ready = True
        self.show(self.state)

    # -- what to show

    def open(self, state: ViewState) -> None:
        """It comes into view."""
        self._said_before = state.said
        self.status.say(None)
        self.show(state)

    def show(self, state: ViewState) -> None:
        """Draw another state; called for each while the pane is in view."""
        self.state = state
        if not self._ready:
            return
        for part in (self.header, self.status, self.footer):
            part.show(state)
        if state.said is not self._said_before:
            self._said_before = state.said
            self.answer(state.said)
        self.draw()

    def moved(self) -> None:
        """Another row is current: show it; a subclass may do less, or more."""
        self.draw()

    def draw(self) -> None:
        """Draw what the pane shows of `state`; a subclass does."""

    def answer(self, what: Phrase | None) -> None:
        """Say something in passing, until the cursor moves on."""
        self.status.say(None if what is None else self._look.say(what))

    # -- where the keyboard is

    @property
    def reading(self) -> bool:
        """Whether the keyboard is in the detail."""
        return self.detail is not None and self.focused is self.detail

    @property
    def side_by_side(self) -> bool:
        """Whether list and detail are in view together."""
        return self.has_class("-wide")

    def _mover(self) -> Movable:
        return self.detail if self.detail is not None and self.reading else self.rows

    @on(events.DescendantFocus)
    def _focus_moved(self) -> None:
        self.set_class(self.reading, "-reading")
        self.footer.read(self.reading)
        self.draw()

    @on(events.Resize)
    def _resized(self) -> None:
        for part in (self.header, self.status, self.footer):
            part.redraw()
        self.draw()

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        if event.by_user:
            self.status.say(None)
        self.moved()

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        self.action_read()

    # -- actions, named in the keymap

    def action_row_up(self) -> None:
        """Up one row."""
        self._mover().move(-1)

    def action_row_down(self) -> None:
        """Down one row."""
        self._mover().move(1)

    def action_rows_up(self) -> None:
        """Up one page."""
        self._mover().page(-1)

    def action_rows_down(self) -> None:
        """Down one page."""
        self._mover().page(1)

    def action_row_first(self) -> None:
        """To the first row."""
        self._mover().first()

    def action_row_last(self) -> None:
        """To the last row."""
        self._mover().last()

    def action_read(self) -> None:
        """To the detail."""
        if self.detail is not None and len(self.rows.rows):
            self.add_class("-reading")  # a widget that is not shown cannot have the keyboard
            self.set_focus(self.detail)

    def action_go_back(self) -> None:
        """From the detail to the list, from the list to the chat."""
        if self.reading:
            self.set_focus(self.rows)
        else:
            self.post_message(Open("chat"))

    def action_copy_or_stop(self) -> None:
        """Copy what is selected, else stop what runs, else go back to the chat."""
        if self.detail is not None and (text := self.detail.selected_text()):
            self.app.copy_to_clipboard(text)
        elif self.state.busy:
            self.post_message(Ask(Interrupt()))
        else:
            self.post_message(Open("chat"))
