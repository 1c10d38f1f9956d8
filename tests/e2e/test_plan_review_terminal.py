"""A plan on the screen, through a pty: looked at by arrow keys that arrive in pieces, run, stopped, gone on with."""

import os
import signal
from pathlib import Path

from terminal import Terminal, terminal

TASK = "/plan 1. list the files 2. read README.md 3. then run `touch made.txt`"


def proposed(screen: Terminal) -> None:
    """Have a plan come up whose keys count."""
    screen.until("Ask")
    screen.send(TASK)
    screen.until("plan: 3 tasks")
    screen.pause(0.8)


def current(screen: Terminal) -> str:
    """The name of the task at the cursor."""
    rows = [row for row in screen.text.split("\n") if "▌ ▾" in row or "▌ ▸" in row]
    return next(word for word in rows[-1].split() if word.startswith("t"))


def test_an_arrow_key_is_never_taken_for_escape_however_it_arrives(tmp_path: Path) -> None:
    with terminal(tmp_path, columns=80, rows=24) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n")
        proposed(screen)
        for pieces in ((b"\x1b[B",), (b"\x1b", b"[B"), (b"\x1b[", b"B"), (b"\x1bOB",), (b"\x1b", b"O", b"B")):
            for up in (False, True):
                for piece in pieces:
                    screen.write_bytes(piece.replace(b"B", b"A") if up else piece)
                    screen.pause(0.03)
                wanted = "t1" if up else "t2"
                screen.until(lambda _, wanted=wanted: current(screen) == wanted)
        screen.write_bytes(b"\x1b[B\x1b[B\x1b[A\x1b[B\x1b[A")  # all at once
        screen.until(lambda _: current(screen) == "t2")
        screen.press("enter")
        screen.pause(0.3)
        assert "plan: 3 tasks" in screen.text and not (tmp_path / "project/made.txt").exists(), "Enter only folds"
        screen.write_bytes(b"\x1b")
        screen.until("You did not want this plan")
        assert "/plan continue" not in screen.text


def test_a_plan_runs_asks_is_stopped_killed_and_gone_on_with(tmp_path: Path) -> None:
    with terminal(tmp_path, columns=80, rows=24) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n")
        proposed(screen)
        screen.write("r")
        screen.until(lambda text: "t3 run" in text and "Run this?" in text and "asks you" in text)
        screen.write_bytes(b"\x1b")
        screen.until(lambda text: "/plan continue goes on" in text and "stopped" in text and "Ask" in text)
        os.kill(screen.pid, signal.SIGKILL)
        screen.wait()
    with terminal(tmp_path, "--continue", columns=80, rows=24) as screen:
        screen.until(lambda text: "plan 2/3" in text and "/plan continue goes on" in text)
        screen.write("/plan continue")
        screen.until("> /plan continue")
        screen.pause(0.3)
        screen.press("enter")
        screen.until("Run this?")
        screen.pause(0.8)
        screen.write("y")
        screen.until(lambda text: "ended with exit status 0" in text and "Esc stop" not in text)
        assert (tmp_path / "project/made.txt").exists()
