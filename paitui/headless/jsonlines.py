"""Events as JSON: plain values, phrases rendered."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from msgspec import Struct

from paitui.clock import iso
from paitui.context.report import ContextReport
from paitui.engine.events import Event, UnitEvent
from paitui.locale import Phrase, Words
from paitui.messages.codec import to_record
from paitui.messages.message import Message


def event_object(event: Event, words: Words) -> dict[str, Any]:
    """Give an event as a JSON-ready object.

    Args:
        event: Any event.
        words: Renders the phrases in it.

    Returns:
        ``event`` with the name in snake case (``tool_started``), then every field of the event; what happened in a
        unit has its name as ``unit``.
    """
    if isinstance(event, UnitEvent):
        return {**event_object(event.event, words), "unit": event.unit}
    return {"event": _snake(type(event).__name__), **_fields(event, words)}


def dump(value: Any) -> str:
    """Give one line of JSON that can always be encoded.

    Text from files may hold lone surrogates, which UTF-8 cannot carry; such a line is escaped to ASCII.
    """
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return line


def _fields(value: Any, words: Words) -> dict[str, Any]:
    names = value.__struct_fields__ if isinstance(value, Struct) else [field.name for field in fields(value)]
    return {name: _plain(getattr(value, name), words) for name in names}


def _plain(value: Any, words: Words) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return iso(value)
        case Phrase():
            return words.say(value)
        case Message():
            return to_record(value)
        case ContextReport():
            return {**_fields(value, words), "parts": dict(value.parts)}
        case Mapping():
            return {str(key): _plain(item, words) for key, item in value.items()}
        case tuple() | list():
            return [_plain(item, words) for item in value]
    if isinstance(value, Struct) or (is_dataclass(value) and not isinstance(value, type)):
        return _fields(value, words)
    raise TypeError(f"an event holds a {type(value).__name__}, which has no JSON form")


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
