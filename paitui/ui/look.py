"""What everything is drawn with: words, signs and inks; and how a line becomes a strip of the terminal."""

from dataclasses import dataclass, field

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from paitui.locale import Phrase, Words
from paitui.ui.door import SafeText, own, say
from paitui.ui.glyphs import Glyphs
from paitui.ui.lines import Ink, Line, Span


@dataclass(frozen=True, slots=True)
class Look:
    """Handed to every widget and every render function."""

    words: Words
    glyphs: Glyphs
    inks: dict[Ink, Style] = field(default_factory=dict)
    """Empty where nothing is drawn in the end, as in tests of the render functions. Whoever draws looks here each
    time: the app exchanges them all when another theme is chosen."""
    color: bool = True
    """False under ``NO_COLOR``."""

    @property
    def grounds(self) -> bool:
        """Whether a ground can be told from another; else bars show their empty part by a sign."""
        return self.color and (not self.inks or self.inks["track"].bgcolor is not None)

    def say(self, what: Phrase) -> SafeText:
        """Render a phrase on one line."""
        return say(self.words, what)

    def word(self, key: str, **params: object) -> SafeText:
        """Render one of the screen's own phrases, ``ui.<key>``, whose parameters paitui made itself."""
        return own(self.words(f"ui.{key}", **params))

    def strip(self, line: Line, width: int, base: Style) -> Strip:
        """Turn a line into what the terminal gets.

        Args:
            line: Spans of safe text.
            width: Cells to fill.
            base: The widget's own style: its ground shows wherever an ink has none.
        """
        strip = Strip([Segment(self._fallback(span.text), self.inks.get(span.ink)) for span in line])
        return strip.adjust_cell_length(width).apply_style(base)

    def _fallback(self, text: SafeText) -> str:
        return text.replace("…", self.glyphs.ellipsis) if self.glyphs.plain else text


def words_of(line: Line) -> str:
    """The bare text of a line, for tests and for copying."""
    return "".join(span.text for span in line)


def marked(glyph: str, ink: Ink) -> Line:
    """The two cells at the left of a block: its sign and a space."""
    return (Span(own(f"{glyph or ' '} "), ink),)
