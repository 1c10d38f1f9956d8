"""What is known of a plan or a team's work: its units, and of each what the chat is of the main agent.

Pure, as the reducer that calls it. The events of a unit go through that same reducer, into a state of the unit's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from paitui.engine.events import (
    ApprovalRequested,
    ApprovalResolved,
    Event,
    Mode,
    ModeChosen,
    Notice,
    PlanProposed,
    PlanResolved,
    TurnEnded,
    UnitEvent,
    UnitsChanged,
    UnitShown,
    UnitState,
    UnitStatus,
    UsageReported,
)
from paitui.messages.message import Message
from paitui.ui.blocks import Block, Blocks, PlanBlock, PlanRow, blocks
from paitui.ui.state import ViewState

WORKING = ("task", "worker")
"""Roles of units that do a part of the work."""
OPEN: tuple[UnitStatus, ...] = ("waiting", "running", "cancelled")
"""States of what is done when a plan is gone on with."""
DROPPED = "plan.dropped"
"""Why a turn ended whose plan the user did not want."""
UnitStory = UnitEvent | UnitsChanged | UnitShown | PlanProposed | PlanResolved | ModeChosen
Reduce = Callable[[ViewState, Event], ViewState]


@dataclass(frozen=True, slots=True)
class PlanView:
    """One plan, or one team's work."""

    mode: Mode
    goal: str
    units: tuple[UnitState, ...]
    views: Mapping[str, ViewState] = field(default_factory=dict)
    """What there is to see of each history."""
    shown: frozenset[str] = frozenset()
    """Histories that were told as a whole, by `UnitShown`."""
    began: Mapping[str, float] = field(default_factory=dict)
    """When a unit that runs began, in monotonic seconds."""
    took: Mapping[str, float] = field(default_factory=dict)
    """Seconds that a unit took, for those that were seen to begin and to end."""
    dropped: bool = False
    """The user did not want it."""
    place: int | None = None
    """Where its block stands in the chat; None until the next one is told."""

    @property
    def work(self) -> tuple[UnitState, ...]:
        """The parts of the work."""
        return tuple(unit for unit in self.units if unit.role in WORKING)

    @property
    def done(self) -> int:
        """Parts of the work that are done."""
        return sum(unit.status == "done" for unit in self.work)

    @property
    def left(self) -> bool:
        """Whether there is something to go on with, once nobody works on it."""
        return not self.dropped and any(unit.status in OPEN for unit in self.units)

    @property
    def used(self) -> int:
        """Tokens in the contexts of all units together."""
        return sum(view.report.used for view in self.views.values() if view.report is not None)

    def of(self, history: str) -> UnitState | None:
        """The unit that works in a history, or worked there last."""
        there = [unit for unit in self.units if unit.history == history]
        return next((unit for unit in there if unit.status == "running"), there[-1] if there else None)


def told_of_units(state: ViewState, event: UnitStory, reduce: Reduce) -> ViewState:
    """Apply one event about a plan, a team or one of their units.

    Args:
        state: What there was to see.
        event: What happened.
        reduce: Applies an event of a unit to the unit's own state.
    """
    match event:
        case UnitEvent(unit, inner):
            if isinstance(inner, UsageReported):
                state = replace(state, spent=state.spent.plus(inner.usage))
            if isinstance(inner, Notice) and inner.level != "info":
                return reduce(state, inner)  # whoever looks at the chat has to know it, too
            return within(state, unit, inner, reduce)
        case UnitsChanged():
            return _changed(state, event, reduce)
        case UnitShown():
            return _shown(state, event)
        case PlanProposed():
            state = replace(state, proposal=event)
            return replace(state, phase="approval") if state.working else state
        case PlanResolved():
            phase = "waiting" if state.working and state.phase == "approval" else state.phase
            return replace(state, proposal=None, phase=phase)
        case ModeChosen(mode):
            return replace(state, next_mode=mode)


def within(state: ViewState, history: str, event: Event, reduce: Reduce) -> ViewState:
    """Apply an event to the state of a unit; what nobody knows of is left alone."""
    plan = state.plan
    if plan is None or not history:
        return state
    old = plan.views.get(history) or ViewState(phase="idle", session=history, project=state.project)
    new = reduce(old, event)
    if new is old:
        return state
    state = replace(state, plan=replace(plan, views={**plan.views, history: new}))
    return _drawn(state) if (old.report, old.phase, old.tool) != (new.report, new.phase, new.tool) else state


def asked(state: ViewState, event: ApprovalRequested | ApprovalResolved, reduce: Reduce) -> ViewState:
    """Let the unit that asks wait, or go on; called before the request leaves the list of those that wait."""
    waiting = (event,) if isinstance(event, ApprovalRequested) else state.approvals
    request = next((one for one in waiting if one.id == event.id), None)
    return within(state, request.unit, event, reduce) if request is not None and request.unit else state


