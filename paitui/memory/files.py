"""The file system as the memory's store sees it: one port, so that every call can be made to fail."""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from paitui import atomic
from paitui.appendlog import AppendLog
from paitui.reading import open_file

MOST_BYTES = 256_000_000
"""A file larger than this is no memory; reading it would take the machine's."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another."""

    mtime_ns: int
    """Last modification, nanoseconds since 1970."""
    size: int
    """Bytes."""
    inode: int
    """Changes whenever the file is replaced by another."""


class Files(Protocol):
    """The calls that the store makes. Each may raise `OSError`."""

    def stamp(self, path: Path) -> Stamp | None:
        """Give a file's stamp, None if there is no file."""
        ...

    def read(self, path: Path) -> tuple[bytes, Stamp]:
        """Read a file whole, with the stamp of what was read."""
        ...

    def names(self, folder: Path) -> list[str]:
        """List a folder; empty if there is none."""
        ...

    def make_folder(self, folder: Path) -> None:
        """Make a folder and those above it, for the owner alone."""
        ...

    def create(self, path: Path) -> int:
        """Make a file that must not exist, for the owner alone; give its descriptor."""
        ...

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Write; give how many bytes were taken, which may be fewer."""
        ...

    def sync(self, fd: int) -> Stamp:
        """Flush a file to the disk; give its stamp."""
        ...

    def close(self, fd: int) -> None:
        """Close a descriptor, also when it raises."""
        ...

    def rename(self, old: Path, new: Path) -> None:
        """Put one file in another's place, in one step."""
        ...

    def remove(self, path: Path) -> None:
        """Delete a file."""
        ...

    def sync_folder(self, folder: Path) -> None:
        """Flush the names in a folder to the disk."""
        ...

    def append(self, path: Path, records: Sequence[bytes]) -> int:
        """Add lines to a file and flush it; give the size it had. If it raises, nothing was added."""
        ...

    def shorten(self, path: Path, size: int) -> None:
        """Cut a file to a size."""
        ...

    def wall_ns(self) -> int:
        """Give the time that files are stamped with, nanoseconds since 1970."""
        ...


class RealFiles:
    """The file system itself."""

    def stamp(self, path: Path) -> Stamp | None:
        """Give a file's stamp, None if there is no file."""
        try:
            return _stamp(os.stat(path))
        except FileNotFoundError:
            return None

    def read(self, path: Path) -> tuple[bytes, Stamp]:
        """Read a file whole, with the stamp of what was read."""
        with open_file(path) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):  # also the null device: a change would put a file in its place
                raise OSError(errno.EINVAL, "a device, not a file", str(path))
            if facts.st_size > MOST_BYTES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
            return file.read(), _stamp(os.fstat(file.fileno()))

    def names(self, folder: Path) -> list[str]:
        """List a folder; empty if there is none."""
        try:
            return sorted(os.listdir(folder))
        except FileNotFoundError:
            return []

    def make_folder(self, folder: Path) -> None:
        """Make a folder and those above it, for the owner alone."""
        atomic.make_folder(folder)

    def create(self, path: Path) -> int:
        """Make a file that must not exist, for the owner alone; give its descriptor."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return os.open(path, flags, atomic.FILE_MODE)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Write; give how many bytes were taken, which may be fewer."""
        return os.write(fd, data)

    def sync(self, fd: int) -> Stamp:
        """Flush a file to the disk; give its stamp."""
        os.fsync(fd)
        return _stamp(os.fstat(fd))

    def close(self, fd: int) -> None:
        """Close a descriptor, also when it raises."""
        os.close(fd)

    def rename(self, old: Path, new: Path) -> None:
        """Put one file in another's place, in one step."""
        os.replace(old, new)

    def remove(self, path: Path) -> None:
        """Delete a file."""
        path.unlink(missing_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Flush the names in a folder to the disk."""
        atomic.sync_folder(folder)

    def append(self, path: Path, records: Sequence[bytes]) -> int:
        """Add lines to a file and flush it; give the size it had. If it raises, nothing was added."""
        log = AppendLog(path)
        try:
            log.open()
            size = os.stat(path).st_size
            try:
                for record in records:
                    log.append(record)
                log.sync()
            except BaseException:
                os.truncate(path, size)
                raise
            return size
        finally:
            log.close()

    def shorten(self, path: Path, size: int) -> None:
        """Cut a file to a size."""
        os.truncate(path, size)

    def wall_ns(self) -> int:
        """Give the time that files are stamped with, nanoseconds since 1970."""
        return time.time_ns()


def temporary_of(path: Path, name: str) -> bool:
    """Whether a name is that of a temporary file that a write of `path` left behind."""
    middle = name.removeprefix(f".{path.name}.").removesuffix(".tmp")
    return name == f".{path.name}.{middle}.tmp" and len(middle) == 8 and set(middle) <= set("0123456789abcdef")


def replace(files: Files, path: Path, data: bytes) -> tuple[Stamp, OSError | None]:
    """Replace a file as one step: the path holds the old bytes or the new ones, whole.

    Args:
        files: The file system.
        path: The file.
        data: The new content.

    Returns:
        Its stamp, and the fault if only the last flush of the folder failed: then the new content stands, but
        might not survive a power cut.

    Raises:
        OSError: Nothing was changed.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    stamp = write_new(files, temporary, data, path)
    try:
        files.sync_folder(path.parent)
    except OSError as error:
        return stamp, error
    return stamp, None


def write_new(files: Files, path: Path, data: bytes, final: Path | None = None) -> Stamp:
    """Write a file that does not exist yet; whole or not at all.

    Args:
        files: The file system.
        path: The file.
        data: Its content.
        final: Where to put it once it is written and flushed; it stays at `path` if None.

    Returns:
        Its stamp.

    Raises:
        OSError: Nothing was changed.
    """
    fd = files.create(path)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[files.write(fd, view) :]
            stamp = files.sync(fd)
        finally:
            files.close(fd)
        if final is not None:
            files.rename(path, final)
    except BaseException:
        with contextlib.suppress(OSError):  # the fault that brought us here is the one to report
            files.remove(path)
        raise
    return stamp


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)
