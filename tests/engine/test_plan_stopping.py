"""Stopped at any moment, by the user or by the machine: every history is valid, and what is done stays done."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from plan_bench import Cast, Units, assert_valid, carried_out, graph, histories
from scripted_model import ScriptedModel, calls, says

from paitui.engine import events, ops
from paitui.messages.message import Message
from paitui.messages.validity import CANCELLED, INTERRUPTED
from paitui.model.port import Request

CHAIN = graph(a="", b="a", c="b")
WRITE = ("write_file", '{"path": "b.txt", "content": "x"}')


def writing_b(task: str, request: Request) -> Message:
    if task == "b" and request.messages[-1].role != "tool":
        return calls(WRITE, ("list_dir", "{}"))
    return says(f"did {task}")


class Stalled(ScriptedModel):
    """Answers until one request, and then waits for good (until it is let go)."""

    def __init__(self, cast: Cast, purpose: str, task: str = "") -> None:
        super().__init__([cast])
        self.at = purpose, task
        self.reached = asyncio.Event()
        self.stalls = True

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        said = [m for m in request.messages if m.origin == "task"]
        task = said[-1].content.split()[-1] if said else ""
        if self.stalls and request.purpose == self.at[0] and self.at[1] in ("", task):
            self.reached.set()
            await asyncio.Event().wait()
        async for event in super().stream(request):
            yield event


STAGES: dict[str, tuple[str, str, Callable[[str], ops.Op]]] = {
    "planner": ("plan", "", ops.StartPlan),
    "task": ("turn", "b", ops.StartPlan),
    "final answer of a plan": ("report", "", ops.StartPlan),
    "worker": ("turn", "b", ops.StartTeam),
    "reviewer": ("review", "b", ops.StartTeam),
    "final answer of a team": ("report", "", ops.StartTeam),
}


@pytest.mark.parametrize("stage", STAGES)
async def test_a_plan_is_stopped_in_every_stage_and_goes_on_by_the_users_word(tmp_path: Path, stage: str) -> None:
    purpose, task, start = STAGES[stage]
    cast = Cast([CHAIN])
    model = Stalled(cast, purpose, task)
    opening = options(tmp_path, model)

    async def stop(bench: Bench) -> None:
        bench.worker.send(start("goal"))
        async with asyncio.timeout(10):
            await model.reached.wait()
        begin = asyncio.get_running_loop().time()
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert asyncio.get_running_loop().time() - begin < 0.2
        assert bench.of(events.TurnEnded)[0].status == "cancelled"
        assert_valid(bench)
        running = [unit for unit in Units(bench.seen).last.values() if unit.status == "running"]
        assert not running

    await with_worker(opening, stop)
    before = list(cast.asked)
    model.stalls = False

    async def go_on(bench: Bench) -> None:
        assert [n.phrase.key for n in bench.of(events.Notice)] == [
            "plan.interrupted_team" if start is ops.StartTeam else "plan.interrupted_plan"
        ]
        await asyncio.sleep(0)
        assert not bench.of(events.TurnStarted)  # not by itself
        assert (await carried_out(bench, ops.ContinuePlan())).status == "done"

    await with_worker(replace(opening, continue_last=True), go_on)
    done_before = {task for p, task in before if p == ("review" if start is ops.StartTeam else "turn")}
    again = {task for p, task in cast.asked[len(before) :] if p == "turn"}
    assert not done_before & again
    assert done_before | again == {"a", "b", "c"}


async def test_a_plan_is_stopped_while_it_waits_to_be_looked_at(tmp_path: Path) -> None:
    cast = Cast([CHAIN])
    opening = options(tmp_path, cast.model(), reviews_plans=True)

    async def stop(bench: Bench) -> None:
        bench.worker.send(ops.StartPlan("goal"))
        await bench.until(lambda: bool(bench.of(events.PlanProposed)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert [event.decision for event in bench.of(events.PlanResolved)] == ["cancel"]
        assert_valid(bench)

    await with_worker(opening, stop)

    async def go_on(bench: Bench) -> None:
        bench.on_event = lambda event: (
            bench.worker.send(ops.DecidePlan(event.id, "run")) if isinstance(event, events.PlanProposed) else None
        )
        assert (await carried_out(bench, ops.ContinuePlan())).status == "done"

    await with_worker(replace(opening, continue_last=True), go_on)
    assert [purpose for purpose, _ in cast.asked].count("plan") == 1  # the plan that was made is proposed again


async def test_a_plan_is_stopped_in_a_question_of_one_of_its_tasks(tmp_path: Path) -> None:
    opening = options(tmp_path, Cast([CHAIN], work=writing_b).model())

    async def stop(bench: Bench) -> None:
        bench.worker.send(ops.StartPlan("goal"))
        await bench.until(lambda: bool(bench.of(events.ApprovalRequested)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert_valid(bench)
        assert [event.decision for event in bench.of(events.ApprovalResolved)] == ["no"]
        answers = [m.content for m in histories(bench)["plan1.b"] if m.role == "tool"]
        assert INTERRUPTED in answers[0] and CANCELLED in answers[1]

    await with_worker(opening, stop)
    assert not (opening.paths.project / "b.txt").exists()

    async def go_on(bench: Bench) -> None:
        assert (await carried_out(bench, ops.ContinuePlan())).status == "done"
        told = [m for m in histories(bench)["plan1.b"] if m.origin == "task"]
        assert "interrupted" in told[-1].attached and "did a" in told[-1].attached

    await with_worker(replace(opening, continue_last=True, approve="all"), go_on)
    assert (opening.paths.project / "b.txt").exists()


async def test_it_goes_on_in_the_same_session_too_and_only_at_rest(tmp_path: Path) -> None:
    model = Stalled(Cast([CHAIN]), "turn", "b")

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.ContinuePlan())
        await bench.until(lambda: len(bench.of(events.OpDone)) == 1)
        bench.worker.send(ops.StartPlan("goal"))
        async with asyncio.timeout(10):
            await model.reached.wait()
        bench.worker.send(ops.ContinuePlan())
        await bench.until(lambda: len(bench.of(events.OpDone)) == 2)
        assert [n.phrase.key for n in bench.of(events.Notice)] == ["plan.nothing_to_continue", "plan.busy"]
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        model.stalls = False
        assert (await carried_out(bench, ops.ContinuePlan())).status == "done"

    await with_worker(options(tmp_path, model), use)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from engine_bench import options, with_worker
from plan_bench import Cast
from test_plan_stopping import CHAIN, Stalled, writing_b
from paitui.engine import ops

class Killing(Stalled):
    async def stream(self, request):
        said = [m for m in request.messages if m.origin == "task"]
        task = said[-1].content.split()[-1] if said else ""
        if request.purpose == {purpose!r} and {task!r} in ("", task) and request.messages[-1].role in {roles!r}:
            os.kill(os.getpid(), signal.SIGKILL)
        async for event in super().stream(request):
            yield event

async def main():
    model = Killing(Cast([CHAIN], work=writing_b), "never")
    async def use(bench):
        bench.worker.send(ops.{op}("goal"))
        await asyncio.sleep(60)
    await with_worker(options(Path({folder!r}), model, approve="all"), use)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("op", "purpose", "task", "roles"),
    [
        ("StartPlan", "plan", "", ("user",)),
        ("StartPlan", "turn", "b", ("user",)),
        ("StartPlan", "turn", "b", ("tool",)),
        ("StartPlan", "report", "", ("user",)),
        ("StartTeam", "review", "b", ("user",)),
    ],
)
def test_a_killed_plan_goes_on_and_nothing_is_done_twice(
    tmp_path: Path, op: str, purpose: str, task: str, roles: tuple[str, ...]
) -> None:
    here = Path(__file__).parent
    paths = [str(here), str(here.parent / "stubs"), str(here.parent.parent)]
    script = KILLED.format(paths=paths, purpose=purpose, task=task, roles=roles, op=op, folder=str(tmp_path))
    run = subprocess.run([sys.executable, "-c", script], timeout=30, capture_output=True, env={**os.environ})
    assert run.returncode == -signal.SIGKILL, run.stderr.decode()[-2_000:]
    cast = Cast([CHAIN], work=writing_b)
    opening = replace(options(tmp_path, cast.model(), approve="all"), continue_last=True)

    async def go_on(bench: Bench) -> None:
        assert_valid(bench)
        assert any(n.phrase.key.startswith("plan.interrupted_") for n in bench.of(events.Notice))
        done = {name for name, unit in Units(bench.seen).last.items() if unit.status == "done"}
        assert (await carried_out(bench, ops.ContinuePlan())).status == "done"
        assert not done & {task for p, task in cast.asked if p == "turn"}
        if purpose == "report":
            assert [p for p, _ in cast.asked] == ["report"]
        uids = [m.uid for messages in histories(bench).values() for m in messages]
        assert len(set(uids)) == len(uids)

    asyncio.run(with_worker(opening, go_on))  # type: ignore[arg-type]


async def test_what_is_written_of_a_plan_does_not_grow_with_the_plan(tmp_path: Path) -> None:
    """A change of one unit writes that unit, not the answers of all the others."""
    long = "x " * 3_000
    opening = options(tmp_path, Cast([graph(**{f"t{n}": "" for n in range(12)})], work=lambda *_: says(long)).model())

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"
        folder = next(opening.paths.sessions.iterdir())
        journal = max(folder.glob("*journal*"), key=lambda path: path.stat().st_size)
        lines = journal.read_bytes().splitlines()
        changes = [line for line in lines if b"set_extra" in line]
        assert changes and max(map(len, changes)) < 2 * len(long)
        assert sum(map(len, changes)) < 4 * 12 * len(long)
        assert json.loads(changes[-1])

    await with_worker(opening, use)
