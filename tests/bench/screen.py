"""What the screen costs in a long session, as ratios against a baseline of the same run, in a real terminal.

`python tests/bench/screen.py` prints one JSON object; `--full` takes longer and measures more keys. The application
runs under a pseudo-terminal, as it does for a user; only the engine is a script. `--child` is how it starts itself.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import random
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

COLUMNS, ROWS = 120, 40
FEW, MANY = 100, 5_000
DELTAS_A_SECOND = 50
FIRST_LETTER = 0x100
"""Typed letters come from here on: nothing else on the screen shows them, so one that appears was typed."""
LETTERS = 40
"""Typed before the prompt is emptied again; they fit on one line."""
QUIET_S = 0.3
"""Without output for so long, a frame is whole."""
TIMEOUT_S = 60.0
HELLO = """
from textual.app import App, ComposeResult
from textual.widgets import Static

class Hello(App):
    def compose(self) -> ComposeResult:
        yield Static("hello world")

Hello().run()
"""


# -- the application with a scripted engine


def history(blocks: int) -> tuple[Any, ...]:
    """A session of so many blocks: questions, answers of several sizes in two languages, calls and results."""
    from paitui.messages.message import Message, ToolCall

    said: list[Message] = []
    for n in range(blocks // 4):
        words = f"answer {n} " + "several words of an answer " * (n % 9) + "，订单导出会一次读入内存" * (n % 5)
        code = "\n\n```python\nfor order in orders:\n    yield row(order)\n```" if n % 7 == 0 else ""
        call = ToolCall(f"c{n}", "read_file", json.dumps({"path": f"app/module_{n}.py"}))
        said += [
            Message("user", f"question {n}"),
            Message("assistant", words + code),
            Message("assistant", f"Next I read module {n}.", tool_calls=(call,)),
            Message("tool", "line\n" * (n % 20), tool_call_id=f"c{n}", name="read_file", body_chars=900),
        ]
    return (*said, Message("user", f"end of {blocks}"))


class Engine:
    """Opens a session of so many blocks; what is sent to it says what to do next."""

    def __init__(self, blocks: int, report: Path) -> None:
        self._blocks = blocks
        self._report = report
        self._ops: asyncio.Queue[Any] = asyncio.Queue()
        self._emit: Callable[[Any], None] = lambda event: None
        self.app: Any = None

    def send(self, op: Any) -> None:
        self._ops.put_nowait(op)

    def subscribe(self, on_event: Callable[[Any], None]) -> None:
        self._emit = on_event

    async def run(self) -> None:
        from paitui.engine import events as e
        from paitui.engine import ops

        self._emit(e.SessionOpened("s", str(ROOT), "offline", history(self._blocks), True))
        streaming: asyncio.Task[None] | None = None
        while not isinstance(op := await self._ops.get(), ops.Close):
            text = op.text if isinstance(op, ops.Submit) else ""
            if text == "stream":
                streaming = asyncio.create_task(self._stream())
            elif text == "resume":
                self._emit(e.SessionOpened("t", str(ROOT), "offline", history(MANY), True))
            elif text == "report":
                widgets = 1 + len(list(self.app.screen.walk_children()))
                counts = {"widgets": widgets, "measured": self.app.chat.transcript.measured}
                self._report.write_text(json.dumps(counts))
        if streaming:
            streaming.cancel()
        self._emit(e.SessionClosed())

    async def _stream(self) -> None:
        from paitui.engine import events as e

        self._emit(e.TurnStarted(1))
        self._emit(e.ModelStarted(1))
        begin, sent = time.monotonic(), 0
        while True:
            sent += 1
            self._emit(
                e.TextDelta("一次读入 all orders at once\n\n" if sent % 25 == 0 else "and so the words go on, 逐块 ")
            )
            await asyncio.sleep(max(0.0, begin + sent / DELTAS_A_SECOND - time.monotonic()))


def child(blocks: int, folder: Path) -> None:
    """Run the application as `run_app` does, with the script in place of the engine."""
    from paitui.clock import SystemClock
    from paitui.locale import Words
    from paitui.paths import Paths
    from paitui.settings import Settings
    from paitui.ui.launch import make_app

    engine = Engine(blocks, folder / "report.json")

    async def open_worker() -> Engine:
        return engine

    paths = Paths(folder / "home", folder)
    engine.app = make_app(open_worker, Words("en"), Settings(), paths, (), os.environ, SystemClock())
    engine.app.run()


# -- the terminal


class Terminal:
    """A program under a pseudo-terminal."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
            os.execvpe(command[0], command, environment)
        modes = termios.tcgetattr(self._fd)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self._fd, termios.TCSANOW, modes)
        self.resize(COLUMNS)
        self.seen = b""

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))

    def write(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def read(self, seconds: float) -> bytes:
        """Take in what comes within so many seconds, at most one piece."""
        if not select.select([self._fd], [], [], max(0.0, seconds))[0]:
            return b""
        data = os.read(self._fd, 262_144)
        self.seen = self.seen[-64:] + data
        return data

    def until(self, text: str) -> float:
        """Wait for a text; the seconds it took."""
        begin = time.perf_counter()
        while time.perf_counter() - begin < TIMEOUT_S:
            if text.encode() in self.seen:
                self.seen = b""
                return time.perf_counter() - begin
            self.read(0.5)
        raise TimeoutError(f"{text!r} did not appear within {TIMEOUT_S} s")

    def pause(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

    def quiet(self) -> float:
        """Wait until nothing comes any more; the seconds to the last byte."""
        begin = last = time.perf_counter()
        while time.perf_counter() - last < QUIET_S or (last == begin and time.perf_counter() - begin < TIMEOUT_S):
            if self.read(0.02):
                last = time.perf_counter()
        return last - begin

    def rss_mb(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def cpu_s(self) -> float:
        """Seconds that all its threads have run."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text("ascii").split()[0]) for task in tasks) / 1e9

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._fd)


@contextlib.contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[Terminal]:
    terminal = Terminal(command, folder)
    try:
        yield terminal
    finally:
        terminal.close()


@contextlib.contextmanager
def session(blocks: int) -> Iterator[tuple[Terminal, Path]]:
    """The application with so many blocks, drawn and at rest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running([sys.executable, str(Path(__file__)), "--child", str(blocks), name], folder) as terminal:
            terminal.until(f"end of {blocks}")
            terminal.quiet()
            terminal.pause(1.0)  # what is loaded after the first frame
            yield terminal, folder


# -- measures


def echo_ms(terminal: Terminal, keys: int) -> list[float]:
    """Type keys at uneven times; the milliseconds until each is on the screen."""
    rng = random.Random(keys)
    found: list[float] = []
    for n in range(keys):
        letter = chr(FIRST_LETTER + n % LETTERS)
        terminal.seen = b""
        terminal.write(letter)
        found.append(1000 * terminal.until(letter))
        if n % LETTERS == LETTERS - 1:
            terminal.write("\x15")
            terminal.pause(0.2)
        terminal.pause(rng.uniform(0.005, 0.04))
    return found


def echoes(keys: int, rounds: int, streaming: bool) -> dict[str, dict[str, float]]:
    """Echo of few and many blocks, in turn, so that a busy machine is busy for both."""
    found: dict[int, list[float]] = {FEW: [], MANY: []}
    with session(FEW) as (few, _), session(MANY) as (many, _):
        if streaming:
            for terminal in (few, many):
                terminal.write("stream\r")
        for terminal in (few, many):
            echo_ms(terminal, LETTERS)
        pair = [(FEW, few), (MANY, many)]
        for _ in range(rounds * keys // LETTERS):
            for blocks, terminal in pair:
                found[blocks] += echo_ms(terminal, LETTERS)
            pair.reverse()  # neither is always the first, while what streams grows

    def quantiles(blocks: int) -> tuple[float, float]:
        return statistics.median(found[blocks]), statistics.quantiles(found[blocks], n=20)[-1]

    base, ours = quantiles(FEW), quantiles(MANY)
    return {
        name: {"ratio": round(ours[at] / base[at], 3), "few_ms": round(base[at], 1), "many_ms": round(ours[at], 1)}
        for at, name in enumerate(("p50", "p95"))
    }


def measure(full: bool) -> dict[str, Any]:
    """All of it."""
    keys, rounds, idle_s, times = (200, 3, 20.0, 9) if full else (LETTERS, 2, 5.0, 5)
    found: dict[str, Any] = {"keys": keys * rounds, "few": FEW, "many": MANY}
    found["echo_idle"] = echoes(keys, rounds, streaming=False)
    found["echo_streaming"] = echoes(keys, rounds, streaming=True)
    with tempfile.TemporaryDirectory() as name, session(MANY) as (paitui, folder):
        (Path(name) / "hello.py").write_text(HELLO, "utf-8")
        with running([sys.executable, "hello.py"], Path(name)) as hello:
            hello.until("hello world")
            hello.pause(1.0)
            begin = hello.cpu_s(), paitui.cpu_s()
            end = time.perf_counter() + idle_s
            while time.perf_counter() < end:
                hello.pause(0.05)
                paitui.pause(0.05)
            spent = hello.cpu_s() - begin[0], paitui.cpu_s() - begin[1]
            found["rss"] = {"hello_mb": round(hello.rss_mb(), 1), "paitui_mb": round(paitui.rss_mb(), 1)}
            found["rss"]["more_mb"] = round(found["rss"]["paitui_mb"] - found["rss"]["hello_mb"], 1)
            found["idle_cpu"] = {
                "ratio": round(spent[1] / spent[0], 2) if spent[0] else None,
                "hello_ms_a_s": round(1000 * spent[0] / idle_s, 2),
                "paitui_ms_a_s": round(1000 * spent[1] / idle_s, 2),
            }
        with session(FEW) as (few, _):
            took: dict[Terminal, list[float]] = {few: [], paitui: []}
            for n in range(times):
                for terminal, spent_ms in took.items():
                    terminal.resize(COLUMNS - 20 if n % 2 == 0 else COLUMNS)
                    spent_ms.append(1000 * terminal.quiet())
            base, ours = statistics.median(took[few]), statistics.median(took[paitui])
            found["resize"] = {"ratio": round(ours / base, 2), "few_ms": round(base, 1), "many_ms": round(ours, 1)}
        paitui.write("report\r")
        while not (folder / "report.json").exists():
            paitui.read(0.05)
        paitui.pause(0.1)
        found |= json.loads((folder / "report.json").read_text())
    resumes = []
    for _ in range(3):
        with session(FEW) as (terminal, _):
            terminal.write("resume")
            terminal.pause(0.3)
            terminal.seen = b""
            terminal.write("\r")
            resumes.append(1000 * terminal.until(f"end of {MANY}"))
    found["resume_ms"] = round(statistics.median(resumes), 1)
    return found


if __name__ == "__main__":
    if "--child" in sys.argv:
        child(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        print(json.dumps(measure("--full" in sys.argv), indent=2))
