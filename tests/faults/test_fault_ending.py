"""The full screen that is told to end from outside, or that fails."""

import os
import signal
import sys
import termios
import time
from pathlib import Path

import pytest
from terminal import Terminal, terminal

from paitui.ui.ending import told_by_signals

KEY = "sk-ant-api03-" + "aB3" * 30


def ledger(tmp_path: Path) -> str:
    return "".join(file.read_text() for file in (tmp_path / "home/history/raw").iterdir())


def running_command(screen: Terminal, tmp_path: Path) -> int:
    """Have a command run; gives its process."""
    screen.until("paitui")
    screen.send("run `echo $$ > pid; sleep 300`")
    screen.until("once")
    screen.pause(0.8)
    screen.write("y")
    file = tmp_path / "project/pid"
    end = time.monotonic() + 10
    while not (file.exists() and file.read_text().strip()) and time.monotonic() < end:
        screen.pause(0.1)
    return int(file.read_text())


def gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT])
def test_a_request_to_end_saves_the_session_and_gives_the_terminal_back(tmp_path: Path, number: int) -> None:
    with terminal(tmp_path) as screen:
        before = termios.tcgetattr(screen._fd)[3]
        pid = running_command(screen, tmp_path)
        os.kill(screen.pid, number)
        assert screen.wait() == 130
        assert termios.tcgetattr(screen._fd)[3] == before
    assert b"\x1b[?1049l" in screen.raw and b"\x1b[?1000l" in screen.raw
    assert '"closed"' in ledger(tmp_path) and gone(pid)


def test_a_terminal_that_is_closed_ends_the_session_in_order(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        pid = running_command(screen, tmp_path)
        program = screen.pid
        os.close(screen._fd)  # the window is gone: SIGHUP, and nothing can be written any more
        screen._fd = os.open(os.devnull, os.O_RDONLY)
        end = time.monotonic() + 10
        while time.monotonic() < end and not os.waitpid(program, os.WNOHANG)[0]:
            time.sleep(0.05)
        screen.pid = 0
        assert gone(program)
    assert '"closed"' in ledger(tmp_path) and gone(pid)


@pytest.mark.parametrize("after", [0.0, 0.1, 0.25, 0.5])
def test_at_any_moment_of_the_start(tmp_path: Path, after: float) -> None:
    with terminal(tmp_path) as screen:
        screen.pause(after)
        os.kill(screen.pid, signal.SIGTERM)
        # Where the request meets a dataclass being made, Python ends by SIGINT in the end, which is 130 to a shell.
        assert screen.wait() in (130, -signal.SIGTERM, -signal.SIGINT)
        assert screen.raw.count(b"\x1b[?1049h") == screen.raw.count(b"\x1b[?1049l")


def test_a_fault_of_the_screen_is_one_line_without_anybodys_secrets(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import paitui.engine.assembly as a\n"
        f"async def broken(options):\n    secret = {KEY!r}\n    raise RuntimeError('the lamp is out ' + secret)\n"
        "a.open_worker = broken\n"
    )
    path = os.pathsep.join([str(broken), str(Path(__file__).parents[2]), *filter(None, sys.path)])
    with terminal(tmp_path, PYTHONPATH=path) as screen:
        assert screen.wait() == 1
        screen.pause(0.2)
    shown = bytes(screen.raw).decode("utf-8", "replace").rpartition("\x1b[?1049l")[2]
    assert "the lamp is out" in shown and "Traceback" not in shown and KEY[:30] not in shown
    log = (tmp_path / "home/paitui.log").read_text()
    assert "Traceback" in log and "the lamp is out" in log and KEY not in log


def test_a_terminal_that_says_twice_at_one_moment_that_it_is_gone_ends_the_session_once() -> None:
    ended: list[int] = []
    with told_by_signals(lambda: ended.append(1)) as came:
        handler = signal.getsignal(signal.SIGHUP)
        assert callable(handler)
        handler(signal.SIGHUP, None)
        handler(signal.SIGHUP, None)  # as if it came before the first was handled
    assert ended == [1] and came == [signal.SIGHUP]
