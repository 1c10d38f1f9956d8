"""The context inspector: the history as it will be sent, a message a row."""

from collections.abc import Hashable, Sequence

from paitui.context.report import ContextReport, HistoryRow
from paitui.engine.events import HistoryShown
from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.lines import Ink, Line, Span, cells, clip, gap, glyph, pad_left, pad_right
from paitui.ui.look import Look
from paitui.ui.render.bar import fill
from paitui.ui.render.numbers import grouped, short
from paitui.ui.wrap import width

_ROOMY = 54
"""Cells from which on there is room for whole numbers and for the bar at the edge."""
_SIGNS = 4
"""Cells of the two signs, tier and pin, with a space on either side."""
_BY_SUMMARY = ("summary", "acknowledgement", "carried")
_LABELS = ("system", "user", "assistant", "tool", "summary", "carried", "program")
INKS: dict[str, Ink] = {
    "system": "dim",
    "user": "user",
    "assistant": "strong",
    "program": "dim",
    "summary": "summary",
    "carried": "summary",
}
"""Inks of who speaks."""
CUT = "cut"
"""Key of the line at which a summary would cut."""


def label(row: HistoryRow) -> str:
    """The word for who speaks in a message, as the name of a phrase."""
    if row.role == "user" and row.origin in ("summary", "carried", "program"):
        return row.origin
    return row.role


def tier_sign(row: HistoryRow, look: Look) -> Span:
    """What was done to a message: the sign of a tier, or a space."""
    if row.origin in _BY_SUMMARY:
        return glyph(look.glyphs.summary, "summary")
    if row.state == "cleared":
        return glyph(look.glyphs.clear, "clear")
    if row.state == "offloaded":
        return glyph(look.glyphs.offload, "offload")
    return glyph(" ")


def meter(row: HistoryRow) -> Ink:
    """The ink of a message's share."""
    if row.origin in _BY_SUMMARY:
        return "meter_summary"
    if row.state == "cleared":
        return "meter_clear"
    return "meter_offload" if row.state == "offloaded" else "meter"


class Columns:
    """How the columns of a list of messages stand."""

    def __init__(self, rows: Sequence[HistoryRow], look: Look, total: int, bar: bool = True) -> None:
        """Measure them.

        Args:
            rows: All messages.
            look: Words and signs.
            total: Cells of a line.
            bar: Whether the share of each is shown, where there is room.
        """
        self._look = look
        self._total = total
        self._roomy = total >= _ROOMY
        self._most = max((row.tokens for row in rows), default=0)
        self._digits = max(2, len(str(len(rows))))
        self._roles = max(width(self._word(f"role_{name}")) for name in _LABELS)
        self._tokens = 7 if self._roomy else 5
        self._bar = 0 if not (bar and self._roomy) else 8 if total >= 70 else 5

    def _word(self, key: str) -> SafeText:
        return own(self._look.words(f"inspector.{key}"))

    def head(self) -> Line:
        """What the columns hold."""
        number = pad_left("#", self._digits, "dim")
        tokens = pad_left(self._word("head_tokens"), self._tokens, "dim")
        words = (Span(self._word("head_words"), "dim"),)
        return self._put(
            number,
            self._word("head_role"),
            "dim",
            tokens,
            (gap(_SIGNS),),
            words,
            (Span(self._word("head_share"), "dim"),),
        )

    def row(self, row: HistoryRow) -> Line:
        """Draw one message."""
        name = label(row)
        quiet = row.state == "cleared" or row.role in ("system", "tool")
        text: list[Span] = []
        if row.name:
            text += [Span(one_line(row.name), "accent" if row.role == "assistant" else "text"), gap(1)]
        text.append(Span(one_line(row.text), "dim" if quiet else "text"))
        pin = glyph(self._look.glyphs.pin if row.pinned else " ", "good")
        share = fill(row.tokens / self._most if self._most else 0.0, self._bar, self._look.glyphs)
        return self._put(
            pad_left(str(row.number), self._digits, "dim"),
            self._word(f"role_{name}"),
            "summary" if row.origin in _BY_SUMMARY else INKS.get(name, "text"),
            pad_left(grouped(row.tokens) if self._roomy else short(row.tokens), self._tokens),
            (gap(1), tier_sign(row, self._look), pin, gap(1)),
            text,
            (glyph(share, meter(row)),),
        )

    def _put(
        self, number: Span, role: SafeText, ink: Ink, tokens: Span, signs: Line, text: Sequence[Span], share: Line
    ) -> Line:
        """Put the columns together; the words have what room is left, the share stands at the edge."""
        head = (number, gap(2), pad_right(role, self._roles, ink), gap(1), tokens, *signs)
        room = self._total - cells(head) - (self._bar + 1 if self._bar else 0)
        words = clip(text, max(0, room))
        line = (*head, *words)
        if room < 0:
            return clip(line, self._total)
        return (*line, gap(room - cells(words) + 1), *clip(share, self._bar)) if self._bar else line


