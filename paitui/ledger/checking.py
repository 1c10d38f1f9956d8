"""Whether a ledger is whole: every line, the numbers, calls and answers, and what boundaries name."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from paitui.ledger.facts import called
from paitui.ledger.records import SCHEMA, Record, from_line
from paitui.reading import open_file

Trouble = Literal["damaged", "missing", "order", "torn", "orphan", "unknown"]
"""``damaged``: a line that is no record. ``missing``: numbers are left out. ``order``: a number that does not rise.
``torn``: the file ends in the middle of a line. ``orphan``: a result of no call. ``unknown``: a boundary names a
message that has no record."""
MOST_TOLD = 100
"""Problems that are told one by one."""
_MOST_UID = 1 << 27


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in one place."""

    what: Trouble
    line: int
    """Of the file, from 1."""
    seq: int = 0
    """The number of the record, if it has one."""
    detail: str = ""
    """What is wrong with a line, how many numbers are left out, which call, which messages, or how many bytes."""


@dataclass(slots=True)
class Checked:
    """What a check found."""

    lines: int = 0
    bytes: int = 0
    events: Counter[str] = field(default_factory=Counter)
    """Records of each event."""
    counts: Counter[str] = field(default_factory=Counter)
    """Problems of each kind."""
    problems: list[Problem] = field(default_factory=list)
    """The first ones, at most `MOST_TOLD`."""
    unwritten: int = 0
    """Records that the ledger itself says could not be written."""
    healed: int = 0
    """Torn ends that were healed."""
    newer: int = 0
    """Records of a newer version of the format."""
    unanswered: int = 0
    """Calls without an answer, as a kill leaves them."""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.counts


def check(path: Path) -> Checked:
    """Read a ledger from end to end and check it; one line at a time is held.

    Args:
        path: The file.

    Raises:
        OSError: It cannot be read.
    """
    checking = _Checking()
    for line in _lines(path):
        checking.line(line)
    return checking.done()


def _lines(path: Path) -> Iterator[bytes]:
    with open_file(path) as file:
        yield from file


class _Checking:
    """What has to be remembered of the lines so far."""

    def __init__(self) -> None:
        self._found = Checked()
        self._seq = 0
        self._skipped = 0
        self._waiting: dict[str, Counter[str]] = {}
        self._recorded = bytearray()
        self._made: list[list[int]] = []
        self._newest = 0

    def line(self, line: bytes) -> None:
        found = self._found
        found.bytes += len(line)
        if not line.endswith(b"\n"):
            self._problem("torn", 0, str(len(line)), found.lines + 1)
            return
        found.lines += 1
        try:
            record = from_line(line[:-1])
        except ValueError as error:
            self._skipped += 1
            self._problem("damaged", 0, str(error))
            return
        self._number(record)
        found.events[record.event] += 1
        found.newer += record.v > SCHEMA
        self._content(record)

    def done(self) -> Checked:
        self._found.unanswered = sum(sum(waiting.values()) for waiting in self._waiting.values())
        return self._found

    def _number(self, record: Record) -> None:
        left_out = record.seq - self._seq - 1
        if left_out < 0:
            self._problem("order", record.seq, str(self._seq))
        elif left_out > self._skipped:  # a damaged line may have had a number
            self._problem("missing", record.seq, str(left_out - self._skipped))
        self._seq, self._skipped = max(self._seq, record.seq), 0

    def _content(self, record: Record) -> None:
        payload = record.payload
        match record.event:
            case "message":
                self._message(record)
            case "boundary":
                self._boundary(record)
            case "gap":
                lost = payload.get("lost")
                self._found.unwritten += lost if type(lost) is int else 1
                self._open_made()
            case "fault" if payload.get("what") == "torn end":
                self._found.healed += 1
            case "session":
                self._open_made()  # what a crash left unanswered is answered when the session is loaded

    def _message(self, record: Record) -> None:
        payload, waiting = record.payload, self._waiting.setdefault(record.unit, Counter())
        uid = payload.get("uid")
        if type(uid) is int and 0 < uid < _MOST_UID:
            if uid >= len(self._recorded):
                self._recorded.extend(bytes(max(uid + 1 - len(self._recorded), len(self._recorded), 1_024)))
            self._recorded[uid] = 1
            if uid > self._newest:
                if self._made and self._made[-1][1] < 0:
                    self._made[-1][1] = uid
                self._newest = uid
        if record.role == "tool":
            call = str(payload.get("tool_call_id", ""))
            if waiting[call] > 0:
                waiting[call] -= 1
            else:
                self._problem("orphan", record.seq, call)
        elif called(payload.get("tool_calls")):
            waiting.update(str(call.get("id", "")) for call in payload["tool_calls"] if isinstance(call, Mapping))

    def _boundary(self, record: Record) -> None:
        ids: Any = record.payload.get("ids")
        ids = ids if isinstance(ids, list) else []
        unknown = [uid for uid in ids if not self._is_known(uid)]
        if unknown:
            more = ", …" if len(unknown) > 10 else ""
            self._problem("unknown", record.seq, ", ".join(map(str, unknown[:10])) + more)
        if record.payload.get("kind") in ("summary", "undo"):
            self._open_made()
        if record.payload.get("kind") == "cleared_history":
            self._waiting.pop(record.unit, None)

    def _is_known(self, uid: Any) -> bool:
        if type(uid) is not int:
            return False
        if 0 < uid < len(self._recorded) and self._recorded[uid]:
            return True
        return any(low < uid and (high < 0 or uid < high) for low, high in self._made)

    def _open_made(self) -> None:
        """From here to the next recorded message there may be messages without a record, such as a summary."""
        if not self._made or self._made[-1][1] >= 0:
            self._made.append([self._newest, -1])

    def _problem(self, what: Trouble, seq: int, detail: str, line: int = 0) -> None:
        self._found.counts[what] += 1
        if len(self._found.problems) < MOST_TOLD:
            self._found.problems.append(Problem(what, line or self._found.lines, seq, detail))
