"""What the tests of the memory's store build with."""

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from paitui.memory.changes import Put
from paitui.memory.entry import Entry, new_entry
from paitui.memory.files import RealFiles, Stamp
from paitui.memory.store import Change, MemoryStore, Outcome

NOW = datetime(2026, 10, 2, 9, 14, 3, tzinfo=UTC)


def fact(content: str) -> Entry:
    """A new global fact."""
    return new_entry(content, {"scope": "global"}, NOW)


def add(store: MemoryStore, *contents: str) -> Outcome[None]:
    """Add facts in one change."""
    return store.change(lambda _: Change(None, tuple(Put(fact(content)) for content in contents)))


def contents(store: MemoryStore) -> list[str]:
    """What is remembered, in order."""
    return [entry.content for entry in store.read()]


@dataclass
class FaultyFiles(RealFiles):
    """A file system of which one call fails, counted over all kinds of calls."""

    fail_at: int = -1
    error: int = errno.EIO
    short: bool = False
    """Whether each write takes a few bytes only."""
    calls: list[str] = field(default_factory=list)

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if len(self.calls) - 1 == self.fail_at:
            raise OSError(self.error, os.strerror(self.error))

    def stamp(self, path: Path) -> Stamp | None:
        self._call("stamp")
        return super().stamp(path)

    def read(self, path: Path) -> tuple[bytes, Stamp]:
        self._call("read")
        return super().read(path)

    def names(self, folder: Path) -> list[str]:
        self._call("names")
        return super().names(folder)

    def make_folder(self, folder: Path) -> None:
        self._call("make_folder")
        super().make_folder(folder)

    def create(self, path: Path) -> int:
        self._call("create")
        return super().create(path)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._call("write")
        return super().write(fd, data[:97] if self.short else data)

    def sync(self, fd: int) -> Stamp:
        self._call("sync")
        return super().sync(fd)

    def close(self, fd: int) -> None:
        super().close(fd)
        self._call("close")

    def rename(self, old: Path, new: Path) -> None:
        self._call("rename")
        super().rename(old, new)

    def remove(self, path: Path) -> None:
        self._call("remove")
        super().remove(path)

    def sync_folder(self, folder: Path) -> None:
        self._call("sync_folder")
        super().sync_folder(folder)

    def append(self, path: Path, records: Sequence[bytes]) -> int:
        self._call("append")
        return super().append(path, records)

    def shorten(self, path: Path, size: int) -> None:
        self._call("shorten")
        super().shorten(path, size)
