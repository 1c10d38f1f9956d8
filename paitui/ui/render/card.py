"""A tool's card: one line that says what ran and how it went, and below it only what matters."""

from paitui.ui.blocks import ToolBlock
from paitui.ui.door import joined, own
from paitui.ui.door import line as one_line
from paitui.ui.door import rows as many_lines
from paitui.ui.lines import Ink, Line, Span, cells, flow, gap, glyph, mute, pad_left, taken
from paitui.ui.look import Look
from paitui.ui.render.numbers import grouped, seconds
from paitui.ui.wrap import cut, cut_middle, width

LIVE_LINES = 3
"""Rows of output shown while a tool runs."""
ERROR_LINES = 5
"""Rows of a failed tool's result that stay in view."""
DIFF_LINES = 14
"""Rows of a diff shown folded."""
OPEN_LINES = 60
"""Rows of a result or diff shown unfolded."""
_SECONDS = 9
"""Cells of the column of durations."""

_SIGN_INK: dict[str, Ink] = {
    "running": "accent",
    "asking": "warning",
    "ok": "dim",
    "failed": "danger",
    "denied": "warning",
    "stopped": "warning",
}


def card(tool: ToolBlock, look: Look, total: int, unfolded: bool) -> list[Line]:
    """Draw a card.

    Args:
        tool: The call.
        look: Words and signs.
        total: Cells of a row.
        unfolded: Show the result too.
    """
    body = _body(tool, look, total - 4, unfolded)
    edge: Line = mute((glyph(f"{look.glyphs.hatch} ", "warning"),)) if tool.external else ()
    lines = [(*edge, *_head(tool, look, total - cells(edge), bool(body)))]
    guide: Line = (*(edge or mute((gap(2),))), *mute((glyph(f"{look.glyphs.guide} ", "border"),)))
    lines += [(*guide, *row) for row in body]
    return lines


def _head(tool: ToolBlock, look: Look, total: int, opened: bool) -> Line:
    ink = _SIGN_INK[tool.status]
    sign = look.glyphs.opened if opened else look.glyphs.closed
    name = one_line(tool.name)
    right = _right(tool, look, total)
    left: list[Span] = [glyph(f"{sign} ", ink), Span(cut(name, max(8, total // 3)), "strong")]
    room = total - cells(left) - cells(right) - 4
    if room >= 4 and tool.subject:
        left += [gap(2), Span(cut_middle(one_line(tool.subject), room), "dim")]
    between = Span(own(" " * max(0, total - cells(left) - cells(right))), copy="  ")
    return (*left, between, *right)


def _right(tool: ToolBlock, look: Look, total: int) -> list[Span]:
    """What came of it, right-aligned: words, size of what was offloaded, duration."""
    found: list[Span] = []
    match tool.status:
        case "running":
            found.append(Span(look.word("card_running"), "accent"))
        case "asking":
            found.append(Span(look.word("card_asking"), "warning"))
        case "denied":
            found.append(Span(joined([own(f"{look.glyphs.bad} "), look.word("card_denied")]), "warning"))
        case "stopped":
            found.append(Span(joined([own(f"{look.glyphs.bad} "), look.word("card_stopped")]), "warning"))
        case "failed":
            words = look.say(tool.headline) if tool.headline else look.word("card_failed")
            found += [glyph(f"{look.glyphs.bad} ", "danger"), Span(cut(words, total // 3), "danger")]
        case "ok":
            if tool.headline:
                found.append(Span(cut(look.say(tool.headline), total // 3), "dim"))
    if tool.stored and total >= 56:
        found.append(glyph(f"  {look.word('card_chars', n=grouped(tool.chars))} ", "dim"))
        found.append(glyph(look.glyphs.offload, "offload"))
    elif tool.stored:
        found.append(glyph(f" {look.glyphs.offload}", "offload"))
    elif tool.cleared:
        found.append(glyph(f" {look.glyphs.clear}", "clear"))
    if tool.status in ("ok", "failed"):
        found.append(pad_left(seconds(tool.seconds), _SECONDS, "dim"))
    return found


def _body(tool: ToolBlock, look: Look, room: int, unfolded: bool) -> list[Line]:
    rows: list[Line] = []
    if tool.status == "denied" and tool.reason:
        rows += flow([Span(one_line(tool.reason), "text")], room)
    elif tool.diff and tool.status == "ok":
        rows += diff(tool.diff, look, room, OPEN_LINES if unfolded else DIFF_LINES, whole=unfolded)
    elif tool.text.strip():
        if unfolded:
            rows += text_rows(tool.result, room, OPEN_LINES, look)
        elif tool.status == "running":
            rows += _tail(tool.text, room, LIVE_LINES)
        elif tool.status in ("failed", "stopped"):
            rows += _tail(tool.result, room, ERROR_LINES)
    if tool.stored and (unfolded or tool.status == "failed"):
        where = look.word("card_stored")
        path = cut_middle(one_line(tool.stored), room - width(where) - 3)
        rows.append((glyph(f"{look.glyphs.offload} ", "offload"), Span(where, "dim"), gap(1), Span(path, "dim")))
    return rows


def _tail(text: str, room: int, limit: int) -> list[Line]:
    """The last rows of a text, one row a line: where it ended says most."""
    last = [row for row in text.rstrip().split("\n")[-limit * 2 :] if row.strip()][-limit:]
    return [(Span(cut(one_line(row), room), "dim"),) for row in last]


def text_rows(text: str, total: int, limit: int, look: Look, lead: Line = ()) -> list[Line]:
    """Draw the beginning of a text and say how much more there is.

    Args:
        text: Foreign text of any length; what cannot be shown is not looked at.
        total: Cells of a row.
        limit: Rows at most.
        look: Words.
        lead: Before each row.
    """
    text = text.strip("\n")
    shown, rows = 0, list[Line]()
    for source in many_lines(text[: limit * total]):
        fresh = flow([Span(source, "dim")], total, lead)
        if len(rows) + len(fresh) > limit and rows:
            break
        rows += fresh
        shown += len(source) + 1
    left = len(text) - shown
    if len(rows) > limit:
        left, rows = left + sum(len(taken(row)) for row in rows[limit:]), rows[:limit]
    if left > 0:
        rows.append((*mute(lead), *mute(rest(left, look))))
    return rows


def rest(chars: int, look: Look) -> Line:
    """Say how much of a text is not shown here, and where it is."""
    return (Span(own(look.words("blocks.rest", n=grouped(chars))), "dim"),)


def diff(text: str, look: Look, room: int, limit: int, whole: bool) -> list[Line]:
    """Draw a unified diff; its file names and hunk marks are dim.

    Args:
        text: The diff.
        look: Words.
        room: Cells of a row.
        limit: Source lines at most; below stands how many more there are.
        whole: Break long lines; else they are cut, which keeps the shape of the code.
    """
    source = many_lines(text.rstrip("\n"))
    if not whole and len(source) > 2 and source[0].startswith("--- ") and source[1].startswith("+++ "):
        source = source[2:]  # the card names the file already
    rows: list[Line] = []
    for at, row in enumerate(source):
        if at >= limit:
            rows.append(mute((Span(look.word("more_lines", n=grouped(len(source) - at)), "dim"),)))
            break
        ink: Ink = "text"
        if row.startswith(("+++", "---", "@@")):
            ink = "dim"
        elif row.startswith("+"):
            ink = "added"
        elif row.startswith("-"):
            ink = "removed"
        rows += flow([Span(row, ink)], room) if whole else [(Span(cut(row, room), ink),)]
    return rows
