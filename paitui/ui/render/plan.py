"""A plan or a team's work: the block in the chat, a unit in one line, and how far it is in a few words."""

from collections.abc import Sequence

from paitui.engine.events import ApprovalRequested, UnitState
from paitui.ui.blocks import PlanBlock, PlanRow
from paitui.ui.door import SafeText, joined, own
from paitui.ui.door import line as one_line
from paitui.ui.lines import Ink, Line, Span, cells, clip, flow, gap, glyph, mute, pad_left, pad_right
from paitui.ui.look import Look
from paitui.ui.render.answer import MEASURE
from paitui.ui.render.bar import fill
from paitui.ui.render.numbers import seconds, short
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut, width

MOST_NAME = 12
"""Cells of the column of names."""
_BAR = 6
"""Cells of the small bar of a unit's context."""
_DOES = 16
"""Most cells of what a unit does, or how long it took."""
_TOKENS = 6
_BARS_FROM = 64
"""Cells of a line from which on a unit's context has a bar."""
ANSWER_ROWS = 6
"""Rows of an answer shown where a plan is unfolded."""


def word(look: Look, key: str, **params: object) -> SafeText:
    """One of the texts of this room, without foreign parameters."""
    return own(look.words(f"plan_screen.{key}", **params))


def sign(unit: UnitState, phase: str, look: Look) -> Span:
    """How a unit stands, in one cell."""
    if phase == "approval":
        return glyph("?", "warning")
    signs = look.glyphs
    found: dict[str, tuple[str, Ink]] = {
        "waiting": (signs.bullet, "dim"),
        "running": (signs.closed, "accent"),
        "done": (signs.good, "good"),
        "failed": (signs.bad, "danger"),
        "skipped": ("-", "warning"),
        "cancelled": (signs.bad, "warning"),
    }
    return glyph(*found[unit.status])


def columns_of(rows: Sequence[PlanRow], look: Look) -> tuple[int, int]:
    """Cells of the column of names, and of what units do."""
    names = max((width(unit_name(row.unit, look)) for row in rows), default=0)
    doing = max((width(does(row, look).text) for row in rows), default=0)
    return min(MOST_NAME, names), min(_DOES, doing)


def unit_name(unit: UnitState, look: Look) -> SafeText:
    """A unit's name; where it is only a role, in the user's language."""
    if unit.role == "planner":
        return word(look, "role_planner")
    if unit.role == "reviewer":
        return word(look, "role_reviewer")
    return one_line(unit.name)


def does(row: PlanRow, look: Look) -> Span:
    """What a unit does now, how it ended, or how long it took."""
    unit = row.unit
    if unit.status == "running":
        if row.phase == "approval":
            return Span(word(look, "asks"), "warning")
        if row.phase == "tool" and row.tool:
            return Span(cut(one_line(row.tool), _DOES), "accent")
        phase = row.phase if row.phase in ("thinking", "answering", "summary") else "waiting"
        return Span(word(look, f"does_{phase}"), "accent")
    if unit.status == "done":
        return glyph(seconds(row.seconds) if row.seconds else "", "dim")
    ink: Ink = "danger" if unit.status == "failed" else "warning" if unit.status != "waiting" else "dim"
    return Span(word(look, f"status_{unit.status}"), ink)


def context(row: PlanRow, look: Look, total: int) -> list[Span]:
    """How full a unit's context is: its tokens, and where there is room a small bar of the window."""
    if not row.window:
        return [gap(_TOKENS + (_BAR + 1 if total >= _BARS_FROM else 0))]
    found = [pad_left(short(row.used), _TOKENS, "dim")]
    if total >= _BARS_FROM:
        bar = fill(row.used / row.window, _BAR, look.glyphs)
        empty = look.glyphs.track if look.glyphs.plain or not look.grounds else " "
        found += [gap(1), glyph(bar, "bar"), glyph(empty * (_BAR - len(bar)), "track")]
    return found


def plan_block(item: PlanBlock, look: Look, total: int, unfolded: bool) -> list[Line]:
    """Draw the block of the chat.

    Args:
        item: The plan.
        look: Words and signs.
        total: Cells of a row.
        unfolded: Show the tasks in full, with what came of them.
    """
    rows = [_head(item, look, total, unfolded)]
    columns = columns_of(item.rows, look)
    guide: Line = mute((gap(2), glyph(f"{look.glyphs.guide} ", "border")))
    for row in item.rows:
        rows.append((*mute((gap(2),)), *unit_line(row, columns, look, total - 2, unfolded)))
        if unfolded:
            rows += _details(row, look, min(total, MEASURE + 4), guide)
        elif row.unit.reason is not None and row.unit.status in ("failed", "skipped"):
            rows += flow([Span(look.say(row.unit.reason), "dim")], total, guide)[:2]
    if item.left:
        key = Span(own("/plan continue"), "key")
        rows.append((gap(2), key, gap(1), *clip((Span(word(look, "continue"), "dim"),), max(0, total - 17))))
    return rows


