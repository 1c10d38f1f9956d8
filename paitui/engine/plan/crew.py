"""The units that work beside the main agent: made like it, each with a history and a window of its own.

They share its model, tools, approvals, memory, ledger and session; what they say goes out in an envelope with their
name. What one of them reads from outside counts for all: that is noted in the session, not in the unit.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from paitui.context.estimate import schema_tokens
from paitui.context.manager import ContextManager
from paitui.context.meter import Calibration
from paitui.context.outputs import OutputFolder
from paitui.engine.budget import Budget
from paitui.engine.events import Event, MemoriesUsed, UnitEvent, UnitRole, UserSaid
from paitui.engine.history import History
from paitui.engine.memory_desk import MemoryDesk
from paitui.engine.models import Models
from paitui.engine.plan.answer import BadAnswer
from paitui.engine.prompts import plan_prompt
from paitui.engine.react import Outcome, run_task
from paitui.engine.unit import Unit
from paitui.locale import Phrase, Words, phrase
from paitui.messages.message import Message
from paitui.model.port import ModelFault, Purpose
from paitui.settings import Settings
from paitui.tools.base import Toolbox

SAVING = "save_memory"
"""A tool that reads by its rules, and yet is none for those who only look."""
LOOKING: tuple[UnitRole, ...] = ("planner", "reviewer")
"""Roles that look at the project and change nothing."""
PURPOSES: dict[UnitRole, Purpose] = {"planner": "plan", "task": "turn", "worker": "turn", "reviewer": "review"}
T = TypeVar("T")


class UnitFailed(Exception):
    """A unit did not do what the whole cannot do without.

    Attributes:
        phrase: Why.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(slots=True)
class Crew:
    """Makes units, and lets them work."""

    parent: Unit
    models: Models
    settings: Settings
    outputs: OutputFolder
    memory: MemoryDesk
    words: Words
    next_uid: Callable[[], int]
    kept: dict[str, tuple[Message, ...]]
    """Histories that a resumed session brings along."""
    units: dict[str, Unit] = field(default_factory=dict)
    """Those that were made, by the name of their history."""

    def unit(self, name: str, role: UnitRole) -> Unit:
        """Give a unit; the first time it is asked for, it is made, or goes on from its kept history."""
        if name not in self.units:
            self.units[name] = self._make(name, role)
        unit, model = self.units[name], self.parent.model
        if unit.model is not model:  # the user chose another one meanwhile
            unit.model = model
            window = self.settings.context.window or model.info.window
            unit.manager.rebudget(window, self._calibration, model.info.sends_reasoning_back)
        return unit

    def _make(self, name: str, role: UnitRole) -> Unit:
        parent, recorder = self.parent, self.parent.recorder
        tools = parent.calls.toolbox
        if role in LOOKING:
            known = tools.tools.items()
            tools = Toolbox({key: tool for key, tool in known if tool.access == "read" and key != SAVING})
        history = History(name, recorder, self.next_uid, self.kept.get(name, ()))
        recorder.histories[name] = lambda: history.messages
        if not history.messages:
            # The session's prompt stays word for word what it is everywhere, so that providers have it cached.
            for message in parent.history.messages:
                if message.role == "system":
                    history.append(replace(message, uid=0))
            part = plan_prompt(parent.language, role).replace("{most}", str(self.settings.plan.max_tasks))
            history.append(Message("system", part))
        manager = self._manager(tools)

        def emit(event: Event) -> None:
            parent.emit(UnitEvent(name, event))

        calls = replace(parent.calls, toolbox=tools, manager=manager, emit=emit, unit=name)
        model, background = parent.model, parent.background
        return Unit(history, manager, model, calls, recorder, parent.language, emit, background)

    @property
    def _calibration(self) -> Calibration:
        return self.models.calibration(self.parent.recorder.base.model)

    def _manager(self, tools: Toolbox) -> ContextManager:
        parent, context = self.parent, self.settings.context
        info = parent.model.info
        manager = ContextManager(
            context,
            context.window or info.window,
            self.outputs,
            self._calibration,
            schema_tokens(tools.specs),
            info.sends_reasoning_back,
        )
        manager.summary_window = parent.manager.summary_window
        manager.meter.instructions_tokens = parent.manager.meter.instructions_tokens
        return manager

    async def work(self, unit: Unit, role: UnitRole, whole: Budget, text: str, brought: str = "") -> Outcome:
        """Give a unit its task, and let it work until it is done with it.

        Args:
            unit: Who works.
            role: As what.
            whole: The budget of all units together; each has its own valves besides.
            text: The task. Memories are searched by it.
            brought: What it needs to know, already marked as data.

        Returns:
            How it ended. Whatever fails ends the task and nothing else.
        """
        unit.emit(UserSaid(text))
        attached = await self.memory.attach(text, unit.manager.marks.window, unit.remembered)
        unit.say(text, "task", attached=attached, brought=brought)
        unit.emit(MemoriesUsed(attached.used))
        return await self._run(unit, role, whole)

    async def ask(
        self,
        unit: Unit,
        role: UnitRole,
        whole: Budget,
        text: str,
        read: Callable[[str], T],
        brought: str = "",
    ) -> T:
        """Have a unit answer in a form that can be read; it may put it right once.

        Args:
            unit: Who is asked.
            role: As what.
            whole: The budget of all units together.
            text: What it is asked.
            read: Reads the answer; raises `BadAnswer`.
            brought: What it needs to know, already marked as data.

        Raises:
            UnitFailed: It could not answer, or the second answer cannot be read either.
        """
        outcome = await self.work(unit, role, whole, text, brought)
        for last in (False, True):
            if outcome.status != "done":
                raise UnitFailed(outcome.reason or phrase("engine.empty_reply"))
            try:
                return read(answer_of(unit))
            except BadAnswer as bad:
                if last:
                    raise UnitFailed(phrase("plan.unreadable", why=bad.phrase)) from bad
                why = self.words.say(bad.phrase)
                unit.say(plan_prompt(unit.language, f"repair_{role}").replace("{why}", why), "task")
                outcome = await self._run(unit, role, whole)
        raise AssertionError("the second answer was read or refused")

    async def _run(self, unit: Unit, role: UnitRole, whole: Budget) -> Outcome:
        budget = Budget(self.settings.agent, whole)
        unit.spend = budget.spend
        try:
            return await run_task(unit, budget, lambda: False, self.words, PURPOSES[role])
        except ModelFault as fault:
            return Outcome("failed", fault.phrase)
        except Exception as error:  # a fault of the program ends the task, not the session
            unit.recorder.fault(f"unit {unit.history.unit}", error)
            return Outcome("failed", phrase("engine.internal_op", why=f"{type(error).__name__}: {error}"))
        finally:
            await unit.shortener.stop()
            unit.shortener.undo_log.forget()  # nobody takes back a step of a unit
            unit.report()

    def forget(self) -> None:
        """Let go of all units."""
        self.units.clear()
        self.kept.clear()


def answer_of(unit: Unit) -> str:
    """The last thing that a unit said; empty if it did not come to it."""
    last = unit.history.messages[-1]
    return last.content if last.role == "assistant" and not last.tool_calls else ""
