"""The gauge: how full the context is and what happens next, in three sizes. One number everywhere."""

from itertools import zip_longest

from paitui.context.report import ContextReport, Part
from paitui.messages.message import Usage
from paitui.ui.door import own
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, gap, glyph, pad_left, spread
from paitui.ui.look import Look
from paitui.ui.render.bar import bar, fill, scale
from paitui.ui.render.numbers import grouped, percent, short, shortest
from paitui.ui.render.steps import next_words, steps
from paitui.ui.render.trend import trend
from paitui.ui.wrap import cut, width

NOTHING = Usage()
"""Nothing was reported."""
_INKS: dict[Part, Ink] = {"results_cleared": "clear", "results_offloaded": "offload", "summary": "summary"}
_METERS: dict[Part, Ink] = {
    "results_cleared": "meter_clear",
    "results_offloaded": "meter_offload",
    "summary": "meter_summary",
}
_ALWAYS: tuple[Part, ...] = ("results_live",)
_SHORTEST_BAR = 12
_COLUMN, _COLUMN_MOST, _BETWEEN = 34, 48, 4
"""Cells of a column of the sheet, at least and at most, and between two of them."""
_FIGURES = 9
"""Cells of a column of token counts: ``1,000,000``."""


def wide(report: ContextReport | None, look: Look, total: int, spent: Usage = NOTHING, height: int = 0) -> list[Line]:
    """Draw the gauge as a pane.

    Args:
        report: The manager's account; None before the first one.
        look: Words and signs.
        total: Cells of a line.
        spent: What providers reported of the session.
        height: Rows that there are; where they are too few, the sections stand close. 0 if it does not matter.
    """
    if report is None:
        return [(Span(look.word("gauge_none"), "dim"),)]
    lines = [
        *_top(report, look, total),
        *steps(report, look, total),
        *_apart(_trend(report, look, total)),
        BLANK,
        *_parts(report, look, total),
        BLANK,
        *_room(report, look, total),
        BLANK,
        *_offload(report, look, total),
        *_apart(_spent(spent, look, total)),
    ]
    return [line for line in lines if line] if 0 < height < len(lines) else lines


def sheet(report: ContextReport, look: Look, total: int, spent: Usage = NOTHING) -> list[Line]:
    """Draw the same across the conversation, in two columns where they fit: all of it is then seen at once.

    Args:
        report: The manager's account.
        look: Words and signs.
        total: Cells of a line.
        spent: What providers reported of the session.
    """
    if total < 2 * _COLUMN + _BETWEEN:
        return wide(report, look, total, spent)
    total = min(total, 2 * _COLUMN_MOST + _BETWEEN)
    column = (total - _BETWEEN) // 2
    left = _parts(report, look, column)
    right = [
        *steps(report, look, column),
        *_apart(_trend(report, look, column)),
        BLANK,
        *_room(report, look, column),
        BLANK,
        *_offload(report, look, column),
        *_apart(_spent(spent, look, column)),
    ]
    rows = zip_longest(left, right, fillvalue=BLANK)
    return [
        *_top(report, look, 2 * column + _BETWEEN),
        *[(*one, gap(column + _BETWEEN - cells(one)), *other) if other else one for one, other in rows],
    ]


def _top(report: ContextReport, look: Look, total: int) -> list[Line]:
    """How full it is: numbers, bar, scale."""
    kind = look.word("measured" if report.measured else "estimated")
    used: Line = (
        glyph(grouped(report.used), "strong"),
        glyph(f" / {grouped(report.window)}", "dim"),
    )
    share: Line = (Span(kind, "dim"), glyph("  "), glyph(percent(report.used, report.window), level(report)))
    return [
        spread(used, share, total),
        bar(report, total, look.glyphs, look.grounds),
        scale(report, total, look.glyphs),
    ]


def _apart(lines: list[Line]) -> list[Line]:
    """Put a blank line before a section, if there is one."""
    return [BLANK, *lines] if lines else []


def header(look: Look, key: str, total: int, unit: str = "", **params: object) -> Line:
    """A rule with a title at its left and, once for the whole column, the unit at its right."""
    title = own(look.words(f"gauge.{key}", **params))
    right = look.word(f"unit_{unit}") if unit else own("")
    rule = max(0, total - width(title) - width(right) - (2 if right else 1))
    tail = (glyph(" "), Span(right, "dim")) if right else ()
    return (Span(title, "title"), glyph(" "), glyph(look.glyphs.rule * rule, "border"), *tail)


def level(report: ContextReport) -> Ink:
    """The ink of the used share: that of the threshold it passed last."""
    if report.used >= report.summary_at:
        return "summary"
    return "clear" if report.used >= report.clear_at else "strong"


def _row(label: Line, tokens: int, whole: int, look: Look, total: int, ink: Ink) -> Line:
    """One line of the table: label, number, and a small bar of the part's share in what is used."""
    bar_cells = max(4, min(8, total - 30))
    label_cells = total - bar_cells - _FIGURES - 2
    left = clip(label, label_cells)
    share = tokens / whole if whole else 0.0
    small = fill(share, bar_cells, look.glyphs) if tokens else ""
    return (
        *left,
        gap(label_cells - cells(left)),
        pad_left(grouped(tokens), _FIGURES, "text"),
        gap(2),
        glyph(small, ink),
        gap(bar_cells - len(small)),
    )