def ended(state: ViewState, event: TurnEnded) -> ViewState:
    """Nobody works on the plan any more; its block says how it stands."""
    if state.plan is not None and event.reason is not None and event.reason.key == DROPPED:
        state = replace(state, plan=replace(state.plan, dropped=True))
    return _drawn(replace(state, mode="react", proposal=None))


def begun(state: ViewState, mode: Mode) -> ViewState:
    """A turn begins; a plan that it goes on with gets a block where the user looks, the old one stays as it was."""
    plan = state.plan
    if plan is not None and mode != "react":
        at = plan.place
        if at is not None and at < len(state.blocks) and isinstance(block := state.blocks[at], PlanBlock):
            state = replace(state, blocks=state.blocks.put(at, replace(block, left=False)))
        state = replace(state, plan=replace(plan, place=None))
    return replace(state, mode=mode)


def timed(state: ViewState, now: float) -> ViewState:
    """Note which units began and ended since the last time.

    Args:
        state: What there is to see.
        now: Monotonic seconds.
    """
    plan = state.plan
    if plan is None:
        return state
    running = {unit.id for unit in plan.units if unit.status == "running"}
    if running == plan.began.keys():
        return state
    over = {unit: plan.took.get(unit, 0.0) + now - since for unit, since in plan.began.items() if unit not in running}
    began = {unit: plan.began.get(unit, now) for unit in running}
    return _drawn(replace(state, plan=replace(plan, began=began, took={**plan.took, **over})))


def _changed(state: ViewState, event: UnitsChanged, reduce: Reduce) -> ViewState:
    old = state.plan
    if old is None or not event.units or not old.units or old.units[0].id != event.units[0].id:
        plan = PlanView(event.mode, event.goal, event.units)
    else:
        plan = replace(old, units=event.units, dropped=False)
    state = replace(state, plan=plan)
    for history in {unit.history for unit in event.units}:
        now = plan.of(history)
        before = old.of(history) if old is not None else None
        if now is None:
            continue
        if now.status == "running" and (before is None or before.status != "running"):
            state = _working(state, history)
        elif now.status != "running" and before is not None and before.status == "running":
            status = {"failed": "failed", "cancelled": "cancelled"}.get(now.status, "done")
            state = within(state, history, TurnEnded(0, status, now.reason), reduce)  # type: ignore[arg-type]
    return _drawn(state, begins=True)


def _working(state: ViewState, history: str) -> ViewState:
    plan = state.plan
    assert plan is not None
    view = plan.views.get(history) or ViewState(session=history, project=state.project)
    view = replace(view, phase="waiting", working=True)
    return replace(state, plan=replace(plan, views={**plan.views, history: view}))


def _shown(state: ViewState, event: UnitShown) -> ViewState:
    """Take what was told of a unit, unless it was seen as it happened: then more of it is here."""
    plan = state.plan
    if plan is None:
        return state
    plan = replace(plan, shown=plan.shown | {event.unit})
    old = plan.views.get(event.unit) or ViewState(phase="idle", session=event.unit, project=state.project)
    new = replace(old, report=event.report or old.report)
    if not len(old.blocks):
        new = replace(new, blocks=blocks(_history(event.messages)))
    return _drawn(replace(state, plan=replace(plan, views={**plan.views, event.unit: new})))


def _history(messages: tuple[Message, ...]) -> list[Block]:
    from paitui.ui.reducer import from_history  # which imports this file

    return from_history(messages)


def untold(state: ViewState) -> tuple[str, ...]:
    """Give the histories that a resumed session brought along and that nobody told yet."""
    plan = state.plan
    if plan is None or state.working:
        return ()
    begun = {unit.history: None for unit in plan.units if unit.tries}
    return tuple(history for history in begun if history not in plan.views)


# -- the block in the chat


def rows_of(state: ViewState) -> tuple[PlanRow, ...]:
    """Each unit as it is listed."""
    plan = state.plan
    if plan is None:
        return ()
    names = {unit.id: unit.name for unit in plan.units}
    found: list[PlanRow] = []
    for unit in plan.units:
        view = plan.views.get(unit.history)
        report = view.report if view is not None else None
        found.append(
            PlanRow(
                unit,
                tuple(names.get(need, need) for need in unit.needs),
                report.used if report is not None else 0,
                report.window if report is not None else 0,
                plan.took.get(unit.id, 0.0),
                view.phase if view is not None and unit.status == "running" else "",
                view.tool if view is not None else "",
            )
        )
    return tuple(found)


def _drawn(state: ViewState, begins: bool = False) -> ViewState:
    """Draw the block anew where it stands; where `begins` says so, put one at the end if there is none."""
    plan = state.plan
    if plan is None or not plan.units:
        return state
    block = PlanBlock(plan.mode, plan.goal, rows_of(state), plan.used, plan.left and not state.working)
    at = plan.place
    items: Blocks = state.blocks
    if at is None:
        if not begins:
            return state
        return replace(state, blocks=items.add(block), plan=replace(plan, place=len(items)))
    if at >= len(items) or not isinstance(items[at], PlanBlock) or items[at] == block:
        return state
    return replace(state, blocks=items.put(at, block))
