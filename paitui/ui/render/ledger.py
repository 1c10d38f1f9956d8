"""The ledger as a list: a record a line, boundaries as rules across it; its heading; one record as a whole."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from paitui.clock import read_time
from paitui.ledger.boundaries import BoundaryDetail, Item
from paitui.ledger.facts import DAMAGED
from paitui.ledger.files import LedgerFile
from paitui.ledger.index import LedgerFilter
from paitui.ledger.row import Row
from paitui.ui.door import SafeText, joined, own
from paitui.ui.door import line as one_line
from paitui.ui.door import rows as many_lines
from paitui.ui.finding import needle
from paitui.ui.ledger_pages import LedgerPages
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, flow, gap, glyph, pad_left, pad_right, spread
from paitui.ui.look import Look
from paitui.ui.render.memory import age, table, titled
from paitui.ui.render.numbers import grouped
from paitui.ui.wrap import cut, width

INKS: dict[str, Ink] = {
    "user": "user",
    "assistant": "strong",
    "tool": "text",
    "system": "dim",
    "approval": "accent",
    "memory": "accent",
    "trust": "warning",
    "fault": "danger",
    "gap": "danger",
    DAMAGED: "danger",
}
"""Inks of who speaks and of what happened; anything else is dim."""
_KNOWN = frozenset(
    ("user", "assistant", "tool", "system", "approval", "memory", "trust", "turn", "session", "fault", "gap", DAMAGED,
     "offload", "clear", "summary", "cleared_history", "undo", "message", "boundary")
)  # fmt: skip
_STATED = ("turn", "session", "memory")
_STATES = (
    "started",
    "done",
    "partial",
    "failed",
    "cancelled",
    "opened",
    "resumed",
    "closed",
    "stored",
    "extracted",
    "replaced",
    "verified",
    "deleted",
    "moved",
    "cleared",
    "undone",
    "imported",
)
"""What their records say of them."""
_TIERS = ("offload", "clear", "summary")
_WRAPPER = re.compile(r"\A<tool_result [^>]*>\s*|\s*</tool_result>\Z")
"""What every result is wrapped in; in a list it says nothing."""
SIDES = 72
"""Cells from which on what went and what came stand side by side."""
_BETWEEN = 3
_CLIP_ROWS = 12
"""Rows that one message takes in a boundary."""


def size(count: int) -> str:
    """A number of bytes in at most seven characters."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:,.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"


def name_of(row: Row) -> str:
    """What a record is: who speaks, which boundary it is, or what happened."""
    return row.role or row.kind or row.event


def ink_of(row: Row) -> Ink:
    """The ink of what a record is."""
    if row.kind in _TIERS:
        return row.kind  # type: ignore[return-value]  # just compared
    return INKS.get(name_of(row), "accent" if row.event == "boundary" else "dim")


def _unit(row: Row) -> str:
    """What a boundary's numbers count: an offload tells characters of its one result."""
    return "chars" if row.kind == "offload" and row.ids <= 1 else "tokens"


def word_of(name: str, look: Look) -> SafeText:
    """What a kind of record is called; one that a newer program wrote has its own name."""
    return own(look.words(f"ledger_pane.is_{name}")) if name in _KNOWN else one_line(name)


def title(row: Row, look: Look) -> str:
    """Name a record in one line, for an export."""
    return one_line(f"{row.seq} {row.time} {word_of(name_of(row), look)} {', '.join(row.tools)}")


