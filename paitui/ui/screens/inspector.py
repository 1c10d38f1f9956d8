"""The context inspector: what is sent, message by message."""

from typing import ClassVar

from textual.timer import Timer

from paitui.engine.ops import ShowHistory
from paitui.ui.actions import Scope
from paitui.ui.door import own
from paitui.ui.intents import Ask
from paitui.ui.lines import Span
from paitui.ui.render.inspector import HistoryRows
from paitui.ui.screens.pane import PaneParts, PaneScreen
from paitui.ui.state import ViewState
from paitui.ui.widgets.row_list import RowList

AFTER_S = 0.2
"""So long after the context changed the list is asked for anew; while a turn runs it changes often."""


class ContextInspector(PaneScreen):
    """The history as it will be sent."""

    OPENED_BY: ClassVar[str] = "context"
    SCOPE: ClassVar[Scope] = "inspector"

    def __init__(self, parts: PaneParts) -> None:
        look = parts.look
        empty = (Span(own(look.words("inspector.empty")), "dim"),)
        super().__init__(parts, RowList(look, HistoryRows((), look), empty, id="messages"))
        self.rows.border_title = look.words("inspector.title")
        self._asking: Timer | None = None
        self._drawn: object = None

    def open(self, state: ViewState) -> None:
        """It comes into view: ask what the history is now."""
        super().open(state)
        self.post_message(Ask(ShowHistory()))

    def show(self, state: ViewState) -> None:
        """Draw another state; once the context changed, ask anew."""
        changed = state.report is not self.state.report
        super().show(state)
        if changed and self.is_mounted and self._asking is None:
            self._asking = self.set_timer(AFTER_S, self._ask)

    def _ask(self) -> None:
        self._asking = None
        if self.is_current:
            self.post_message(Ask(ShowHistory()))

    def draw(self) -> None:
        """Show the rows, if they are others."""
        shown = self.state.history
        if shown is not self._drawn:
            self._drawn = shown
            self.rows.show(HistoryRows(shown.rows if shown else (), self._look))
