"""A list to look through, however long: each row is one line, drawn when it comes into view, and one is current."""

from collections.abc import Hashable
from typing import ClassVar, Protocol

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from paitui.ui.lines import Line, glyph
from paitui.ui.look import Look

EDGE = 2
"""Cells at the left of every row: the sign of the current one, and a space."""


class Rows(Protocol):
    """What a list shows.

    Rows are asked for by place, only those in view, so that drawing costs the same for ten rows and for a million.
    """

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def row(self, at: int, total: int) -> Line:
        """Draw a row.

        Args:
            at: Its place, from 0.
            total: Cells that it may take.
        """
        ...

    def key(self, at: int) -> Hashable:
        """What stays the same of a row when others come and go."""
        ...

    def find(self, key: Hashable) -> int | None:
        """The place of the row of that key; None if it is gone."""
        ...

    def head(self, total: int) -> Line:
        """The line above the rows that stays there; an empty one takes no room."""
        ...


class RowList(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws `Rows` and carries a cursor. Its keys are those of the screen it is on, which calls its methods."""

    ALLOW_SELECT = False  # rows are chosen here, not marked
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor"}
    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        width: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    RowList > .row-list--cursor { background: $panel; }
    """

    class Moved(Message):
        """Another row is current, or the current one is another."""

        def __init__(self, rows: "RowList", at: int, by_user: bool) -> None:
            super().__init__()
            self.rows = rows
            self.at = at
            self.by_user = by_user
            """False where the rows changed below the cursor."""

        @property
        def control(self) -> "RowList":
            """The list."""
            return self.rows

    class Chosen(Message):
        """The current row was clicked twice."""

        def __init__(self, rows: "RowList", at: int) -> None:
            super().__init__()
            self.rows = rows
            self.at = at

        @property
        def control(self) -> "RowList":
            """The list."""
            return self.rows

    def __init__(self, look: Look, rows: Rows, empty: Line = (), *, id: str | None = None) -> None:
        """Set up.

        Args:
            look: Words, signs and inks.
            rows: What to show.
            empty: Shown while there are no rows.
            id: Of the widget.
        """
        super().__init__(id=id)
        self.look = look
        self.rows = rows
        """What is shown."""
        self.cursor = 0
        """Place of the current row."""
        self.empty = empty
        """Shown while there are no rows."""
        self._head: tuple[int, Line] | None = None

    # -- what to show

    def show(self, rows: Rows) -> None:
        """Show other rows. The cursor stays on the row of the same key; at the end it stays at the end."""
        old = self.rows
        at_end = self.cursor >= len(old) - 1
        key = old.key(self.cursor) if self.cursor < len(old) else None
        offset = self.cursor - round(self.scroll_y)
        self.rows = rows
        place = None if key is None else rows.find(key)
        if at_end and len(old) and (place is None or len(rows) > place + 1):
            place = len(rows) - 1
        self._head = None
        self.cursor = max(0, min(len(rows) - 1, self.cursor if place is None else place))
        self._measure()
        self._scroll(self.cursor - offset)
        self._reveal()
        self.refresh()
        self.post_message(self.Moved(self, self.cursor, False))

    def redraw(self) -> None:
        """The rows are the same ones, but look different."""
        self._head = None
        self._measure()
        self.refresh()

    # -- moving

    def move_to(self, at: int) -> None:
        """Make a row the current one; beyond the ends, the first or the last."""
        at = max(0, min(len(self.rows) - 1, at))
        if at != self.cursor:
            self.cursor = at
            self._reveal()
            self.refresh()
            self.post_message(self.Moved(self, at, True))

    def move(self, by: int) -> None:
        """Go some rows up or down."""
        self.move_to(self.cursor + by)

    def page(self, direction: int) -> None:
        """Go almost a page up or down; direction is -1 or 1."""
        step = max(1, self._view - 1)
        self._scroll(round(self.scroll_y) + direction * step)
        self.move(direction * step)

    def first(self) -> None:
        """To the first row."""
        self.move_to(0)

    def last(self) -> None:
        """To the last row."""
        self.move_to(len(self.rows) - 1)

    @property
    def _view(self) -> int:
        """Rows in view."""
        return max(0, self.scrollable_content_region.height - self._above)

    def _scroll(self, top: int) -> None:
        self.scroll_y = self.scroll_target_y = max(0, min(top, len(self.rows) - self._view))

    def _reveal(self) -> None:
        """Scroll as little as needed for the current row to be in view."""
        top, view = round(self.scroll_y), self._view
        if view and not top <= self.cursor < top + view:
            self._scroll(self.cursor if self.cursor < top else self.cursor - view + 1)

    # -- layout

    @property
    def _above(self) -> int:
        return 1 if self._heading() else 0

    def _heading(self) -> Line:
        width = max(0, self.scrollable_content_region.width - EDGE)
        if self._head is None or self._head[0] != width:
            self._head = (width, self.rows.head(width) if len(self.rows) else ())
        return self._head[1]

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.rows) + self._above)

    def on_resize(self) -> None:
        """More or less room."""
        self._measure()
        self._reveal()

    def on_focus(self) -> None:
        """The sign of the current row says who holds the keyboard."""
        self.refresh()

    def on_blur(self) -> None:
        """As above."""
        self.refresh()

    # -- mouse

    def on_click(self, event: events.Click) -> None:
        """A click makes a row current; a second one chooses it."""
        at = round(self.scroll_y) + event.y - self.gutter.top - self._above
        if event.y - self.gutter.top < self._above or not 0 <= at < len(self.rows):
            return
        again = at == self.cursor and event.chain == 2
        self.move_to(at)
        if again:
            self.post_message(self.Chosen(self, at))

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        width = self.scrollable_content_region.width
        base, room = self.rich_style, max(0, width - EDGE)
        indent = glyph(" " * EDGE)
        if not len(self.rows):
            return self.look.strip((indent, *self.empty) if y == 0 else (), width, base)
        if y < self._above:
            return self.look.strip((indent, *self._heading()), width, base)
        at = round(self.scroll_y) + y - self._above
        if at >= len(self.rows):
            return self.look.strip((), width, base)
        if at != self.cursor:
            return self.look.strip((indent, *self.rows.row(at, room)), width, base)
        sign = glyph(f"{self.look.glyphs.bar} ", "accent" if self.has_focus else "dim")
        return self.look.strip((sign, *self.rows.row(at, room)), width, base + self._ground)

    @property
    def _ground(self) -> Style:
        return self.get_component_rich_style("row-list--cursor", partial=True)
