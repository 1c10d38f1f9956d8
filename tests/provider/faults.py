"""Streams that go bad at a given event, and calls that are streamed in odd ways, as data."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.provider.refusals import HTML, Wire, anthropic_error, openai_error
from tests.provider.server import FOREVER, Cut, Drip, Pause, Reset, Response, Step
from tests.provider.wire import DONE, Answer, anthropic_steps, call_delta, openai_chunk, openai_steps, sse


@dataclass(frozen=True)
class StreamFault:
    """A stream that goes bad before its event number `at`."""

    name: str
    spoil: Callable[[Sequence[bytes], int, Wire], Sequence[Step]]
    kinds: frozenset[str]
    """What it may be called if it happens before the answer was finished."""


def _then(*steps: Step) -> Callable[[Sequence[bytes], int, Wire], Sequence[Step]]:
    return lambda good, at, wire: [*good[:at], *steps]


def _inside(*steps: Step, share: float = 0.5) -> Callable[[Sequence[bytes], int, Wire], Sequence[Step]]:
    """Half of the event arrives, then something else happens."""
    return lambda good, at, wire: [*good[:at], good[at][: max(1, int(len(good[at]) * share))], *steps]


def _damaged(good: Sequence[bytes], at: int, wire: Wire) -> Sequence[Step]:
    """One event loses its end on the way, and the others arrive."""
    return [*good[:at], good[at].rstrip()[:-9] + b"\n\n", *good[at + 1 :]]


def _by_wire(openai: Step, anthropic: Step) -> Callable[[Sequence[bytes], int, Wire], Sequence[Step]]:
    return lambda good, at, wire: [*good[:at], openai if wire == "openai" else anthropic]


def _early_end(good: Sequence[bytes], at: int, wire: Wire) -> Sequence[Step]:
    return [*good[:at], DONE if wire == "openai" else sse({"type": "message_stop"}, "message_stop")]


def _error_event(message: str, type: str) -> Callable[[Sequence[bytes], int, Wire], Sequence[Step]]:
    return _by_wire(sse(openai_error(message, type, type)), sse(anthropic_error(message, type), "error"))


_BROKEN = frozenset({"network", "malformed"})
_STALL = frozenset({"stall", "timeout"})
_BAD = frozenset({"malformed"})

STREAM_FAULTS = (
    StreamFault("the connection is closed", _then(Cut()), _BROKEN),
    StreamFault("the connection is reset", _then(Reset()), _BROKEN),
    StreamFault("the stream ends without a finish", _then(), _BROKEN),
    StreamFault("the end mark comes early", _early_end, _BROKEN),
    StreamFault("closed inside an event", _inside(Cut()), _BROKEN),
    StreamFault("reset inside an event", _inside(Reset()), _BROKEN),
    StreamFault("ends inside an event", _inside(), _BROKEN),
    StreamFault("nothing more", _then(Pause(FOREVER)), _STALL),
    StreamFault("nothing more inside an event", _inside(Pause(FOREVER)), _STALL),
    StreamFault("comments for ever", _then(Drip(b": keep-alive\n\n", 0.02)), _STALL),
    StreamFault("empty lines for ever", _then(Drip(b"\n", 0.02)), _STALL),
    StreamFault(
        "empty events for ever",
        _by_wire(Drip(sse(openai_chunk(choices=[])), 0.02), Drip(sse({"type": "ping"}, "ping"), 0.02)),
        _STALL,
    ),
    StreamFault(
        "empty deltas for ever", _by_wire(Drip(sse(openai_chunk({})), 0.02), Drip(b"event: ping\n\n", 0.02)), _STALL
    ),
    StreamFault("a line that never ends", _then(Drip(b"data: " + b"x" * 1000, 0.02)), _STALL),
    StreamFault("half a JSON", _then(b'data: {"id":"chatcmpl-1","choi\n\n'), _BROKEN),
    StreamFault("one damaged event among good ones", _damaged, _BROKEN),
    StreamFault("JSON of another shape", _then(b"data: [1, 2]\n\n"), _BROKEN | {"bad_request", "server"}),
    StreamFault("bytes that are no UTF-8", _then(b'data: {"x":"\xff\xfe\x80"}\n\n'), _BROKEN),
    StreamFault("an HTML page", _then(HTML), _BROKEN),
    StreamFault("an error event", _error_event("The server had an error", "server_error"), frozenset({"server"})),
    StreamFault("an overload event", _error_event("Overloaded", "overloaded_error"), frozenset({"server"})),
    StreamFault("a rate event", _error_event("Rate limit reached", "rate_limit_error"), frozenset({"rate_limit"})),
)


def good_steps(answer: Answer, wire: Wire) -> list[bytes]:
    """The events of an answer in one of the formats."""
    return openai_steps(answer) if wire == "openai" else anthropic_steps(answer)


def finish_at(answer: Answer, wire: Wire) -> int:
    """The number of the event that says the answer is finished."""
    events = good_steps(answer, wire)
    mark = b'"finish_reason":"' if wire == "openai" else b'"stop_reason":"'
    return next(at for at, event in enumerate(events) if mark in event)


def odd_calls(how: str) -> Response:
    """Two tool calls, streamed in a way that is wrong but has a clear meaning."""
    first, second = ("c1", "read", '{"path":"a"}'), ("c2", "read", '{"path":"b"}')
    deltas: list[Any] = []
    for at, (id, name, arguments) in enumerate((first, second)):
        match how:
            case "no index":
                deltas += [call_delta(None, id, name, ""), call_delta(None, None, None, arguments)]
            case "the same index":
                deltas += [call_delta(0, id, name, ""), call_delta(0, None, None, arguments)]
            case "repeated ids":
                deltas += [call_delta(at, "c1", name, arguments)]
            case "no ids":
                deltas += [call_delta(at, None, name, arguments)]
            case "arguments as an object":
                deltas += [call_delta(at, id, name, json.loads(arguments))]
            case "id and name in every piece":
                deltas += [call_delta(at, id, name, part) for part in (arguments[:5], arguments[5:])]
            case _:
                raise ValueError(how)
    events = [openai_chunk({"role": "assistant", "content": ""}), *map(openai_chunk, deltas)]
    return Response([*map(sse, events), sse(openai_chunk(finish="tool_calls")), DONE])


ODD_CALLS = (
    "no index",
    "the same index",
    "repeated ids",
    "no ids",
    "arguments as an object",
    "id and name in every piece",
)
