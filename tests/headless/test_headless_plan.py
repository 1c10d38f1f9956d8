"""Plans and teams without a screen: one object, exit codes, one event a line, lines with a typed decision."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paitui.engine import events, ops
from paitui.engine.commands import parse
from paitui.headless.jsonlines import event_object
from paitui.headless.narration import Narrator
from paitui.headless.plan_text import PlanText, read_decision
from paitui.locale import Words, phrase
from paitui.messages.message import Usage

WORDS = Words("en")


def paitui(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    (project / "a.txt").write_text("alpha\n")
    (project / "b.txt").write_text("beta\n")
    environment = {**os.environ, "PAITUI_HOME": str(folder / "home"), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "paitui", "--project", str(project), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment, stdin=subprocess.DEVNULL
    )


def test_a_plan_runs_without_being_looked_at_and_tells_its_units(tmp_path: Path) -> None:
    done = paitui(tmp_path, "--output", "json", "-p", "/plan 1. read a.txt\n2. read b.txt\n3. then list .")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["status"] == "done" and "3 of 3" in told["answer"]
    assert [(unit["id"], unit["role"], unit["status"]) for unit in told["units"]] == [
        ("planner", "planner", "done"),
        ("t1", "task", "done"),
        ("t2", "task", "done"),
        ("t3", "task", "done"),
    ]
    assert "alpha" in told["units"][1]["answer"]
    assert [call["name"] for call in told["tool_calls"]] == ["read_file", "read_file", "list_dir"]
    assert told["usage"]["prompt"] > 5_000


def test_what_is_done_in_part_has_its_own_exit_code_and_each_event_its_unit(tmp_path: Path) -> None:
    steps = "/team 1. read a.txt\n2. run `exit 3`\n3. list . (after 2)"
    done = paitui(tmp_path, "--approve", "all", "--output", "stream-json", "-p", steps)
    assert done.returncode == 3, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    units = {line["unit"] for line in lines if line["event"] == "tool_finished"}
    assert {"team1.worker-1", "team1.worker-2"} <= units
    last = [line for line in lines if line["event"] == "units_changed"][-1]["units"]
    assert {unit["name"]: unit["status"] for unit in last if unit["role"] == "worker"} == {
        "t1": "done",
        "t2": "failed",
        "t3": "skipped",
    }


@pytest.mark.parametrize(("prompt", "code"), [("/plan", 2), ("/team ", 2), ("/plan continue", 1)])
def test_what_cannot_begin_says_why(tmp_path: Path, prompt: str, code: int) -> None:
    done = paitui(tmp_path, "-p", prompt)
    assert done.returncode == code and done.stderr.startswith("paitui: ")


def test_a_command_for_a_plan_may_have_many_lines() -> None:
    found = parse("/plan 1. one\n2. two")
    assert found is not None and found[1] == "1. one\n2. two"
    assert parse("/compact one\ntwo") is None and parse("/ plan") is None
    assert parse("/plan\nall of this") is not None


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("run", ops.DecidePlan("p1", "run")),
        (" Y ", ops.DecidePlan("p1", "run")),
        ("cancel", ops.DecidePlan("p1", "cancel")),
        ("change  mind the tests ", ops.DecidePlan("p1", "change", "mind the tests")),
        ("change", None),
        ("", None),
        ("run it later", None),
        ("what?", None),
    ],
)
def test_only_clear_words_decide_on_a_plan(line: str, decision: ops.DecidePlan | None) -> None:
    assert read_decision(line, "p1") == decision


def unit(name: str, status: Any, **more: Any) -> events.UnitState:
    return events.UnitState(f"plan1.{name}", name, "task", f"do {name}", f"plan1.{name}", status=status, **more)


def test_each_change_of_a_unit_is_one_line_and_its_doings_have_its_name() -> None:
    narrator = Narrator(WORDS)

    def lines(event: events.Event) -> list[str]:
        return narrator.take(event)

    assert lines(events.UnitsChanged("plan", "goal", (unit("a", "waiting"),))) == []
    assert lines(events.UnitsChanged("plan", "goal", (unit("a", "running", tries=1),))) == [
        "Task a begins. To do: do a"
    ]
    assert lines(events.UnitsChanged("plan", "goal", (unit("a", "running", tries=1),))) == []
    started = events.ToolStarted("c", "read_file", "{}", "a.txt")
    assert lines(events.UnitEvent("plan1.a", started)) == ["[a] Tool read_file: a.txt"]
    assert lines(events.UnitEvent("plan1.a", events.TextDelta("pieces of an answer\nof one of many"))) == []
    assert lines(events.UnitEvent("plan1.a", events.UsageReported(Usage(1, 1)))) == []
    failed = unit("a", "failed", tries=1, answer="first\nsecond", reason=phrase("plan.said", text="no room"))
    assert lines(events.UnitsChanged("plan", "goal", (failed,))) == [
        "Task a failed. (no room)",
        "    first",
        "    second",
    ]


def test_a_proposed_plan_is_told_with_what_can_be_typed() -> None:
    tasks = (events.PlannedTask("a", "read\nit", "explore"), events.PlannedTask("b", "run it", needs=("a",)))
    lines = PlanText(WORDS).proposed(events.PlanProposed("p1", "goal", tasks))
    assert lines[1:3] == ["  1. a [explore]: read it", "  2. b: run it (after a)"]
    assert "cancel" in lines[-1]


def test_an_event_of_a_unit_is_told_flat() -> None:
    told = event_object(events.UnitEvent("plan1.a", events.TextDelta("x")), WORDS)
    assert told == {"event": "text_delta", "text": "x", "unit": "plan1.a"}
