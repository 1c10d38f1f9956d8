"""The whole program in a pseudo-terminal, with a terminal emulator to read its screen."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte

KEYS = {
    "enter": b"\r",
    "esc": b"\x1b",
    "ctrl+c": b"\x03",
    "ctrl+j": b"\n",
    "ctrl+s": b"\x13",
    "f1": b"\x1bOP",
    "f5": b"\x1b[15~",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
    "tab": b"\t",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
}


class Screen(pyte.Screen):
    """A screen that joins emoji as today's terminals do; pyte drops what follows a joiner."""

    def draw(self, data: str) -> None:
        run, joining = "", False
        for character in data:
            joins = character in "\u200d\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"
            if joins or joining:
                super().draw(run)
                run = ""
                self._join(character)
            else:
                run += character
            joining = character == "\u200d"
        super().draw(run)

    @property
    def display(self) -> list[str]:
        """The rows as text; the second cell of a wide character holds nothing."""
        return ["".join(self.buffer[y][x].data for x in range(self.columns)) for y in range(self.lines)]

    def _join(self, character: str) -> None:
        row, x = self.buffer[self.cursor.y], self.cursor.x - 1
        at = x if row[x].data else x - 1  # the second cell of a wide one is empty
        row[at] = row[at]._replace(data=row[at].data + character)


class Terminal:
    """A program on a pty of a given size."""

    def __init__(self, arguments: list[str], folder: Path, home: Path, columns: int, rows: int, **env: str) -> None:
        self.raw = bytearray()
        self.screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home.parent),
            "PAITUI_HOME": str(home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            **env,
        }
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(sys.executable, [sys.executable, "-m", "paitui", *arguments], environment)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.05) -> bool:
        """Take in what the program wrote; False once it is gone."""
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._fd, 65_536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window larger or smaller, as a user does with the mouse."""
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def pause(self, seconds: float) -> None:
        """Let time pass, and take in what comes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.read(left):
            pass

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, done: str | Callable[[str], bool], seconds: float = 20) -> str:
        """Wait for a text on the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if done in self.text if isinstance(done, str) else done(self.text):
                return self.text
            if not self.read():
                break
        raise AssertionError(f"not on the screen: {done!r}\n{self.text}")

    def write(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def write_bytes(self, data: bytes) -> None:
        """Type bytes that need not be text."""
        os.write(self._fd, data)

    def press(self, *keys: str) -> None:
        for key in keys:
            os.write(self._fd, KEYS[key])
            self.read(0.02)

    def send(self, text: str) -> None:
        """Type a message and press Enter."""
        self.write(text)
        self.until(lambda screen: text[-10:].replace(" ", "") in screen.replace(" ", ""))
        self.press("enter")

    def wait(self, seconds: float = 10) -> int:
        """Wait for the program's end; its exit code, negative for a signal."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"still running\n{self.text}")

    def close(self) -> None:
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self._fd)


@contextlib.contextmanager
def terminal(tmp_path: Path, *arguments: str, columns: int = 100, rows: int = 30, **env: str) -> Iterator[Terminal]:
    """Start paitui in `tmp_path/project`."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    running = Terminal(list(arguments), project, tmp_path / "home", columns, rows, **env)
    try:
        yield running
    finally:
        running.close()