class LedgerRows:
    """Records as the rows of a list."""

    def __init__(self, pages: LedgerPages, look: Look, now: datetime, query: str = "") -> None:
        self.pages = pages
        self._look = look
        self._today = now.astimezone().date()
        self._query = needle(query) if query else None
        first = read_time(oldest.time) if (oldest := self._row(0)) is not None else None
        self._clock = 8 if first is None or first.astimezone().date() == self._today else 11
        units = pages.view.facets()["unit"] if pages.newest is None else {row.unit: 1 for row in pages.newest}
        named = [unit for unit in units if unit]
        self._unit = min(10, max(map(width, map(one_line, named)))) if len(named) > 1 else 0
        self._name = max(
            width(word_of(name, look)) for name in ("assistant", "approval", "summary", "cleared_history")
        )

    def __len__(self) -> int:
        return self.pages.count

    def key(self, at: int) -> Hashable:
        """Where the record begins."""
        row = self._row(at)
        return None if row is None else row.offset

    def find(self, key: Hashable) -> int | None:
        """Where the record of that offset is now."""
        try:
            return self.pages.find(key) if isinstance(key, int) else None
        except OSError:
            return None

    def head(self, total: int) -> Line:
        """What the columns hold."""
        head = {
            name: own(self._look.words(f"ledger_pane.head_{name}"))
            for name in ("time", "unit", "what", "words", "size")
        }
        return self._columns(
            head["time"], head["unit"], head["what"], "dim", (Span(head["words"], "dim"),), head["size"], total
        )

    def row(self, at: int, total: int) -> Line:
        """Draw one record."""
        row = self._row(at)
        if row is None:
            return ()
        if row.event == "boundary":
            return self._rule(row, total)
        words = one_line(_WRAPPER.sub("", row.words) if row.role == "tool" else row.words)
        if row.event in _STATED:
            words = own(" ".join(self._stated(word) for word in words.split(" ")))
        tools = one_line(", ".join(row.tools))
        spans: list[Span] = []
        if tools and not row.words.startswith(tools):
            spans += [Span(tools, "accent" if row.role == "assistant" else "text"), gap(1)]
        quiet = row.role in ("system", "tool") or row.event in ("turn", "session")
        spans += self._marked(words, "dim" if quiet else "text")
        if row.event == DAMAGED:
            spans = [Span(own(self._look.words("ledger_pane.damaged_row")), "danger"), gap(1), Span(words, "dim")]
        return self._columns(
            self._time(row), one_line(row.unit), word_of(name_of(row), self._look), ink_of(row), spans,
            own(size(row.size)), total,
        )  # fmt: skip

    def _stated(self, word: str) -> str:
        """What became of a turn or a session, in a word of the reader's language."""
        return self._look.words(f"ledger_pane.state_{word}") if word in _STATES else word

    def _row(self, at: int) -> Row | None:
        try:
            return self.pages.row(at)
        except OSError:
            return None  # the next look at the file says why

    def _marked(self, text: SafeText, ink: Ink) -> list[Span]:
        found = self._query.search(text) if self._query else None
        if found is None:
            return [Span(text, ink)]
        low, high = found.span()
        cuts = [(text[:low], ink), (text[low:high], "match"), (text[high:], ink)]
        return [Span(SafeText(part), which) for part, which in cuts if part]

    def _time(self, row: Row) -> SafeText:
        when = read_time(row.time)
        if when is None:
            return one_line(row.time[:8])
        here = when.astimezone()
        return own(f"{here:%H:%M:%S}" if here.date() == self._today else f"{here:%m-%d %H:%M}"[-11:])

    def _rule(self, row: Row, total: int) -> Line:
        """A boundary goes across the list, in the colour of its tier."""
        look, ink = self._look, ink_of(row)
        sign = look.glyphs.tier(row.kind) if row.kind in _TIERS else look.glyphs.bullet  # type: ignore[arg-type]
        head: Line = (*self._lead(self._time(row), one_line(row.unit), total), glyph(f"{sign} ", ink))
        said: list[Span] = [Span(word_of(name_of(row), look), ink)]
        if row.before or row.after:
            numbers = f"{grouped(row.before)} {look.glyphs.arrow} {grouped(row.after)}"
            said += [gap(2), Span(own(look.words(f"ledger_pane.{_unit(row)}", n=numbers)), "text")]
        if row.ids > 1:
            said += [gap(2), Span(own(look.words("ledger_pane.touched", n=row.ids)), "dim")]
        line = clip((*head, *said, gap(1)), total)
        return (*line, glyph(look.glyphs.rule * max(0, total - cells(line)), ink))

    def _lead(self, time: SafeText, unit: SafeText, total: int) -> Line:
        lead: list[Span] = [pad_right(time, self._clock, "dim"), gap(1)] if total >= 40 else []
        if self._unit and total >= 60:
            lead += [pad_right(unit, self._unit, "dim"), gap(1)]
        return tuple(lead)

    def _columns(
        self,
        time: SafeText,
        unit: SafeText,
        what: SafeText,
        ink: Ink,
        words: Sequence[Span],
        bytes_: SafeText,
        total: int,
    ) -> Line:
        left: Line = (*self._lead(time, unit, total), pad_right(what, self._name, ink), gap(1))
        right: Line = (gap(2), pad_left(bytes_, 8, "dim")) if total >= 50 else ()
        room = max(0, total - cells(left) - cells(right))
        cropped = clip(words, room)
        return (*left, *cropped, gap(room - cells(cropped)), *right)


