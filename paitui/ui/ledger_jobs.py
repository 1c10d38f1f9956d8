"""What takes time with a ledger, in threads of its own: reading on, searching, writing out, listing others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.screen import Screen

from paitui.ledger.exporting import as_lines, as_markdown
from paitui.ledger.files import LedgerFault, LedgerFile, first_request, ledgers
from paitui.ledger.index import LedgerFilter
from paitui.ledger.row import Row
from paitui.ledger.view import STEP_BYTES, LedgerView, Progress
from paitui.locale import Phrase, phrase

FILES_NAMED = 200
"""Ledgers whose first request is read for the list of them."""


def unreadable(view: LedgerView, error: OSError) -> Phrase:
    """What to say of a ledger that cannot be read."""
    return phrase("ledger_pane.unreadable", file=str(view.path), why=error.strerror or str(error))


class LedgerJobs:
    """Works for one screen; what it has to tell is told in the screen's own thread."""

    def __init__(self, screen: Screen[None], say: Callable[[Phrase | None], None]) -> None:
        """Set up.

        Args:
            screen: Whose ledgers they are.
            say: Told what went wrong, or that something is done.
        """
        self._screen = screen
        self._say = say
        self._reading: LedgerView | None = None
        self._search = 0

    def _start(self, job: Callable[[], None]) -> None:
        self._screen.run_worker(job, thread=True, group="ledger", exit_on_error=False)

    def _tell(self, what: Callable[..., Any], *given: Any) -> None:
        self._screen.app.call_from_thread(what, *given)

    def read(self, view: LedgerView, whole: bool, grown: Callable[[LedgerView, Progress | None], None]) -> None:
        """Bring the index up to date, a step at a time; nothing happens while that goes on already.

        Args:
            view: The ledger.
            whole: Whether all of it was read when it was looked at last.
            grown: Told after each step how far it is; None before the first of many.
        """
        if self._reading is view:
            return
        self._reading = view

        def job() -> None:
            try:
                fresh = view.poll() != "same" or not whole
                if fresh and view.end > STEP_BYTES:
                    self._tell(grown, view, None)
                while fresh and self._reading is view:
                    progress = view.build_index()
                    self._tell(grown, view, progress)
                    fresh = not progress.complete
            except OSError as error:
                self._tell(self._say, unreadable(view, error))
            finally:
                if self._reading is view:
                    self._reading = None

        self._start(job)

    def search(
        self,
        view: LedgerView,
        query: str,
        offset: int | None,
        backwards: bool,
        which: LedgerFilter,
        step: Callable[[int], None],
        found: Callable[[Row | None, bool], None],
    ) -> None:
        """Look for the next record that holds a text; another search takes the place of one under way.

        Args:
            view: The ledger.
            query: The text.
            offset: Where to begin; None for the end of the ledger.
            backwards: To its start, else to its end.
            which: Only records that this takes.
            step: Told how far it is, in percent.
            found: Told the record, or None, and the direction.
        """
        self._search += 1
        number = self._search
        start = view.end if offset is None else offset

        def job() -> None:
            shown, row = -1, None
            try:
                for searched in view.search(query, offset, backwards, which):
                    if number != self._search:
                        return
                    if searched.row is not None:
                        row = searched.row
                        break
                    part = 100 * abs(searched.at - start) // max(1, start if backwards else view.end - start)
                    if part != shown:
                        shown = part
                        self._tell(lambda part=part: step(part) if number == self._search else None)
            except OSError as error:
                self._tell(self._say, unreadable(view, error))
            self._tell(lambda: found(row, backwards) if number == self._search else None)

        self._start(job)

    def stop_search(self) -> None:
        """Whatever is searched is of no interest any more."""
        self._search += 1

    def export(self, view: LedgerView, which: LedgerFilter, target: Path, told: Callable[[Row], str]) -> None:
        """Write records to a new file, as Markdown if its name says so.

        Args:
            view: The ledger.
            which: The records.
            target: The file; one that is there is not overwritten.
            told: Gives a record's heading.
        """

        def job() -> None:
            is_markdown = target.suffix.lower() in (".md", ".markdown")
            parts = as_markdown(view, which, told) if is_markdown else as_lines(view, which)
            try:
                with target.open("xb") as file:
                    for part in parts:
                        file.write(part)
            except FileExistsError:
                said = phrase("ledger_pane.export_exists", file=str(target))
            except OSError as error:
                why = error.strerror or str(error)
                said = phrase("ledger_pane.export_failed", file=str(target), why=why)
            else:
                said = phrase("ledger_pane.exported", n=view.count(which), file=str(target))
            self._tell(self._say, said)

        self._start(job)

    def files(self, folder: Path, shown: Callable[[list[tuple[LedgerFile, str]]], None]) -> None:
        """List the ledgers of all sessions.

        Args:
            folder: Where they lie.
            shown: Told each with its first request.
        """

        def job() -> None:
            try:
                found = ledgers(folder)
            except LedgerFault as fault:
                self._tell(self._say, fault.phrase)
                return
            self._tell(
                shown, [(one, first_request(one.path) if at < FILES_NAMED else "") for at, one in enumerate(found)]
            )

        self._start(job)
