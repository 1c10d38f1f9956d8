"""A session that the system ends: the next start offers it in a line, and goes on with it where it was."""

import os
import signal
from pathlib import Path

from terminal import Terminal


def killed(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    screen = Terminal([], tmp_path / "project", tmp_path / "home", 100, 30)
    try:
        screen.until("Ask, /")
        screen.send("what can you do?")
        screen.until("survey this project")
        screen.until(lambda text: "not measured" not in text and "measured" in text)
        os.kill(screen.pid, signal.SIGKILL)
        screen.wait()
    finally:
        screen.close()


def test_what_kill_9_ended_is_offered_resumed_and_offered_no_more(tmp_path: Path) -> None:
    killed(tmp_path)
    screen = Terminal([], tmp_path / "project", tmp_path / "home", 100, 30)
    try:
        screen.until("broke off: what can")
        screen.send("/resume")
        screen.until(lambda text: "I read, search" in text or "What I understand" in text)
        assert "broke off" not in screen.text
        screen.send("thanks")
        screen.until(lambda text: "measured" in text and "estimated" not in text)
        screen.press("ctrl+c", "ctrl+c")
        assert screen.wait() == 0
    finally:
        screen.close()
    again = Terminal(["--plain"], tmp_path / "project", tmp_path / "home", 100, 30)
    try:
        again.until("> ")
        again.send("hello")
        again.until("Context")
        assert "broke off" not in again.text
    finally:
        again.close()


def test_lines_say_it_once_and_go_on_with_it_too(tmp_path: Path) -> None:
    killed(tmp_path)
    plain = Terminal(["--plain"], tmp_path / "project", tmp_path / "home", 120, 40)
    try:
        plain.until("broke off: what can you do?")
        plain.send("/resume")
        plain.until("what can you do?")
        plain.until("Resumed with")
        plain.write("/quit\r")
        assert plain.wait() == 0
    finally:
        plain.close()
