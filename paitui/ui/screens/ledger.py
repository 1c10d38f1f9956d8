"""The ledger viewer: all that was said and done, as it was, also what summaries took out of the history since."""

from pathlib import Path

from textual import on

from paitui.ledger.files import ENDING, LedgerFault, LedgerFile, open_view
from paitui.locale import phrase
from paitui.ui.door import own
from paitui.ui.ledger_text import WHOLE_BYTES, text_of
from paitui.ui.render import ledger as render
from paitui.ui.screens.ledger_records import LedgerRecords
from paitui.ui.widgets.fact_editor import FactEditor


class LedgerViewer(LedgerRecords):
    """The records of one ledger, or the list of all ledgers; records are copied and written out."""

    def action_ledger_copy(self) -> None:
        """Copy the record: what is selected of it, what it says, or its JSON."""
        row = self.current
        if row is None:
            return
        text = self._pane.selected_text()
        if not text and row.size <= WHOLE_BYTES:
            text = text_of(self._view, row, self._source)
        if text:
            self.app.copy_to_clipboard(text)
            self.answer(phrase("ledger_pane.copied", n=len(text)))
        else:
            self.answer(phrase("ledger_pane.too_long_to_copy"))

    def action_ledger_export(self) -> None:
        """Write the records that are listed to a file; where to is asked."""
        words = self._look.words
        name = f"ledger-{self._session}{ENDING}"
        self.editor.open(own(words("ledger_pane.export_to")), own(words("ledger_pane.export_keys")), name)
        self.set_focus(self.editor.field)
        self.draw()

    def action_ledger_open(self) -> None:
        """List the ledgers of all sessions."""
        self._jobs.files(self._parts.ledgers, self._show_files)

    def _show_files(self, files: list[tuple[LedgerFile, str]]) -> None:
        self._files = files
        rows = render.FileRows(files, self.state.session, self._look, self._parts.clock.now())
        self.rows.show(rows)
        self.rows.move_to(rows.find(self._session) or 0)
        self.draw()

    def action_read(self) -> None:
        """To the detail; from the search, to what is looked for; in the list of ledgers, open the current one."""
        if self._files is None:
            super().action_read()
            return
        file = self._files[self.rows.cursor][0] if self._files else None
        if file is None:
            return
        try:
            open_view(file.path)
        except LedgerFault as fault:
            self.answer(fault.phrase)
            return
        self._session = ""
        self._look_at(file.session)

    def action_go_back(self) -> None:
        """Leave the field, the search or the list of ledgers, another session's ledger, else as in every pane."""
        if self.editor.display:
            self._close_editor()
        elif self._searched is not None:
            self._stop_search()
            self.answer(phrase("ledger_pane.search_stopped"))
            self.heading.redraw()
        elif self.search.display and not self.reading:
            self.search.display = False
            self.search.value = self._query = ""
            self.set_focus(self.rows)
            self._filter(self._which)
        elif self._files is not None:
            self._files = None
            self._list()
        elif self.reading or self._live:
            super().action_go_back()
        else:
            self._look_at(self.state.session)

    # -- the fields

    def _close_editor(self) -> None:
        self.editor.close()
        self.set_focus(self.rows)
        self.draw()

    @on(FactEditor.Saved)
    def _named(self, event: FactEditor.Saved) -> None:
        self._close_editor()
        if not event.text:
            return
        target = Path(self.state.project, Path(event.text).expanduser())
        self._jobs.export(self._view, self._which, target, lambda row: render.title(row, self._look))
