"""Every kind of block as lines. Sign in the first cell, text from the third: one edge for the eye."""

from paitui.engine.events import BoundaryKind
from paitui.ui.blocks import (
    AnswerBlock,
    Block,
    EndBlock,
    NoteBlock,
    OutputBlock,
    PlanBlock,
    ReasoningBlock,
    TierBlock,
    ToolBlock,
    UserBlock,
)
from paitui.ui.door import SafeText, joined, own
from paitui.ui.door import line as one_line
from paitui.ui.door import rows as many_lines
from paitui.ui.glyphs import UNICODE
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, flow, gap, glyph, margin, mute
from paitui.ui.look import Look, marked
from paitui.ui.render.answer import MAX_CHARS, MEASURE, Answer
from paitui.ui.render.card import card, rest, text_rows
from paitui.ui.render.gauge import sheet
from paitui.ui.render.numbers import grouped, seconds
from paitui.ui.render.said import said_lines
from paitui.ui.wrap import cut, width

USER_ROWS = 24
"""Rows of a message of the user that are shown folded; a long paste is known to who pasted it."""
OPEN_ROWS = 2_000
"""Rows of it shown unfolded."""
THOUGHT_ROWS = 400
"""Rows of reasoning shown unfolded."""
GAUGE_SAYS = frozenset(f"engine.context_{name}" for name in ("used", "clear_at", "summary_at", "reserve", "part"))
"""Lines about the context that a gauge makes needless."""
_TIER_SIGNS: dict[str, BoundaryKind] = {
    f"{UNICODE.offload} ": "offload",
    f"{UNICODE.clear} ": "clear",
    f"{UNICODE.summary} ": "summary",
}
GUTTER = 2
"""Cells before the text of every block."""


def block_lines(
    item: Block, before: Block | None, look: Look, total: int, unfolded: bool, answer: Answer | None = None
) -> list[Line]:
    """Draw one block.

    Args:
        item: The block.
        before: The block above it; it decides whether there is a blank line between them.
        look: Words and signs.
        total: Cells of a row.
        unfolded: Whether what folds is unfolded.
        answer: The renderer that drew this answer before, while it grows.

    Returns:
        The rows, the blank line above included.
    """
    rows = _rows(item, look, total, unfolded, answer)
    return [BLANK, *rows] if rows and blank_above(before, item) else rows


def estimate(item: Block, before: Block | None, total: int) -> int:
    """Guess the rows of a block without drawing it; right for most, cheap for all."""
    room = max(8, total - GUTTER)
    match item:
        case UserBlock() if item.pasted:
            rows = 2
        case UserBlock() | AnswerBlock():
            rows = item.text.count("\n") + 1 + len(item.text.encode("utf-8", "replace")) // (room * 3 // 2)
        case OutputBlock():
            rows = 1 + len(item.lines) + (4 if item.report else 0)
        case PlanBlock():
            rows = 1 + len(item.rows)
        case _:
            rows = 1
    return rows + blank_above(before, item)


def blank_above(above: Block | None, below: Block) -> int:
    """Blank rows between two blocks: steps of the work stand close, words stand apart."""
    steps = (ToolBlock, TierBlock, ReasoningBlock)
    return int(above is not None and not (isinstance(above, steps) and isinstance(below, steps)))


def folds(item: Block) -> bool:
    """Whether a block shows more when it is unfolded."""
    match item:
        case ReasoningBlock():
            return True
        case ToolBlock():
            return bool(item.text.strip() or item.diff or item.stored)
        case TierBlock():
            return bool(item.text or item.stored)
        case PlanBlock():
            return True
        case UserBlock():
            return item.text.count("\n") >= USER_ROWS or len(item.text) > USER_ROWS * MEASURE // 2
        case _:
            return False


def _rows(item: Block, look: Look, total: int, unfolded: bool, answer: Answer | None) -> list[Line]:
    match item:
        case UserBlock():
            return _user(item, look, total, unfolded)
        case AnswerBlock():
            return _answer(item, look, total, answer)
        case ReasoningBlock():
            return _reasoning(item, look, total, unfolded)
        case ToolBlock():
            return card(item, look, total, unfolded)
        case TierBlock():
            return _tier(item, look, total, unfolded)
        case NoteBlock():
            ink: Ink = {"info": "dim", "warning": "warning", "error": "danger"}[item.level]  # type: ignore[assignment]
            return flow([Span(look.say(item.phrase), ink)], total, marked(look.glyphs.bullet, ink), (gap(GUTTER),))
        case OutputBlock():
            return _output(item, look, total)
        case EndBlock():
            return _end(item, look, total)
        case PlanBlock():
            from paitui.ui.render.plan import plan_block  # not needed for the first frame

            return plan_block(item, look, total, unfolded)


def _user(item: UserBlock, look: Look, total: int, unfolded: bool) -> list[Line]:
    lead = marked(look.glyphs.bar, "user")
    rows: list[Line] = []
    limit = OPEN_ROWS if unfolded else USER_ROWS
    text, pasted = item.text, () if unfolded else item.pasted
    for number, spans in enumerate(said_lines(text, pasted, look, limit * MEASURE)):
        if item.steered and number == 0:
            spans.insert(0, Span(joined([look.word("steered"), own(" ")]), "user"))
        rows += flow(spans, min(total, MEASURE + GUTTER), lead)
        if len(rows) > limit:
            break
    if len(rows) > limit or (len(text) > limit * MEASURE and not pasted):
        size = look.word("user_more", n=grouped(len(item.text)))
        rows = [*rows[:limit], *map(mute, flow([Span(size, "dim")], total, lead))]
    return rows


