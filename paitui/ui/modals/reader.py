"""The whole of a block on a screen of its own: read, searched, copied."""

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input

from paitui.ui.blocks import AnswerBlock, Block, OutputBlock, ReasoningBlock, TierBlock, ToolBlock, UserBlock
from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.finding import needle
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Ink, Line, Span, gap, glyph, spread
from paitui.ui.look import Look
from paitui.ui.pages import FilePages
from paitui.ui.render.footer import Hint, hints, keys_line
from paitui.ui.render.numbers import grouped
from paitui.ui.render.pages import dresser
from paitui.ui.source import copy_of, whole_of
from paitui.ui.widgets.line_widget import LineWidget
from paitui.ui.widgets.reading import Reading

HINT_S = 3.0
"""Seconds for which it is said what was done."""


class ReaderHead(LineWidget):
    """What is read, and how far."""

    def __init__(self, look: Look, block: Block, size: SafeText) -> None:
        super().__init__(look, id="reader-head")
        self._block = block
        self._length = size
        self.share = 0

    def draw(self, total: int) -> list[Line]:
        """One line."""
        right = (Span(self._length, "dim"), glyph(f"{self.share:>5}%", "text"), gap(1))
        return [spread((gap(1), *title(self._block, self.look)), right, total)]


class ReaderFoot(LineWidget):
    """The keys, or what was done."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="reader-foot")
        self._keymap = keymap
        self.said: Span | None = None
        self.finding = False
        """Whether the field for what is looked for holds the keyboard."""

    def draw(self, total: int) -> list[Line]:
        """One line."""
        if self.said is not None:
            return [(gap(1), self.said)]
        if self.finding:
            enter = Hint("Enter", own(self.look.words("reader.key_find")))
            back = [action for action in self._keymap.actions if action.name == "go_back"]
            return [keys_line([enter, *hints(back, self._keymap, self.look)], total)]
        named = [action for action in self._keymap.actions if action.scope == "reader" and action.footer]
        named += [action for action in self._keymap.actions if action.name == "go_back"]
        return [keys_line(hints(named, self._keymap, self.look), total)]


def title(block: Block, look: Look) -> Line:
    """Name a block."""
    match block:
        case ToolBlock():
            sign: Line = (glyph(f"{look.glyphs.offload} ", "offload"),) if block.stored else ()
            return (*sign, Span(one_line(block.name), "strong"), gap(2), Span(one_line(block.subject), "dim"))
        case TierBlock():
            return (
                glyph(f"{look.glyphs.tier(block.kind)} ", block.kind),
                Span(own(look.words(f"ui.step_{block.kind}")), block.kind),
            )
        case OutputBlock():
            return (Span(look.say(block.title), "strong"),)
        case UserBlock():
            return (Span(own(look.words("blocks.title_user")), "user"),)
        case AnswerBlock():
            return (Span(own(look.words("blocks.title_answer")), "strong"),)
        case ReasoningBlock():
            return (Span(look.word("reasoning"), "dim"),)
        case _:
            return (Span(own(look.words("blocks.title_note")), "dim"),)


class Reader(ModalScreen[None]):
    """Shows one block."""

    CSS_PATH = "../styles/reader.tcss"

    def __init__(self, block: Block, look: Look, keymap: Keymap, project: str) -> None:
        """Open what is to be read.

        Args:
            block: The block.
            look: Words and signs.
            keymap: Keys.
            project: The project folder, where results are stored.

        Raises:
            FenceError: The file of an offloaded result is gone, or may not be read.
        """
        super().__init__()
        self._block = block
        self._look = look
        self._project = project
        self._pages = whole_of(block, look.words, project)
        unit = "blocks.bytes" if isinstance(self._pages, FilePages) else "blocks.chars"
        self._head = ReaderHead(look, block, own(look.words(unit, n=grouped(self._pages.size))))
        self._text = Reading(look, self._pages, dresser(block, look))
        self._foot = ReaderFoot(look, keymap)
        self._saying: Timer | None = None
        for binding in keymap.bindings("reader"):
            self._bindings.bind(binding.key, binding.action, show=False, priority=binding.priority)

    def compose(self) -> ComposeResult:
        """Head, text, the field for what is looked for, keys."""
        field = Input(id="reader-find", compact=True, placeholder=self._look.word("find_placeholder"))
        field.display = False
        yield self._head
        yield self._text
        yield field
        yield self._foot

    def on_mount(self) -> None:
        """Read from the beginning."""
        self._text.focus()
        self.watch(self._text, "scroll_y", self._scrolled)
        self.watch(self._text, "virtual_size", self._scrolled)

    def on_unmount(self) -> None:
        """Close the file."""
        if isinstance(self._pages, FilePages):
            self._pages.close()

    def _scrolled(self) -> None:
        self._head.share = self._text.share
        self._head.redraw()

    def _say(self, words: str, ink: Ink) -> None:
        if self._saying is not None:
            self._saying.stop()
        self._foot.said = Span(own(words), ink)
        self._foot.redraw()
        self._saying = self.set_timer(HINT_S, self._say_no_more)

    def _say_no_more(self) -> None:
        self._foot.said = None
        self._foot.redraw()

    # -- actions, named in the keymap

    def action_row_up(self) -> None:
        """A row up, or a row more selected."""
        self._move(-1)

    def action_row_down(self) -> None:
        """A row down, or a row more selected."""
        self._move(1)

    def _move(self, rows: int) -> None:
        if self._text.marking:
            self._text.mark_rows(rows)
        else:
            self._text.go_to(self._text.top_row + rows)

    def action_rows_up(self) -> None:
        """Almost a page up."""
        self._text.page(-1)

    def action_rows_down(self) -> None:
        """Almost a page down."""
        self._text.page(1)

    def action_read(self) -> None:
        """Almost a page down: one reads already."""
        self._text.page(1)

    def action_row_first(self) -> None:
        """To the beginning."""
        self._text.go_to(0)

    def action_row_last(self) -> None:
        """To the end."""
        self._text.to_end()

    def action_mark_rows(self) -> None:
        """Begin to select, or stop."""
        marking = self._text.marking
        self._text.select(None)
        if not marking:
            self._text.mark_rows(0)

    def action_mark_rows_up(self) -> None:
        """A row more above."""
        self._text.mark_rows(-1)

    def action_mark_rows_down(self) -> None:
        """A row more below."""
        self._text.mark_rows(1)

    def action_copy_all(self) -> None:
        """Copy what is selected, else the whole."""
        words = self._look.words
        text = self._text.selected_text()
        if not text:
            text, whole = copy_of(self._block, words, self._project)
            if not whole:
                self.app.copy_to_clipboard(text)
                self._say(words("blocks.copied_part", n=grouped(len(text))), "warning")
                return
        self._text.select(None)
        self.app.copy_to_clipboard(text)
        self._say(words("blocks.copied", n=grouped(len(text))), "good")

    def action_copy_or_stop(self) -> None:
        """Copy what is selected; here nothing runs that could be stopped."""
        if self._text.selection is not None:
            self.action_copy_all()

    def action_find(self) -> None:
        """Look for a text."""
        field = self.query_one(Input)
        field.display = True
        field.focus()
        self._foot.finding = True
        self._say_no_more()

    def action_find_next(self) -> None:
        """To the next place."""
        self._go(1)

    def action_find_last(self) -> None:
        """To the place before."""
        self._go(-1)

    def _go(self, direction: int) -> None:
        self.run_worker(self._search(direction), "search", exclusive=True)

    async def _search(self, direction: int) -> None:
        if not await self._text.next_hit(direction):
            self._say(self._look.words("reader.none"), "warning")

    @on(Input.Submitted)
    def _wanted(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave_field()
        self._text.look_for(needle(event.value) if event.value else None)
        if event.value:
            self._go(1)

    def _leave_field(self) -> None:
        self.query_one(Input).display = False
        self._text.focus()
        self._foot.finding = False
        self._say_no_more()

    def action_go_back(self) -> None:
        """Leave the field, else what is selected, else the reader."""
        if self.query_one(Input).has_focus:
            self._leave_field()
        elif self._text.selection is not None:
            self._text.select(None)
        else:
            self.dismiss(None)
