"""The offline engine as planner, worker, reviewer and reporter."""

import json
from typing import Any

import pytest

from paitui.engine.plan.graph import read_tasks
from paitui.engine.plan.verdict import read_verdict
from paitui.locale import Words
from paitui.messages.message import Message, ToolCall, ToolSpec
from paitui.model.offline.ground import Ask
from paitui.model.offline.planning import plan, split
from paitui.model.offline.reviewing import review
from paitui.model.offline.speech import Speech
from paitui.trust.boundary import wrap

SPEECH = Speech({"en": Words("en"), "zh": Words("zh")}, "en")
READ = ToolSpec("read_file", "", {"properties": {"path": {}, "offset": {}, "limit": {}}})


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("survey the project", [("survey the project", ())]),
        ("1. read a.md\n2. list src\n3. then run `ls`", [("read a.md", ()), ("list src", ()), ("run `ls`", (0, 1))]),
        (
            "1) read a.md 2) read b.md 3) run `ls` (after 1)",
            [("read a.md", ()), ("read b.md", ()), ("run `ls`", (0,))],
        ),
        (
            'read a.py, then write "x then y" to b.txt and then run the tests',
            [("read a.py", ()), ('write "x then y" to b.txt', (0,)), ("run the tests", (1,))],
        ),
        ("先读取 a.md，然后列出 src，最后运行测试", [("读取 a.md", ()), ("列出 src", (0,)), ("运行测试", (1,))]),
        ("在 src 里查找 main，再运行测试。", [("在 src 里查找 main", ()), ("运行测试", (0,))]),
        ("一、读取 a.md；二、读取 b.md", [("读取 a.md", ()), ("读取 b.md", ())]),
        (
            "同时读取 a.txt 和 b.txt，然后列出 src",
            [("读取 a.txt", ()), ("读取 b.txt", ()), ("列出 src", (0, 1))],
        ),
        ("分别读取 a.txt、b.txt 和 c.txt", [("读取 a.txt", ()), ("读取 b.txt", ()), ("读取 c.txt", ())]),
        ("read a.txt and b.txt in parallel", [("read a.txt", ()), ("read b.txt", ())]),
        ("再见", [("再见", ())]),
        ("Version 1.5 is better than 2.0", [("Version 1.5 is better than 2.0", ())]),
    ],
)
def test_a_request_is_split_by_its_own_words(text: str, parts: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(piece.text, piece.needs) for piece in split(text)] == parts


def task(text: str, **more: Any) -> Message:
    return Message("user", text, origin="task", **more)


def test_a_plan_can_be_read_and_what_is_added_comes_after_the_rest() -> None:
    tasks = read_tasks(plan([task("read a.md; then run `ls`"), Message("assistant", "..."), task("list src")]), 20)
    assert [(one.id, one.type, one.needs) for one in tasks] == [
        ("t1", "explore", ()),
        ("t2", "run", ("t1",)),
        ("t3", "explore", ("t1", "t2")),
    ]


def test_what_failed_is_tried_again_under_another_id() -> None:
    state = {
        "finished": [{"id": "t1", "description": "read a.md"}],
        "unfinished": [
            {"id": "t2", "description": "run `ls`", "type": "run", "dependencies": ["t1"]},
            {"id": "t3", "description": "list src", "type": "explore", "dependencies": ["t2"]},
        ],
    }
    said = [task("read a.md, then run `ls`, then list src"), task("again", attached=wrap("plan", json.dumps(state)))]
    tasks = read_tasks(plan(said), 20, {"t1"})
    assert [(one.id, one.needs) for one in tasks] == [("t2-again1", ("t1",)), ("t3-again1", ("t2-again1",))]


def step(text: str, answer: str, **record: Any) -> Message:
    return task(text, attached=wrap("worker", answer) + "\n" + wrap("record", json.dumps(record)))


def looked(path: str, ok: bool) -> list[Message]:
    call = ToolCall("call_1", "read_file", json.dumps({"path": path, "offset": 1, "limit": 20}))
    return [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", wrap("read_file", "x"), tool_call_id="call_1", name="read_file", ok=ok),
    ]


def test_claimed_files_are_looked_at_before_a_verdict() -> None:
    messages = [step('write "x" to a.txt', "Created `b.txt` as well.", changed=["a.txt"])]
    asked = review(messages, [READ], SPEECH)
    assert isinstance(asked, Ask)
    assert [call.arguments["path"] for call in asked.calls] == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("answer", "record", "there", "approved"),
    [
        ("I wrote a.txt.", {"changed": ["a.txt"]}, True, True),
        ("I wrote a.txt.", {"changed": []}, False, False),
        ("I wrote a.txt.", {"failed": [{"command": "pytest", "status": 1, "lines": ["1 failed"]}]}, True, False),
        ("TASK FAILED: no room", {}, True, False),
        ("", {}, True, False),
    ],
)
def test_a_verdict_rests_on_files_and_exit_codes(answer: str, record: Any, there: bool, approved: bool) -> None:
    messages = [step('write "x" to a.txt', answer, **record), *looked("a.txt", there)]
    verdict = review(messages, [READ], SPEECH)
    assert isinstance(verdict, str)
    assert read_verdict(verdict).approved is approved
