"""The conversation: one widget, however long it gets.

Cost of a key press grows with the number of mounted widgets, so no block is a widget. Blocks are wrapped when
they come into view, or when they change at the end; all others have only an estimated height. What is above
the view never moves it: when a height turns out different, the scroll position is corrected by as much.
"""

from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from paitui.ui.blocks import AnswerBlock, Blocks
from paitui.ui.heights import Heights
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render.answer import Answer
from paitui.ui.render.blocks import GUTTER, block_lines, estimate
from paitui.ui.render.welcome import welcome
from paitui.ui.state import ViewState

KEPT = 400
"""Blocks whose lines are kept; beyond this those far from the view are forgotten."""
RECENT = 64
"""Changed blocks this near the end are measured at once, so that what is new below is counted exactly."""


class Transcript(ScrollView, can_focus=False):
    """Draws the blocks of a `ViewState`."""

    class BelowChanged(Message):
        """There is more, or less, below the view."""

        def __init__(self, following: bool, new_lines: int) -> None:
            super().__init__()
            self.following = following
            self.new_lines = new_lines

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.look = look
        self.following = True
        """Whether the view stays at the end."""
        self.unfolded = False
        """Whether cards, reasoning and summaries are shown with their content."""
        self.measured = 0
        """Blocks wrapped so far; a test watches it."""
        self._state = ViewState()
        self._blocks = Blocks()
        self._heights = Heights()
        self._exact: set[int] = set()
        self._lines: dict[int, list[Line]] = {}
        self._answers: dict[int, Answer] = {}
        self._wrapped_at = 0
        self._released = (0, 0)  # blocks there were, and rows of the last one, when the end was let go
        self._told = (True, 0)
        self._moving = False

    # -- what to show

    def show(self, state: ViewState) -> None:
        """Draw another state."""
        old, self._state = self._blocks, state
        if state.blocks is old:
            if not len(old):
                self.refresh()
            return
        self._blocks = state.blocks
        if not self._wrapped_at:
            return  # not laid out yet; the first resize wraps
        if len(self._blocks) < len(old) or not len(old):
            self.following = True
            self._rebuild()
            return
        anchor = self._heights.find(round(self.scroll_y))[0]
        correction = 0
        for at in self._blocks.changed_since(old):
            self._lines.pop(at, None)
            self._exact.discard(at)
            if at >= len(self._heights):
                self._heights.add(0)
            if at >= len(self._blocks) - RECENT:
                grown = self._measure(at)
            else:
                grown = self._heights.put(at, self._estimate(at))
            if at < anchor:
                correction += grown
        self._settle(correction)

    def toggle_fold(self) -> None:
        """Unfold everything, or fold it again."""
        self.unfolded = not self.unfolded
        self._rebuild()

    # -- moving

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._settle()

    def page(self, direction: int) -> None:
        """Scroll by almost a page; direction is -1 or 1."""
        step = max(1, self.scrollable_content_region.height - 2)
        self.scroll_to(y=self.scroll_y + direction * step, animate=False)

    def top(self) -> None:
        """Go to the first line."""
        self.scroll_to(y=0, animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The user scrolled, or we did."""
        super().watch_scroll_y(old_value, new_value)
        old, new = round(old_value), round(new_value)
        if self._moving or old == new or not len(self._blocks) or not self._wrapped_at:
            return
        at_end = new >= self.max_scroll_y
        if self.following and not at_end:
            self._released = (len(self._blocks), self._heights[len(self._blocks) - 1])
        self.following = at_end
        correction = 0
        if new < old:
            correction = self._measure_upward(new, old)
        self._settle(correction)

    def _measure_upward(self, new: int, old: int) -> int:
        """Wrap what comes into view above, and say by how much it is taller than was guessed."""
        view = self.scrollable_content_region.height
        if old - new > 3 * view:
            return 0  # a jump; nothing in view has to keep its place
        first, last = self._heights.find(new)[0], self._heights.find(old)[0]
        return sum(self._measure(at) for at in range(first, last) if at not in self._exact)

    def on_resize(self) -> None:
        """Another width breaks every line anew; another height only shows more or less."""
        if self.scrollable_content_region.width != self._wrapped_at:
            self._rebuild()
        else:
            self._settle()

    # -- measuring

    def _rebuild(self) -> None:
        """Guess all heights anew and keep the place in view."""
        place, offset = self._heights.find(round(self.scroll_y))
        share = offset / max(1, self._heights[place]) if place < len(self._heights) else 0.0
        self._wrapped_at = self.scrollable_content_region.width
        self._lines.clear()
        self._exact.clear()
        self._answers.clear()
        self._heights = Heights(self._estimate(at) for at in range(len(self._blocks)))
        if not self.following and place < len(self._heights):
            self._measure(place)
            target = self._heights.before(place) + int(share * self._heights[place])
            self._settle(target - round(self.scroll_y))
        else:
            self._settle()

    def _estimate(self, at: int) -> int:
        above = self._blocks[at - 1] if at else None
        return estimate(self._blocks[at], above, self._wrapped_at)

    def _measure(self, at: int) -> int:
        """Wrap a block; gives by how much its height grew."""
        item = self._blocks[at]
        above = self._blocks[at - 1] if at else None
        answer = None
        if isinstance(item, AnswerBlock):
            if item.live:
                answer = self._answers.setdefault(at, Answer(self.look, self._wrapped_at - GUTTER))
            else:
                answer = self._answers.pop(at, None)
        lines = block_lines(item, above, self.look, self._wrapped_at, self.unfolded, answer)
        self.measured += 1
        self._lines[at] = lines
        self._exact.add(at)
        return self._heights.put(at, len(lines))

    def _settle(self, correction: int = 0) -> None:
        """Make exact what is in view, then tell Textual where things are."""
        if not self._wrapped_at:
            return  # no room to draw in yet, or any more; the resize that brings some wraps
        view = self.scrollable_content_region.height
        top = round(self.scroll_y) + correction
        if self.following:
            rows, at = 0, len(self._blocks)
            while at and rows < view:
                at -= 1
                if at not in self._exact:
                    self._measure(at)
                rows += self._heights[at]
            top = max(0, self._heights.total - view)
        else:
            self._measure_from(max(0, top), view)
        self._moving = True
        try:
            self.virtual_size = Size(self._wrapped_at, self._heights.total)
            top = max(0, min(top, self._heights.total - view))
            self.scroll_y = self.scroll_target_y = top
        finally:
            self._moving = False
        self._forget(top, view)
        self._tell()
        self.refresh()

    def _measure_from(self, top: int, view: int) -> None:
        at, offset = self._heights.find(top)
        rows = -offset
        while at < len(self._blocks) and rows < view:
            if at not in self._exact:
                self._measure(at)
            rows += self._heights[at]
            at += 1

    def _forget(self, top: int, view: int) -> None:
        if len(self._lines) <= KEPT:
            return
        first = self._heights.find(top)[0]
        last = self._heights.find(top + view)[0]
        near = range(max(0, first - KEPT // 4), last + KEPT // 4)
        self._lines = {at: lines for at, lines in self._lines.items() if at in near}

    def _tell(self) -> None:
        new = 0
        if not self.following:
            # Counted by blocks, since heights above are guesses that change when they are seen.
            count, tail = self._released
            new = self._heights.total - self._heights.before(count)
            new += max(0, self._heights[count - 1] - tail)
        if (self.following, new) != self._told:
            self._told = (self.following, new)
            self.post_message(self.BelowChanged(self.following, new))

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        width = self.scrollable_content_region.width
        if not self._wrapped_at:
            return self.look.strip((), width, self.rich_style)
        if not len(self._blocks):
            lines = welcome(self._state, self.look, width)
            return self.look.strip(lines[y] if y < len(lines) else (), width, self.rich_style)
        at, offset = self._heights.find(round(self.scroll_y) + y)
        if at >= len(self._blocks):
            return self.look.strip((), width, self.rich_style)
        if at not in self._lines:
            self._measure(at)  # forgotten; its height is known and stays
        lines = self._lines[at]
        return self.look.strip(lines[offset] if offset < len(lines) else (), width, self.rich_style)
