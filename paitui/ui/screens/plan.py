"""The units of a plan or a team: all of them in a list, and beside it the conversation of the current one."""

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Key, Paste

from paitui.ui.actions import Scope
from paitui.ui.blocks import PlanRow
from paitui.ui.door import own
from paitui.ui.intents import ShowRecord
from paitui.ui.lines import Line, Span
from paitui.ui.render.numbers import grouped
from paitui.ui.render.units import UnitRows, sum_line, unit_head
from paitui.ui.screens.block_desk import BlockDesk
from paitui.ui.screens.pane import PaneParts, PaneScreen
from paitui.ui.source import in_ledger, with_all_there_is
from paitui.ui.state import ViewState
from paitui.ui.unit_state import rows_of
from paitui.ui.widgets.given_lines import GivenLines
from paitui.ui.widgets.row_list import RowList
from paitui.ui.widgets.transcript import Transcript
from paitui.ui.widgets.unit_transcript import UnitTranscript


class PlanPane(PaneScreen):
    """The last plan or team's work of the session."""

    CSS_PATH = ["../styles/pane.tcss", "../styles/units.tcss"]  # type: ignore[assignment]  # noqa: RUF012
    OPENED_BY: ClassVar[str] = "plan"
    SCOPE: ClassVar[Scope] = "units"

    def __init__(self, parts: PaneParts) -> None:
        look = parts.look
        self.transcript = UnitTranscript(look, parts.keymap, id="unit-transcript")
        nothing = (Span(own(look.words("plan_screen.no_plan")), "dim"),)
        super().__init__(parts, RowList(look, UnitRows((), look), nothing, id="units"), self.transcript)
        self._blocks = BlockDesk(self, look, parts.keymap, self._copy)
        self.head = GivenLines(look, self._draw_head, id="unit-head")
        self.sum = GivenLines(look, self._draw_sum, id="unit-sum")
        self._drawn: object = None
        self._headed: object = None

    def compose(self) -> ComposeResult:
        """Tabs, the list with the unit beside it, the sum of all, what needs the user, keys."""
        yield self.header
        with Horizontal(id="pane-body"):
            yield self.rows
            with Vertical(id="unit"):
                yield self.head
                yield self.transcript
        yield self.sum
        yield self.status
        yield self.footer

    # -- what is shown

    def draw(self) -> None:
        """Show the units, if they stand otherwise than before, and the current one."""
        units = rows_of(self.state)
        drawn = (units, self.state.working)
        if drawn != self._drawn:
            self._drawn = drawn
            self.rows.show(UnitRows(units, self._look))
            self.rows.border_title = Text(own(self._look.words("plan_screen.units")))
            self.sum.redraw()
        self._draw_unit()

    @property
    def current(self) -> PlanRow | None:
        """The unit that the list's cursor is on."""
        rows = self.rows.rows
        units = rows.units if isinstance(rows, UnitRows) else ()
        return units[self.rows.cursor] if self.rows.cursor < len(units) else None

    def moved(self) -> None:
        """Another unit is current."""
        self._draw_unit()

    def _view(self) -> ViewState:
        row, plan = self.current, self.state.plan
        if row is None or plan is None:
            return ViewState()
        return plan.views.get(row.unit.history) or ViewState(session=row.unit.history)

    def _draw_unit(self) -> None:
        view = self._view()
        self.transcript.show(view)
        self._blocks.project = self.state.project
        headed = (self.current, view.report)
        if headed != self._headed:
            self._headed = headed
            self.head.redraw()
        self.footer.hide(frozenset() if self.current is not None else frozenset({"read", "unit_fold"}))

    def _draw_head(self, total: int) -> list[Line]:
        return unit_head(self.current, self._view(), self._look, total)

    def _draw_sum(self, total: int) -> list[Line]:
        return sum_line(self.state, self._look, total)

    # -- keys

    def before_input(self, event: Key | Paste) -> bool:
        """While the transcript has the keyboard, its own keys come first.

        Returns:
            Whether the key is dealt with.
        """
        return isinstance(event, Key) and self.reading and self.transcript.press(event)

    def action_go_back(self) -> None:
        """Leave what is selected, else the transcript, else the pane."""
        if self.transcript.selection is not None:
            self.transcript.select(None)
        else:
            super().action_go_back()

    def action_unit_fold(self) -> None:
        """Unfold all cards of the transcript, or fold them."""
        self.transcript.toggle_fold()

    # -- what is asked for a block

    @on(Transcript.Copy)
    def _copy_block(self, event: Transcript.Copy) -> None:
        self._blocks.copy(with_all_there_is(event.block))

    @on(Transcript.CopySelected)
    def _copy_selected(self) -> None:
        self._copy(self.transcript.selected_text())
        self.transcript.select(None)

    @on(Transcript.Open)
    def _open_block(self, event: Transcript.Open) -> None:
        self._blocks.open(with_all_there_is(event.block))

    @on(Transcript.ShowRecord)
    def _to_ledger(self, event: Transcript.ShowRecord) -> None:
        if (place := in_ledger(event.block)) is not None:
            self.post_message(ShowRecord(*place))

    def _copy(self, text: str, whole: bool = True) -> None:
        self.app.copy_to_clipboard(text)
        said = self._look.words("blocks.copied" if whole else "blocks.copied_part", n=grouped(len(text)))
        self.status.say(own(said))