def _parts(report: ContextReport, look: Look, total: int) -> list[Line]:
    lines: list[Line] = [header(look, "parts", total, "tokens")]
    results_shown = False
    for part, tokens in report.parts:
        sign = look.glyphs.part(part)
        if tokens == 0 and part not in _ALWAYS:
            continue
        ink: Ink = _INKS.get(part, "text")
        if part.startswith("results_"):
            # One word for the three kinds of result, the kind beside it.
            name = look.word("part_results")
            head = name if not results_shown else own(" " * width(name))
            results_shown = True
            kind = look.word(f"part_{part}")
            label: Line = (
                Span(head, "dim"),
                gap(1),
                glyph(f"{sign} " if sign else "", ink),
                Span(kind, ink if sign else "dim"),
            )
        elif sign:
            label = (glyph(f"{sign} ", ink), Span(look.word(f"part_{part}"), ink))
        else:
            label = (Span(look.word(f"part_{part}"), "dim"),)
        lines.append(_row(label, tokens, report.used, look, total, _METERS.get(part, "meter")))
    return lines


def _room(report: ContextReport, look: Look, total: int) -> list[Line]:
    """What fills the window up: with the parts it adds up to the window."""
    left = max(0, report.window - report.used)
    reserve = min(report.reserve, left)
    buffer = min(report.buffer, left - reserve)
    rows = [("room_free", left - reserve - buffer), ("room_buffer", buffer), ("room_reserve", reserve)]
    lines = [header(look, "room", total, "tokens")]
    lines += [
        _row((Span(look.word(key), "dim"),), tokens, report.window, look, total, "meter_room") for key, tokens in rows
    ]
    if report.used > report.window:
        lines.append((Span(look.word("room_over", tokens=grouped(report.used - report.window)), "danger"),))
    return lines


def _trend(report: ContextReport, look: Look, total: int) -> list[Line]:
    rows = trend(report, look, total)
    if not rows:
        return []
    calls = sum(point.mark in ("", "offload") for point in report.trend[-total:])
    return [header(look, "trend", total, n=calls), *rows]


def _spent(spent: Usage, look: Look, total: int) -> list[Line]:
    """What the provider reported: tokens there and back, how many of them came from its cache, and the price."""
    if not spent.prompt and spent.cost is None:
        return []
    cached = look.words("gauge.cached", share=percent(spent.cached, spent.prompt)) if spent.cached else ""
    rows: list[Line] = [header(look, "reported", total, "tokens")]
    for key, tokens, note in (("sent", spent.prompt, cached), ("received", spent.completion, "")):
        name = own(look.words(f"gauge.{key}"))
        right = pad_left(grouped(tokens), _FIGURES, "text")
        left: Line = (Span(name, "dim"), gap(2), Span(own(note), "dim"))
        rows.append(spread(left, (right,), total))
    if spent.cost is not None:
        rows.append(spread((Span(own(look.words("gauge.cost")), "dim"),), (glyph(f"${spent.cost:.2f}"),), total))
    return rows


def _offload(report: ContextReport, look: Look, total: int) -> list[Line]:
    limit: Line = (
        glyph(f"{look.glyphs.offload} ", "offload"),
        Span(look.word("offload_limit"), "dim"),
    )
    lines = [
        header(look, "offload", total, "characters"),
        spread(limit, (glyph(grouped(report.offload_chars)),), total),
    ]
    if report.newest_results:
        head: Line = (gap(2), Span(look.word("offload_newest"), "dim"), gap(1))
        room = total - cells(head) - 1
        newest: list[Span] = []
        for chars in report.newest_results:
            over = chars > report.offload_chars
            text = grouped(chars)
            if newest and width(text) + 2 > room:
                break
            newest.append(glyph(f"  {text}", "offload" if over else "text"))
            room -= width(text) + 2
        lines.append(spread(head, newest, total))
    return lines


def one_line(report: ContextReport | None, look: Look, total: int) -> Line:
    """Draw the gauge as one line: share, bar with marks, used of window (``~`` if estimated), what comes next."""
    if report is None:
        return (Span(cut(look.word("gauge_none"), total), "dim"),)
    share = glyph(f"{percent(report.used, report.window):>4} ", level(report))
    label, moment = next_words(report, look)
    right: list[Span] = [
        glyph("  " if report.measured else " ~"),
        glyph(short(report.used), "strong"),
        glyph(f"/{short(report.window)}", "dim"),
        gap(2),
        *label,
        *moment,
    ]
    room = total - cells([share, *right])
    if room < _SHORTEST_BAR and len(moment) > 1:
        del right[-2]  # the sign and its colour stand for the word
        room = total - cells([share, *right])
    if room < _SHORTEST_BAR:
        return narrow(report, look, total)
    bar_cells = min(room, 40)
    line: Line = (share, *bar(report, bar_cells, look.glyphs, look.grounds, marks=True), *right)
    if not report.measured:
        note = look.word("estimated")
        if width(note) + 2 <= room - bar_cells:
            return spread(line, (Span(note, "dim"),), total)
    return line


def narrow(report: ContextReport | None, look: Look, total: int) -> Line:
    """Draw the gauge as short as can be: share and both thresholds."""
    if report is None:
        return (Span(cut(look.word("gauge_none"), total), "dim"),)
    line: Line = (
        gap(2 if total >= 24 else 0),
        glyph(percent(report.used, report.window), level(report)),
        glyph(f" {look.glyphs.clear}{shortest(report.clear_at)}", "clear"),
        glyph(f" {look.glyphs.summary}{shortest(report.summary_at)}", "summary"),
    )
    return clip(line, total)
