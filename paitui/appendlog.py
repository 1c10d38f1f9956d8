"""A file of JSON lines that only grows: one write per record, and a torn end never swallows the next one."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from paitui.atomic import FILE_MODE, make_folder, sync_folder, write_all
from paitui.jsontext import decode
from paitui.reading import at_once, open_file

BLOCK_BYTES = 65_536
"""How much is read at once when looking for line ends from the back."""


class AppendLog:
    """The writing end of a file of JSON lines; one writer at a time (whoever owns the file holds a lock).

    No whole line is ever rewritten. What a crash or a full disk leaves behind the last whole line is no
    record: before the first append it is copied to ``<file>.torn-<n>`` and cut off, so that the next record
    starts on a line of its own. Cutting it off is the only shortening there is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        """The file; it and its folders are made by the first append."""
        self.set_aside: list[Path] = []
        """Files that hold the torn ends found so far, oldest first."""
        self._fd = -1
        self._end = 0
        self._clean = False
        self._name_synced = True

    def open(self) -> None:
        """Open the file and heal its end; `append` does this by itself.

        Raises:
            OSError: It cannot be opened, or the torn end cannot be kept elsewhere (then nothing is cut off).
        """
        if self._fd < 0:
            make_folder(self.path.parent)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._name_synced = self.path.exists()
            self._fd = os.open(self.path, flags, FILE_MODE)
            self._clean = False
        if not self._clean:
            facts = os.fstat(self._fd)
            if stat.S_ISFIFO(facts.st_mode):  # nobody may ever read what is written there
                self.close()
                raise OSError(errno.EINVAL, "a pipe, not a file", str(self.path))
            size = facts.st_size
            whole = _end_of_whole_lines(self._fd, size)
            if whole < size:
                self._cut(whole, size)
            self._end = whole
            self._clean = True

    def append(self, record: bytes) -> None:
        """Add one record with one write. If that fails, the file ends where it ended before.

        Args:
            record: JSON without a line break.

        Raises:
            ValueError: The record holds a line break.
            OSError: The record is not in the file: disk full, no permission, another fault. The next append
                tries anew.
        """
        if b"\n" in record:
            raise ValueError("a record is one line")
        self.open()
        start = self._end
        try:
            write_all(self._fd, record + b"\n")
            self._end = start + len(record) + 1
        except BaseException:
            self._take_back(start)
            raise

    def sync(self) -> None:
        """Flush what was appended to the disk, and the file's name once after it was made.

        Raises:
            OSError: The disk reports an error: what was appended since the last flush may be lost, also if a
                later flush reports none.
        """
        if self._fd < 0:
            return
        os.fsync(self._fd)
        if not self._name_synced:
            sync_folder(self.path.parent)
            self._name_synced = True

    def close(self) -> None:
        """Let go of the file; a later append opens it again."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def cut(self, offset: int) -> Path:
        """Take out everything from an offset on, because it cannot be read, and keep it beside the file.

        Args:
            offset: Bytes from the start of the file, at the start of a line.

        Returns:
            The file that holds what was taken out.

        Raises:
            OSError: It cannot be kept elsewhere; then nothing was cut off.
        """
        if self._fd < 0:
            self._fd = os.open(self.path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        kept = self._cut(offset, os.fstat(self._fd).st_size)
        self._clean = False
        return kept

    def _cut(self, start: int, end: int) -> Path:
        kept = _copy_aside(self._fd, start, end, self.path)
        try:
            os.ftruncate(self._fd, start)
        except OSError:
            kept.unlink(missing_ok=True)  # the next try makes it again
            raise
        self.set_aside.append(kept)
        return kept

    def _take_back(self, start: int) -> None:
        try:
            os.ftruncate(self._fd, start)
            self._end = start
        except OSError:
            # The fault that brought us here is the one to report; the end is healed before the next append.
            self._clean = False


def read_lines(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Read the whole lines of a file, changing nothing; bytes behind the last line end are left out.

    Args:
        path: A file of lines.
        start: Offset in bytes of the line to begin with.

    Yields:
        Offset in bytes and content of each line, without its line end.

    Raises:
        OSError: The file cannot be read.
    """
    with open_file(path) as file:
        file.seek(start)
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield start, line[:-1]
            start += len(line)


def read_lines_backwards(path: Path) -> Iterator[bytes]:
    """Read the whole lines of a file from its end, reading no more of it than is asked for.

    Args:
        path: A file of lines.

    Yields:
        Each line without its line end, the last one first.

    Raises:
        OSError: The file cannot be read.
    """
    with open(path, "rb", opener=at_once) as file:  # no more is read than its size says
        end = _line_end_before(file, os.fstat(file.fileno()).st_size)
        while end > 0:
            start = _line_end_before(file, end - 1)
            file.seek(start)
            yield file.read(end - 1 - start)
            end = start


def _line_end_before(file: BinaryIO, end: int) -> int:
    """Give the offset just behind the last line feed before `end`; 0 if there is none."""
    while end > 0:
        start = max(0, end - BLOCK_BYTES)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _end_of_whole_lines(fd: int, size: int) -> int:
    """Give the offset behind the last line that is whole and JSON."""
    with os.fdopen(fd, "rb", closefd=False, buffering=0) as file:
        end = _line_end_before(file, size)
        while end > 0:
            start = _line_end_before(file, end - 1)
            file.seek(start)
            try:
                decode(file.read(end - 1 - start))
            except ValueError:
                end = start
            else:
                break
        return end


def _copy_aside(fd: int, start: int, end: int, path: Path) -> Path:
    number = 1
    while True:
        kept = path.with_name(f"{path.name}.torn-{number}")
        try:
            out = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE_MODE)
            break
        except FileExistsError:
            number += 1
    try:
        try:
            while start < end:
                os.lseek(fd, start, os.SEEK_SET)
                block = os.read(fd, min(1 << 20, end - start))
                if not block:
                    break
                write_all(out, block)
                start += len(block)
            os.fsync(out)
        finally:
            os.close(out)
        sync_folder(path.parent)
    except BaseException:
        kept.unlink(missing_ok=True)
        raise
    return kept