def _answer(item: AnswerBlock, look: Look, total: int, answer: Answer | None) -> list[Line]:
    renderer = answer or Answer(look, total - GUTTER)
    rows: list[Line] = [(margin(GUTTER), *row) if row else row for row in renderer.rows(item.text[:MAX_CHARS])]
    if len(item.text) > MAX_CHARS:
        rows.append((margin(GUTTER), *mute(rest(len(item.text) - MAX_CHARS, look))))
    if item.partial:
        rows.append(mute((*marked(look.glyphs.bad, "warning"), Span(look.word("partial"), "warning"))))
    return rows


def _reasoning(item: ReasoningBlock, look: Look, total: int, unfolded: bool) -> list[Line]:
    sign = look.glyphs.opened if unfolded else look.glyphs.closed
    label = look.word("thinking" if item.live else "reasoning")
    head: list[Span] = [glyph(f"{sign} ", "dim"), Span(label, "dim")]
    size = glyph(look.word("card_chars", n=grouped(len(item.text))), "dim")
    if not unfolded:
        room = total - cells(head) - cells([size]) - 4
        first = " ".join(item.text[:400].split())
        head += [gap(2), Span(cut(one_line(first), max(0, room)), "dim")]
    head += [gap(total - cells(head) - cells([size])), size]
    rows: list[Line] = [tuple(head) if not unfolded else mute(head)]
    if unfolded:
        guide: Line = (gap(2), glyph(f"{look.glyphs.guide} ", "border"))
        rows += text_rows(item.text.strip(), min(total, MEASURE), THOUGHT_ROWS, look, guide)
    return rows


def _tier(item: TierBlock, look: Look, total: int, unfolded: bool) -> list[Line]:
    """One of the three tiers happened: its sign, its colour, before and after at the right edge."""
    ink: Ink = item.kind
    label = look.word("tier_earlier")
    if item.undone:
        label = own(look.words(f"gauge.undone_{item.kind}"))
    elif item.count:
        label = look.word(f"tier_{item.kind}{'_one' if item.count == 1 else ''}", n=grouped(item.count))
    left: list[Span] = [*marked(look.glyphs.tier(item.kind), ink), Span(label, ink)]
    right: list[Span] = []
    if item.before:
        unit = look.word("unit_chars" if item.kind == "offload" and not item.undone else "unit_tokens")
        numbers = own(f" {grouped(item.before)} {look.glyphs.arrow} {grouped(item.after)} ")
        right = [Span(numbers, "text"), Span(unit, "dim")]
    rule = total - cells(left) - cells(right) - 1
    if rule < 0:
        right, rule = [], max(0, total - cells(left) - 1)
    line = Span(own(" " + look.glyphs.rule * rule), ink, " ")
    rows = [clip((*left, line, *right), total)]
    guide: Line = mute((gap(2), glyph(f"{look.glyphs.guide} ", ink)))
    if item.text and unfolded:
        answer = Answer(look, min(total, MEASURE) - 4)
        rows += [(*guide, *row) for row in answer.rows(item.text)]
    if unfolded:
        for file in item.stored:
            rows += flow([Span(one_line(file), "dim")], total, guide)
    return rows


def _output(item: OutputBlock, look: Look, total: int) -> list[Line]:
    rows: list[Line] = flow(
        [Span(look.say(item.title), "heading")], total, marked(look.glyphs.bullet, "accent"), (gap(GUTTER),)
    )
    parts = item.lines
    if item.report is not None:
        rows += [(margin(GUTTER), *row) if row else row for row in sheet(item.report, look, total - GUTTER)]
        parts = tuple(part for part in parts if part.key not in GAUGE_SAYS)
        rows += [BLANK] if parts else []
    for part in parts:
        for source in many_lines(look.words.say(part)):
            lead: Line = (gap(GUTTER),)
            if kind := _TIER_SIGNS.get(source[:2]):
                # In the words stands the usual sign; here it takes its colour, and the form the terminal has.
                lead = (gap(GUTTER), glyph(f"{look.glyphs.tier(kind)} ", kind))
                source = SafeText(source[2:])
            rows += flow([Span(source)], total, lead, (gap(cells(lead)),))
    return rows


def _end(item: EndBlock, look: Look, total: int) -> list[Line]:
    ink: Ink = "danger" if item.status == "failed" else "warning"
    label = look.word(f"end_{item.status}")
    if item.status == "cancelled" and item.reason:
        spans = [Span(look.say(item.reason))]  # it says who stopped what; the sign says the rest
    else:
        spans = [Span(label, ink)]
        if item.reason:
            spans += [gap(2), Span(look.say(item.reason))]
    if item.seconds and width(label) + 12 < total and not item.reason:
        spans.append(glyph(f"  {seconds(item.seconds)}", "dim"))
    return flow(spans, total, marked("!" if item.status == "partial" else look.glyphs.bad, ink), (gap(GUTTER),))
