"""How fast paitui starts, as ratios against a baseline of the same run.

`python tests/bench/startup.py` prints two lines: `--version` against a bare interpreter, and the first frame that
takes typing against a hello-world Textual app, both under a pseudo-terminal.
"""

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = "ŵ"
"""Typed again and again until it is on the screen; nothing else shows it."""
TIMEOUT_S = 30.0
HELLO = """
from textual.app import App, ComposeResult
from textual.widgets import Input, Static

class Hello(App):
    def compose(self) -> ComposeResult:
        yield Static("hello world")
        yield Input()

    def on_mount(self) -> None:
        self.query_one(Input).focus()

Hello().run()
"""


def seconds(command: Sequence[str]) -> float:
    """Run a command to its end; give its wall time."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=ROOT)
    return time.perf_counter() - begin


def version_against_bare(rounds: int) -> tuple[float, float]:
    """Give the median seconds of a bare interpreter and of `paitui --version`, taken in turn."""
    bare, version = [], []
    for _ in range(rounds):
        bare.append(seconds([sys.executable, "-c", "pass"]))
        version.append(seconds([sys.executable, "-m", "paitui", "--version"]))
    return statistics.median(bare), statistics.median(version)


def seconds_to_typing(command: Sequence[str], folder: Path) -> float:
    """Start a program under a pseudo-terminal; give the seconds until a typed character is on its screen."""
    process, master = pty.fork()
    if process == 0:
        _become(command, folder)
    modes = termios.tcgetattr(master)
    modes[3] &= ~termios.ECHO  # or the terminal itself would show what is typed before the program does
    termios.tcsetattr(master, termios.TCSANOW, modes)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    begin = time.perf_counter()
    try:
        return _type_until_shown(master, begin)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(master)


def _become(command: Sequence[str], folder: Path) -> None:
    environment = {**os.environ, "PAITUI_HOME": str(folder / "home"), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    os.chdir(folder)
    os.execvpe(command[0], command, {**environment, "PYTHONPATH": str(ROOT)})


def _type_until_shown(master: int, begin: float) -> float:
    seen = b""
    while time.perf_counter() - begin < TIMEOUT_S:
        os.write(master, MARK.encode())
        wait_until = time.perf_counter() + 0.02
        while (left := wait_until - time.perf_counter()) > 0:
            if select.select([master], [], [], left)[0]:
                seen = seen[-8:] + os.read(master, 65_536)
                if MARK.encode() in seen:
                    return time.perf_counter() - begin
    raise TimeoutError(f"nothing typed appeared within {TIMEOUT_S} s")


def typing_against_hello(rounds: int) -> tuple[float, float]:
    """Give the median seconds to the first typed character of a hello-world app and of paitui, in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "hello.py").write_text(HELLO, "utf-8")
        hello, paitui = [], []
        for _ in range(rounds):
            hello.append(seconds_to_typing([sys.executable, "hello.py"], folder))
            paitui.append(seconds_to_typing([sys.executable, "-m", "paitui"], folder))
    return statistics.median(hello), statistics.median(paitui)


def show(what: str, measure: Callable[[int], tuple[float, float]], rounds: int) -> None:
    """Print one line: the ratio first, the times behind it."""
    base, ours = measure(rounds)
    print(f"{what}: {ours / base:.2f} times ({(ours - base) * 1000:+.0f} ms over {base * 1000:.0f} ms, n = {rounds})")


if __name__ == "__main__":
    show("--version against a bare interpreter", version_against_bare, 20)
    show("first typed character against hello-world Textual", typing_against_hello, 7)
