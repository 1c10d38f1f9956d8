"""The rows of a ledger as a list asks for them: a page of them is read when one of it comes into view."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from paitui.ledger.index import EVERYTHING, LedgerFilter
from paitui.ledger.row import Row
from paitui.ledger.view import LedgerView

PAGE_ROWS = 100
KEPT_PAGES = 12
NEWEST_ROWS = 200
"""Rows that are read from the end of the file while there is no index yet."""


@dataclass(slots=True)
class LedgerPages:
    """What of a ledger a filter takes, as far as it is indexed; until that is all, its newest records.

    Reading a page takes a few milliseconds, however long the ledger is, so the screen's own thread may do it. All
    methods raise `OSError` where the file cannot be read.
    """

    view: LedgerView
    which: LedgerFilter = EVERYTHING
    count: int = 0
    """Rows there are; those that came in since are seen by the next `LedgerPages`."""
    newest: tuple[Row, ...] | None = None
    """Instead of the index: the end of the ledger."""
    _pages: "OrderedDict[int, list[Row]]" = field(default_factory=OrderedDict)

    @staticmethod
    def of(view: LedgerView, which: LedgerFilter) -> "LedgerPages":
        """Give what is there now."""
        if view.complete:
            return LedgerPages(view, which, view.count(which))
        newest = tuple(view.tail(NEWEST_ROWS, which))
        return LedgerPages(view, which, len(newest), newest)

    def row(self, at: int) -> Row | None:
        """Give the row of a place; None if the file no longer has it."""
        if self.newest is not None:
            return self.newest[at] if 0 <= at < len(self.newest) else None
        number, place = divmod(at, PAGE_ROWS)
        page = self._pages.get(number)
        if page is None:
            wanted = min(PAGE_ROWS, self.count - number * PAGE_ROWS)
            page = self._pages[number] = self.view.rows(self.which, number * PAGE_ROWS, wanted)
            if len(self._pages) > KEPT_PAGES:
                self._pages.popitem(last=False)
        else:
            self._pages.move_to_end(number)
        return page[place] if place < len(page) else None

    def find(self, offset: int) -> int | None:
        """Give the place of the record that begins at an offset; None if it is not in the list."""
        if self.newest is not None:
            return next((at for at, row in enumerate(self.newest) if row.offset == offset), None)
        line = self.view.line_at(offset)
        if line >= self.view.lines:
            return None
        at = self.view.rank(line, self.which)
        found = self.row(at) if at < self.count else None
        return at if found is not None and found.offset == offset else None

    def nearest(self, line: int) -> int:
        """Give the place of a line, or of the next one that the filter takes."""
        return min(self.view.rank(line, self.which), max(0, self.count - 1))


def turned(which: LedgerFilter, name: str, values: Iterable[str]) -> LedgerFilter:
    """Go on to the next value of a filter; behind the last one, to all.

    Args:
        which: The filter now.
        name: What of it is changed: ``event``, ``role``, ``unit`` or ``tool``.
        values: What there is.

    Returns:
        The filter; only messages have a role.
    """
    order = ["", *sorted(value for value in values if value)]
    now = getattr(which, name)
    at = order.index(now) if now in order else -1
    which = replace(which, **{name: order[(at + 1) % len(order)]})
    if name == "event" and which.event != "message":
        return replace(which, role="")
    return replace(which, event="message") if name == "role" and which.role else which
