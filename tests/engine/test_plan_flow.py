"""A plan's way: planned, looked at, worked on side by side, answered."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from plan_bench import FIVE, Cast, Units, assert_valid, carried_out, graph, histories, soon
from scripted_model import calls, says

from paitui.engine import events, ops
from paitui.locale import Words, phrase
from paitui.messages.message import Message, Usage
from paitui.model.port import ModelFault, Request
from paitui.settings import AgentSettings, PlanSettings, Settings


async def test_tasks_run_in_order_and_side_by_side_and_the_main_agent_answers(tmp_path: Path) -> None:
    both = asyncio.Barrier(2)
    cast = Cast()
    model = cast.model()

    class Meeting(type(model)):  # type: ignore[misc]
        """The first tasks of both branches wait for each other: alone, neither would ever end."""

        async def stream(self, request: Request):  # type: ignore[no-untyped-def]
            if request.purpose == "turn" and request.messages[-1].content in ("do a", "do c"):
                async with asyncio.timeout(5):
                    await both.wait()
            async for event in super().stream(request):
                yield event

    model = Meeting([cast])

    async def use(bench: Bench) -> None:
        ended = await carried_out(bench, ops.StartPlan("the goal"))
        assert ended.status == "done", ended
        assert [m.role for m in bench.history] == ["system", "user", "user", "assistant"]
        assert bench.history[-1].content == "All of it is done."
        assert set(histories(bench)) == {"react", "plan1.planner", *(f"plan1.{name}" for name in "abcde")}

    bench = await with_worker(options(tmp_path, model), use)
    units = Units(bench.seen)
    order = units.order()
    assert order.index("a") < order.index("b") and order.index("c") < order.index("d") and order[-1] == "e"
    assert units.together() == 2
    assert bench.of(events.TurnStarted)[0].mode == "plan"
    # What came of the branches reaches the task that needs both, as data; a task needs nothing else.
    given = {r.messages[2].content: r.messages[2].attached for r in model.requests if r.purpose == "turn"}
    assert "did b" in given["do e"] and "did d" in given["do e"] and "did a" not in given["do e"]
    assert given["do e"].startswith('<tool_result tool="task b" trust="untrusted-data">') and not given["do a"]
    # Every unit's request begins with the session's prompt, word for word.
    assert len({r.messages[0].content for r in model.requests}) == 1


async def test_a_face_that_knows_nothing_of_units_sees_one_answer(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartPlan("the goal"))

    bench = await with_worker(options(tmp_path, Cast().model(usage=Usage(10, 1))), use)
    assert [event.text for event in bench.of(events.AnswerFinished)] == ["All of it is done."]
    assert len(bench.of(events.UserSaid)) == 1
    wrapped = [event.event for event in bench.of(events.UnitEvent)]
    assert sum(isinstance(event, events.UsageReported) for event in wrapped) == 6
    assert not any(isinstance(event, events.UnitEvent) for event in wrapped)


async def test_at_most_four_tasks_run_at_once(tmp_path: Path) -> None:
    wide = graph(**{f"t{n}": "" for n in range(9)})

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"

    bench = await with_worker(options(tmp_path, Cast([wide]).model()), use)
    assert Units(bench.seen).together() == 4


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("I would first look around.", "plan.no_json"),
        (graph(a="b", b="a"), "plan.circle"),
        (graph(a="nowhere"), "plan.unknown_need"),
        ('{"tasks": []}', "plan.empty"),
    ],
)
async def test_a_bad_plan_is_put_right_once_or_says_why_there_is_none(tmp_path: Path, bad: str, why: str) -> None:
    repaired = Cast([bad, FIVE])

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"
        assert (await carried_out(bench, ops.StartPlan("again"))).status == "failed"

    first = repaired.plans
    first += [bad]
    bench = await with_worker(options(tmp_path, repaired.model()), use)
    assert [purpose for purpose, _ in repaired.asked].count("plan") == 4
    ended = bench.of(events.TurnEnded)[-1]
    assert ended.reason.key == "plan.no_plan"
    assert ended.reason.params["why"].params["why"].key == why
    assert "plan" in Words("en").say(ended.reason)
    assert Units(bench.seen).statuses("planner") == {"planner": "failed"}


async def test_the_user_looks_at_a_plan_changes_it_and_lets_it_run(tmp_path: Path) -> None:
    cast = Cast([graph(a=""), graph(a="", b="a")])
    decisions = [ops.DecidePlan("", "change", "also b"), ops.DecidePlan("", "run")]

    async def use(bench: Bench) -> None:
        def decide(event: events.Event) -> None:
            if isinstance(event, events.PlanProposed):
                assert not [p for p, _ in cast.asked if p == "turn"]  # nothing runs before
                decision = decisions.pop(0)
                bench.worker.send(ops.DecidePlan(event.id, decision.decision, decision.text))

        bench.on_event = decide
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"

    bench = await with_worker(options(tmp_path, cast.model(), reviews_plans=True), use)
    first, second = bench.of(events.PlanProposed)
    assert [task.id for task in first.tasks] == ["a"]
    assert [(task.id, task.needs) for task in second.tasks] == [("a", ()), ("b", ("a",))]
    assert [event.decision for event in bench.of(events.PlanResolved)] == ["change", "run"]
    assert cast.asked[1] == ("plan", "b")  # the wish went to the planner that made the first one
    assert Units(bench.seen).statuses() == {"a": "done", "b": "done"}


async def test_a_plan_that_is_not_wanted_does_nothing(tmp_path: Path) -> None:
    cast = Cast()

    async def use(bench: Bench) -> None:
        bench.on_event = lambda event: (
            bench.worker.send(ops.DecidePlan(event.id, "cancel")) if isinstance(event, events.PlanProposed) else None
        )
        ended = await carried_out(bench, ops.StartPlan("goal"))
        assert ended.status == "cancelled" and ended.reason.key == "plan.dropped"  # type: ignore[union-attr]
        bench.worker.send(ops.ContinuePlan())
        await bench.until(lambda: any(n.phrase.key == "plan.nothing_to_continue" for n in bench.of(events.Notice)))

    await with_worker(options(tmp_path, cast.model(), reviews_plans=True), use)
    assert [purpose for purpose, _ in cast.asked] == ["plan"]


def failing(*names: str):  # type: ignore[no-untyped-def]
    def work(task: str, request: Request) -> Message:
        return says("TASK FAILED: it is not there") if task in names else says(f"did {task}")

    return work


async def test_what_needs_a_failed_task_is_skipped_and_the_rest_is_done(tmp_path: Path) -> None:
    wide = graph(a="", b="", c="", d="", bad="", last="bad", end="last")
    cast = Cast([wide], work=failing("bad"))

    async def use(bench: Bench) -> None:
        ended = await carried_out(bench, ops.StartPlan("goal"))
        assert ended.status == "partial"
        assert dict(ended.reason.params) == {"done": 4, "n": 7, "failed": 1, "skipped": 2}  # type: ignore[union-attr]
        assert "skipped (it needs bad, which was not done)" in bench.history[-2].attached

    bench = await with_worker(options(tmp_path, cast.model(), settings=Settings(plan=PlanSettings(replans=0))), use)
    assert Units(bench.seen).last["bad"].reason == phrase("plan.said", text="it is not there")


async def test_failing_early_makes_another_plan_at_most_twice(tmp_path: Path) -> None:
    cast = Cast([graph(a="", b="a"), graph(c="", d="c"), graph(e="", f="e")], work=failing("a", "c", "e"))

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "failed"

    bench = await with_worker(options(tmp_path, cast.model()), use)
    assert [purpose for purpose, _ in cast.asked].count("plan") == 3
    assert Units(bench.seen).statuses() == {
        **{"a": "failed", "b": "skipped", "c": "failed", "d": "skipped"},
        **{"e": "failed", "f": "skipped"},
    }


async def test_another_plan_builds_on_what_is_done(tmp_path: Path) -> None:
    first = graph(x="", a="x", b="a", c="b")
    cast = Cast([first, graph(y="x")], work=failing("a"))

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"
        assert histories(bench)["plan1b.y"][2].attached.count("did x") == 1

    model = cast.model()
    bench = await with_worker(options(tmp_path, model), use)
    assert [task for purpose, task in cast.asked if purpose == "turn"] == ["x", "a", "y"]
    told = [r for r in model.requests if r.purpose == "plan"][-1].messages[-1]
    assert '"status": "failed"' in told.attached and "it is not there" in told.attached
    assert Units(bench.seen).statuses()["y"] == "done"


async def test_a_model_that_fails_ends_its_task_and_nothing_else(tmp_path: Path) -> None:
    fault = ModelFault("server", phrase("model.server"))

    class Falling(Cast):
        def __call__(self, request: Request):  # type: ignore[no-untyped-def, override]
            answer = super().__call__(request)
            return fault if self.asked[-1] == ("turn", "b") else answer

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "partial"

    bench = await with_worker(options(tmp_path, Falling().model()), use)
    assert Units(bench.seen).statuses() == {"a": "done", "b": "failed", "c": "done", "d": "done", "e": "skipped"}


async def test_a_fault_of_the_program_in_one_unit_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    def work(task: str, request: Request) -> Message:
        if task == "a":
            raise RuntimeError("broken")
        return says(f"did {task}")

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartPlan("goal"))

    bench = await with_worker(options(tmp_path, Cast(work=work).model()), use)
    assert Units(bench.seen).last["a"].status == "failed"
    assert "RuntimeError: broken" in Words("en").say(Units(bench.seen).last["a"].reason)  # type: ignore[arg-type]


async def test_the_token_budget_counts_all_units_together(tmp_path: Path) -> None:
    settings = Settings(agent=AgentSettings(token_budget=2_000), plan=PlanSettings(replans=0))
    reading = calls(("list_dir", "{}"))

    def work(task: str, request: Request) -> Message:
        return says(f"did {task}") if request.messages[-1].role == "tool" else reading

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartPlan("goal"))

    chain = graph(a="", b="a", c="b", d="c")
    model = Cast([chain], work=work).model(usage=Usage(500, 0))
    bench = await with_worker(options(tmp_path, model, settings=settings), use)
    assert Units(bench.seen).statuses() == {"a": "done", "b": "failed", "c": "skipped", "d": "skipped"}


async def test_long_results_go_to_a_file_and_each_hand_over_keeps_to_its_budget(tmp_path: Path) -> None:
    long = "\n".join(f"line {n} of a very long answer" for n in range(4_000))

    def work(task: str, request: Request) -> Message:
        return says(long) if task in ("a", "b", "c") else says(f"did {task}")

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"
        given = histories(bench)["plan1.d"][2].attached
        assert len(given) < 20_000 and given.count("[paitui:offloaded task ") == 3 and "line 3999" in given
        name = given.split("whole text in ")[1].split(";")[0]
        assert (bench.worker._parts.opened.project / Path(name)).read_text() == long
        assert len(bench.history[-2].attached) < 20_000

    opening = options(tmp_path, Cast([graph(a="", b="", c="", d="a b c")], work=work).model(window=32_000))
    bench = await with_worker(opening, use)
    assert len(Units(bench.seen).last["a"].answer) < 500


async def test_a_long_task_passes_all_three_tiers_in_its_own_window(tmp_path: Path) -> None:
    files = 60

    def work(task: str, request: Request) -> Message:
        read = sum(len(message.tool_calls) for message in request.messages)
        done = sum("file-" in message.content for message in request.messages if message.origin == "summary")
        work.asked += 2  # type: ignore[attr-defined]
        at = work.asked - 2  # type: ignore[attr-defined]
        if task != "long" or at >= files:
            return says(f"did {task} after {read + done}")
        return calls(*((("read_file", json.dumps({"path": f"f{n}.txt"}))) for n in (at, at + 1)))

    work.asked = 0  # type: ignore[attr-defined]
    opening = options(tmp_path, Cast([graph(long="")], work=work).model(window=16_000))
    for n in range(files):
        (opening.paths.project / f"f{n}.txt").write_text(f"file-{n} line\n" * (900 if n == 4 else 200))

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("read them all"))).status == "done"
        assert any(message.origin == "carried" for message in histories(bench)["plan1.long"])

    bench = await with_worker(opening, use)
    kinds = {e.event.kind for e in bench.of(events.UnitEvent) if isinstance(e.event, events.Boundary)}
    assert kinds == {"offload", "clear", "summary"}
    assert not bench.of(events.Boundary)  # the main agent's history was not touched
    ledger = next(opening.paths.ledgers.glob("*.jsonl")).read_text().splitlines()
    records = [json.loads(line) for line in ledger]
    assert {r["unit"] for r in records if r["event"] == "boundary"} == {"plan1.long"}


async def test_an_approval_says_which_unit_asks_and_the_ledger_knows_it(tmp_path: Path) -> None:
    def work(task: str, request: Request) -> Message:
        wrote = request.messages[-1].role == "tool"
        return (
            says(f"did {task}")
            if wrote
            else calls(("write_file", json.dumps({"path": f"{task}.txt", "content": "x"})))
        )

    opening = options(tmp_path, Cast([graph(a="", b="")], work=work).model())

    async def use(bench: Bench) -> None:
        bench.on_event = lambda event: (
            bench.worker.send(ops.Decide(event.id, "once")) if isinstance(event, events.ApprovalRequested) else None
        )
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "done"

    bench = await with_worker(opening, use)
    assert {event.unit for event in bench.of(events.ApprovalRequested)} == {"plan1.a", "plan1.b"}
    assert (opening.paths.project / "a.txt").read_text() == "x"
    records = [json.loads(line) for line in next(opening.paths.ledgers.glob("*.jsonl")).read_text().splitlines()]
    assert {r["unit"] for r in records if r["event"] == "approval"} == {"plan1.a", "plan1.b"}
    assert {"react", "plan1.planner", "plan1.a"} <= {r["unit"] for r in records if r["event"] == "message"}


async def test_planner_and_reviewer_are_given_no_tool_that_changes_anything(tmp_path: Path) -> None:
    model = Cast([graph(a="")]).model()

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartTeam("goal"))

    await with_worker(options(tmp_path, model), use)
    given = {r.purpose: {tool.name for tool in r.tools} for r in model.requests}
    for purpose in ("plan", "review"):
        assert "read_file" in given[purpose]
        assert not given[purpose] & {"write_file", "edit_file", "execute_command", "save_memory"}
    assert "write_file" in given["turn"] and not given["report"]


async def test_the_next_message_is_planned_and_queued_ones_keep_their_mode(tmp_path: Path) -> None:
    cast = Cast([graph(a="")], work=lambda task, request: says(f"did {task}"))
    gate = asyncio.Event()
    model = cast.model(gate=gate)

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.StartPlan(""))
        bench.worker.send(ops.Submit("first"))
        bench.worker.send(ops.StartTeam("second\nwith two lines", ((0, 6),)))
        bench.worker.send(ops.Submit("third"))
        await bench.until(lambda: len(bench.of(events.QueueChanged)[-1].queued) == 2)
        queued = bench.of(events.QueueChanged)[-1].queued
        assert [one.text for one in queued] == ["/team second\nwith two lines", "third"]
        assert queued[0].pasted == ((6, 12),)
        gate.set()
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 3)

    bench = await with_worker(options(tmp_path, model), use)
    assert [event.mode for event in bench.of(events.TurnStarted)] == ["plan", "team", "react"]
    assert [event.mode for event in bench.of(events.ModeChosen)] == ["plan", "react"]
    said = bench.of(events.UserSaid)
    assert [event.text for event in said] == ["first", "second\nwith two lines", "third"]
    assert said[1].pasted == ((0, 6),)


async def test_a_units_history_can_be_looked_at_and_goes_with_the_next_plan(tmp_path: Path) -> None:
    opening = options(tmp_path, Cast([graph(a="")]).model())

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartPlan("goal"))
        bench.worker.send(ops.ShowUnit("plan1.a"))
        await bench.until(lambda: bool(bench.of(events.UnitShown)))
        shown = bench.of(events.UnitShown)[0]
        assert shown.messages[-1].content == "did a" and shown.report.used > 0

    await with_worker(opening, use)

    async def resumed(bench: Bench) -> None:
        assert Units(bench.seen).statuses() == {"a": "done"}  # told without being asked
        assert not bench.of(events.Notice)
        bench.worker.send(ops.ShowUnit("plan1.a"))
        bench.worker.send(ops.ShowUnit("plan7.x"))
        await bench.until(lambda: len(bench.of(events.UnitShown)) == 2)
        shown, missing = bench.of(events.UnitShown)
        assert shown.messages[-1].content == "did a" and shown.report.used > 0
        assert missing.messages == () and missing.report is None
        await carried_out(bench, ops.StartPlan("next goal"))
        assert set(histories(bench)) == {"react", "plan2.planner", "plan2.a"}
        bench.worker.send(ops.Clear())
        await bench.until(lambda: bool(bench.of(events.HistoryCleared)))
        assert set(histories(bench)) == {"react"}

    await with_worker(replace(opening, continue_last=True), resumed)


async def test_facts_are_searched_once_in_the_users_own_words(tmp_path: Path) -> None:
    model = Cast([graph(a="", b="a")]).model()

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartPlan("From now on we always use tabs in our project."))
        await soon(lambda: len(model.searches) == 1)

    await with_worker(options(tmp_path, model), use)
    assert len(model.searches) == 1
    assert "always use tabs" in model.searches[0].messages[-1].content


async def test_a_failed_plan_is_not_searched_for_facts(tmp_path: Path) -> None:
    model = Cast([graph(a="")], work=failing("a")).model()

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartPlan("From now on we always use tabs in our project."))

    await with_worker(options(tmp_path, model, settings=Settings(plan=PlanSettings(replans=0))), use)
    assert not model.searches


async def test_an_answer_that_fails_leaves_a_plan_that_can_be_gone_on_with(tmp_path: Path) -> None:
    fault = ModelFault("server", phrase("model.server"))

    class Silent(Cast):
        broken = True

        def __call__(self, request: Request):  # type: ignore[no-untyped-def, override]
            answer = super().__call__(request)
            return fault if request.purpose == "report" and self.broken else answer

    cast = Silent([graph(a="")])

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartPlan("goal"))).status == "failed"
        cast.broken = False
        assert (await carried_out(bench, ops.ContinuePlan())).status == "done"
        assert_valid(bench)

    await with_worker(options(tmp_path, cast.model()), use)
    assert [task for purpose, task in cast.asked if purpose == "turn"] == ["a"]  # not done again
