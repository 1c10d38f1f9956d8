"""The program as a user meets it: in a terminal, with keys, on the offline engine."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal, terminal

# What a terminal program may send: printable text, and the sequences that Textual itself uses.
_OWN_SEQUENCES = re.compile(
    rb"\x1b\[[0-9;?<>=]*[ -/]*[@-~]"  # CSI: colours, cursor, modes
    rb"|\x1b\](?:0|2|10|11|22);[^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: title, colour queries, pointer
    rb"|\x1bP[^\x1b]*\x1b\\"  # DCS: capability queries
    rb"|\x1b[()][A-Z0-9]|\x1b[=>78M]"
)


def measured(text: str) -> bool:
    """Whether the gauge shows a provider's report: an answer came."""
    return " measured" in text and "not measured" not in text


def test_a_task_from_key_press_to_answer(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\nSells books.\n\n## Install\n\nRun make.\n")
        screen.until("paitui")
        screen.send("读取 README.md")
        screen.until("read_file")
        screen.until("Sells books")
        screen.press("ctrl+c", "ctrl+c")
        assert screen.wait() == 0
    assert b"\x1b[?1049l" in screen.raw  # the terminal is given back


def test_a_command_waits_for_approval_and_enter_does_not_give_it(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("paitui")
        screen.send("run `touch made.txt`")
        screen.until("touch made.txt")
        screen.until(lambda text: "always" in text or "once" in text)
        screen.pause(0.7)
        screen.press("enter")
        screen.pause(0.5)
        assert not (tmp_path / "project/made.txt").exists()
        screen.write("y")
        screen.until("exit 0")
        assert (tmp_path / "project/made.txt").exists()


def test_escape_stops_the_turn_and_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 300\n")
    with terminal(tmp_path) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\n" + "Sells books. " * 50)
        screen.until("paitui")
        screen.send("read README.md and summarise it")
        screen.until("read_file")
        screen.press("esc")
        screen.until("Stopped by you")
        screen.send("what can you do")
        screen.until("README")


def test_an_unknown_command_never_reaches_the_model(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("paitui")
        screen.send("/frobnicate now")
        screen.until("/frobnicate")
        screen.until("/compact")
        screen.send("what can you do?")
        screen.until(measured)
        screen.press("ctrl+c", "ctrl+c")
        screen.wait()
    [ledger] = (tmp_path / "home/history/raw").iterdir()
    assert "frobnicate" not in ledger.read_text()


def test_resume_after_a_kill(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("paitui")
        screen.send("what can you do?")
        screen.until(measured)
    with terminal(tmp_path, "--continue") as screen:
        screen.until("what can you do?")


HOSTILE = [
    "[@click=app.quit]press[/]",
    "[/red] [bold]x",
    "\x1b]8;;https://evil.example/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x9b31mred \x90q\x9c \x85",
    "\u202eevil\u202c \u2066x\u2069 \u200b",
    "\x1b[2J\x1b[H\x07\x08\x7f",
]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 48)])
def test_hostile_text_is_shown_and_never_sent_to_the_terminal(tmp_path: Path, columns: int, rows: int) -> None:
    project = tmp_path / "project"
    project.mkdir()
    name = "a[@click=app.quit]b\x1b]52;c;aa\x07.txt"
    (project / name).write_text("\n".join(HOSTILE), encoding="utf-8")
    (project / "notes.txt").write_text("\n".join(HOSTILE), encoding="utf-8")
    with terminal(tmp_path, columns=columns, rows=rows) as screen:
        screen.until("paitui")
        screen.send("read notes.txt")
        screen.until(lambda text: "app.quit" in text)
        screen.send("list the files in .")
        screen.until(lambda text: "list_dir" in text)
        screen.send("run `cat notes.txt`")
        screen.until(lambda text: "once" in text)
        screen.pause(0.7)
        screen.write("y")
        screen.until("exit 0")
        screen.pause(0.5)
        sent = bytes(screen.raw)
        screen.press("ctrl+c", "ctrl+c")
        assert screen.wait() == 0
    rest = _OWN_SEQUENCES.sub(b"", sent)
    assert b"\x1b]52" not in sent and b"\x1b]8;" not in sent and b"\x07" not in rest
    assert b"\x1b" not in rest, rest[max(0, rest.find(b"\x1b") - 40) :][:80]
    text = rest.decode("utf-8")
    assert not [hex(ord(c)) for c in text if 0x80 <= ord(c) < 0xA0 or c in "\u202e\u202c\u2066\u2069\u200b\x7f"]


def headless(tmp_path: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    env = {"PATH": "/usr/bin:/bin", "PAITUI_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    env["PYTHONPATH"] = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "paitui", *arguments]
    return subprocess.run(command, cwd=project, env={**env, **more}, capture_output=True, text=True, timeout=60)


def test_headless_json(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/README.md").write_text("# 书店\n\n卖书。\n\n## 安装\n\n运行 make。\n")
    done = headless(tmp_path, "-p", "读取 README.md 并总结", "--output", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["status"] == "done" and "书店" in found["answer"]
    assert found["tool_calls"] == [{"name": "read_file", "arguments": {"path": "README.md"}, "ok": True}]
    assert found["usage"]["prompt"] > 0 and found["usage"]["completion"] > 0
    assert found["context"]["window"] == 32_000
    assert (found["context"]["clear_at"], found["context"]["summary_at"]) == (12_000, 20_000)
    assert found["boundaries"] == [] and found["units"] == []


def test_headless_refuses_a_write_and_says_so(tmp_path: Path) -> None:
    done = headless(tmp_path, "-p", "write a.txt with the content hello")
    assert not (tmp_path / "project/a.txt").exists()
    assert done.returncode in (0, 1) and done.stdout.strip()
    assert headless(tmp_path, "-p", "write a.txt with the content hello", "--approve", "all").returncode == 0
    assert (tmp_path / "project/a.txt").read_text().strip() == "hello"


def test_interrupting_headless_ends_with_130_and_a_valid_session(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    screen = Terminal(["-p", "run `sleep 30`", "--approve", "all"], project, tmp_path / "home", 80, 24)
    try:
        for _ in range(200):
            screen.read(0.05)
            ledgers = list((tmp_path / "home/history/raw").glob("*.jsonl"))
            if ledgers and "execute_command" in ledgers[0].read_text():
                break
        screen.pause(0.5)
        import os

        os.kill(screen.pid, signal.SIGINT)
        assert screen.wait() == 130
    finally:
        screen.close()
    done = headless(tmp_path, "-p", "what can you do", "--continue", "--output", "json")
    assert json.loads(done.stdout)["status"] == "done"


def test_killed_at_random_moments_nothing_is_lost() -> None:
    from kill import run

    for result in run(3):
        assert not result.lost and not result.invalid and result.status in ("done", "partial"), result


def test_what_cannot_be_continued_is_said_in_the_shell(tmp_path: Path) -> None:
    with terminal(tmp_path, "--continue") as screen:
        assert screen.wait() == 1
        assert "no session to continue" in screen.text