class HistoryRows:
    """A history as the rows of a list, with a line where a summary would cut it."""

    def __init__(self, rows: Sequence[HistoryRow], look: Look, cut: int = 0) -> None:
        """Set up.

        Args:
            rows: The messages.
            look: Words and signs.
            cut: Number of the first message that a summary would leave; 0 for no line.
        """
        self.messages = rows
        self._look = look
        self._cut = cut - 1 if 1 < cut <= len(rows) else len(rows)
        self._columns: tuple[int, Columns] | None = None

    def __len__(self) -> int:
        return len(self.messages) + (self._cut < len(self.messages))

    def message(self, at: int) -> HistoryRow | None:
        """The message of a row; None for the line of the cut, or if there are none."""
        if at == self._cut or not 0 <= at < len(self):
            return None
        return self.messages[at - (at > self._cut)]

    def key(self, at: int) -> Hashable:
        """The message's identity."""
        message = self.message(at)
        return CUT if message is None else message.uid

    def find(self, key: Hashable) -> int | None:
        """Where the message stands now."""
        if key == CUT:
            return self._cut if self._cut < len(self.messages) else None
        at = next((at for at, row in enumerate(self.messages) if row.uid == key), None)
        return None if at is None else at + (at >= self._cut)

    def _at(self, total: int) -> Columns:
        if self._columns is None or self._columns[0] != total:
            self._columns = (total, Columns(self.messages, self._look, total))
        return self._columns[1]

    def head(self, total: int) -> Line:
        """What the columns hold."""
        return self._at(total).head()

    def row(self, at: int, total: int) -> Line:
        """Draw one message, or the line of the cut."""
        message = self.message(at)
        if message is None:
            return cut_line(self._look, total)
        return self._at(total).row(message)


def cut_line(look: Look, total: int) -> Line:
    """Draw the line below which a summary would leave everything as it is."""
    glyphs = look.glyphs
    title = (glyph(f"{glyphs.summary}{glyphs.rule} ", "summary"), Span(own(look.words("inspector.cut")), "summary"))
    rule = total - cells(title) - 1
    return clip((*title, gap(1), glyph(glyphs.rule * max(0, rule), "summary")), total)


def totals(shown: HistoryShown | None, report: ContextReport | None, look: Look, total: int) -> Line:
    """Say what all messages take together, and how many stand in which state.

    Args:
        shown: The history.
        report: The manager's account, for what stands beside the messages.
        look: Words and signs.
        total: Cells of the line; what stands beside the messages gives way first, then signs from the end.
    """
    if shown is None or not shown.rows:
        return ()
    messages = sum(row.tokens for row in shown.rows)
    schemas = dict(report.parts).get("schemas", 0) if report is not None else 0
    line: list[Span] = [
        gap(1),
        Span(own(look.words("inspector.messages", n=grouped(len(shown.rows)), tokens=grouped(messages))), "text"),
    ]
    beside = Span(own(look.words("inspector.and_schemas", tokens=grouped(schemas))), "dim")
    counts: dict[tuple[str, Ink], int] = {}
    for row in shown.rows:
        sign = tier_sign(row, look)
        for key in ((sign.text.strip(), sign.ink), (look.glyphs.pin if row.pinned else "", "good")):
            if key[0]:
                counts[key] = counts.get(key, 0) + 1
    pieces = [
        (gap(3), glyph(sign_text, ink), glyph(f" {grouped(count)}", "text"))
        for (sign_text, ink), count in sorted(counts.items())
    ]
    if schemas and cells(line) + cells((beside,)) + sum(map(cells, pieces)) <= total:
        line.append(beside)
    for piece in pieces:
        if cells(line) + cells(piece) > total:
            break
        line += piece
    return clip(line, total)
