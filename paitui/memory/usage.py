"""How often each memory was attached to a message, kept apart from the memories: reading changes none of them."""

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from paitui.appendlog import read_lines
from paitui.atomic import FILE_MODE, make_folder, write_atomic
from paitui.clock import iso
from paitui.jsontext import decode, encode
from paitui.memory.entry import moment

MOST_BYTES = 2_000_000
"""A log that is longer is summed up, one line a memory."""


@dataclass(frozen=True, slots=True)
class Used:
    """What is known of one memory's use."""

    times: int = 0
    last: datetime | None = None


class UsageLog:
    """One line for each time that memories were attached; several processes may append."""

    def __init__(self, path: Path) -> None:
        """Remember the file; it is read when it is first asked for.

        Args:
            path: JSON lines ``{"at", "ids"}``, or ``{"id", "times", "last"}`` for a sum.
        """
        self._path = path
        self._known: dict[str, Used] | None = None

    def note(self, ids: Iterable[str], now: datetime) -> None:
        """Count a use of each.

        Raises:
            OSError: It could not be written down.
        """
        named = list(ids)
        if not named:
            return
        known = self._load()
        for name in named:
            known[name] = Used(known.get(name, Used()).times + 1, now)
        line = encode({"at": iso(now), "ids": named}) + b"\n"
        make_folder(self._path.parent)
        # One write, which no other process's line can get into; a count is not worth waiting for a lock or the disk.
        fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), FILE_MODE)
        try:
            if size := os.fstat(fd).st_size:
                os.lseek(fd, size - 1, os.SEEK_SET)
                if os.read(fd, 1) != b"\n":  # A full disk, or a crash, tore the last line: it takes no other with it.
                    line = b"\n" + line
            if os.write(fd, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        finally:
            os.close(fd)

    def of(self, name: str) -> Used:
        """Give what is known of one memory; nothing is, where the log cannot be read: `note` tells why."""
        try:
            return self._load().get(name, Used())
        except OSError:
            return Used()

    def sum_up(self) -> None:
        """Shorten a log that has grown long; call it while no other process can append.

        Raises:
            OSError: It could not be written; the old log stands.
        """
        if not self._path.exists() or self._path.stat().st_size <= MOST_BYTES:
            return
        self._known = None
        lines = [
            encode({"id": name, "times": used.times, "last": iso(used.last) if used.last else None})
            for name, used in self._load().items()
        ]
        write_atomic(self._path, b"".join(line + b"\n" for line in lines))

    def _load(self) -> dict[str, Used]:
        if self._known is None:
            known: dict[str, Used] = {}
            for _, line in read_lines(self._path) if self._path.exists() else ():
                _take(line, known)
            self._known = known
        return self._known


def _take(line: bytes, known: dict[str, Used]) -> None:
    try:
        value = decode(line)
        at = moment(value.get("at") or value.get("last"))
        times = {str(name): 1 for name in value.get("ids", ())} or {str(value["id"]): int(value["times"])}
    except (ValueError, KeyError, TypeError, AttributeError):
        return  # a line of another program's; it counts nothing
    for name, more in times.items():
        before = known.get(name, Used())
        last = max(filter(None, (before.last, at)), default=None)
        known[name] = Used(before.times + more, last)
