"""What a server writes beside its answers, kept in bounded memory. Any thread may write and read."""

import codecs
import threading
from collections import deque

MAX_LINES = 500
LINE_CHARS = 500
"""A longer line is cut."""


class ServerLog:
    """The newest lines of one server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def say(self, line: str) -> None:
        """Add a line."""
        with self._lock:
            self._lines.append(line[:LINE_CHARS])

    def feed(self, data: bytes) -> None:
        """Add a piece of a stream; its lines are kept as they end."""
        with self._lock:
            *lines, rest = (self._open + self._decoder.decode(data)).split("\n")
            for line in lines[-MAX_LINES:]:
                self._keep(line)
            self._open = rest[:LINE_CHARS]

    def lines(self) -> list[str]:
        """The newest lines, oldest first."""
        with self._lock:
            return [*self._lines, *([self._open] if self._open.strip() else [])]

    def _keep(self, line: str) -> None:
        if line.strip():
            self._lines.append(line.rstrip("\r")[:LINE_CHARS])
