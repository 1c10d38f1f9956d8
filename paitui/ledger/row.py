"""One line of a ledger as a list shows it: what it is and its first words, however long it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from paitui.ledger.facts import DAMAGED, HEAD_BYTES, TAIL_BYTES, WHOLE_BYTES, Facts, called, long_line
from paitui.ledger.records import Record, from_line

WORDS_CHARS = 240
"""Most characters of the first words."""

_SAID: Mapping[str, tuple[str, ...]] = {
    "boundary": ("why",),
    "approval": ("tool", "decision", "subject"),
    "memory": ("did", "id"),
    "turn": ("turn", "state", "reason"),
    "trust": ("kind", "source"),
    "session": ("state", "model"),
    "fault": ("where", "what", "error", "kept"),
    "gap": ("lost",),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line. Texts stand as they are in the file: a face makes them safe."""

    offset: int
    """Where it begins, bytes from the start of the file; tells it from every other line."""
    size: int
    """Bytes, without the line end."""
    event: str
    """One of `EventName`, the name of a newer program's event, or ``damaged``."""
    seq: int = 0
    """Its number; 0 for a damaged line."""
    time: str = ""
    """UTC, ISO-8601."""
    session: str = ""
    unit: str = ""
    role: str = ""
    """For a message."""
    tools: tuple[str, ...] = ()
    """The tools that it is about."""
    kind: str = ""
    """For a boundary."""
    words: str = ""
    """The first words, on one line; for a damaged line the beginning of what stands there."""
    why: str = ""
    """For a damaged line: what is wrong."""
    uid: int = 0
    """For a message: its uid."""
    before: int = 0
    """For a boundary: tokens before (characters for an offload on arrival)."""
    after: int = 0
    """For a boundary: tokens after, likewise."""
    ids: int = 0
    """For a boundary: how many messages it touched."""
    v: int = 1
    """Schema version."""
    line: int = -1
    """Position in the file, from 0; -1 while nobody knows."""

    @property
    def facts(self) -> Facts:
        """What a filter looks at."""
        return Facts(self.event, self.unit, self.role, self.kind, self.tools)


def line_at(file: BinaryIO, start: int, end: int) -> bytes | None:
    """Read a line.

    Args:
        file: Open for reading.
        start: Where it begins.
        end: The offset behind its line end.

    Returns:
        The line without its line end; None if no line lies there any more.
    """
    file.seek(max(0, start - 1))
    data = file.read(end - max(0, start - 1))
    if start and not data.startswith(b"\n"):
        return None
    line = data[1:] if start else data
    return line[:-1] if line.endswith(b"\n") and len(line) == end - start else None


def row_at(file: BinaryIO, start: int, end: int, line: int = -1) -> Row | None:
    """Read a line as a row; of a long one only beginning and end are read.

    Args:
        file: Open for reading.
        start: Where the line begins.
        end: The offset behind its line end.
        line: Its position, if known.

    Returns:
        The row; None if no line lies there any more: the file was put in place of another.
    """
    size = end - start - 1
    if size <= WHOLE_BYTES:
        data = line_at(file, start, end)
        return None if data is None else row_of(data, start, line)
    file.seek(max(0, start - 1))
    head = file.read(HEAD_BYTES + (1 if start else 0))
    if start and not head.startswith(b"\n"):
        return None
    head = head[1:] if start else head
    file.seek(end - 1 - TAIL_BYTES)
    tail = file.read(TAIL_BYTES + 1)
    if not tail.endswith(b"\n"):
        return None
    found = long_line(head, tail[:-1])
    if found is None:
        return Row(start, size, DAMAGED, words=_one_line(_text(head)), why="not a record", line=line)
    facts = found.facts
    return Row(
        start, size, facts.event, found.seq, found.time, found.session, facts.unit, facts.role, facts.tools,
        facts.kind, _one_line(found.words), uid=found.uid, v=found.v, line=line,
    )  # fmt: skip


def row_of(data: bytes, start: int, line: int = -1) -> Row:
    """Make the row of a line that was read whole.

    Args:
        data: The line without its line end.
        start: Where it begins.
        line: Its position, if known.
    """
    try:
        record = from_line(data)
    except ValueError as error:
        return Row(start, len(data), DAMAGED, words=_one_line(_text(data[:HEAD_BYTES])), why=str(error), line=line)
    payload, is_boundary = record.payload, record.event == "boundary"
    tools = record.called or ((record.tool,) if record.tool or record.role == "tool" else ())
    ids = payload.get("ids")
    return Row(
        offset=start,
        size=len(data),
        event=record.event,
        seq=record.seq,
        time=record.time,
        session=record.session,
        unit=record.unit,
        role=record.role,
        tools=tuple(dict.fromkeys(tools)),
        kind=str(payload.get("kind", "")) if is_boundary else "",
        words=words_of(record),
        uid=_number(payload.get("uid")) if record.event == "message" else 0,
        before=_number(payload.get("before")) if is_boundary else 0,
        after=_number(payload.get("after")) if is_boundary else 0,
        ids=len(ids) if is_boundary and isinstance(ids, list) else 0,
        v=record.v,
        line=line,
    )


def words_of(record: Record) -> str:
    """Give the first words of a record, on one line."""
    payload = record.payload
    if record.event == "message":
        text = text_of(payload, 4 * WORDS_CHARS)
        if not text.strip() and isinstance(calls := payload.get("tool_calls"), list):
            text = ", ".join(f"{_name(call)} {_arguments(call)}" for call in calls[:8]) or ", ".join(called(calls))
        return _one_line(text)
    names = _SAID.get(record.event)
    if names is not None:
        said = [payload.get(name) for name in names]
        return _one_line(" ".join(str(value) for value in said if isinstance(value, str | int) and value != ""))
    plain = {name: value for name, value in payload.items() if isinstance(value, str | int | float)}
    return _one_line(" ".join(f"{name}={str(value)[:WORDS_CHARS]}" for name, value in list(plain.items())[:20]))


def text_of(payload: Mapping[str, Any], chars: int = 1 << 40) -> str:
    """Give the text of a message's payload: its content, or the text parts of it.

    Args:
        payload: Of a ``message`` record.
        chars: Most characters.
    """
    content = payload.get("content")
    if isinstance(content, str):
        return content[:chars]
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(part for part in parts if isinstance(part, str))[:chars]


def _name(call: Any) -> str:
    return ", ".join(called([call]))


def _arguments(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    return str(function.get("arguments", ""))[:WORDS_CHARS] if isinstance(function, dict) else ""


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * WORDS_CHARS].split())[:WORDS_CHARS]


def _text(data: bytes) -> str:
    return data[: 4 * WORDS_CHARS].decode("utf-8", "replace")


def _number(value: Any) -> int:
    return value if type(value) is int else 0
