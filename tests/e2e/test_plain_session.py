"""A session in lines, as somebody at a simple terminal or with a screen reader meets it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal, terminal


def resting(text: str) -> bool:
    """Whether the prompt waits for a message."""
    return text.rstrip("\n").endswith(">")


def test_a_task_an_approval_and_the_end(tmp_path: Path) -> None:
    with terminal(tmp_path, "--plain") as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\nSells books.\n")
        screen.until(resting)
        screen.write("读取 README.md\n")
        screen.until("Sells books")
        screen.until("Context")
        screen.write("run `touch made.txt`\n")
        screen.until("REASON")
        screen.write("\n")
        screen.until(lambda text: text.count("REASON") > 1)
        assert not (tmp_path / "project/made.txt").exists()
        screen.pause(0.6)
        screen.write("y\n")
        screen.until("exit 0")
        assert (tmp_path / "project/made.txt").exists()
        screen.until(lambda text: text.count("Context") > 1)
        screen.write("\x04")
        assert screen.wait() == 0
    assert b"\x1b" not in screen.raw  # nothing but lines, for the simplest of terminals


def test_refusing_with_a_reason_tells_the_model(tmp_path: Path) -> None:
    with terminal(tmp_path, "--plain") as screen:
        screen.until(resting)
        screen.write("run `touch made.txt`\n")
        screen.until("REASON")
        screen.pause(0.6)
        screen.write("n not in this folder\n")
        screen.until("Denied.")
        screen.until("Context")
    [ledger] = (tmp_path / "home/history/raw").iterdir()
    assert "not in this folder" in ledger.read_text()


def test_ctrl_c_stops_the_turn_and_twice_at_rest_leaves(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 300\n")
    with terminal(tmp_path, "--plain") as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\n" + "Sells books. " * 50)
        screen.until(resting)
        screen.write("read README.md and summarise it\n")
        screen.until("read_file:")
        screen.press("ctrl+c")
        screen.until("Stopped")
        screen.until(resting)
        screen.press("ctrl+c")
        screen.until("again")
        screen.press("ctrl+c")
        assert screen.wait() == 0


def test_a_simple_terminal_gets_lines_by_itself(tmp_path: Path) -> None:
    environment = {"TERM": "dumb"}
    (tmp_path / "project").mkdir()
    screen = Terminal([], tmp_path / "project", tmp_path / "home", 80, 24, **environment)
    try:
        screen.until(resting)
        screen.write("/help\n")
        screen.until("/compact")
        screen.write("/quit\n")
        assert screen.wait() == 0
    finally:
        screen.close()


def plain(tmp_path: Path, typed: bytes) -> subprocess.CompletedProcess[bytes]:
    (tmp_path / "project").mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PAITUI_HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [sys.executable, "-m", "paitui", "--plain"]
    return subprocess.run(
        command, cwd=tmp_path / "project", env=environment, input=typed, capture_output=True, timeout=60
    )


def test_lines_from_a_pipe(tmp_path: Path) -> None:
    done = plain(tmp_path, b"/frobnicate\n/context\n")
    assert done.returncode == 0
    assert b"There is no command /frobnicate" in done.stdout
    assert b"\n> " not in done.stdout  # nobody types here


def test_bytes_that_are_no_text_end_nothing(tmp_path: Path) -> None:
    done = plain(tmp_path, b"\xff\xfe\x00\n/context\n")
    assert done.returncode == 0
    assert b"32,000" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_closes_the_session(tmp_path: Path, number: signal.Signals) -> None:
    with terminal(tmp_path, "--plain") as screen:
        screen.until(resting)
        os.kill(screen.pid, number)
        assert screen.wait() == 0


def test_a_line_that_the_terminal_cut_is_not_sent(tmp_path: Path) -> None:
    with terminal(tmp_path, "--plain") as screen:
        screen.until(resting)
        for _ in range(50):
            screen.write("x" * 100)
            screen.read(0.01)
        screen.write("\n")
        screen.until("was not sent")
