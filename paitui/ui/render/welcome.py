"""What stands in an empty transcript: where one is, what one can say, what the three signs mean."""

from collections.abc import Sequence

from paitui.engine.events import BoundaryKind
from paitui.ui.door import SafeText
from paitui.ui.door import line as one_line
from paitui.ui.lines import BLANK, Line, Span, flow, gap, glyph
from paitui.ui.look import Look
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut_middle, width

EXAMPLES = ("example_survey", "example_read", "example_run", "example_find")
TIERS: tuple[BoundaryKind, ...] = ("offload", "clear", "summary")
OFFLINE = "offline"
"""Name of the built-in engine; the screen says plainly that no language model is behind it."""
MEASURE = 84
"""Cells of a row at most."""


def welcome(state: ViewState, look: Look, total: int) -> list[Line]:
    """Draw the first screen of a new session.

    Args:
        state: For the model.
        look: Words and signs.
        total: Cells of a line.
    """
    room = max(8, min(total - 2, MEASURE))
    lead: Line = (gap(2),)
    lines: list[Line] = [BLANK, *flow([Span(look.word("tagline"), "strong")], room, lead), BLANK]
    if state.model == OFFLINE:
        lines += flow([Span(look.word("offline_long"), "accent")], room, lead)
    elif state.model:
        lines.append((gap(2), Span(cut_middle(one_line(state.model), room), "dim")))
    if state.model:
        lines.append(BLANK)
    labels = (look.word("try"), look.word("full"))
    column = 2 + max(map(width, labels)) + 2
    examples: list[Sequence[Span]] = [[Span(look.word(example))] for example in EXAMPLES]
    lines += _listed(labels[0], examples, column, room)
    lines.append(BLANK)
    sizes = [width(look.word(f"step_{kind}")) for kind in TIERS]
    for label, kind, size in zip((labels[1], None, None), TIERS, sizes, strict=True):
        name = look.word(f"step_{kind}")
        head: Line = (
            *_label(label, column),
            glyph(f"{look.glyphs.tier(kind)} ", kind),
            Span(name, kind),
            gap(max(sizes) - size + 2),
        )
        what = [Span(look.word(f"welcome_{kind}"), "dim")]
        lines += flow(what, room, head, (gap(column + 2 + max(sizes) + 2),))
    return lines


def _label(label: SafeText | None, column: int) -> Line:
    return (gap(2), Span(label, "dim"), gap(column - 2 - width(label))) if label else (gap(column),)


def _listed(label: SafeText, rows: Sequence[Sequence[Span]], column: int, room: int) -> list[Line]:
    lines: list[Line] = []
    for at, row in enumerate(rows):
        lines += flow(row, room, _label(label if at == 0 else None, column), (gap(column),))
    return lines
