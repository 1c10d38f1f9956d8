"""Plans told in lines: what is proposed, how far each unit is, and which typed answers count."""

from paitui.engine import events, ops
from paitui.locale import Words

ANSWER_LINES = 6
"""Lines that are told of a unit's answer; all of it is in the final one."""


class PlanText:
    """Tells a plan in the user's language, each change once."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._told: dict[str, tuple[str, int]] = {}
        """State and try of each unit as it was told last."""

    def units(self, event: events.UnitsChanged) -> list[str]:
        """Tell which units changed."""
        lines: list[str] = []
        for unit in event.units:
            now = unit.status, unit.tries
            before = self._told.get(unit.id, ("waiting", 0))
            self._told[unit.id] = now
            if now == before or unit.status == "waiting":
                continue
            lines.append(self._unit(unit))
            if unit.status in ("done", "failed") and unit.role in ("task", "worker"):
                lines += [f"    {line}" for line in unit.answer.splitlines()[:ANSWER_LINES]]
        return lines

    def _unit(self, unit: events.UnitState) -> str:
        name = self._words(f"plan.role_{unit.role}", name=unit.name)
        line = self._words(f"plan.is_{unit.status}", name=name)
        if unit.status == "running" and unit.role in ("task", "worker"):
            line = f"{line} {self._words('plan.to_do', title=' '.join(unit.title.split()))}"
        return f"{line} ({self._words.say(unit.reason)})" if unit.reason else line

    def proposed(self, plan: events.PlanProposed) -> list[str]:
        """Put a plan to the user."""
        lines = [self._words("plan.proposed", n=len(plan.tasks))]
        for at, task in enumerate(plan.tasks, 1):
            needs = self._words("plan.needs", names=", ".join(task.needs)) if task.needs else ""
            kind = f" [{task.type}]" if task.type else ""
            lines.append(f"  {at}. {task.id}{kind}: {' '.join(task.description.split())}{needs}")
        return [*lines, self._words("plan.choices")]


def read_decision(line: str, plan: str) -> ops.DecidePlan | None:
    """Understand an answer about a plan.

    Args:
        line: What was typed: ``run``, ``cancel``, or ``change`` and what else it should mind.
        plan: Id of the plan.

    Returns:
        The decision; None if the line says nothing clear.
    """
    word, _, rest = line.strip().partition(" ")
    match word.lower():
        case "r" | "run" | "y" | "yes" if not rest.strip():
            return ops.DecidePlan(plan, "run")
        case "c" | "cancel" | "n" | "no" if not rest.strip():
            return ops.DecidePlan(plan, "cancel")
        case "change" if rest.strip():
            return ops.DecidePlan(plan, "change", rest.strip())
    return None


def short_name(unit: str) -> str:
    """The name of a unit without the number of its plan."""
    return unit.partition(".")[2] or unit
