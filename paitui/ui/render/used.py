"""The memories that went with the last message: beside the gauge, and in two words where there is no room."""

from datetime import datetime
from typing import TYPE_CHECKING

from paitui.engine.events import MemoryAsked
from paitui.ui.door import line as one_line
from paitui.ui.door import own
from paitui.ui.lines import BLANK, Line, Span, cells, clip, gap, glyph
from paitui.ui.look import Look
from paitui.ui.wrap import width

if TYPE_CHECKING:  # without memories nothing of them is needed
    from paitui.memory.view import MemoryView


def used(views: "tuple[MemoryView, ...]", look: Look, now: datetime, total: int, room: int) -> list[Line]:
    """Draw them as a part of the pane, a memory a line.

    Args:
        views: The memories.
        look: Words and signs.
        now: For ages.
        total: Cells of a line.
        room: Lines that there are.
    """
    if not views or room < 2:
        return []
    title = own(look.words("memories.used_title"))
    rule = look.glyphs.rule * max(0, total - width(title) - 1)
    lines: list[Line] = [(Span(title, "title"), gap(1), glyph(rule, "border"))]
    fits = len(views) if len(views) < room else room - 2
    lines += [_row(view, look, now, total) for view in views[:fits]]
    if fits < len(views):
        lines.append((gap(2), Span(own(look.words("memories.used_more", n=len(views) - fits)), "dim")))
    return [BLANK, *lines] if room > len(lines) else lines


def mark(views: "tuple[MemoryView, ...]", look: Look) -> list[Span]:
    """Say in two words how many there are; with a sign if one of them is to be looked at."""
    if not views:
        return []
    doubtful = any(view.to_review for view in views)
    words = own(look.words("memories.used_count_one" if len(views) == 1 else "memories.used_count", n=len(views)))
    return [
        glyph("! " if doubtful else f"{look.glyphs.good} ", "warning" if doubtful else "good"),
        Span(words, "dim"),
    ]


def asks(asked: tuple[MemoryAsked, ...], key: str, look: Look, total: int) -> list[Line]:
    """Say above the prompt that something is to be remembered once the user decided; no line if nothing is.

    Args:
        asked: What waits, oldest first.
        key: What leads to it.
        look: Words and signs.
        total: Cells of the line.
    """
    if not asked:
        return []
    right: Line = (gap(2), glyph(key, "key"), gap(1), Span(own(look.words("memories.decide")), "warning"))
    left: Line = (
        glyph(f"{look.glyphs.prompt} ", "warning"),
        Span(own(look.words(f"memories.waits_{asked[0].why}")), "warning"),
        gap(2),
        Span(one_line(asked[0].fact), "dim"),
    )
    left = clip(left, max(0, total - cells(right)))
    return [clip((*left, *right), total)]


def _row(view: "MemoryView", look: Look, now: datetime, total: int) -> Line:
    from paitui.ui.render.memory import against_file, age, marked_fact, sign

    right: list[Span] = [gap(1), Span(age(view.age_from, now, look), "dim")]
    if (says := against_file(view)) is not None:
        right = [gap(1), *clip([Span(says, "warning")], max(8, total // 2)), *right]
    left: Line = (sign(view, look), gap(1))
    room = max(0, total - cells(left) - cells(right))
    fact = clip(marked_fact(view), room)
    return (*left, *fact, gap(room - cells(fact)), *right)
