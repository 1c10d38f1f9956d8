"""The text of the reader: any length, a page drawn when it comes into view."""

import asyncio
import re
from collections.abc import Callable

from paitui.locale import phrase
from paitui.ui.door import block
from paitui.ui.finding import hits
from paitui.ui.lines import Line, Span, flow
from paitui.ui.look import Look
from paitui.ui.pages import Pages
from paitui.ui.selection import Place, Selection, tinted
from paitui.ui.widgets.selectable_rows import SelectableRows

BREATH = 16
"""Pages searched before other things have their turn."""


class Reading(SelectableRows, can_focus=True, inherit_bindings=False):
    """Shows pages of a text; its keys are those of the screen it is on."""

    def __init__(self, look: Look, pages: Pages, dress: Callable[[str, int], list[Line]]) -> None:
        """Set up.

        Args:
            look: Words and signs.
            pages: The text.
            dress: Draws a page at a width.
        """
        super().__init__(look, id="reading")
        self._pages = pages
        self._dress = dress
        self._wanted: re.Pattern[str] | None = None
        self._usual = (0, 1)  # a width, and the rows of the first page at it

    def count(self) -> int:
        """Pages."""
        return len(self._pages)

    def guess(self, at: int, width: int) -> int:
        """Guess the rows of a page: as many as the first one has."""
        if self._usual[0] != width:
            self._usual = (width, len(self.draw(0, width)))
        return self._usual[1]

    def draw(self, at: int, width: int) -> list[Line]:
        """Draw a page, and mark in it what was looked for."""
        try:
            rows = self._dress(self._pages.page(at), width)
            if rows and rows[0] and self._pages.goes_on(at):
                rows[0] = (rows[0][0]._replace(glue=""), *rows[0][1:])
        except OSError as error:
            why = self.look.say(phrase("blocks.unreadable", why=str(error)))
            return flow([Span(why, "danger")], width)
        if self._wanted is not None:
            for hit in hits(rows, self._wanted):
                rows[hit.row] = tinted(rows[hit.row], hit.first, hit.last, "match")
        return rows

    @property
    def share(self) -> int:
        """How much of the text lies above the end of the view, in percent."""
        total = max(1, self._heights.total)
        return min(100, round(100 * (self.top_row + self.view) / total))

    def to_end(self) -> None:
        """To the last row."""
        last = self.count() - 1
        self.show_item(last, max(0, len(self.rows_of(last)) - 1))

    def mark_rows(self, direction: int) -> None:
        """Select rows, from the first one in view."""
        self.mark(direction, self.place_at(0)._replace(cell=0))

    def look_for(self, wanted: re.Pattern[str] | None) -> None:
        """Mark a text wherever it stands."""
        self._wanted = wanted
        self._lines.clear()
        self.select(None)
        self.refresh()

    async def next_hit(self, direction: int) -> bool:
        """Show the next place where the text stands, from there where one is; after the last comes the first.

        Returns:
            Whether there is one.
        """
        wanted = self._wanted
        if wanted is None:
            return False
        here = self.selection.start if self.selection else self.place_at(0)
        beside = self.selection is not None
        count = self.count()
        for step in range(count + 1):
            at = (here.item + direction * step) % count
            if step % BREATH == BREATH - 1:
                await asyncio.sleep(0)
            if count > 1 and not self._may_hold(at, wanted):
                continue
            places = [Place(at, hit.row, hit.first) for hit in hits(self.rows_of(at), wanted) if hit.begins]
            if step == 0:
                ahead = (place for place in places if (place > here if direction > 0 else place < here))
                places = [here] if here in places and not beside else list(ahead)
            if places:
                self._show_hit(places[0 if direction > 0 else -1], wanted)
                return True
        return False

    def _may_hold(self, at: int, wanted: re.Pattern[str]) -> bool:
        """Look into a page without drawing it."""
        try:
            return wanted.search(block(self._pages.page(at))) is not None
        except OSError:
            return False

    def _show_hit(self, place: Place, wanted: re.Pattern[str]) -> None:
        parts = hits(self.rows_of(place.item), wanted)
        first = next(n for n, hit in enumerate(parts) if (hit.row, hit.first) == (place.row, place.cell))
        last = first
        while last + 1 < len(parts) and not parts[last + 1].begins:
            last += 1
        end = Place(place.item, parts[last].row, parts[last].last)
        self.show_item(place.item, max(0, place.row - self.view // 3), self.view // 2)
        self.select(Selection(place, end), ink="found")
