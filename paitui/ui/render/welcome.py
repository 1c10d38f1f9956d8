"""What stands in an empty transcript: where one is, what one can say."""

from paitui.ui.door import line as one_line
from paitui.ui.lines import BLANK, Line, Span, flow, gap, glyph
from paitui.ui.look import Look
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut_middle, width

EXAMPLES = ("example_survey", "example_read", "example_run", "example_find")
OFFLINE = "offline"
"""Name of the built-in engine; the screen says plainly that no language model is behind it."""


def welcome(state: ViewState, look: Look, total: int) -> list[Line]:
    """Draw the first screen of a new session.

    Args:
        state: For the model.
        look: Words and signs.
        total: Cells of a line.
    """
    room = max(8, total - 4)
    lead: Line = (gap(2),)
    lines: list[Line] = [BLANK, (gap(2), glyph("paitui", "strong"))]
    lines += flow([Span(look.word("tagline"), "dim")], room, lead)
    lines.append(BLANK)
    if state.model == OFFLINE:
        lines += flow([Span(look.word("offline_long"), "accent")], room, lead)
    elif state.model:
        lines.append((gap(2), Span(cut_middle(one_line(state.model), room), "dim")))
    if state.model:
        lines.append(BLANK)
    label = look.word("try")
    column = width(label) + 4
    for number, example in enumerate(EXAMPLES):
        head: Line = (gap(2), Span(label, "dim"), gap(2)) if number == 0 else (gap(column),)
        lines += flow([Span(look.word(example), "text")], room, head, (gap(column),))
    return lines
