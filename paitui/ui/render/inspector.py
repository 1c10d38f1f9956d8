"""The context inspector: the history as it will be sent, a message a row."""

from collections.abc import Hashable, Sequence

from paitui.context.report import HistoryRow
from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.lines import Ink, Line, Span, cells, clip, gap, glyph, pad_left, pad_right
from paitui.ui.look import Look
from paitui.ui.render.bar import fill
from paitui.ui.render.numbers import grouped
from paitui.ui.wrap import width

_TOKENS = 7
"""Cells of a column of tokens: ``100,000``."""
_SIGNS = 4
"""Cells of the two signs, tier and pin, with a space on either side."""
_BY_SUMMARY = ("summary", "acknowledgement", "carried")
_LABELS = ("system", "user", "assistant", "tool", "summary", "carried", "program")
_INKS: dict[str, Ink] = {"system": "dim", "user": "user", "assistant": "strong", "program": "dim"}


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


class HistoryRows:
    """A history as the rows of a list."""

    def __init__(self, rows: Sequence[HistoryRow], look: Look) -> None:
        self.rows = rows
        self._look = look
        self._most = max((row.tokens for row in rows), default=0)
        self._digits = max(2, len(str(len(rows))))
        self._roles = max(width(self._word(f"role_{name}")) for name in _LABELS)

    def _word(self, key: str) -> SafeText:
        return own(self._look.words(f"inspector.{key}"))

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, at: int) -> Hashable:
        """The message's identity."""
        return self.rows[at].uid

    def find(self, key: Hashable) -> int | None:
        """Where the message stands now."""
        return next((at for at, row in enumerate(self.rows) if row.uid == key), None)

    def head(self, total: int) -> Line:
        """What the columns hold."""
        return self._columns(
            (
                pad_left("#", self._digits, "dim"),
                Span(self._word("head_role"), "dim"),
                pad_left(self._word("head_tokens"), _TOKENS, "dim"),
                gap(_SIGNS),
                (Span(self._word("head_words"), "dim"),),
                Span(self._word("head_share"), "dim"),
            ),
            total,
        )

    def row(self, at: int, total: int) -> Line:
        """Draw one message."""
        row = self.rows[at]
        name = label(row)
        ink: Ink = "summary" if row.origin in _BY_SUMMARY else _INKS.get(name, "text")
        quiet = row.state == "cleared" or row.role in ("system", "tool")
        text: list[Span] = []
        if row.name:
            text += [Span(one_line(row.name), "accent" if row.role == "assistant" else "text"), gap(1)]
        text.append(Span(one_line(row.text), "dim" if quiet else "text"))
        pin = glyph(self._look.glyphs.pin if row.pinned else " ", "good")
        share = row.tokens / self._most if self._most else 0.0
        return self._columns(
            (
                pad_left(str(row.number), self._digits, "dim"),
                Span(self._word(f"role_{name}"), ink),
                pad_left(grouped(row.tokens), _TOKENS),
                (gap(1), tier_sign(row, self._look), pin, gap(1)),
                text,
                glyph(fill(share, _bar_cells(total), self._look.glyphs), meter(row)),
            ),
            total,
        )

    def _columns(self, parts: Sequence[Span | Sequence[Span]], total: int) -> Line:
        """Put the columns together; the words have what room is left, the share stands at the edge."""
        number, role, tokens, signs, text, share = ((part,) if isinstance(part, Span) else part for part in parts)
        bar = _bar_cells(total)
        head = (*number, gap(2), pad_right(role[0].text, self._roles, role[0].ink), gap(1), *tokens, *signs)
        room = total - cells(head) - (bar + 1 if bar else 0)
        words = clip(text, max(0, room))
        line = (*head, *words)
        return (*line, gap(room - cells(words) + 1), *clip(share, bar)) if bar else line


def _bar_cells(total: int) -> int:
    """Cells of the bar at the edge; none where the words need them."""
    return 8 if total >= 70 else 5 if total >= 54 else 0
