"""Session state and its changes as JSON-ready objects, and back."""

from collections.abc import Mapping
from typing import Any, get_args

from paitui.jsontext import encode
from paitui.messages.codec import from_record, spans_from_record, to_record
from paitui.messages.message import Message, Spans
from paitui.session.state import Append, Change, Key, ReplaceAll, Rewrite, SessionState, Set, SetExtra

SCHEMA = 1
"""Version of the session files; raised when an older program could no longer read them rightly."""


def snapshot_bytes(state: SessionState, seq: int) -> bytes:
    """Give a snapshot file's content.

    Args:
        state: The state.
        seq: Number of the last change in it.
    """
    return encode({"v": SCHEMA, "seq": seq, "state": state_to_record(state)})


def state_to_record(state: SessionState) -> dict[str, Any]:
    """Give a state as a JSON-ready object."""
    return {
        "session": state.session,
        "project": state.project,
        "created": state.created,
        "model": state.model,
        "units": {unit: _records(messages) for unit, messages in state.units.items()},
        "next_uid": state.next_uid,
        "turn": state.turn,
        "queue": _queue_records(state.queue),
        "approvals": list(state.approvals),
        "trust": state.trust,
        "extra": dict(state.extra),
    }


def state_from_record(record: Mapping[str, Any]) -> SessionState:
    """Read what `state_to_record` wrote.

    Raises:
        ValueError: A field is missing or has the wrong type.
    """
    return SessionState(
        session=_text(record, "session"),
        project=_text(record, "project"),
        created=_text(record, "created"),
        model=_text(record, "model"),
        units={unit: _messages(items) for unit, items in _object(record, "units").items()},
        next_uid=_value("next_uid", record.get("next_uid")),
        turn=_value("turn", record.get("turn")),
        queue=_value("queue", record.get("queue")),
        approvals=_value("approvals", record.get("approvals")),
        trust=_text(record, "trust"),
        extra=dict(_object(record, "extra")),
    )


def change_to_record(change: Change) -> dict[str, Any]:
    """Give a change as a JSON-ready object."""
    match change:
        case Append(unit, message):
            return {"op": "append", "unit": unit, "message": to_record(message)}
        case Rewrite(unit, replaced):
            pairs = [[uid, to_record(message)] for uid, message in replaced.items()]
            return {"op": "rewrite", "unit": unit, "replaced": pairs}
        case ReplaceAll(unit, messages):
            return {"op": "replace_all", "unit": unit, "messages": _records(messages)}
        case Set("queue", value):
            return {"op": "set", "key": "queue", "value": _queue_records(value)}
        case Set(key, value):
            return {"op": "set", "key": key, "value": value}
        case SetExtra(name, value):
            return {"op": "set_extra", "name": name, "value": value}


def change_from_record(record: Mapping[str, Any]) -> Change:
    """Read what `change_to_record` wrote.

    Raises:
        ValueError: It is no change that this program knows, or a field has the wrong type.
    """
    match record.get("op"):
        case "append":
            return Append(_text(record, "unit"), from_record(_object(record, "message")))
        case "rewrite":
            pairs = record.get("replaced")
            if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
                raise ValueError("replaced has the wrong type")
            replaced = {_number(uid): _message(item) for uid, item in pairs}
            return Rewrite(_text(record, "unit"), replaced)
        case "replace_all":
            return ReplaceAll(_text(record, "unit"), _messages(record.get("messages")))
        case "set":
            key = _key(record.get("key"))
            return Set(key, _value(key, record.get("value")))
        case "set_extra":
            return SetExtra(_text(record, "name"), record.get("value"))
        case op:
            raise ValueError(f"unknown change: {op!r}")


def _records(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    return [to_record(message) for message in messages]


def _messages(value: Any) -> tuple[Message, ...]:
    if not isinstance(value, list):
        raise ValueError("messages has the wrong type")
    return tuple(_message(item) for item in value)


def _message(value: Any) -> Message:
    if not isinstance(value, dict):
        raise ValueError("message has the wrong type")
    return from_record(value)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name} is missing or has the wrong type")
    return value


def _object(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    if not isinstance(value, dict):
        raise ValueError(f"{name} is missing or has the wrong type")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("number expected")
    return value


def _key(value: Any) -> Key:
    keys: tuple[Key, ...] = get_args(Key)
    for key in keys:
        if key == value:
            return key
    raise ValueError(f"unknown key: {value!r}")


def _queue_records(queue: tuple[tuple[int, str, Spans], ...]) -> list[list[Any]]:
    return [[at, text, *([[list(span) for span in pasted]] if pasted else [])] for at, text, pasted in queue]


def _queued(value: Any) -> tuple[int, str, Spans]:
    """Read a message that waits: id, text, and the pasted parts where there are any."""
    match value:
        case [at, str(text)]:
            return _number(at), text, ()
        case [at, str(text), pasted]:
            return _number(at), text, spans_from_record(pasted)
    raise ValueError("queue has the wrong type")


def _value(key: Key, value: Any) -> Any:
    """Give a part of the state in the type of its field; JSON knows lists only."""
    match key:
        case "model" | "trust" if isinstance(value, str):
            return value
        case "turn" | "next_uid":
            return _number(value)
        case "approvals" if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        case "queue" if isinstance(value, list):
            return tuple(_queued(item) for item in value)
    raise ValueError(f"{key} has the wrong type")
