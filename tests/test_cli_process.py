"""The whole program without a screen, as a process of its own, on the built-in engine."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# Lantern\n\nA lamp that counts moths.\n", "utf-8")
    return folder


def environment(project: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PAITUI"))}
    return {**kept, "PAITUI_HOME": str(project.parent / "home"), "PYTHONPATH": str(ROOT), "LANG": "en_US.UTF-8"}


def command(*line: str) -> list[str]:
    return [sys.executable, "-m", "paitui", *line]


def paitui(project: Path, *line: str, input: str | None = None) -> "subprocess.CompletedProcess[str]":
    given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if input is None else {"input": input}
    return subprocess.run(
        command(*line), cwd=project, env=environment(project),
        capture_output=True, text=True, timeout=60, check=False, **given,
    )  # fmt: skip


def whole(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.stdout.count("\n") == 1, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_reading_and_summing_up_in_chinese(project: Path) -> None:
    done = paitui(project, "-p", "读取 README.md 并总结", "--output", "json")
    found = whole(done)
    assert done.returncode == 0, done.stderr
    assert found["status"] == "done" and "Lantern" in found["answer"]
    assert set(found) == {
        "session", "status", "answer", "tool_calls", "usage", "context", "boundaries", "units",
    }  # fmt: skip
    assert {k: found["tool_calls"][0][k] for k in ("name", "ok")} == {"name": "read_file", "ok": True}
    assert found["tool_calls"][0]["arguments"]["path"] == "README.md"
    assert found["context"]["window"] == 32_000 and 0 < found["context"]["used"] < 12_000
    assert (found["context"]["clear_at"], found["context"]["summary_at"]) == (12_000, 20_000)
    assert found["usage"]["prompt"] > 0 and found["usage"]["completion"] > 0
    assert (project.parent / "home").stat().st_mode & 0o777 == 0o700


def test_text_is_the_answer_and_the_next_run_goes_on(project: Path) -> None:
    first = paitui(project, "-p", "read README.md and sum it up")
    assert first.returncode == 0 and "Lantern" in first.stdout and first.stderr == ""
    second = whole(paitui(project, "-p", "/context", "--continue", "--output", "json"))
    listed = paitui(project, "-p", "/sessions")
    assert second["session"] in listed.stdout
    third = paitui(project, "-p", "list .", "--resume", second["session"], "--output", "stream-json")
    opened = json.loads(third.stdout.partition("\n")[0])
    assert (opened["session"], opened["resumed"]) == (second["session"], True)
    assert opened["history"][0]["content"] == "read README.md and sum it up"


def test_the_task_can_come_from_standard_input(project: Path) -> None:
    done = paitui(project, "-p", input="read README.md\n")
    assert done.returncode == 0 and "Lantern" in done.stdout


@pytest.mark.parametrize("line", [["-p", "/nothing"], ["-p", "x", "--resume", "no-such-session"], ["-p", "/quit"]])
def test_what_cannot_be_done_is_one_line(project: Path, line: list[str]) -> None:
    done = paitui(project, *line)
    assert done.returncode in (1, 2) and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_writes_and_commands_are_refused_unless_allowed(project: Path) -> None:
    refused = whole(paitui(project, "-p", "run `touch made`", "--output", "json"))
    assert [call["ok"] for call in refused["tool_calls"]] == [False] and not (project / "made").exists()
    allowed = whole(paitui(project, "-p", "run `touch made`", "--approve", "all", "--output", "json"))
    assert [call["ok"] for call in allowed["tool_calls"]] == [True] and (project / "made").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_and_the_session_goes_on(project: Path, number: int) -> None:
    line = command("-p", "run `sleep 61`", "--approve", "all", "--output", "stream-json")
    running = subprocess.Popen(
        line, cwd=project, env=environment(project),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout is not None
    events = []
    for row in running.stdout:
        events.append(json.loads(row))
        if events[-1]["event"] == "tool_started":
            time.sleep(0.3)
            running.send_signal(number)
    assert running.communicate(timeout=20)[1].count("\n") <= 1
    assert running.returncode == 130
    assert events[-1] == {"event": "session_closed"}
    assert next(event for event in events if event["event"] == "turn_ended")["status"] == "cancelled"
    after = whole(paitui(project, "-p", "read README.md", "--continue", "--output", "json"))
    assert after["session"] == events[0]["session"] and after["status"] == "done"


def test_a_reader_that_leaves_is_no_crash(project: Path) -> None:
    line = command("-p", "read README.md", "--output", "stream-json")
    running = subprocess.Popen(
        line, cwd=project, env=environment(project),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout is not None and running.stderr is not None
    running.stdout.readline()
    running.stdout.close()
    assert "Traceback" not in running.stderr.read()
    running.stderr.close()
    assert running.wait(20) == 1


def test_a_full_disk_behind_standard_output_is_said(project: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("-p", "/help"), cwd=project, env=environment(project),
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1 and done.stderr.count("\n") == 1


@pytest.mark.parametrize(("typed", "made"), [(b"y\n", True), (b"n not this one\n", False)])
def test_approvals_are_asked_on_the_terminal(project: Path, typed: bytes, made: bool) -> None:
    process, master = pty.fork()
    if process == 0:
        os.chdir(project)
        os.execve(sys.executable, command("-p", "run `touch made`", "--approve", "ask"), environment(project))
    seen, answered = b"", False
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        if not select.select([master], [], [], 0.5)[0]:
            continue
        try:
            more = os.read(master, 65_536)
        except OSError:
            break
        if not more:
            break
        seen += more
        if b"REASON" in seen and not answered:
            os.write(master, typed)
            answered = True
    os.close(master)
    _, status = os.waitpid(process, 0)
    assert answered and os.waitstatus_to_exitcode(status) == 0, seen
    assert b"touch made" in seen.partition(b"REASON")[0]
    assert (project / "made").exists() == made
