"""What the worker tells about plans, teams and their units; a part of `paitui.engine.events`."""

from typing import Literal

from msgspec import Struct

from paitui.context.report import ContextReport
from paitui.locale import Phrase
from paitui.messages.message import Message

Mode = Literal["react", "plan", "team"]
UnitRole = Literal["planner", "task", "worker", "reviewer"]
UnitStatus = Literal["waiting", "running", "done", "failed", "skipped", "cancelled"]


class UnitState(Struct, frozen=True):
    """One planner, plan task, team step or reviewer, as it stands."""

    id: str
    """Unique in the session."""
    name: str
    """Short, for people: the id that the planner gave the task, or the role."""
    role: UnitRole
    """``task``: of a plan; ``worker``: a step of a team's work."""
    title: str
    """What it is to do, one line or more."""
    history: str
    """Whose history it works in, for `ShowUnit` and `UnitEvent`: its own, or that of the worker who has the step; the
    same as `id` while nobody has."""
    kind: str = ""
    """The type that the planner gave the task."""
    needs: tuple[str, ...] = ()
    """Ids of the units whose results it waits for."""
    status: UnitStatus = "waiting"
    tries: int = 0
    """How often it was begun; above 1 after a step was sent back."""
    answer: str = ""
    """What came of it, shortened."""
    reason: Phrase | None = None
    """Why it failed, was skipped or sent back."""


class UnitsChanged(Struct, frozen=True):
    """The units of a plan or a team; told anew, as a whole, at each change of a status."""

    mode: Mode
    goal: str
    """What the user wants."""
    units: tuple[UnitState, ...]
    """The planner first, then tasks in the planner's order, each followed by its reviewer if it has one."""


class UnitShown(Struct, frozen=True):
    """The answer to `ShowUnit`."""

    unit: str
    messages: tuple[Message, ...]
    """Its history as it would be sent; empty if there is no such unit."""
    report: ContextReport | None = None
    """How full its context is; None if there is no such unit."""


class PlannedTask(Struct, frozen=True):
    """One task of a proposed plan."""

    id: str
    description: str
    type: str = ""
    needs: tuple[str, ...] = ()
    """Ids of the tasks whose results it waits for."""


class PlanProposed(Struct, frozen=True):
    """The turn waits for a `DecidePlan` with this id."""

    id: str
    goal: str
    tasks: tuple[PlannedTask, ...]
    """In an order in which they can be done."""


class PlanResolved(Struct, frozen=True):
    """A proposed plan was decided on, or nobody waits for the decision any more (``cancel``)."""

    id: str
    decision: Literal["run", "change", "cancel"]


class ModeChosen(Struct, frozen=True):
    """How the next message will be worked on; ``react`` once that message was sent."""

    mode: Mode
