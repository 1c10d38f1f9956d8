"""How the context filled: a small chart, a column a check, with the tiers' signs where they were at work."""

from paitui.context.report import ContextReport
from paitui.context.trend import TrendPoint
from paitui.ui.lines import Ink, Line, Span, glyph
from paitui.ui.look import Look

ROWS = 2
"""Rows of the chart."""


def trend(report: ContextReport, look: Look, total: int) -> list[Line]:
    """Draw the last checks, oldest first; full height is the summary threshold, or what was above it.

    Args:
        report: The manager's account.
        look: Signs.
        total: Cells of a line; a column is a cell.

    Returns:
        `ROWS` lines; none before the second check, since one point is no trend.
    """
    points = report.trend[-total:] if total > 0 else ()
    if len(points) < 2:
        return []
    top = max(report.summary_at, *(point.used for point in points), 1)
    lines: list[Line] = []
    for row in reversed(range(ROWS)):
        spans: list[Span] = []
        for point in points:
            sign, ink = _cell(point, row, top, report, look)
            if spans and spans[-1].ink == ink:
                spans[-1] = glyph(spans[-1].text + sign, ink)
            else:
                spans.append(glyph(sign, ink))
        lines.append(tuple(spans))
    return lines


def _cell(point: TrendPoint, row: int, top: int, report: ContextReport, look: Look) -> tuple[str, Ink]:
    """One cell: part of a column, or above the column, where there is room, the sign of what was done."""
    levels = look.glyphs.levels
    ticks = max(1, round(point.used / top * ROWS * len(levels)))
    here = min(len(levels), max(0, ticks - row * len(levels)))
    if point.mark and row == min(ROWS - 1, -(-ticks // len(levels))):
        return look.glyphs.tier(point.mark), point.mark
    ink: Ink = "meter"
    if point.used >= report.summary_at:
        ink = "meter_summary"
    elif point.used >= report.clear_at:
        ink = "meter_clear"
    return (levels[here - 1] if here else " "), ink
