"""A proposed plan in full: what is wanted, and each task with what it waits for."""

from collections.abc import Collection

from paitui.engine.events import PlanProposed
from paitui.ui.door import joined
from paitui.ui.door import line as one_line
from paitui.ui.lines import BLANK, Line, Span, cells, clip, flow, gap, glyph, spread
from paitui.ui.look import Look
from paitui.ui.render.plan import MOST_NAME, word
from paitui.ui.wrap import cut, width


def body(
    asked: PlanProposed, current: int, folded: Collection[int], look: Look, total: int
) -> tuple[list[Line], list[tuple[int, int]]]:
    """Draw the plan; nothing is left out but what the user folded.

    Args:
        asked: The plan.
        current: The task that keys act on.
        folded: Tasks of which only the first line is shown.
        look: Words and signs.
        total: Cells of a line.

    Returns:
        The lines, and from which to which (exclusive) each task stands.
    """
    lines: list[Line] = []
    for part in asked.goal.strip().split("\n"):
        lines += flow([Span(one_line(part), "strong")], total)
    lines.append(BLANK)
    places: list[tuple[int, int]] = []
    names = min(MOST_NAME, max((width(one_line(task.id)) for task in asked.tasks), default=0))
    for at, task in enumerate(asked.tasks):
        start = len(lines)
        first, *others = task.description.strip().split("\n") or [""]
        here = at == current
        more = at in folded and bool(others or width(one_line(first)) > total - names - 6)
        sign = look.glyphs.closed if at in folded else look.glyphs.opened
        name = cut(one_line(task.id), names)
        lead: Line = (
            glyph(f"{look.glyphs.bar if here else ' '} ", "accent"),
            glyph(f"{sign} ", "accent" if here else "dim"),
            Span(name, "strong"),
            gap(names - width(name) + 2),
        )
        edge: Line = (glyph(f"{look.glyphs.bar if here else ' '} ", "accent"), gap(names + 4))
        after: list[Span] = []
        if task.needs:
            needs = joined([word(look, "after"), one_line(f" {', '.join(task.needs)}")])
            after = [Span(needs, "accent")]
        if task.type:
            after += [*([gap(2)] if after else []), Span(one_line(task.type), "dim")]
        if at in folded:
            room = max(8, total - cells(lead) - min(cells(after), total // 2) - 2)
            text = cut(one_line(f"{first} …" if more and width(one_line(first)) < room - 1 else first), room)
            lines.append(spread((*lead, Span(text, "text")), clip(after, total // 2), total))
        else:
            lines += flow([Span(one_line(first), "text")], total, lead, edge)
            for other in others:
                lines += flow([Span(one_line(other), "text")], total, edge)
            if after:
                lines.append(clip((*edge, *after), total))
        places.append((start, len(lines)))
    return lines, places


def waits(asked: PlanProposed, key: str, look: Look, total: int) -> list[Line]:
    """Say above the prompt that a plan waits for the user.

    Args:
        asked: The plan.
        key: What leads to it.
        look: Words and signs.
        total: Cells of the line.
    """
    right: Line = (gap(2), glyph(key, "key"), gap(1), Span(word(look, "look_at_it"), "warning"))
    left: Line = (
        glyph(f"{look.glyphs.prompt} ", "warning"),
        Span(word(look, "review_waits", n=len(asked.tasks)), "warning"),
        gap(2),
        Span(one_line(" ".join(asked.goal.split())), "dim"),
    )
    left = clip(left, max(0, total - cells(right)))
    return [clip((*left, *right), total)]