def _head(item: PlanBlock, look: Look, total: int, unfolded: bool) -> Line:
    signs = look.glyphs
    left: list[Span] = [glyph(f"{signs.opened if unfolded else signs.closed} ", "accent")]
    left += [Span(word(look, f"mode_{item.mode}"), "strong"), gap(1)]
    right: list[Span] = []
    if item.work:
        left.append(glyph(f"{item.done}/{len(item.work)}", "good" if item.done == len(item.work) else "accent"))
    if item.used:
        right = [gap(2), glyph(short(item.used), "text"), gap(1), Span(word(look, "tokens"), "dim")]
    room = total - cells(left) - cells(right) - 2
    if room >= 6:
        left += [gap(2), Span(cut(one_line(" ".join(item.goal.split())), room), "dim")]
    return (*left, gap(total - cells(left) - cells(right)), *right)


def unit_line(row: PlanRow, columns: tuple[int, int], look: Look, total: int, whole: bool = False) -> Line:
    """Draw a unit in one line: how it stands, what it is, what it waits for, how full its context is, what it does.

    Args:
        row: The unit.
        columns: Cells of the column of names, and of what units do.
        look: Words and signs.
        total: Cells of the line.
        whole: Its title stands below, in full.
    """
    unit = row.unit
    left: list[Span] = [sign(unit, row.phase, look), gap(1)]
    ink: Ink = "dim" if unit.status in ("waiting", "skipped") else "strong"
    left += [pad_right(unit_name(unit, look), columns[0], ink), gap(2)]
    what = does(row, look)
    doing = Span(cut(what.text, columns[1]), what.ink)
    right = [*context(row, look, total), gap(max(0, columns[1] + 2 - width(doing.text))), doing]
    if unit.tries > 1 and unit.role in ("task", "worker"):
        right = [gap(1), Span(word(look, "try", n=unit.tries), "warning"), *right]
    room = max(0, total - cells(left) - cells(right) - 1)
    said: list[Span] = []
    after = needs(row, look)
    if after and room >= 20:
        said = [Span(cut(after, room if whole else room // 2), "dim"), gap(2)]
    if not whole and unit.role != "planner":
        title = " ".join(unit.title.split())
        text_ink: Ink = "dim" if unit.status in ("waiting", "skipped") else "text"
        said = [Span(cut(one_line(title), max(0, room - cells(said))), text_ink), *_behind(said)]
    middle = clip(said, room)
    return (*left, *middle, gap(room - cells(middle) + 1), *right)


def _behind(after: Sequence[Span]) -> list[Span]:
    return [gap(2), *after[:-1]] if after else []


def needs(row: PlanRow, look: Look) -> SafeText:
    """Which units it waits for, in words; nothing if none."""
    if not row.needs or row.unit.role == "reviewer":
        return own("")
    return joined([word(look, "after"), own(" "), one_line(", ".join(row.needs))])


def _details(row: PlanRow, look: Look, total: int, guide: Line) -> list[Line]:
    """A unit's task in full, why it stands as it does, and the first rows of what came of it."""
    unit, rows = row.unit, list[Line]()
    if unit.role not in ("planner", "reviewer"):
        for part in unit.title.strip().split("\n"):
            rows += flow([Span(one_line(part), "text")], total, guide)
    if unit.reason is not None:
        rows += flow([Span(look.say(unit.reason), "warning")], total, guide)
    if unit.answer and unit.role != "planner":
        for part in unit.answer.strip().split("\n")[:ANSWER_ROWS]:
            rows += flow([Span(one_line(part), "dim")], total, guide)[:2]
    return rows


# -- in passing


def mode(state: ViewState, look: Look) -> Span:
    """The mode of the turn that runs, with how far it is, else that of the next message."""
    if state.mode != "react":
        far = own(f" {state.plan.done}/{len(state.plan.work)}") if state.plan and state.plan.work else own("")
        return Span(joined([word(look, f"mode_{state.mode}"), far]), "accent")
    if state.next_mode != "react":
        return Span(word(look, f"next_{state.next_mode}"), "accent")
    return Span(look.word("mode_react"), "dim")


def at_work(state: ViewState, look: Look) -> SafeText | None:
    """Say how many units work; None while none does."""
    if state.mode == "react" or state.plan is None or state.phase not in ("waiting", "tool"):
        return None
    running = [unit for unit in state.plan.units if unit.status == "running"]
    if not running:
        return None
    if running[0].role == "planner":
        return word(look, "planning")
    return word(look, "at_work" if len(running) > 1 else "at_work_one", n=len(running))


def asker(request: ApprovalRequested, state: ViewState, look: Look) -> Line:
    """Say which unit asks; nothing for the main agent."""
    if not request.unit:
        return ()
    unit = state.plan.of(request.unit) if state.plan is not None else None
    if unit is None:
        return (Span(one_line(request.unit), "accent"),)
    title = () if unit.role == "planner" else (gap(1), Span(one_line(" ".join(unit.title.split())), "dim"))
    return (Span(unit_name(unit, look), "accent"), *title)
