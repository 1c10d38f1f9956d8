"""Rows whose text can be selected, by the mouse and by keys, and is copied as it was written."""

from typing import ClassVar

from textual import events
from textual.message import Message
from textual.timer import Timer

from paitui.ui.copying import copied, word_at
from paitui.ui.lines import Ink, Line, gap
from paitui.ui.look import Look
from paitui.ui.selection import Place, Selection, character, tinted, whole_rows
from paitui.ui.widgets.lazy_rows import LazyRows

DRAG_S = 0.05
"""Between two steps of scrolling while the mouse is held beyond the edge."""


class SelectableRows(LazyRows, can_focus=False):
    """Selects by places, which stay where they are when heights turn out different."""

    ALLOW_SELECT = False  # Textual's selection counts characters of what is drawn; this one counts cells
    FOCUS_ON_CLICK: ClassVar[bool] = False

    class Selected(Message):
        """Something is selected, or nothing any more."""

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.selection: Selection | None = None
        """What is selected."""
        self.marking = False
        """Whether the keys that move draw the selection on."""
        self._selected_ink: Ink = "selected"
        self._pressed: Place | None = None
        self._pointer = (0, 0)
        self._dragging: Timer | None = None

    def clicked(self, place: Place) -> None:
        """The user clicked on a row."""

    def select(self, selection: Selection | None, by_keys: bool = False, ink: Ink = "selected") -> None:
        """Select something, or nothing.

        Args:
            selection: What.
            by_keys: Whether the keys that move draw it on.
            ink: How it is drawn.
        """
        self.marking = by_keys
        self._selected_ink = ink
        if selection != self.selection:
            if (selection is None) != (self.selection is None):
                self.post_message(self.Selected())
            self.selection = selection
            self.refresh()

    def mark(self, direction: int, begin: Place) -> Place:
        """Begin to select whole rows, or draw the selection on by a row.

        Args:
            direction: -1 or 1; 0 to begin.
            begin: Where to begin if nothing is selected.

        Returns:
            The row it was drawn to; it is in view.
        """
        anchor = head = begin
        if self.selection is not None:
            anchor, head = self.selection
            head = self._row_beside(head, direction)
        self.select(whole_rows(anchor, head), by_keys=True)
        self.show_item(head.item, head.row)
        return head

    def _row_beside(self, place: Place, direction: int) -> Place:
        item, row = place.item, place.row + direction
        while not 0 <= row < len(self.rows_of(item)):
            if not 0 <= item + direction < self.count():
                return place
            item += direction
            row = 0 if direction > 0 else len(self.rows_of(item)) - 1
        return Place(item, row)

    def selected_text(self) -> str:
        """What is selected, as its source has it: without the breaks and signs of the screen."""
        if self.selection is None:
            return ""
        start, end = self.selection.start, self.selection.end
        rows: list[Line] = []
        for at in range(start.item, end.item):
            rows += self.rows_of(at)
        last = len(rows) + end.row
        rows += self.rows_of(end.item)
        return copied(rows, (start.row, start.cell), (last, end.cell))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to select."""
        if event.button == 1 and self.count() and self._wrapped_at:
            self._pressed = self._place_of(event)
            self.select(None)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select as far as the mouse was drawn; beyond the edge, the text comes to it."""
        if self._pressed is None:
            return
        self._pointer = (event.x - self.gutter.left, event.y - self.gutter.top)
        self._drag()
        outside = not 0 <= self._pointer[1] < self.view
        if outside and self._dragging is None:
            self._dragging = self.set_interval(DRAG_S, self._drag)
        elif not outside:
            self._drag_no_more()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """What is selected stays; a click without a way is a click."""
        pressed, self._pressed = self._pressed, None
        self.release_mouse()
        self._drag_no_more()
        if pressed is not None and self.selection is None:
            self.clicked(pressed)

    def on_click(self, event: events.Click) -> None:
        """A double click selects a word."""
        if event.chain == 2 and self.count() and self._wrapped_at:
            place = self._place_of(event)
            first, last = word_at(self._row(place), place.cell)
            if first < last:
                self.select(Selection(place._replace(cell=first), place._replace(cell=last)))

    def _place_of(self, event: events.MouseEvent) -> Place:
        return self.place_at(event.y - self.gutter.top, event.x - self.gutter.left)

    def _drag_no_more(self) -> None:
        if self._dragging is not None:
            self._dragging.stop()
            self._dragging = None

    def _drag(self) -> None:
        x, y = self._pointer
        if y < 0 or y >= self.view:
            self.go_to(self.top_row + (y if y < 0 else y - self.view + 1))
        head = self.place_at(min(max(0, y), self.view - 1), x)
        anchor = self._pressed
        if anchor is None or (head == anchor and self.selection is None):
            return
        first, last = min(anchor, head), max(anchor, head)
        start = first._replace(cell=character(self._row(first), first.cell)[0])
        end = last._replace(cell=character(self._row(last), last.cell)[1])
        self.select(Selection(start, end))

    def _row(self, place: Place) -> Line:
        rows = self.rows_of(place.item)
        return rows[place.row] if place.row < len(rows) else ()

    def _rebuild(self) -> None:
        self.select(None)  # rows are others now
        super()._rebuild()

    def finished(self, at: int, row: int, line: Line) -> Line:
        """Give a row with what is selected of it."""
        if self.selection is not None and (chosen := self.selection.on_row(at, row)):
            return tinted(line or (gap(1),), *chosen, self._selected_ink)
        return line
