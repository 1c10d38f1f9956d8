"""What stands right above the prompt: the list to choose from, the queue, and a line about what the keys do now."""

from collections.abc import Sequence

from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, gap, glyph, spread
from paitui.ui.look import Look
from paitui.ui.prompting.chips import shown
from paitui.ui.prompting.completion import Choice
from paitui.ui.prompting.picker import Picker
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut, cut_middle, width

SHOWN_QUEUED = 3
"""Queued messages shown at once, the next ones."""
SEEN = 400
"""Characters of a waiting message that are looked at for its one row."""
_LEAD = 2
_BEFORE_NOTE = 2
_LEAST_HINT = 6
"""Cells below which the beginning of what may follow a name says nothing."""
_BEFORE_HIT = 16
"""Characters kept before a match that would else be out of sight."""

Hint = tuple[str, str]
"""A key, and what it does now."""


def picker_rows(picker: Picker, look: Look, total: int) -> list[Line]:
    """Draw a list to choose from: what is chosen stands out, what matches is coloured.

    Where there is too little room, what may follow a name is cut before what is said about it.
    """
    column = max((width(choice.shown) + width(choice.hint) + bool(choice.hint) for choice in picker.shown), default=0)
    names = max((width(choice.shown) for choice in picker.shown), default=0)
    notes = max((width(choice.note) for choice in picker.shown), default=0)
    column = max(names, min(column, total - _LEAD - _BEFORE_NOTE - notes))
    rows: list[Line] = []
    for at, choice in enumerate(picker.shown, picker.top):
        chosen = at == picker.selected
        lead = glyph(f"{look.glyphs.closed} " if chosen else "  ", "accent")
        rows.append(clip((lead, *_choice(choice, chosen, look, total - _LEAD, column)), total))
    return rows


def _choice(choice: Choice, chosen: bool, look: Look, total: int, column: int) -> list[Span]:
    ink: Ink = "strong" if chosen else "text"
    if not choice.note:
        return _name(choice, ink, total)
    name = _name(choice, ink, total)
    if (room := column - cells(name) - 1) >= _LEAST_HINT and choice.hint:
        name += [gap(1), Span(cut(own(choice.hint), room), "dim")]
    return [*name, gap(column - cells(name) + _BEFORE_NOTE), Span(own(choice.note), "dim")]


def _name(choice: Choice, ink: Ink, total: int) -> list[Span]:
    """The name with its matching characters; of a long text the part around the first match."""
    text, hits = one_line(choice.shown), choice.hits
    if len(text) != len(choice.shown):
        hits = ()
    if width(text) > total:
        if choice.text:
            return [Span(cut_middle(text, total), ink)]
        if hits and (start := hits[0] - _BEFORE_HIT) > 0 and width(text[: hits[-1] + 1]) > total:
            text, hits = SafeText("…" + text[start + 1 :]), tuple(at - start for at in hits)
        text = cut(text, total)
        hits = tuple(at for at in hits if at < len(text))
    spans: list[Span] = []
    marked = set(hits)
    at = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or (end in marked) != (at in marked):
            spans.append(Span(SafeText(text[at:end]), "accent" if at in marked else ink))
            at = end
    return spans


def status(title: SafeText, hints: Sequence[Hint], look: Look, total: int, ink: Ink = "dim") -> Line:
    """Draw what the prompt is about now, and what its keys do, as far as there is room."""
    line: list[Span] = [gap(_LEAD), Span(title, ink)] if title else [gap(_LEAD)]
    for number, (key, does) in enumerate(hints):
        item = [gap(2 if number or title else 0), glyph(key, "key"), gap(1), glyph(does, "dim")]
        if cells(line) + cells(item) > total:
            break
        line += item
    return clip(line, total) if cells(line) > _LEAD else BLANK


def queue_rows(state: ViewState, editing: int, edit: Hint, look: Look, total: int) -> list[Line]:
    """Draw what was sent and waits: what steers first, then the queue with its numbers.

    Args:
        state: For what waits.
        editing: Id of the message that is in the prompt; 0 if none is.
        edit: The key that takes a message back.
        look: Words.
        total: Cells of a row.
    """
    waiting: list[tuple[str, str, Ink, Ink]] = []
    waiting += [(look.words("prompt.steering"), text, "accent", "text") for text in state.steering]
    for number, message in enumerate(state.queued, 1):
        text = shown(look.words, message.text, message.pasted)
        if message.id == editing:
            waiting.append((look.words("prompt.editing", n=number), text, "accent", "dim"))
        else:
            waiting.append((look.words("prompt.queued", n=number), text, "dim", "text"))
    waiting += [(look.words("prompt.held"), text, "dim", "text") for text in state.held]
    rows: list[Line] = []
    for at, (tag, text, tag_ink, ink) in enumerate(waiting[:SHOWN_QUEUED]):
        last = at == min(len(waiting), SHOWN_QUEUED) - 1
        offered = last and state.queued and not editing
        right: Line = (glyph(edit[0], "key"), gap(1), glyph(edit[1], "dim")) if offered else ()
        head: Line = (gap(_LEAD), glyph(tag, tag_ink))
        room = total - cells(head) - (cells(right) + 2 if right else 0)
        if room < total // 2:
            right, room = (), total - cells(head)
        words = one_line(" ".join(text[:SEEN].split()))
        rows.append(spread((*head, Span(cut(words, max(4, room)), ink)), right, total))
    if len(waiting) > SHOWN_QUEUED:
        rows.append((gap(_LEAD), glyph(look.words("prompt.queue_more", n=len(waiting) - SHOWN_QUEUED), "dim")))
    return rows
