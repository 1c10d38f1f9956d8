"""A ledger of any size, to be looked through: the newest lines at once, the rest by an index made on the way."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal

from paitui.ledger.boundaries import BoundaryDetail, boundary_detail
from paitui.ledger.facts import WHOLE_BYTES
from paitui.ledger.index import EVERYTHING, Index, LedgerFilter
from paitui.ledger.lines import scan, whole_end
from paitui.ledger.pages import LedgerPages
from paitui.ledger.row import Row, row_at
from paitui.reading import open_file

STEP_BYTES = 4 << 20
"""How much of the file one step of indexing reads."""
_MARK_BYTES = 256

Look = Literal["same", "grown", "replaced", "gone"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the index is."""

    done: int
    """Bytes."""
    total: int
    """Bytes of whole lines in the file."""

    @property
    def complete(self) -> bool:
        """Whether every line is in it."""
        return self.done >= self.total


class LedgerView(LedgerPages):
    """Looks through one ledger, which may be written meanwhile.

    `build_index` and `poll` are for one thread, the others for any thread: they see what is indexed so far. Nothing
    of the file is held but the index, and nothing of that outlives the view.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._index = Index()
        self._total = 0
        self._identity: tuple[int, int] | None = None
        self._seen = 0
        self._mark = b""

    # -- the index

    def poll(self) -> Look:
        """See what became of the file since the last look. New lines are found by `build_index`.

        Returns:
            ``grown``: there are new whole lines, or nothing was looked at yet. ``replaced``: it is another file
            now, or was shortened; the index begins anew. ``gone``: there is none.
        """
        try:
            file = open_file(self.path)
        except FileNotFoundError:
            if self._identity is not None or self._index.lines:
                self._restart()
            return "gone"
        with file:
            facts = os.fstat(file.fileno())
            identity, size = (facts.st_dev, facts.st_ino), facts.st_size
            replaced = self._identity is not None and (self._stale or identity != self._identity)
            if self._seen and not replaced:
                replaced = size < self._seen or _bytes_before(file, self._seen) != self._mark
            if replaced:
                self._restart()
            self._identity = identity
            end = self._seen if size == self._seen else whole_end(file, size)
            grown = end > self._seen
            if grown:
                self._mark, self._seen = _bytes_before(file, end), end
        self._total = end
        return "replaced" if replaced else "grown" if grown else "same"

    def build_index(self, step_bytes: int = STEP_BYTES) -> Progress:
        """Index a bit more; to be called until it says that it is complete, and again when the file grew.

        Args:
            step_bytes: About how much is read; a line is read to its end.
        """
        if not self._total:
            self.poll()
        index, total = self._index, self._total
        if index.end < total:
            with self._open() as file:
                stop = min(total, index.end + step_bytes)
                for end, facts, uid in scan(file, index.end):
                    index.add(end, facts, uid)
                    if end >= stop:
                        break
        return Progress(index.end, total)

    def index_all(self) -> Progress:
        """Index everything there is now."""
        self.poll()
        while not (progress := self.build_index()).complete:
            pass
        return progress

    @property
    def end(self) -> int:
        """Offset behind the last whole line as `poll` saw it."""
        return self._total

    @property
    def lines(self) -> int:
        """Lines that are indexed."""
        return self._index.lines

    @property
    def complete(self) -> bool:
        """Whether all lines that `poll` saw are indexed."""
        return self._index.end >= self._total

    # -- by the index

    def count(self, which: LedgerFilter = EVERYTHING) -> int:
        """Count the indexed lines that a filter takes."""
        return self._index.count(which)

    def rows(self, which: LedgerFilter, start: int, count: int) -> list[Row]:
        """Give a page of the filtered list.

        Args:
            which: The filter.
            start: Place of the first row in the list, from 0; negative counts from its end.
            count: At most this many.
        """
        index = self._index
        if start < 0:
            start = max(0, index.count(which) + start)
        return self._read(index, list(islice(index.matching(which, start), max(0, count))))

    def row(self, line: int) -> Row | None:
        """Give one line by its position; None if it is not there, or not indexed."""
        index = self._index
        return next(iter(self._read(index, [line])), None) if 0 <= line < index.lines else None

    def line_at(self, offset: int) -> int:
        """Give the position of the line that a byte belongs to; the number of lines if it is not indexed."""
        return self._index.line_at(offset)

    def rank(self, line: int, which: LedgerFilter = EVERYTHING) -> int:
        """Give the place of a line in the filtered list: how many before it the filter takes."""
        return self._index.rank(line, which)

    def facets(self) -> dict[str, Counter[str]]:
        """Count the values there are to filter by: ``event``, ``role``, ``unit``, ``tool``."""
        return self._index.facets()

    def line_of_seq(self, seq: int) -> int | None:
        """Find the line of a sequence number; None if no indexed line has it."""
        index = self._index
        # Numbers rise by one a line, but for damaged lines; so the line is where it should be, or near.
        low, high = 0, index.lines
        with self._open() as file:
            while low < high:
                middle = (low + high) // 2
                at, row = middle, None
                while at < high and ((row := row_at(file, *index.bounds(at))) is None or not row.seq):
                    at += 1
                if row is None or not row.seq:
                    high = middle
                elif row.seq == seq:
                    return at
                elif row.seq < seq:
                    low = at + 1
                else:
                    high = middle
        return None

    def next_boundary(self, line: int, which: LedgerFilter = EVERYTHING) -> int | None:
        """Give the position of the first boundary behind a line that a filter takes."""
        return self._index.boundary_after(line, which)

    def previous_boundary(self, line: int, which: LedgerFilter = EVERYTHING) -> int | None:
        """Give the position of the last boundary before a line that a filter takes."""
        return self._index.boundary_before(line, which)

    def message(self, uid: int, before: int) -> int | None:
        """Find the record of a message: the last one before a line, else the first one behind it."""
        return self._index.message(uid, before)

    def boundary(self, line: int, start: int = 0, count: int = 50) -> BoundaryDetail | None:
        """Find what a boundary took out of a history and put there.

        Args:
            line: Its position.
            start: The place of the first message in its list.
            count: At most this many messages.

        Returns:
            A page of it; None if there is no boundary in this line.
        """
        return boundary_detail(self, line, start, count)

    # -- inside

    def _position(self, offset: int) -> int:
        index = self._index
        return index.line_at(offset) if offset < index.end else -1

    def _read(self, index: Index, lines: Sequence[int]) -> list[Row]:
        rows: list[Row] = []
        with self._open() as file:
            for line in lines:
                start, end = index.bounds(line)
                row = row_at(file, start, end, line)
                if row is None:  # the next poll sees that the file is another one
                    self._stale = True
                    break
                facts = index.facts(line)
                # Of a long line not every call stands in its head.
                rows.append(replace(row, tools=facts.tools) if row.size > WHOLE_BYTES else row)
        return rows

    def _restart(self) -> None:
        self._index = Index()
        self._identity, self._seen, self._total, self._mark, self._stale = None, 0, 0, b"", False


def _bytes_before(file: BinaryIO, offset: int) -> bytes:
    start = max(0, offset - _MARK_BYTES)
    file.seek(start)
    return file.read(offset - start)
