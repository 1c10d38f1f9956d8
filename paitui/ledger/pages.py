"""Reading a ledger of any size from its end, bit by bit, before or without an index."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from paitui.ledger.facts import Facts
from paitui.ledger.index import EVERYTHING, LedgerFilter
from paitui.ledger.lines import lines_back, scan, whole_end
from paitui.ledger.records import Record, from_line
from paitui.ledger.row import Row, line_at, row_at
from paitui.ledger.search import Needle, search_lines
from paitui.reading import open_file

TAIL_BUDGET_BYTES = 128 << 20
"""How far back a page looks for more than one line, where lines are huge."""
FILTERED_BUDGET_BYTES = 32 << 20
"""How far back a page looks for lines that a filter takes."""
PIECE_BYTES = 65_536
"""How much of a long line is shown at once."""
MOST_BYTES = 16 << 20
"""Longer records are never read whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line's JSON."""

    data: bytes
    start: int
    """Where it begins, bytes from the start of the line."""
    stop: int
    """Where the next piece begins."""
    size: int
    """Bytes of the whole line."""

    @property
    def text(self) -> str:
        """The part as text."""
        return self.data.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Searched:
    """A step of a search."""

    at: int
    """How far it is: an offset; for a match where the line begins."""
    row: Row | None = None
    """The line that holds the text; None between matches, as a chance to stop."""


class LedgerPages:
    """Reads one ledger, which may be written meanwhile; nothing of it is held.

    Every method raises `OSError` where the file cannot be read; a missing one is empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stale = False
        """Whether no line was found where one should be: the file is another one now."""

    def tail(self, count: int, which: LedgerFilter = EVERYTHING) -> list[Row]:
        """Give the last lines, oldest first.

        Args:
            count: At most this many; fewer if the lines are huge.
            which: Only lines that this takes.
        """
        return self.older(None, count, which)

    def older(self, offset: int | None, count: int, which: LedgerFilter = EVERYTHING) -> list[Row]:
        """Give the lines before one, oldest first.

        Args:
            offset: Where that line begins; None for the end of the file.
            count: At most this many. Where lines are huge, or few are wanted, there may be fewer although more
                stand before them: `older_rows` goes on.
            which: Only lines that this takes.
        """
        budget = TAIL_BUDGET_BYTES if which == EVERYTHING else FILTERED_BUDGET_BYTES
        rows: list[Row] = []
        first = -1
        for start, row in self.older_rows(offset, which):
            rows += [row] if row else []
            first = max(first, start)
            if len(rows) >= count or first - start > budget:
                break
        return rows[::-1]

    def older_rows(self, offset: int | None, which: LedgerFilter = EVERYTHING) -> Iterator[tuple[int, Row | None]]:
        """Walk backwards from a line, for as long as somebody asks.

        Args:
            offset: Where that line begins; None for the end of the file.
            which: Only lines that this takes.

        Yields:
            Where each line begins, and its row if it is wanted; the last line first.
        """
        with self._open() as file:
            end = whole_end(file, _size(file)) if offset is None else offset
            for start, stop in lines_back(file, end):
                row = row_at(file, start, stop, self._position(start))
                if row is None:
                    self._stale = True
                    return
                yield start, row if which.takes(row.facts) else None

    def newer(self, offset: int, count: int, which: LedgerFilter = EVERYTHING) -> list[Row]:
        """Give the lines from an offset on, oldest first: what came in since, for a follower.

        Args:
            offset: Where a line begins, such as `end` was.
            count: At most this many.
            which: Only lines that this takes.
        """
        rows: list[Row] = []
        with self._open() as file:
            start = offset
            for end, facts, _ in scan(file, offset):
                if which == EVERYTHING or which.takes(Facts(*facts)):
                    at = file.tell()
                    row = row_at(file, start, end, self._position(start))
                    file.seek(at)
                    if row is not None:
                        rows.append(row)
                start = end
                if len(rows) >= count:
                    break
        return rows

    def search(
        self,
        text: str,
        offset: int | None = None,
        backwards: bool = True,
        which: LedgerFilter = EVERYTHING,
    ) -> Iterator[Searched]:
        """Search the texts of records; case does not matter. Whoever stops asking cancels it.

        Args:
            text: What is looked for; blanks and line ends in a row count as one blank.
            offset: Where a line begins: the search goes back from there, or on from it. None for the end or start.
            backwards: To the start of the file, else to its end.
            which: Only lines that this takes.

        Yields:
            Each line that holds the text; and after about each megabyte how far it is.
        """
        needle = Needle(text)
        if not needle:
            return
        with self._open() as file:
            end = whole_end(file, _size(file))
            low, high = (0, end if offset is None else min(offset, end)) if backwards else (offset or 0, end)
            for start, stop, found in search_lines(file, needle, low, high, backwards):
                row = row_at(file, start, stop, self._position(start)) if found else None
                if row is None:
                    yield Searched(start)
                elif which.takes(row.facts):
                    yield Searched(start, row)

    # -- one line

    def records(self) -> Iterator[Record | None]:
        """Read all records in order, one at a time; None for a line that is damaged."""
        with self._open() as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return
                try:
                    yield from_line(line[:-1])
                except ValueError:
                    yield None

    def record(self, row: Row) -> Record | None:
        """Read a record whole; None if it is longer than `MOST_BYTES`, damaged or no longer there."""
        data = self.raw(row)
        try:
            return None if data is None else from_line(data)
        except ValueError:
            return None

    def raw(self, row: Row) -> bytes | None:
        """Read the bytes of a line; None if it is longer than `MOST_BYTES`, or no longer there."""
        if row.size > MOST_BYTES:
            return None
        with self._open() as file:
            return line_at(file, row.offset, row.offset + row.size + 1)

    def piece(self, row: Row, start: int = 0, count: int = PIECE_BYTES) -> Piece:
        """Read a part of a line, however long it is.

        Args:
            row: The line.
            start: Bytes from its start, as a piece before this one said where it stops.
            count: About how many bytes; no character is torn.
        """
        start = max(0, min(start, row.size))
        with self._open() as file:
            file.seek(row.offset + start)
            data = file.read(min(count + 1, row.size - start))
        if len(data) > count:
            cut = count
            while cut > count - 4 and data[cut] & 0xC0 == 0x80:
                cut -= 1
            data = data[: cut if cut > 0 and data[cut] & 0xC0 != 0x80 else count]
        return Piece(data, start, start + len(data), row.size)

    # -- inside

    def _open(self) -> BinaryIO:
        try:
            return open_file(self.path)
        except FileNotFoundError:
            return open(os.devnull, "rb")

    def _position(self, offset: int) -> int:
        """Give the position of the line that begins at an offset; -1 as long as nobody counted."""
        return -1


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size
