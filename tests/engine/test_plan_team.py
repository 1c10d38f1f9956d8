"""A team: steps by two workers, each reviewed before it counts."""

from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from plan_bench import APPROVED, FIVE, Cast, Units, carried_out, graph, histories
from scripted_model import calls, says

from paitui.engine import events, ops
from paitui.locale import Words
from paitui.messages.message import Message
from paitui.model.port import Request

REFUSED = '{"approved": false, "reasons": ["the tests are missing"]}'


async def test_each_step_is_done_by_one_of_two_workers_and_reviewed_by_itself(tmp_path: Path) -> None:
    cast = Cast([FIVE])

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartTeam("goal"))).status == "done"
        own = {"team1.planner", "team1.worker-1", "team1.worker-2", *(f"team1.{name}.review" for name in "abcde")}
        assert set(histories(bench)) == {"react", *own}

    bench = await with_worker(options(tmp_path, cast.model(), reviews_plans=True), use)
    units = Units(bench.seen)
    assert units.together() == 2 and units.order()[-1] == "e"
    assert set(units.statuses("worker").values()) == set(units.statuses("reviewer").values()) == {"done"}
    assert {unit.history for unit in units.last.values() if unit.role == "worker"} == {
        "team1.worker-1",
        "team1.worker-2",
    }
    assert not bench.of(events.PlanProposed)
    names = list(units.last)
    assert names.index("a.review") == names.index("a") + 1


async def test_work_goes_back_with_the_reasons_and_is_then_approved(tmp_path: Path) -> None:
    cast = Cast([graph(a="")], [REFUSED, APPROVED])
    model = cast.model()

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartTeam("goal"))).status == "done"

    bench = await with_worker(options(tmp_path, model), use)
    first, second = (request for request in model.requests if request.purpose == "turn")
    assert "tests are missing" not in first.messages[-1].attached
    assert '<tool_result tool="review"' in second.messages[-1].attached
    assert "tests are missing" in second.messages[-1].attached
    assert second.messages[-2].content == "did a"  # the same worker, who knows what it did
    assert Units(bench.seen).last["a"].tries == 2
    reasons = [
        unit.reason
        for event in bench.of(events.UnitsChanged)
        for unit in event.units
        if unit.name == "a" and unit.status == "running" and unit.tries == 2
    ]
    assert "tests are missing" in Words("en").say(reasons[0])


async def test_work_goes_back_at_most_twice_and_what_needs_it_is_skipped(tmp_path: Path) -> None:
    cast = Cast([graph(a="", b="a", c="b")], [REFUSED])

    async def use(bench: Bench) -> None:
        ended = await carried_out(bench, ops.StartTeam("goal"))
        assert ended.status == "failed"
        assert dict(ended.reason.params) == {"done": 0, "n": 3, "failed": 1, "skipped": 2}  # type: ignore[union-attr]
        assert "not approved" in bench.history[-2].attached and "skipped" in bench.history[-2].attached

    bench = await with_worker(options(tmp_path, cast.model()), use)
    assert [purpose for purpose, _ in cast.asked] == ["plan", *["turn", "review"] * 3, "report"]
    assert Units(bench.seen).statuses("worker") == {"a": "failed", "b": "skipped", "c": "skipped"}


@pytest.mark.parametrize("verdict", ["Looks good, approved!", '{"approved": "yes"}', '{"approved": false}'])
async def test_a_verdict_that_cannot_be_read_is_no_approval(tmp_path: Path, verdict: str) -> None:
    cast = Cast([graph(a="")], [verdict])

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartTeam("goal"))).status == "failed"

    bench = await with_worker(options(tmp_path, cast.model()), use)
    # Each review may be put right once; none of them is, so the work goes back twice and fails.
    assert [purpose for purpose, _ in cast.asked].count("review") == 6
    assert Units(bench.seen).statuses("reviewer") == {"a.review": "failed"}


async def test_a_verdict_in_prose_is_put_right_once(tmp_path: Path) -> None:
    cast = Cast([graph(a="")], ["All fine!", APPROVED])

    async def use(bench: Bench) -> None:
        assert (await carried_out(bench, ops.StartTeam("goal"))).status == "done"

    await with_worker(options(tmp_path, cast.model()), use)
    assert [purpose for purpose, _ in cast.asked] == ["plan", "turn", "review", "review", "report"]


async def test_the_reviewer_gets_the_answer_and_what_the_program_noted(tmp_path: Path) -> None:
    def work(task: str, request: Request) -> Message:
        if request.messages[-1].role == "tool":
            return says(f"did {task}")
        return calls(
            ("execute_command", '{"command": "false"}'), ("write_file", '{"path": "new.txt", "content": "x"}')
        )

    model = Cast([graph(a="")], work=work).model()

    async def use(bench: Bench) -> None:
        await carried_out(bench, ops.StartTeam("goal"))

    await with_worker(options(tmp_path, model, approve="all"), use)
    [asked] = [request.messages[-1] for request in model.requests if request.purpose == "review"]
    assert asked.content == "do a" and '<tool_result tool="worker"' in asked.attached and "did a" in asked.attached
    assert '"changed": ["new.txt"]' in asked.attached
    assert '"command": "false", "status": 1' in asked.attached
