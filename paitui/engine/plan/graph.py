"""The graph of a plan: read from what a planner wrote, checked, put in order. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paitui.engine.plan.answer import BadAnswer, json_object
from paitui.locale import phrase

ID_CHARS = 40
DESCRIPTION_CHARS = 8_000


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a plan."""

    id: str
    """Unique within the plan."""
    description: str
    """All that whoever does it is told to do."""
    type: str = ""
    """What kind of work it is, in the planner's words."""
    needs: tuple[str, ...] = ()
    """Ids of the tasks whose results it needs."""


def read_tasks(text: str, most: int, finished: Collection[str] = ()) -> tuple[Task, ...]:
    """Read a planner's answer.

    Args:
        text: ``{"tasks": [{"id", "description", "type", "dependencies"}]}``.
        most: How many tasks a plan may have.
        finished: Ids of tasks that are done already; they may be needed, and their ids are taken.

    Returns:
        The tasks in an order in which they can be done; those that could be done at once stay in the planner's.

    Raises:
        BadAnswer: It is no such object, has no tasks or too many, names one twice, needs one that does not exist,
            or goes round in a circle.
    """
    found = json_object(text).get("tasks")
    if not isinstance(found, list):
        raise BadAnswer(phrase("plan.no_tasks"))
    if not found:
        raise BadAnswer(phrase("plan.empty"))
    if len(found) > most:
        raise BadAnswer(phrase("plan.too_many", n=len(found), most=most))
    tasks = [_task(value, at) for at, value in enumerate(found, 1)]
    taken = set(finished)
    for task in tasks:
        if task.id in taken:
            raise BadAnswer(phrase("plan.twice", id=task.id))
        taken.add(task.id)
    for task in tasks:
        for need in task.needs:
            if need not in taken:
                raise BadAnswer(phrase("plan.unknown_need", id=task.id, need=need))
    return in_order(tasks, finished)


def in_order(tasks: Sequence[Task], finished: Collection[str] = ()) -> tuple[Task, ...]:
    """Put tasks behind what they need.

    Raises:
        BadAnswer: Some need each other.
    """
    done, ordered, left = set(finished), list[Task](), list(tasks)
    while left:
        ready = [task for task in left if done.issuperset(task.needs)]
        if not ready:
            raise BadAnswer(phrase("plan.circle", ids=", ".join(task.id for task in left)))
        ordered += ready
        done.update(task.id for task in ready)
        left = [task for task in left if task.id not in done]
    return tuple(ordered)


def _task(value: Any, at: int) -> Task:
    if not isinstance(value, dict):
        raise BadAnswer(phrase("plan.bad_task", at=at))
    name, description = _text(value, "id", at), _text(value, "description", at)
    if not 0 < len(name) <= ID_CHARS or any(sign.isspace() for sign in name):
        raise BadAnswer(phrase("plan.bad_id", at=at, most=ID_CHARS))
    if not 0 < len(description) <= DESCRIPTION_CHARS:
        raise BadAnswer(phrase("plan.bad_description", id=name, most=DESCRIPTION_CHARS))
    kind, needs = value.get("type", ""), value.get("dependencies", [])
    if not isinstance(kind, str):
        raise BadAnswer(phrase("plan.bad_field", at=at, field="type"))
    if not isinstance(needs, list) or not all(_is_id(need) for need in needs):
        raise BadAnswer(phrase("plan.bad_field", at=at, field="dependencies"))
    return Task(name, description, kind.strip(), tuple(dict.fromkeys(str(need).strip() for need in needs)))


def _text(value: Mapping[str, Any], name: str, at: int) -> str:
    text = value.get(name)
    if not (isinstance(text, str) or (name == "id" and _is_id(text))):
        raise BadAnswer(phrase("plan.bad_field", at=at, field=name))
    return str(text).strip()


def _is_id(value: Any) -> bool:
    """Models number their tasks as often as they name them."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
