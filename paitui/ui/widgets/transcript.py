"""The conversation: one widget, however long it gets.

Cost of a key press grows with the number of mounted widgets, so no block is a widget. While it holds the keyboard a
cursor walks the blocks: what a key does to a block is decided here, what needs more than the block is told upward.
"""

from typing import ClassVar, Literal

from textual import events
from textual.message import Message
from textual.timer import Timer

from paitui.ui.blocks import AnswerBlock, Block, Blocks
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line, Span, glyph, margin
from paitui.ui.look import Look
from paitui.ui.render.answer import Answer
from paitui.ui.render.blocks import GUTTER, blank_above, block_lines, estimate, folds
from paitui.ui.render.welcome import welcome
from paitui.ui.selection import Place
from paitui.ui.state import ViewState
from paitui.ui.widgets.lazy_rows import EDGE
from paitui.ui.widgets.selectable_rows import SelectableRows

COLOR_S = 0.02
"""Between two parts of the colours of a long piece of code; keys come in between."""
RECENT = 64
"""Changed blocks this near the end are measured at once, so that what is new below is counted exactly."""


class Transcript(SelectableRows):
    """Draws the blocks of a `ViewState`."""

    REACHABLE: ClassVar[bool] = False
    """Whether it can have the keyboard without having been asked to take it, as by Tab or a click."""

    class BelowChanged(Message):
        """There is more, or less, below the view."""

        def __init__(self, following: bool, new_lines: int) -> None:
            super().__init__()
            self.following = following
            self.new_lines = new_lines

    class OfBlock(Message):
        """Something is asked for a block."""

        def __init__(self, block: Block) -> None:
            super().__init__()
            self.block = block

    class Copy(OfBlock):
        """Copy the text of a block."""

    class Open(OfBlock):
        """Show the whole of a block."""

    class ShowRecord(OfBlock):
        """Show where a block stands in the ledger."""

    class CopySelected(Message):
        """Copy what is selected."""

    class Pointed(Message):
        """The cursor stands on another block, or on the same in another state."""

    def __init__(self, look: Look, keymap: Keymap, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.following = True
        self.unfolded = False
        """Whether cards, reasoning and summaries are shown with their content."""
        self.cursor: int | None = None
        """The block that keys act on, while this holds the keyboard."""
        self._keymap = keymap
        self._state = ViewState()
        self._blocks = Blocks()
        self._turned: set[int] = set()  # blocks folded otherwise than all others
        self._answers: dict[int, Answer] = {}  # those that grow, or wait for colours
        self._coloring: Timer | None = None
        self._released = (0, 0)  # blocks there were, and rows of the last one, when the end was let go
        self._told = (True, 0)

    # -- what to show

    def show(self, state: ViewState) -> None:
        """Draw another state."""
        before, self._state = self._state, state
        old, self._blocks = self._blocks, state.blocks
        if state.blocks is old:
            if not len(old):
                self.refresh()
            return
        another = len(state.blocks) < len(old) or not len(old) or state.session != before.session
        if another:
            self.following = True
            self.select(None)
            self._turned.clear()
            self._point_at(None if self.cursor is None or not len(state.blocks) else len(state.blocks) - 1)
        if not self._wrapped_at:
            return  # not laid out yet; the first resize wraps
        if another:
            self._rebuild()
        else:
            self._settle(self._take_in(old))

    def _take_in(self, old: Blocks) -> int:
        """Measure what changed; gives by how much what is above the view grew."""
        anchor = self._heights.find(self.top_row)[0]
        correction = 0
        for at in self._blocks.changed_since(old):
            self._lines.pop(at, None)
            self._exact.discard(at)
            if at >= len(self._heights):
                self._heights.add(0)
            if at >= len(self._blocks) - RECENT:
                grown = self._measure(at)
            else:
                grown = self._heights.put(at, self.guess(at, self._wrapped_at))
            if at < anchor:
                correction += grown
        return correction

    def is_unfolded(self, at: int) -> bool:
        """Whether a block is shown with its content."""
        return self.unfolded != (at in self._turned)

    def toggle_fold(self) -> None:
        """Unfold everything, or fold it again."""
        self.unfolded = not self.unfolded
        self._turned.clear()
        self.post_message(self.Pointed())
        self._rebuild()

    def toggle_block(self, at: int) -> None:
        """Unfold one block, or fold it again; its head stays where it is."""
        if not folds(self._blocks[at]):
            return
        self._turned ^= {at}
        self.post_message(self.Pointed())
        self.select(None)
        self.let_go()
        self._settle(self._redraw((at,)))
        self.show_item(at, self._lead(at))
        self._hold_on()

    # -- the room of the base

    def count(self) -> int:
        """Blocks."""
        return len(self._blocks)

    def guess(self, at: int, width: int) -> int:
        """Guess the rows of a block."""
        return estimate(self._blocks[at], self._above(at), width)

    def draw(self, at: int, width: int) -> list[Line]:
        """Wrap a block; an answer that grows is wrapped on from where it was."""
        item = self._blocks[at]
        answer = None
        if isinstance(item, AnswerBlock):
            answer = self._answers.setdefault(at, Answer(self.look, width - GUTTER))
        lines = block_lines(item, self._above(at), self.look, width, self.is_unfolded(at), answer)
        if answer is not None and answer.pending:
            if self._coloring is None:
                self._coloring = self.set_timer(COLOR_S, self._color)
        elif isinstance(item, AnswerBlock) and not item.live:
            self._answers.pop(at, None)
        return lines

    def _color(self) -> None:
        """Colour some more of the code in long answers; how tall they are does not change."""
        self._coloring = None
        waiting = [at for at, answer in self._answers.items() if answer.pending and at in self._lines]
        self._settle(self._redraw(waiting))

    def _rebuild(self) -> None:
        self._answers.clear()
        super()._rebuild()

    def _above(self, at: int) -> Block | None:
        return self._blocks[at - 1] if at else None

    def without_items(self, y: int, width: int) -> Line:
        """Where one is, and what one can say."""
        lines = welcome(self._state, self.look, width)
        return lines[y] if y < len(lines) else ()

    def edge(self, at: int, row: int) -> Span:
        """The mark of the cursor, beside the rows of its block."""
        if at != self.cursor or row < self._lead(at):
            return margin(EDGE)
        return glyph(self.look.glyphs.cursor, "accent")

    def _lead(self, at: int) -> int:
        return blank_above(self._above(at), self._blocks[at])

    # -- moving

    def on_resize(self) -> None:
        """The block at the cursor stays in view."""
        cursor = self.cursor
        super().on_resize()
        if cursor is not None and self._wrapped_at:
            kept = self._kept
            self.show_item(cursor, self._lead(cursor))
            self._point_at(cursor)
            self._kept = kept

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._settle()

    def top(self) -> None:
        """Go to the first line."""
        self.go_to(0)

    def moved(self, at_end: bool) -> None:
        """Let go of the end, or take hold of it again."""
        if not at_end:
            self.let_go()
        self.following = at_end

    def let_go(self) -> None:
        """Stay here when more comes below."""
        if self.following and len(self._blocks):
            self._released = (len(self._blocks), self._heights[len(self._blocks) - 1])
            self.following = False

    def settled(self) -> None:
        """Tell what is out of sight; the cursor never is."""
        if self.cursor is not None:
            low, high = self.place_at(0), self.place_at(self.view - 1)
            last = high.item - (high.row < self._lead(high.item))  # of the next one only the gap is in view
            self._point_at(max(low.item, min(last, self.cursor)))
        new = 0
        if not self.following:
            # Counted by blocks, since heights above are guesses that change when they are seen.
            count, tail = self._released
            new = self._heights.total - self._heights.before(count)
            new += max(0, self._heights[count - 1] - tail)
        told = (self.following or self.at_end, new)
        if told != self._told:
            self._told = told
            self.post_message(self.BelowChanged(*told))

    # -- the cursor

    def browse(self) -> None:
        """Take the keyboard, with the cursor on the last block in view."""
        if not len(self._blocks) or not self._wrapped_at:
            return
        self._point_at(self._heights.find(min(self.top_row + self.view, self._heights.total) - 1)[0])
        self.can_focus = True  # only now: neither Tab nor a click shall take the keyboard from the prompt
        self.focus(scroll_visible=False)

    def on_blur(self) -> None:
        """The keyboard is the prompt's again; when only the window lost it, it comes back here."""
        if self.app.app_focus:
            self.can_focus = self.REACHABLE
            self._point_at(None)
            self._hold_on()

    def _hold_on(self) -> None:
        """Follow the end again if it is in view, and nobody looks at a block above it."""
        if self.at_end and self.cursor in (None, len(self._blocks) - 1):
            self.following = True
            self._settle()

    def _point_at(self, at: int | None) -> None:
        if at != self.cursor:
            self.cursor = at
            self.refresh()
            self.post_message(self.Pointed())

    @property
    def holds(self) -> Literal["block", "folded", "unfolded", "marking"]:
        """What keys act on here."""
        if self.selection is not None:
            return "marking"
        if self.cursor is None or not folds(self._blocks[self.cursor]):
            return "block"
        return "unfolded" if self.is_unfolded(self.cursor) else "folded"

    def press(self, event: events.Key) -> bool:
        """Act on the block at the cursor.

        Returns:
            Whether the key has a meaning here; else it is somebody else's.
        """
        name = self._keymap.name(event.key, "blocks")
        if name is None or self.cursor is None:
            return False
        block = self._blocks[self.cursor]
        match name:
            case "block_up" | "block_down" if not self.marking:
                self.select(None)
                self._step(-1 if name == "block_up" else 1)
            case "block_up" | "block_down" | "mark_up" | "mark_down":
                self._mark(-1 if name.endswith("up") else 1)
            case "mark":
                marking = self.marking
                self.select(None)
                if not marking:
                    self._mark(0)
            case "block_first" | "block_last":
                self.jump(0 if name == "block_first" else len(self._blocks) - 1)
            case "block_fold":
                self.toggle_block(self.cursor)
            case "block_copy":
                self.post_message(self.CopySelected() if self.selection else self.Copy(block))
            case "block_open":
                self.post_message(self.Open(block))
            case "ledger_record":
                self.post_message(self.ShowRecord(block))
        return True

    def jump(self, at: int) -> None:
        """Put the cursor on a block and show it."""
        if at == len(self._blocks) - 1:
            self.follow()
        else:
            self.let_go()
            lead = self._lead(at)
            self.show_item(at, lead, max(1, len(self.rows_of(at)) - lead))
        self._point_at(at)

    def _step(self, direction: int) -> None:
        """To the next block; one that is taller than the view is read to its end first."""
        at = self.cursor or 0
        first = self._heights.before(at) + self._lead(at)
        last = self._heights.before(at + 1)
        hidden = first - self.top_row if direction < 0 else last - (self.top_row + self.view)
        if hidden * direction > 0 and first < self.top_row + self.view and last > self.top_row:
            step = max(1, self.view - 2)
            self.go_to(self.top_row + max(-step, min(step, hidden)))
            return
        to = at + direction
        while 0 <= to < len(self._blocks) and not self.rows_of(to):
            to += direction
        if not 0 <= to < len(self._blocks):
            return
        rows = len(self.rows_of(to)) - self._lead(to)
        if direction < 0 and rows > self.view:
            self.let_go()
            self.show_item(to, self._lead(to) + rows - 1)  # read upward from its end
            self._point_at(to)
        else:
            self.jump(to)

    # -- selecting by keys, in whole rows

    def _mark(self, direction: int) -> None:
        """Begin at the first row in view of the block at the cursor, or draw the selection on."""
        at = self.cursor or 0
        self.let_go()
        head = self.mark(direction, Place(at, max(self._lead(at), self.top_row - self._heights.before(at))))
        self._point_at(head.item)

    # -- the mouse

    def clicked(self, place: Place) -> None:
        """A click on the head of what folds unfolds it."""
        if place.row == self._lead(place.item):
            self.toggle_block(place.item)
