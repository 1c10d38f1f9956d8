"""What is known of a line without keeping it: what lists, filters and jumps go by."""

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from paitui.jsontext import decode

WHOLE_BYTES = 262_144
"""Lines up to this size are decoded whole; of longer ones only head and tail are read."""
HEAD_BYTES, TAIL_BYTES = 16_384, 8_192
"""How much of a long line is read."""
DAMAGED = "damaged"
"""The event of a line that is no record."""


class Facts(NamedTuple):
    """What a line is; the same for many lines."""

    event: str
    """One of `EventName`, the name of a newer program's event, or `DAMAGED`."""
    unit: str = ""
    """Whose history."""
    role: str = ""
    """For a message."""
    kind: str = ""
    """For a boundary."""
    tools: tuple[str, ...] = ()
    """Names of the tools that it is about: a result's, those an answer calls, an approval's."""


class LongLine(NamedTuple):
    """What can be told of a long line from its beginning and end."""

    facts: Facts
    uid: int
    """`Message.uid`; 0 if it is no message."""
    seq: int
    time: str
    session: str
    words: str
    """The first words of a message."""
    v: int


NO_RECORD = (Facts(DAMAGED), 0)

_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_HEADER = re.compile(
    rb'\{"v":(\d{1,9}),"seq":(\d{1,18}),"time":%b,"session":%b,"unit":%b,"event":%b,"payload":\{' % ((_TEXT,) * 4)
)
_FIRST = re.compile(rb'"(role|kind|tool)":%b' % _TEXT)
_CONTENT = re.compile(rb'"content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\.){0,4000})')
_RESULT_OF = re.compile(rb'"tool_call_id":%b,"name":%b,' % (_TEXT, _TEXT))
_UID = re.compile(rb'"uid":(\d{1,18}),"origin":')
CALLED = re.compile(rb'"function":\{"name":"([^"\\]{1,200})"')
"""A tool call in the bytes of a line; inside a text its quotes would stand escaped."""
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def facts_of(line: bytes) -> tuple[Facts | tuple[Any, ...], int]:
    """Tell what a line is; nothing is raised for one that is no record.

    Args:
        line: At most `WHOLE_BYTES`, without its line end.

    Returns:
        What it is, as `Facts` or a tuple of the same values, and the message's uid or 0.
    """
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            found = decode(line)  # what orjson will not read: lone surrogates, deep nesting
        except ValueError:
            return NO_RECORD
    try:
        payload, event, unit = found["payload"], found["event"], found["unit"]
        if not (
            type(payload) is dict
            and type(event) is str
            and type(unit) is str
            and type(found["seq"]) is int
            and type(found["v"]) is int
            and type(found["time"]) is str
            and type(found["session"]) is str
        ):
            return NO_RECORD
    except (KeyError, TypeError, IndexError):
        return NO_RECORD
    if event == "message":
        role, uid = str(payload.get("role", "")), payload.get("uid", 0)
        calls = payload.get("tool_calls")
        tools = called(calls) if calls else ((str(payload.get("name", "")),) if role == "tool" else ())
        return (event, unit, role, "", tools), uid if type(uid) is int and 0 < uid < 1 << 62 else 0
    if event == "boundary":
        return (event, unit, "", str(payload.get("kind", "")), ()), 0
    tool = payload.get("tool", "")
    return (event, unit, "", "", (str(tool),) if tool else ()), 0


def called(calls: Any) -> tuple[str, ...]:
    """Give the names in the calls of an assistant message, each once."""
    if not isinstance(calls, list):
        return ()
    functions = [call.get("function") for call in calls if isinstance(call, dict)]
    names = [str(function.get("name", "")) for function in functions if isinstance(function, dict)]
    return tuple(dict.fromkeys(names))


def long_line(head: bytes, tail: bytes, names: Iterable[str] = ()) -> LongLine | None:
    """Tell what a long line is, as far as its beginning and end say it.

    Args:
        head: Its first bytes, up to `HEAD_BYTES`.
        tail: Its last ones, up to `TAIL_BYTES`, without the line end.
        names: Tools called anywhere in it, if somebody looked.

    Returns:
        What it is; None if it does not look like a record.
    """
    header = _HEADER.match(head)
    if header is None or not tail.endswith(b"}"):
        return None
    event = _unescaped(header[6])
    first = _FIRST.match(head, header.end())
    role = kind = words = ""
    uid, tools = 0, tuple(dict.fromkeys(names))
    if event == "message":
        role = _unescaped(first[2]) if first and first[1] == b"role" else ""
        uids = _UID.findall(tail)
        uid = int(uids[-1]) if uids else 0
        if role == "tool":
            results = _RESULT_OF.findall(tail)
            tools = (_unescaped(results[-1][1]),) if results else ()
        elif not tools:
            tools = tuple(dict.fromkeys(_unescaped(name) for name in CALLED.findall(head)))
        content = _CONTENT.search(head, header.end())
        words = _unescaped(content[1]) if content else ""
    elif first and first[1] == b"kind":
        kind = _unescaped(first[2]) if event == "boundary" else ""
    elif first and first[1] == b"tool":
        tools = (_unescaped(first[2]),)
    facts = Facts(event, _unescaped(header[5]), role, kind, tools)
    time, session = _unescaped(header[3]), _unescaped(header[4])
    return LongLine(facts, uid, int(header[2]), time, session, words, int(header[1]))


def _unescaped(text: bytes) -> str:
    """Read a JSON text, or the beginning of one."""
    whole = _CUT_ESCAPE.sub("", text.decode("utf-8", "ignore"))
    try:
        return str(json.loads(f'"{whole}"', strict=False))
    except ValueError:
        return whole