class FileRows:
    """Ledgers of other sessions as the rows of a list."""

    def __init__(self, files: Sequence[tuple[LedgerFile, str]], current: str, look: Look, now: datetime) -> None:
        self.files = files
        self._current = current
        self._look = look
        self._now = now

    def __len__(self) -> int:
        return len(self.files)

    def key(self, at: int) -> Hashable:
        """The session."""
        return self.files[at][0].session

    def find(self, key: Hashable) -> int | None:
        """Where it is now."""
        return next((at for at, (file, _) in enumerate(self.files) if file.session == key), None)

    def head(self, total: int) -> Line:
        """What the columns hold."""
        words = self._look.words
        right = (
            pad_left(own(words("ledger_pane.head_size")), 9, "dim"),
            gap(2),
            pad_left(own(words("ledger_pane.head_age")), 8, "dim"),
        )
        return spread((gap(2), Span(own(words("ledger_pane.head_request")), "dim")), right, total)

    def row(self, at: int, total: int) -> Line:
        """Draw one ledger."""
        file, words = self.files[at]
        here = file.session == self._current
        mark = glyph(f"{self._look.glyphs.bullet} " if here else "  ", "accent")
        text = Span(one_line(words), "text") if words else Span(one_line(file.session), "dim")
        right = (
            pad_left(size(file.size), 9, "dim"), gap(2), pad_left(age(file.changed, self._now, self._look), 8),
        )  # fmt: skip
        return spread((mark, text), right, total)


@dataclass(frozen=True, slots=True)
class Heading:
    """What is said above the list."""

    file: str
    """The session whose ledger it is."""
    live: bool
    """Whether that is the session that runs."""
    which: LedgerFilter
    count: int
    keys: dict[str, str]
    """The key of each filter: ``event``, ``role``, ``unit``, ``tool``."""
    progress: int | None = None
    """Percent of the ledger that is indexed; None if all of it is."""
    below: int = 0
    """Records that came in below the ones in view."""
    query: str = ""
    searching: int | None = None
    """Percent of the ledger that was searched; None if nothing is searched."""


def heading(what: Heading, look: Look, total: int) -> list[Line]:
    """Draw two lines: which ledger, and which of its records.

    Args:
        what: What to say.
        look: Words and signs.
        total: Cells of a line.
    """
    words = look.words
    left: list[Span] = [gap(1)]
    key = "live" if what.live else "stored"
    left += [Span(own(words(f"ledger_pane.{key}")), "accent" if what.live else "dim"), gap(2)]
    left.append(Span(own(words("ledger_pane.count", n=what.count)), "text"))
    right: list[Span] = []
    if what.searching is not None:
        right = [Span(own(words("ledger_pane.searching", n=what.searching)), "accent"), gap(1)]
    elif what.progress is not None:
        right = [Span(own(words("ledger_pane.indexing", n=what.progress)), "dim"), gap(1)]
    elif what.below:
        right = [
            Span(own(words("ledger_pane.below", n=what.below)), "accent"),
            glyph(f" {look.glyphs.down} "),
            gap(0),
        ]
    elif what.query:
        quoted = joined([own("“"), cut(one_line(what.query), 24), own("”")])
        right = [Span(own(words("ledger_pane.found")), "dim"), gap(1), Span(quoted, "accent"), gap(1)]
    else:
        right = [Span(one_line(what.file), "dim"), gap(1)]
    filters: list[Span] = [gap(1)]
    for name, value in _filters(what.which):
        shown = word_of(value, look) if name in ("event", "role") else one_line(value)
        filters += [
            glyph(what.keys[name], "key"), gap(1), Span(own(words(f"ledger_pane.by_{name}")), "dim"), gap(1),
            Span(shown if value else own(words("ledger_pane.all")), "accent" if value else "dim"), gap(3),
        ]  # fmt: skip
    return [spread(left, right, total), clip(filters, total)]


def _filters(which: LedgerFilter) -> tuple[tuple[str, str], ...]:
    return (("event", which.event), ("role", which.role), ("tool", which.tool), ("unit", which.unit))


