"""The bar that shows how full the context is, and its marks on the same scale."""

from paitui.context.report import ContextReport
from paitui.ui.glyphs import Glyphs
from paitui.ui.lines import Ink, Line, Span, glyph
from paitui.ui.render.numbers import short


def fill(share: float, cells: int, glyphs: Glyphs) -> str:
    """Draw a share as a run of cells, in eighths where the signs allow.

    Args:
        share: 0 to 1; what is beyond is cut.
        cells: Cells of the whole.
        glyphs: The signs.

    Returns:
        At most `cells` characters; something above 0 always shows.
    """
    share = min(1.0, max(0.0, share))
    steps = len(glyphs.eighths) + 1
    ticks = round(share * cells * steps)
    if share > 0:
        ticks = max(1, ticks)
    whole, part = divmod(ticks, steps)
    return glyphs.full * whole + (glyphs.eighths[part - 1] if part else "")


def position(tokens: int, window: int, cells: int) -> int:
    """The cell of a bar that a number of tokens falls into."""
    return min(cells - 1, max(0, int(tokens * cells / window))) if window > 0 else 0


def bar(report: ContextReport, cells: int, glyphs: Glyphs, color: bool, marks: bool = False) -> Line:
    """Draw used tokens against the window.

    The part beyond a threshold takes that tier's colour, so that one look says which one was passed.

    Args:
        report: The manager's account.
        cells: Cells of the whole bar.
        glyphs: The signs.
        color: Whether the empty part shows by its background; else it shows by a sign.
        marks: Put the thresholds' signs into the bar; those that were passed stand on its ground.
    """
    share = report.used / report.window if report.window > 0 else 0.0
    filled = fill(share, cells, glyphs)
    clear_at = position(report.clear_at, report.window, cells)
    summary_at = position(report.summary_at, report.window, cells)
    empty = " " if color and not glyphs.plain and not marks else glyphs.track
    spans: list[Span] = []
    run = ""
    run_ink: Ink = "bar"
    for at in range(cells):
        ink: Ink
        # The last cell may be filled in part, and a sign would hide how far.
        passed = at < len(filled) - 1 or (at < len(filled) and filled[at] == glyphs.full)
        if marks and at in (clear_at, summary_at) and (passed or at >= len(filled)):
            if at == summary_at:
                sign, ink = glyphs.summary, "on_summary" if passed else "bar_summary"
            else:
                sign, ink = glyphs.clear, "on_clear" if passed else "bar_clear"
        elif at < len(filled):
            sign = filled[at]
            ink = "bar_summary" if at >= summary_at else "bar_clear" if at >= clear_at else "bar"
        else:
            sign, ink = empty, "track"
        if ink != run_ink and run:
            spans.append(glyph(run, run_ink))
            run = ""
        run, run_ink = run + sign, ink
    spans.append(glyph(run, run_ink))
    return tuple(spans)


def scale(report: ContextReport, cells: int, glyphs: Glyphs) -> Line:
    """Draw the line below the bar: each threshold's sign exactly under its place, its number beside it."""
    clear_at = position(report.clear_at, report.window, cells)
    summary_at = position(report.summary_at, report.window, cells)
    clear_label, summary_label = short(report.clear_at), short(report.summary_at)
    row: list[tuple[str, Ink]] = [(" ", "text")] * cells

    def put(at: int, text: str, ink: Ink) -> bool:
        if at < 0 or at + len(text) > cells or any(row[i][0] != " " for i in range(at, at + len(text))):
            return False
        row[at : at + len(text)] = [(character, ink) for character in text]
        return True

    put(summary_at, glyphs.summary, "summary")
    put(clear_at, glyphs.clear, "clear")
    # To the right of its sign if there is room (and a gap to the next one), else to the left of it.
    room_right = summary_at - clear_at - 1 > len(clear_label) or summary_at <= clear_at
    if not (room_right and put(clear_at + 1, clear_label, "clear")):
        put(clear_at - len(clear_label), clear_label, "clear")
    if not put(summary_at + 1, summary_label, "summary"):
        put(summary_at - len(summary_label), summary_label, "summary")
    spans: list[Span] = []
    for character, ink in row:
        if spans and spans[-1].ink == ink:
            spans[-1] = glyph(spans[-1].text + character, ink)
        else:
            spans.append(glyph(character, ink))
    return tuple(spans)
