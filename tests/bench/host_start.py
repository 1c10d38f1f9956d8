"""What starting the model process does to typing: the echo of keys while litellm is imported, against none.

`python tests/bench/host_start.py` types into a small Textual app under a pseudo-terminal, in turn without and with
the model process starting after the first frame, and prints the medians over the seconds of the import. A second
line is the same with everything on one processor, where only priorities help.
"""

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 20.0
TYPING_S = 4.0
"""About as long as the import takes."""
BETWEEN_KEYS_S = 0.04
APP = """
import sys
from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Static

class Echo(App):
    def compose(self) -> ComposeResult:
        yield Static("ready", id="echo")

    def on_mount(self) -> None:
        self.count = 0
        self.call_after_refresh(self.begin)

    def begin(self) -> None:
        if sys.argv[1] == "host":
            from paitui.model.remote.host import ModelHost
            self.host = ModelHost()
            self.host.start()

    def on_key(self, event: Key) -> None:
        self.count += 1
        self.query_one("#echo", Static).update(f"<{self.count}>")

Echo().run()
"""


def echoes(which: str, folder: Path, one_core: bool) -> list[float]:
    """Give the seconds from each key to its echo."""
    process, master = pty.fork()
    if process == 0:
        if one_core:
            os.sched_setaffinity(0, {0})
        os.chdir(folder)
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        os.execvpe(sys.executable, [sys.executable, "echo.py", which], environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    try:
        _wait_for(master, b"ready")
        found: list[float] = []
        begin = time.perf_counter()
        while time.perf_counter() - begin < TYPING_S:
            pressed = time.perf_counter()
            os.write(master, b"k")
            _wait_for(master, f"<{len(found) + 1}>".encode())
            found.append(time.perf_counter() - pressed)
            time.sleep(BETWEEN_KEYS_S)
        return found
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(master)


def _wait_for(master: int, mark: bytes) -> None:
    seen, end = b"", time.perf_counter() + TIMEOUT_S
    while mark not in seen:
        if not select.select([master], [], [], max(0, end - time.perf_counter()))[0]:
            raise TimeoutError(f"{mark!r} did not appear within {TIMEOUT_S} s")
        seen = seen[-4096:] + os.read(master, 65_536)


def measure(rounds: int, one_core: bool = False) -> tuple[list[float], list[float]]:
    """Give the echo times without and with the model process, taken in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "echo.py").write_text(APP, "utf-8")
        without: list[float] = []
        with_host: list[float] = []
        for _ in range(rounds):
            without += echoes("none", folder, one_core)
            with_host += echoes("host", folder, one_core)
        return without, with_host


def show(what: str, without: list[float], with_host: list[float]) -> None:
    """Print one line: what it adds, the medians and the 95th percentiles behind it."""
    base, ours = statistics.median(without), statistics.median(with_host)
    slow, slower = (sorted(times)[int(len(times) * 0.95)] for times in (without, with_host))
    print(
        f"{what}: {(ours - base) * 1000:+.1f} ms on the median echo of {base * 1000:.1f} ms; 95th percentile "
        f"{slow * 1000:.1f} -> {slower * 1000:.1f} ms (n = {len(without)} and {len(with_host)})"
    )


if __name__ == "__main__":
    show("model process starting", *measure(3))
    show("the same on one processor", *measure(2, one_core=True))
