"""What models write is read strictly: plans and verdicts."""

import json
from typing import Any

import pytest

from paitui.engine.plan.answer import BadAnswer
from paitui.engine.plan.graph import read_tasks
from paitui.engine.plan.verdict import read_verdict
from paitui.messages.tasks import failure_of


def plan(*tasks: dict[str, Any]) -> str:
    return json.dumps({"tasks": list(tasks)})


def task(name: Any, *needs: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "description": f"do {name}", "type": "other", "dependencies": list(needs), **more}


def refusal(text: str, **how: Any) -> str:
    with pytest.raises(BadAnswer) as caught:
        read_tasks(text, how.get("most", 20), how.get("finished", ()))
    return caught.value.phrase.key


def test_a_graph_is_put_in_an_order_in_which_it_can_be_done() -> None:
    tasks = read_tasks(plan(task("c", "a", "b"), task("a"), task("d", "c"), task("b", "a")), 20)
    assert [one.id for one in tasks] == ["a", "b", "c", "d"]
    assert tasks[2].needs == ("a", "b") and tasks[2].type == "other"


def test_numbers_as_ids_a_code_block_and_a_need_named_twice_are_understood() -> None:
    text = f"```json\n{plan(task(1), task(2, 1, '1'))}\n```"
    assert [(one.id, one.needs) for one in read_tasks(text, 20)] == [("1", ()), ("2", ("1",))]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("First I read the file, then I change it.", "plan.no_json"),
        ("Here is the plan: " + plan(task("a")), "plan.no_json"),
        ("[1, 2]", "plan.no_object"),
        ('{"steps": []}', "plan.no_tasks"),
        ('{"tasks": {}}', "plan.no_tasks"),
        (plan(), "plan.empty"),
        ('{"tasks": ["read it"]}', "plan.bad_task"),
        (plan(task("a"), task("a")), "plan.twice"),
        (plan(task("a", "b")), "plan.unknown_need"),
        (plan(task("a", "a")), "plan.circle"),
        (plan(task("x"), task("a", "c"), task("b", "a"), task("c", "b")), "plan.circle"),
        (plan(task("a b")), "plan.bad_id"),
        (plan(task("")), "plan.bad_id"),
        (plan(task("a", description=" ")), "plan.bad_description"),
        (plan(task("a", description=3)), "plan.bad_field"),
        (plan(task("a", dependencies="b")), "plan.bad_field"),
        (plan(task(True)), "plan.bad_field"),
        ("[" * 100_000, "plan.no_json"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_reason(text: str, why: str) -> None:
    assert refusal(text) == why


def test_more_tasks_than_allowed_are_refused() -> None:
    assert refusal(plan(task("a"), task("b"), task("c")), most=2) == "plan.too_many"


def test_another_plan_may_need_what_is_finished_and_not_take_its_name() -> None:
    [one] = read_tasks(plan(task("b", "a")), 20, {"a"})
    assert one.needs == ("a",)
    assert refusal(plan(task("a")), finished={"a"}) == "plan.twice"


def test_a_verdict_is_an_approval_or_has_a_reason() -> None:
    assert read_verdict('{"approved": true, "reasons": []}').approved
    assert read_verdict('{"approved": true}').approved
    refused = read_verdict('{"approved": false, "reasons": [" no tests ", ""]}')
    assert not refused.approved and refused.reasons == ("no tests",)


@pytest.mark.parametrize(
    "text",
    [
        "Looks good to me, approved!",
        "true",
        '{"approved": "true", "reasons": []}',
        '{"approved": 1}',
        '{"reasons": []}',
        '{"approved": false, "reasons": []}',
        '{"approved": false, "reasons": "bad"}',
        '{"approved": true, "reasons": [1]}',
        'Approved: {"approved": true, "reasons": []}',
    ],
)
def test_nothing_else_is_a_verdict(text: str) -> None:
    with pytest.raises(BadAnswer):
        read_verdict(text)


def test_an_answer_says_itself_that_its_task_failed() -> None:
    assert failure_of("TASK FAILED: no such file\nmore") == "no such file\nmore"
    assert failure_of("**Task failed:** no") == "no"
    assert failure_of("Done. TASK FAILED: is what I did not say.") is None
