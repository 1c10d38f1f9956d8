"""Reading a ledger of any size, a page at a time."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from paitui.appendlog import BLOCK_BYTES
from paitui.ledger.records import Record, from_line

SCAN_BYTES = 16 * BLOCK_BYTES
"""How much is searched for line ends at once."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that is no record."""

    offset: int
    """Where it begins, bytes from the start of the file."""
    size: int
    """Its length in bytes."""
    why: str
    """What is wrong with it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the ledger as the reader found it."""

    index: int
    """Position in the file, from 0."""
    record: Record | Damaged
    """What stands there."""


class LedgerReader:
    """Pages and filters over a ledger that may still grow.

    Only the offset of each line is held (8 bytes a line), and only as far as somebody looked. The index is
    thrown away and made anew when the file got shorter.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends = array("Q")

    def count(self) -> int:
        """Number of whole lines; reads the part of the file that is new since the last look.

        Raises:
            OSError: The file cannot be read (a missing one has no lines).
        """
        self._index(None)
        return len(self._ends)

    def page(self, start: int, count: int) -> list[Line]:
        """Read some lines.

        Args:
            start: Position of the first line, from 0; negative counts from the end.
            count: At most this many.

        Returns:
            The lines, damaged ones included; fewer at the end of the file.

        Raises:
            OSError: The file cannot be read.
        """
        if start < 0:
            start = max(0, self.count() + start)
        self._index(start + count)
        stop = min(start + count, len(self._ends))
        if start >= stop:
            return []
        with self._path.open("rb") as file:
            file.seek(self._begin(start))
            return [self._line(at, file.read(self._ends[at] - self._begin(at))) for at in range(start, stop)]

    def select(
        self, start: int = 0, *, event: str = "", role: str = "", unit: str = "", tool: str = ""
    ) -> Iterator[Line]:
        """Walk through the records that match, reading on only as far as asked.

        Args:
            start: Position of the first line to look at.
            event: Only this event; empty for all, likewise below.
            role: Only messages of this role.
            unit: Only this unit.
            tool: Only this tool: its results, calls of it, and decisions about it.

        Yields:
            Matching lines in order. Damaged lines match if no filter is given.

        Raises:
            OSError: The file cannot be read.
        """
        unfiltered = not (event or role or unit or tool)
        while lines := self.page(start, 200):
            for line in lines:
                record = line.record
                if isinstance(record, Damaged):
                    if unfiltered:
                        yield line
                elif (
                    event in ("", record.event)
                    and role in ("", record.role)
                    and unit in ("", record.unit)
                    and (not tool or tool == record.tool or tool in record.called)
                ):
                    yield line
            start += len(lines)

    def _begin(self, at: int) -> int:
        return self._ends[at - 1] if at else 0

    def _line(self, at: int, raw: bytes) -> Line:
        try:
            return Line(at, from_line(raw))
        except ValueError as error:
            return Line(at, Damaged(self._begin(at), len(raw), str(error)))

    def _index(self, lines: int | None) -> None:
        """Find line ends until so many lines are known, or all."""
        if lines is not None and len(self._ends) >= lines:
            return
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            self._ends = array("Q")
            return
        with file:
            if self._ends and not self._still_ends_a_line(file):
                self._ends = array("Q")
            # Always from the last line end: bytes behind it may have been a torn end that is healed by now.
            scanned = self._begin(len(self._ends))
            file.seek(scanned)
            while (lines is None or len(self._ends) < lines) and (block := file.read(SCAN_BYTES)):
                at = block.find(b"\n")
                while at >= 0:
                    self._ends.append(scanned + at + 1)
                    at = block.find(b"\n", at + 1)
                scanned += len(block)

    def _still_ends_a_line(self, file: BinaryIO) -> bool:
        file.seek(self._ends[-1] - 1)
        return file.read(1) == b"\n"
