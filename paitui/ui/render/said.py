"""What the user said as lines, long pastes by their names."""

from functools import partial

from paitui.messages.message import Spans
from paitui.ui.door import own
from paitui.ui.door import rows as many_lines
from paitui.ui.lines import Span
from paitui.ui.look import Look
from paitui.ui.prompting.chips import label
from paitui.ui.prompting.marks import folded


def said_lines(text: str, pasted: Spans, look: Look, limit: int) -> list[list[Span]]:
    """Divide a message into its lines.

    Args:
        text: In full.
        pasted: What of it was pasted; what is long of that is named only, and copied whole.
        look: Words.
        limit: Most characters looked at of what is shown.
    """
    draft = folded(text, pasted, partial(label, look.words)) if pasted else None
    lines: list[list[Span]] = [[]]

    def add(piece: str) -> None:
        for number, row in enumerate(many_lines(piece)):
            if number:
                lines.append([])
            if row:
                lines[-1].append(Span(row, "strong"))

    if draft is None:
        add(text.strip("\n")[:limit])
        return lines
    at = 0
    for mark in draft.marks:
        if mark.body:
            add(draft.text[at : mark.start])
            lines[-1].append(Span(own(draft.text[mark.start : mark.end]), "code", mark.body))
            at = mark.end
    add(draft.text[at:][:limit])
    while len(lines) > 1 and not lines[-1]:
        del lines[-1]
    while len(lines) > 1 and not lines[0]:
        del lines[0]
    return lines