def facts(row: Row, look: Look, total: int) -> list[Line]:
    """Draw what is known of a record besides its text."""
    words = look.words
    when = read_time(row.time)
    told: list[tuple[str, SafeText]] = [
        ("time", own(f"{when.astimezone():%Y-%m-%d %H:%M:%S}") if when else one_line(row.time))
    ]
    if row.seq:
        told.append(("number", own(grouped(row.seq))))
    told += [(name, one_line(text)) for name, text in (("unit", row.unit), ("tool", ", ".join(row.tools))) if text]
    told.append(("size", own(size(row.size))))
    if row.why:
        told.append(("why", one_line(row.why)))
    head: Line = (Span(word_of(name_of(row), look), ink_of(row)),)
    table_rows = [(own(words(f"ledger_pane.label_{name}")), [Span(text)]) for name, text in told]
    return [head, BLANK, *table(table_rows, total), BLANK]


def text_rows(text: str, total: int, ink: Ink = "text") -> list[Line]:
    """Draw a text of a record."""
    return [line for row in many_lines(text) for line in flow([Span(row, ink)], total)]


def boundary(detail: BoundaryDetail, look: Look, total: int) -> list[Line]:
    """Draw what a boundary took out and what it put there, side by side where there is room."""
    words, ink = look.words, ink_of(detail.row)
    lines: list[Line] = []
    if detail.damaged:
        return [(Span(own(words("ledger_pane.boundary_damaged")), "danger"),)]
    if detail.row.before or detail.row.after:
        numbers = f"{grouped(detail.row.before)} {look.glyphs.arrow} {grouped(detail.row.after)}"
        lines += [(Span(own(words(f"ledger_pane.{_unit(detail.row)}", n=numbers)), ink),), BLANK]
    if detail.unknown:
        lines += [*flow([Span(own(words("ledger_pane.unknown", n=detail.unknown)), "warning")], total), BLANK]
    side = (total - _BETWEEN) // 2 if total >= SIDES else total
    went = [_item(item, look, side, "removed") for item in detail.went]
    came = [_item(item, look, side, "added") for item in detail.came]
    titles = [own(words("ledger_pane.went", n=len(detail.went))), own(words("ledger_pane.came", n=len(detail.came)))]
    if total < SIDES:
        for title, items in zip(titles, (went, came), strict=True):
            lines += [titled(title, look, total), *(line for item in items for line in item), BLANK]
    else:
        lines.append(_beside(titled(titles[0], look, side), titled(titles[1], look, side), side, look))
        pairs = _rows_of(went, came, detail.paired)
        lines += [_beside(left, right, side, look) for left, right in pairs]
    if detail.start + detail.shown < detail.total:
        rest = detail.total - detail.start - detail.shown
        lines += [BLANK, (Span(own(words("ledger_pane.more", n=rest)), "dim"),)]
    return lines


def _rows_of(went: Sequence[list[Line]], came: Sequence[list[Line]], paired: bool) -> list[tuple[Line, Line]]:
    """Put two columns beside each other; where each message has its successor, the two begin on one line."""
    found: list[tuple[Line, Line]] = []
    groups = (
        list(zip(went, came, strict=True))
        if paired and len(went) == len(came)
        else [([line for item in went for line in item], [line for item in came for line in item])]
    )
    for left, right in groups:
        for at in range(max(len(left), len(right))):
            found.append((left[at] if at < len(left) else (), right[at] if at < len(right) else ()))
    return found


def _beside(left: Line, right: Line, side: int, look: Look) -> Line:
    left = clip(left, side)
    return (*left, gap(side - cells(left)), glyph(f" {look.glyphs.guide} ", "border"), *clip(right, side))


def _item(item: Item, look: Look, total: int, ink: Ink) -> list[Line]:
    """A message that went or came: who, and the beginning of its text."""
    head: list[Span] = []
    if item.row is not None:
        head += [Span(word_of(name_of(item.row), look), ink_of(item.row))]
        if item.row.tools:
            head += [gap(1), Span(one_line(", ".join(item.row.tools)), "accent")]
        head += [gap(2), Span(own(size(item.row.size)), "dim")]
    lines: list[Line] = [clip(head, total)] if head else []
    body = text_rows(item.text, total, ink)
    lines += body[:_CLIP_ROWS]
    left_out = len(body) > _CLIP_ROWS or item.cut
    if left_out:
        lines.append((glyph(look.glyphs.ellipsis, "dim"),))
    if item.stored:
        lines += flow([Span(one_line(item.stored), "offload")], total, (glyph(f"{look.glyphs.offload} ", "offload"),))
    return [*lines, BLANK]
