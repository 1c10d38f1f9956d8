"""What one line of the raw ledger holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from paitui.jsontext import decode, encode
from paitui.messages.codec import to_wire
from paitui.messages.message import Message, Usage

SCHEMA = 1
"""Version of the line format; raised when a field changes its meaning, not when one is added."""

EventName = Literal["message", "boundary", "approval", "memory", "turn", "trust", "session", "fault", "gap"]
"""``message``: one entered a history. ``boundary``: something was taken out of a history. ``approval``: a
decision. ``memory``: long-term memory was changed. ``turn``: began or ended. ``trust``: content from
outside was read (without a payload: the session is clean again). ``session``: opened, resumed, closed.
``fault``: something went wrong. ``gap``: records before this one could not be written."""

BoundaryKind = Literal["offload", "clear", "summary", "cleared_history", "undo"]
"""What changed a history; ``cleared_history`` is the user's wish to start anew, ``undo`` takes the last step back."""

EVENTS: frozenset[str] = frozenset(get_args(EventName))


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the ledger."""

    seq: int
    """Counts from 1 in the file; this, not the clock, orders the records."""
    time: str
    """UTC, ISO-8601 with milliseconds."""
    session: str
    """Id of the session."""
    unit: str
    """Whose history: ``react``, the id of a plan task, a team role; empty where it is about the session."""
    event: str
    """One of `EventName`; a newer program may write others."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    """What belongs to the event."""
    v: int = SCHEMA
    """Schema version of the line."""

    @property
    def role(self) -> str:
        """The message's role, for a ``message``; else empty."""
        return str(self.payload.get("role", "")) if self.event == "message" else ""

    @property
    def tool(self) -> str:
        """The tool's name, for the message or the approval of one; else empty."""
        if self.event == "message":
            return str(self.payload.get("name", "")) if self.role == "tool" else ""
        return str(self.payload.get("tool", ""))

    @property
    def called(self) -> tuple[str, ...]:
        """Names of the tools that an assistant message calls."""
        calls = self.payload.get("tool_calls") if self.event == "message" else None
        if not isinstance(calls, list):
            return ()
        functions = [call.get("function") for call in calls if isinstance(call, dict)]
        return tuple(str(function.get("name", "")) for function in functions if isinstance(function, dict))


def to_line(record: Record) -> bytes:
    """Write a record as one line of JSON, without the line end.

    Raises:
        TypeError: The payload holds something that is no plain data.
        ValueError: It is nested too deeply.
    """
    return encode(
        {
            "v": record.v,
            "seq": record.seq,
            "time": record.time,
            "session": record.session,
            "unit": record.unit,
            "event": record.event,
            "payload": record.payload,
        }
    )


def from_line(line: bytes) -> Record:
    """Read what `to_line` wrote; fields that a newer program added are ignored.

    Raises:
        ValueError: It is no record: no JSON, a field missing or of the wrong type.
    """
    found = decode(line)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    for name, kind in _TYPES.items():
        value = found.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{name} is missing or has the wrong type")
    return Record(**{name: found[name] for name in _TYPES})


_TYPES: Mapping[str, type] = {
    "v": int,
    "seq": int,
    "time": str,
    "session": str,
    "unit": str,
    "event": str,
    "payload": dict,
}


def message_payload(message: Message, usage: Usage | None = None) -> dict[str, Any]:
    """Give the payload of a ``message``: as it is sent, plus who it is and where its full text lies.

    Args:
        message: Any message of a history.
        usage: For an answer: what the provider reported for the request, so that a replay can compare.
    """
    reported = {"prompt": usage.prompt, "completion": usage.completion} if usage is not None else {}
    if usage is not None and usage.reasoning:
        reported["reasoning"] = usage.reasoning
    return {
        **to_wire(message),
        "uid": message.uid,
        "origin": message.origin,
        "stored": message.stored,
        **({"usage": reported} if reported else {}),
    }
