"""A disk that fails on demand: stands in for `os` inside the modules that write files."""

import errno
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

WATCHED = ("open", "write", "fsync", "replace", "ftruncate", "mkdir")


class FaultyDisk:
    """Passes everything on to `os`, counts the operations that touch the disk, and fails the chosen ones."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.bytes_written = 0
        self.total = 0
        self._fails: Callable[[str, int], int] = lambda name, nth: 0
        self._room: int | None = None
        self.failed = 0

    def fail_at(self, nth: int, code: int = errno.EIO, only: str = "") -> None:
        """Fail the nth operation from now on (of one kind, if given), once."""
        start = self.calls[only] if only else self.total

        def fails(name: str, total: int) -> int:
            count = self.calls[only] if only else total
            return code if (not only or name == only) and count == start + nth else 0

        self._fails = fails

    def fail_always(self, code: int, *names: str) -> None:
        """Fail every operation of these kinds until `mend`."""
        self._fails = lambda name, total: code if name in names else 0

    def room(self, free: int) -> None:
        """Leave room for so many bytes; a write over that is short, the next one fails with ENOSPC."""
        self._room = free

    def mend(self) -> None:
        """Work again."""
        self._fails = lambda name, total: 0
        self._room = None

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in WATCHED:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += 1
            self.total += 1
            if code := self._fails(name, self.total):
                self.failed += 1
                raise OSError(code, os.strerror(code))
            return self._write(*args) if name == "write" else real(*args, **kwargs)

        return call

    def _write(self, fd: int, data: Any) -> int:
        if self._room is not None:
            if self._room == 0 and len(data):
                self.failed += 1
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            data = bytes(data)[: self._room]
            self._room -= len(data)
        written = os.write(fd, data)
        self.bytes_written += written
        return written
