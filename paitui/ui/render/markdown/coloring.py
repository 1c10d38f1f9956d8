"""Colours of code that is complete. They come some at a time, since a long piece takes longer than a frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from paitui.ui.door import SafeText
from paitui.ui.lines import Ink, Line
from paitui.ui.look import Look
from paitui.ui.render.markdown.code import LONG, Piece, code_rows


@dataclass(frozen=True, slots=True)
class Code:
    """Code that has been drawn without its colours."""

    lines: tuple[SafeText, ...]
    starts: tuple[int, ...]
    """The first row of each line."""
    language: str
    total: int
    """Cells of its rows."""
    lead: int = 0
    """Spans before it in each row."""

    def moved(self, rows: int, lead: int = 0) -> "Code":
        """The same code further down, and behind more spans."""
        return replace(self, starts=tuple(start + rows for start in self.starts), lead=self.lead + lead)

    @property
    def key(self) -> tuple[str, tuple[SafeText, ...]]:
        """What its colours depend on."""
        return self.language, self.lines


class Coloring:
    """Finds out the colours of a piece of code."""

    def __init__(self, code: Code) -> None:
        self._lines = code.lines
        self._language = code.language
        self._tokens: Iterator[tuple[Ink, str]] | None = None
        self._row: list[Piece] = []
        self.done: list[list[Piece]] = []
        """Coloured lines, in order."""

    @property
    def finished(self) -> bool:
        """Whether there is no more to do."""
        return len(self.done) == len(self._lines)

    def advance(self, chars: int) -> int:
        """Colour some more lines.

        Args:
            chars: About how many characters to look at.

        Returns:
            How many it were.
        """
        if self._tokens is None:
            from paitui.ui.render.markdown.lexing import tokens  # only now: Pygments takes its time

            self._tokens = tokens("\n".join(self._lines), self._language)
        seen = 0
        while seen < chars and not self.finished:
            ink, text = next(self._tokens, ("code", "\n"))
            seen += max(1, len(text))
            head, *rest = text.split("\n")
            self._put(head, ink)
            for part in rest:
                self._end_line()
                self._put(part, ink)
        return seen

    def _put(self, text: str, ink: Ink) -> None:
        if not text:
            return
        if self._row and self._row[-1][1] == ink:
            text, ink = self._row.pop()[0] + text, ink
        self._row.append((SafeText(text), ink))

    def _end_line(self) -> None:
        if self.finished:
            return
        whole = self._lines[len(self.done)]
        same = "".join(text for text, _ in self._row) == whole
        self.done.append(self._row if same else [(whole, "code")])  # nothing is shown that was not written
        self._row = []


class Brush:
    """Puts the colours of a piece of code into its rows."""

    def __init__(self, code: Code, coloring: Coloring) -> None:
        self.code = code
        self.coloring = coloring
        self._next = 0

    @property
    def finished(self) -> bool:
        """Whether all of its rows have their colours."""
        return self._next == len(self.code.lines)

    def paint(self, rows: list[Line], look: Look) -> None:
        """Replace the rows whose colours are known by now."""
        code = self.code
        for at in range(self._next, len(self.coloring.done)):
            if len(code.lines[at]) > LONG:
                continue
            for row, colored in enumerate(code_rows(self.coloring.done[at], look, code.total), code.starts[at]):
                rows[row] = (*rows[row][: code.lead], *colored)
        self._next = len(self.coloring.done)


def paint(brushes: Sequence[Brush], rows: list[Line], look: Look, chars: int) -> int:
    """Colour code until enough has been done.

    Args:
        brushes: What to colour, in order.
        rows: Where.
        look: Signs.
        chars: About how many characters to look at.

    Returns:
        How many of them are left.
    """
    for brush in brushes:
        if chars > 0 and not brush.coloring.finished:
            chars -= brush.coloring.advance(chars)
        brush.paint(rows, look)
    return chars
