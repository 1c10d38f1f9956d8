"""The context inspector: what is sent, message by message; what the last step made of it; the user's hand in it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.timer import Timer

from paitui.context.report import HistoryRow
from paitui.engine.events import HistoryShown
from paitui.engine.ops import ClearOne, OffloadOne, Op, Pin, ShowHistory, ShowMessage, Undo, Unpin
from paitui.locale import phrase
from paitui.ui.actions import Scope
from paitui.ui.door import own
from paitui.ui.intents import Ask
from paitui.ui.lines import Line, Span
from paitui.ui.render.boundary import BoundaryRows, Side, boundary_line
from paitui.ui.render.gauge import narrow, one_line, sheet
from paitui.ui.render.inspector import HistoryRows, totals
from paitui.ui.render.message import facts, whole
from paitui.ui.screens.pane import PaneParts, PaneScreen
from paitui.ui.state import ViewState
from paitui.ui.widgets.chrome import StateWidget
from paitui.ui.widgets.pane_detail import PaneDetail
from paitui.ui.widgets.row_list import RowList

AFTER_S = 0.2
"""So long after the context changed the list is asked for anew; while a turn runs it changes often."""
SETTLE_S = 0.08
"""So long the cursor must rest on a row before its message is asked for; who holds a key down asks for none."""


class Summary(StateWidget):
    """How full the context is, and what the messages take together or what the step did."""

    def __init__(self, parts: PaneParts) -> None:
        super().__init__(parts.look, id="inspector-top")
        self._step: BoundaryRows | None = None

    def look_at(self, step: BoundaryRows | None) -> None:
        """Say what a step did; None for the history as it is."""
        if step is not self._step:
            self._step = step
            self.redraw()

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """Both accounts."""
        return (state.report, state.history)

    def draw(self, total: int) -> list[Line]:
        """Two lines."""
        state = self.state
        first = (narrow if total < 60 else one_line)(state.report, self.look, total - 1)
        shown = state.history
        if self._step is not None and shown is not None and shown.undo is not None:
            beside = dict(state.report.parts).get("schemas", 0) if state.report else 0
            before, after = (sum(row.tokens for row in rows) + beside for rows in (shown.before, shown.rows))
            return [first, boundary_line(shown.undo, self._step, before, after, self.look, total)]
        return [first, totals(shown, state.report, self.look, total)]


class ContextInspector(PaneScreen):
    """The history as it will be sent."""

    OPENED_BY: ClassVar[str] = "context"
    SCOPE: ClassVar[Scope] = "inspector"

    rows: RowList
    detail: PaneDetail

    def __init__(self, parts: PaneParts) -> None:
        look = parts.look
        empty = (Span(own(look.words("inspector.empty")), "dim"),)
        self.summary = Summary(parts)
        self._messages = HistoryRows((), look)
        self._step: BoundaryRows | None = None
        self._step_of: HistoryShown | None = None
        self._left: int | None = None
        self._asking: Timer | None = None
        self._settling: Timer | None = None
        self._drawn: object = None
        self._gauge = False
        super().__init__(parts, RowList(look, self._messages, empty, id="messages"), PaneDetail(look, id="message"))

    def above(self) -> ComposeResult:
        """The accounts."""
        yield self.summary

    def open(self, state: ViewState) -> None:
        """It comes into view: ask what the history is now."""
        super().open(state)
        self.post_message(Ask(ShowHistory()))

    # -- what to show

    def show(self, state: ViewState) -> None:
        """Draw another state; once the context changed, ask anew."""
        changed = state.report is not self.state.report
        super().show(state)
        if changed and self.is_current and self._asking is None:
            self._asking = self.set_timer(AFTER_S, self._ask)

    def _ask(self) -> None:
        self._asking = None
        if self.is_current:
            self.post_message(Ask(ShowHistory()))

    def draw(self) -> None:
        """Show the rows, the current message, and the keys that count."""
        shown, words = self.state.history, self._look.words
        if self._step is not None and (shown is None or not shown.before):
            self._leave_step()  # it was taken back
        layout = (shown, self._step is not None, self.side_by_side and not self.reading)
        if layout != self._drawn:
            self._drawn = layout
            first_time = not len(self._messages)
            self._messages = HistoryRows(shown.rows if shown else (), self._look, shown.cut if shown else 0)
            if self._step is not None and shown is not None:
                if self._step_of is not shown:
                    side = self._step.side
                    self._step, self._step_of = BoundaryRows(shown.before, shown.rows, self._look), shown
                    self._step.side = side
                self._step.side_by_side = layout[2]
            self.rows.show(self._messages if self._step is None else self._step)
            if first_time:
                self.rows.last()
        self.summary.look_at(self._step)
        self.summary.show(self.state)
        self.rows.border_title = words("inspector.title") if self._step is None else words("inspector.step_title")
        self.set_class(self._step is not None, "-whole")
        self.moved()

    @property
    def current(self) -> HistoryRow | None:
        """The message that keys act on."""
        if self._step is None:
            return self._messages.message(self.rows.cursor)
        change = self._step.change(self.rows.cursor)
        return None if change is None or change.fate == "same" else change.row

    def moved(self) -> None:
        """Show what is known of the current message; its text is asked for once the cursor rests."""
        row, shown = self.current, self.state.message
        self.footer.hide(self._useless(row))
        report = self.state.report
        if self._gauge and report is not None:
            spent = self.state.spent
            self.detail.border_title = self._look.words("inspector.gauge_title")
            self.detail.show("gauge", [lambda width: sheet(report, self._look, width, spent)], (report, spent))
            return
        self.detail.border_title = self._look.words("inspector.message_title")
        if row is None:
            self.detail.show(None, [])
            return
        used = report.used if report is not None else 0
        if shown is not None and shown.message.uid != row.uid:
            shown = None
        pieces = [facts(row, used, self._look), *(whole(shown, self._look) if shown is not None else ())]
        self.detail.show(row.uid, pieces, (row, used, shown))
        fresh = shown is not None and self.state.message_of is self.state.history
        if not fresh and (self.side_by_side or self.reading):
            if self._settling is not None:
                self._settling.stop()
            self._settling = self.set_timer(SETTLE_S, self._ask_message)

    def _ask_message(self) -> None:
        self._settling = None
        if self.is_current and (row := self.current) is not None:
            self.post_message(Ask(ShowMessage(row.uid)))

    def _useless(self, row: HistoryRow | None) -> frozenset[str]:
        """Keys that would do nothing for a message."""
        shown = self.state.history
        hidden = set()
        if shown is None or shown.undo is None:
            hidden |= {"undo", "compare"}
        if self._gauge and not self.side_by_side:
            return frozenset(hidden | {"read", "pin", "clear_one", "offload_one"})  # the message is out of view
        if row is None:
            hidden.add("read")
        if row is None or self._step is not None:
            hidden.add("pin")
        if row is None or self._step is not None or row.state == "cleared" or row.role not in ("tool", "assistant"):
            hidden.add("clear_one")
        if row is None or self._step is not None or row.state != "live" or row.role != "tool":
            hidden.add("offload_one")
        return frozenset(hidden)

    # -- actions, named in the keymap

    def action_pin(self) -> None:
        """Keep the message from being cleared, or stop doing so."""
        if (row := self.current) is not None:
            self.post_message(Ask(Unpin(row.uid) if row.pinned else Pin(row.uid)))

    def action_clear_one(self) -> None:
        """Clear the message now."""
        if (row := self.current) is not None:
            self._by_hand(ClearOne(row.uid))

    def action_offload_one(self) -> None:
        """Put the result into a file now."""
        if (row := self.current) is not None:
            self._by_hand(OffloadOne(row.uid))

    def action_undo(self) -> None:
        """Take the last step back."""
        self._by_hand(Undo())
        self.post_message(Ask(ShowHistory()))

    def _by_hand(self, op: Op) -> None:
        self.answer(phrase("pane.busy_next") if self.state.busy else None)
        self.post_message(Ask(op))

    def action_compare(self) -> None:
        """Show what the last step took and brought, or the history again."""
        shown = self.state.history
        if self._step is not None:
            self._leave_step()
            return
        if shown is not None and shown.before:
            self._left = None if self.current is None else self.current.uid
            self._step, self._step_of = BoundaryRows(shown.before, shown.rows, self._look), shown
            self.rows.focus()
            self.draw()
            self.rows.move_to(self._step.first_change())
        else:
            self.answer(phrase("engine.undo_nothing"))
        self.draw()

    def action_side_before(self) -> None:
        """Look at what a step took."""
        self._look_at("before")

    def action_side_after(self) -> None:
        """Look at what a step brought."""
        self._look_at("after")

    def _look_at(self, side: Side) -> None:
        if self._step is not None and not self.reading:
            self._step.side = side
            self.rows.redraw()
            self.moved()

    def action_gauge(self) -> None:
        """Show the whole gauge in place of the message, or the message again."""
        self._gauge = not self._gauge
        self.moved()
        if self._gauge and not self.side_by_side:
            self.action_read()

    def action_go_back(self) -> None:
        """From what is read to the list, from a step to the history, from there to the chat."""
        if self._gauge:
            self._gauge = False
            self.moved()
        if not self.reading and self._step is not None:
            self.action_compare()
        else:
            super().action_go_back()

    def _leave_step(self) -> None:
        """Back to the history, and there to the message that was current."""
        self._step = self._step_of = None
        self.draw()
        if (at := self._messages.find(self._left)) is not None:
            self.rows.move_to(at)
