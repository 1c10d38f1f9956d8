"""Plans and teams on a scripted model: who is asked what, and what the units are told."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine_bench import Bench
from scripted_model import ScriptedModel, says

from paitui.engine import events, ops
from paitui.messages.message import Message
from paitui.messages.validity import violations
from paitui.model.port import Request

APPROVED = '{"approved": true, "reasons": []}'


def graph(**needs: str) -> str:
    """A planner's answer: each task with the names that it needs, ``c="a b"``."""
    return json.dumps(
        {
            "tasks": [
                {"id": name, "description": f"do {name}", "type": "other", "dependencies": need.split()}
                for name, need in needs.items()
            ]
        }
    )


FIVE = graph(a="", b="a", c="", d="c", e="b d")
"""Two branches that know nothing of each other, and what needs both."""


@dataclass
class Cast:
    """Answers requests by who asks."""

    plans: list[str] = field(default_factory=lambda: [FIVE])
    """The planner's answers in turn; the last one goes on."""
    verdicts: list[str] = field(default_factory=lambda: [APPROVED])
    work: Callable[[str, Request], Message] = lambda task, request: says(f"did {task}")
    """Gives the next step of a task, by the last word of its description."""
    report: str = "All of it is done."
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Purpose and task of each request."""

    def __call__(self, request: Request) -> Message:
        task = last_task(request)
        self.asked.append((request.purpose, task))
        match request.purpose:
            case "plan":
                return says(self.plans.pop(0) if len(self.plans) > 1 else self.plans[0])
            case "review":
                return says(self.verdicts.pop(0) if len(self.verdicts) > 1 else self.verdicts[0])
            case "report":
                return says(self.report)
            case "summary":
                headings = re.findall(r"^## .+$", request.messages[0].content, re.MULTILINE)
                return says("\n".join(f"{heading}\nThe task goes on; files were read." for heading in headings))
            case _:
                return self.work(task, request)

    def model(self, **more: Any) -> ScriptedModel:
        return ScriptedModel([self], **more)


def last_task(request: Request) -> str:
    said = [message for message in request.messages if message.origin in ("task", "carried", "typed")]
    return said[-1].content.split()[-1] if said else ""


@dataclass
class Units:
    """What became of units, from the events."""

    seen: list[events.Event]

    @property
    def last(self) -> dict[str, events.UnitState]:
        told = [event for event in self.seen if isinstance(event, events.UnitsChanged)]
        return {unit.name: unit for unit in told[-1].units} if told else {}

    def statuses(self, role: str = "task") -> dict[str, str]:
        return {name: unit.status for name, unit in self.last.items() if unit.role == role}

    def together(self) -> int:
        """How many tasks ran at once, at most."""
        told = [event for event in self.seen if isinstance(event, events.UnitsChanged)]
        return max(
            sum(unit.status == "running" and unit.role in ("task", "worker") for unit in one.units) for one in told
        )

    def order(self) -> list[str]:
        """Names in the order in which they were done."""
        done: list[str] = []
        for event in self.seen:
            for unit in event.units if isinstance(event, events.UnitsChanged) else ():
                if unit.status == "done" and unit.role in ("task", "worker") and unit.name not in done:
                    done.append(unit.name)
        return done


async def carried_out(bench: Bench, op: ops.Op, seconds: float = 20) -> events.TurnEnded:
    before = len(bench.of(events.TurnEnded))
    bench.worker.send(op)
    await bench.until(lambda: len(bench.of(events.TurnEnded)) > before, seconds)
    assert_valid(bench)
    ended: events.TurnEnded = bench.of(events.TurnEnded)[-1]
    return ended


def assert_valid(bench: Bench) -> None:
    """Every history of the session obeys the rules of a request."""
    assert not violations(bench.history)
    for name, messages in bench.worker._parts.recorder.histories.items():
        assert not violations(list(messages())), name


def histories(bench: Bench) -> dict[str, list[Message]]:
    return {name: list(messages()) for name, messages in bench.worker._parts.recorder.histories.items()}


async def soon(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not check():
            await asyncio.sleep(0.005)
