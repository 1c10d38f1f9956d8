"""The palette: type a few letters, see what fits, press Enter."""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from paitui.ui.door import SafeText, own
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Ink, Line, Span, cells, clip, gap, glyph
from paitui.ui.look import Look
from paitui.ui.offers import Found, Offer, find
from paitui.ui.widgets.line_widget import LineWidget
from paitui.ui.widgets.row_list import RowList
from paitui.ui.wrap import width


class OfferRows:
    """What fits, as rows."""

    def __init__(self, found: Sequence[Found], column: int) -> None:
        self._found = found
        self._column = column

    def __len__(self) -> int:
        """How many there are."""
        return len(self._found)

    def row(self, at: int, total: int) -> Line:
        """Name, what it does, key at the right."""
        found = self._found[at]
        name = _marked(found.offer.shown, found.hits, "strong")
        told = _marked(found.offer.help, found.told, "dim")
        key: Line = (gap(2), glyph(found.offer.key, "key"), gap(1)) if found.offer.key else (gap(1),)
        room = total - cells(key)
        left = clip((*name, gap(self._column - cells(name)), *told), room)
        return (*left, gap(room - cells(left)), *key)

    def key(self, at: int) -> Hashable:
        """The offer itself."""
        return self._found[at].offer

    def find(self, key: Hashable) -> int | None:
        """Another query begins at what fits best."""
        return 0 if self._found else None

    def head(self, total: int) -> Line:
        """None."""
        return ()

    def offer(self, at: int) -> Offer | None:
        """What is offered in a row."""
        return self._found[at].offer if at < len(self._found) else None


def _marked(text: str, hits: Sequence[int], rest: Ink) -> Line:
    """A text with its matching letters marked."""
    spans: list[Span] = []
    for at, letter in enumerate(text):
        ink: Ink = "accent" if at in hits else rest
        if spans and spans[-1].ink == ink:
            spans[-1] = Span(own(spans[-1].text + letter), ink)
        else:
            spans.append(Span(own(letter), ink))
    return tuple(spans)


class Sign(LineWidget):
    """The sign before the field."""

    def draw(self, total: int) -> list[Line]:
        """One cell."""
        return [(glyph(self.look.glyphs.prompt, "accent"),)]


class PaletteModal(ModalScreen[Offer | None]):
    """Gives what was chosen, or None."""

    CSS_PATH = "../styles/palette.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(self, look: Look, keymap: Keymap, given: Sequence[Offer]) -> None:
        """Set up.

        Args:
            look: Words and signs.
            keymap: For the key that closes it again.
            given: What can be done now.
        """
        super().__init__()
        self._look = look
        self._given = given
        self._column = max((width(own(offer.shown)) for offer in given), default=0) + 2
        nothing: Line = (Span(self._word("nothing"), "dim"),)
        self._list = RowList(look, OfferRows(find("", given), self._column), nothing, id="palette-list")
        self._list.can_focus = False
        self._field = Input(id="palette-field", compact=True, placeholder=self._word("placeholder"))
        self._field.cursor_blink = False
        self.set_class(look.glyphs.plain, "-plain")
        for key in keymap.keys("palette"):
            self._bindings.bind(key, "close", show=False, priority=True)

    def _word(self, name: str) -> SafeText:
        return own(self._look.words(f"palette.{name}"))

    def compose(self) -> ComposeResult:
        """A box with the field above the list."""
        box = Vertical(id="palette")
        box.border_title = self._word("title")
        box.border_subtitle = self._word("how")
        with box:
            with Horizontal(id="palette-row"):
                yield Sign(self._look, id="palette-sign")
                yield self._field
            yield self._list

    def on_mount(self) -> None:
        """As tall as the whole list needs, so that the box stays while one types."""
        self._list.styles.height = len(self._given)
        self._field.focus()

    def on_key(self, event: events.Key) -> None:
        """What is typed before the field has the keyboard is for it all the same."""
        if event.is_printable and event.character and not self._field.has_focus:
            event.stop()
            self._field.insert_text_at_cursor(event.character)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._list.show(OfferRows(find(event.value, self._given), self._column))
        self._list.first()

    @on(Input.Submitted)
    @on(RowList.Chosen)
    def _chosen(self) -> None:
        rows = self._list.rows
        assert isinstance(rows, OfferRows)
        if (offer := rows.offer(self._list.cursor)) is not None:
            self.dismiss(offer)

    def action_move(self, by: int) -> None:
        """Another row."""
        self._list.move(by)

    def action_page(self, direction: int) -> None:
        """A page of rows."""
        self._list.page(direction)

    def action_close(self) -> None:
        """Back, with nothing chosen."""
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        """A click beside the box closes it."""
        if event.widget is self:
            self.dismiss(None)
