"""The units of a plan or a team as a list, what stands above the transcript of one, and the sum of all."""

from collections.abc import Hashable, Sequence

from paitui.ui.blocks import PlanRow
from paitui.ui.door import line as one_line
from paitui.ui.lines import Line, Span, cells, clip, gap, glyph, pad_right, spread
from paitui.ui.look import Look
from paitui.ui.render.gauge import one_line as gauge_line
from paitui.ui.render.numbers import grouped
from paitui.ui.render.plan import columns_of, context, does, needs, sign, unit_name, word
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut, width

_NARROW = 40
"""Cells of a row under which a unit's context is not drawn."""


class UnitRows:
    """Units as the rows of a list."""

    def __init__(self, units: Sequence[PlanRow], look: Look) -> None:
        self.units = units
        self._look = look
        self._columns = columns_of(units, look)
        self._places = {row.unit.id: at for at, row in enumerate(units)}

    def __len__(self) -> int:
        return len(self.units)

    def key(self, at: int) -> Hashable:
        """The unit's id."""
        return self.units[at].unit.id

    def find(self, key: Hashable) -> int | None:
        """Where the unit stands now."""
        return self._places.get(str(key))

    def head(self, total: int) -> Line:
        """Nothing; each column says by itself what it is."""
        return ()

    def row(self, at: int, total: int) -> Line:
        """Draw a unit: what came of it in its first words, or what it is to do."""
        row, look = self.units[at], self._look
        unit = row.unit
        quiet = unit.status in ("waiting", "skipped")
        names, doing = self._columns
        left: list[Span] = [sign(unit, row.phase, look), gap(1)]
        left += [pad_right(unit_name(unit, look), names, "dim" if quiet else "strong"), gap(2)]
        what = does(row, look)
        said = cut(what.text, doing)
        right = [gap(doing + 2 - width(said)), Span(said, what.ink)]
        if total >= _NARROW:
            right = [*context(row, look, total), *right]
        room = max(0, total - cells(left) - cells(right) - 1)
        text = unit.answer if unit.status == "done" and unit.answer and unit.role != "planner" else unit.title
        if unit.role == "planner":
            text = ""
        words = cut(one_line(" ".join(text.split())), room)
        return (*left, Span(words, "dim" if quiet else "text"), gap(room - width(words) + 1), *right)


def unit_head(row: PlanRow | None, view: ViewState | None, look: Look, total: int) -> list[Line]:
    """What stands above a unit's transcript: what it is to do, how it stands, how full its context is.

    Args:
        row: The unit; None if there is none.
        view: What there is to see of it.
        look: Words and signs.
        total: Cells of a line.
    """
    if row is None:
        return []
    unit = row.unit
    status = Span(word(look, f"status_{unit.status}"), "dim")
    left: list[Span] = [sign(unit, row.phase, look), gap(1), Span(unit_name(unit, look), "strong"), gap(2)]
    title = () if unit.role == "planner" else (Span(one_line(" ".join(unit.title.split())), "text"),)
    right: list[Span] = [gap(1), status]
    if after := needs(row, look):
        right = [gap(2), *clip((Span(after, "dim"),), total // 3), gap(2), status]
    lines = [spread(clip((*left, *title), max(0, total - cells(right) - 1)), right, total)]
    if unit.reason is not None:
        lines.append(clip((gap(2), Span(look.say(unit.reason), "warning")), total))
    report = view.report if view is not None else None
    lines.append(clip((gap(1), *gauge_line(report, look, total - 1)), total) if report is not None else ())
    return lines


def sum_line(state: ViewState, look: Look, total: int) -> list[Line]:
    """The tokens of all units together, and how far they are; what is left over is offered.

    Args:
        state: For the plan.
        look: Words and signs.
        total: Cells of the line.
    """
    plan = state.plan
    if plan is None:
        return []
    left: list[Span] = [gap(1), Span(word(look, f"mode_{plan.mode}"), "strong")]
    if plan.work:
        left += [gap(1), glyph(f"{plan.done}/{len(plan.work)}", "accent")]
    failed = sum(unit.status == "failed" for unit in plan.work)
    if failed:
        left += [gap(2), Span(word(look, "failed_n", n=failed), "danger")]
    if plan.left and not state.working:
        left += [gap(2), glyph("/plan continue", "key"), gap(1), Span(word(look, "continue"), "dim")]
    right: list[Span] = [
        Span(word(look, "sum", n=len(plan.units)), "dim"),
        gap(1),
        glyph(grouped(plan.used), "strong"),
        gap(1),
        Span(word(look, "tokens"), "dim"),
        gap(1),
    ]
    return [spread(left, right, total)]
