"""The question whether a project's own files are trusted: what they would set, what is dangerous first."""

from paitui.engine.events import ProjectAsked
from paitui.ui.door import line as one_line
from paitui.ui.door import own
from paitui.ui.lines import BLANK, Line, Span, flow, gap, glyph
from paitui.ui.look import Look
from paitui.ui.wrap import width


def body(asked: ProjectAsked, look: Look, total: int) -> list[Line]:
    """Draw all that there is to know; nothing is left out, the box scrolls.

    Args:
        asked: What is asked.
        look: Words and signs.
        total: Cells of a line.
    """
    words = look.words
    lines = flow([Span(one_line(words("project_trust.ask_intro", project=asked.project)), "text")], total)
    if asked.changed:
        changed = one_line(words("project_trust.ask_changed", files=", ".join(asked.changed)))
        lines += flow([Span(changed, "warning")], total)
    mark = glyph("! ", "warning")
    column = gap(width(mark.text))
    for risky, head in ((True, "ask_would"), (False, "ask_also")):
        items = [item for item in asked.items if item.risky is risky]
        if items:
            lines += [BLANK, *flow([Span(own(words(f"project_trust.{head}")), "dim")], total)]
        for item in items:
            text = Span(one_line(words.say(item.what)), "strong" if risky else "text")
            lines += flow([text], total, (mark if risky else column,), (column,))
    if not asked.items:
        lines += [BLANK, *flow([Span(own(words("project_trust.ask_empty")), "text")], total)]
    return [*lines, BLANK, *flow([Span(own(words("project_trust.ask_foot")), "dim")], total)]
