"""Everything that providers do wrong, as data: refusals with a status, and streams that go bad at a given event."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import format_datetime
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from tests.provider.server import FOREVER, Cut, Drip, Pause, Reset, Response, Step
from tests.provider.wire import DONE, Answer, anthropic_steps, call_delta, openai_chunk, openai_steps, sse

Wire = Literal["openai", "anthropic"]

HTML = (
    b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n"
    b"<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>"
)


@dataclass(frozen=True)
class Refusal:
    """A response with an error status."""

    name: str
    status: int
    body: Any
    """JSON-ready data, or bytes."""
    kind: str
    """The kind of fault it is."""
    retried: bool = False
    """Whether asking again makes sense."""
    wire: Wire = "openai"
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float | None = None
    """Seconds that the server asks to wait."""

    @property
    def response(self) -> Response:
        plain = isinstance(self.body, bytes)
        body = self.body if plain else json.dumps(self.body, ensure_ascii=False).encode()
        return Response([body], self.status, {"content-type": "text/html" if plain else "application/json", **self.headers})


def _openai(message: str, type: str = "invalid_request_error", code: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def _anthropic(message: str, type: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_011"}


def _soon() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


_SLOW = "Rate limit reached for gpt-x in organization org-1 on requests per min (RPM): Limit 3, Used 3, Requested 1."
_GEMINI = [
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"},
]

REFUSALS = (
    Refusal("no key", 401, _openai("You didn't provide an API key.", "invalid_request_error"), "authentication"),
    Refusal("wrong key", 401, _openai("Incorrect API key provided.", code="invalid_api_key"), "authentication"),
    Refusal("wrong key, messages", 401, _anthropic("invalid x-api-key", "authentication_error"), "authentication", wire="anthropic"),
    Refusal("key error quoting words", 401, _openai("Incorrect key. You sent: 'context length 429 too long'"), "authentication"),
    Refusal("no balance", 402, _openai("Insufficient Balance", "unknown_error", "invalid_request_error"), "payment"),
    Refusal("no credits", 402, {"error": {"message": "Insufficient credits. Add more.", "code": 402}}, "payment"),
    Refusal("country", 403, _openai("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"), "permission"),
    Refusal("no permission, messages", 403, _anthropic("Your API key does not have permission to use the specified resource.", "permission_error"), "permission", wire="anthropic"),
    Refusal("firewall page", 403, HTML.replace(b"502 Bad Gateway", b"403 Forbidden"), "permission"),
    Refusal("no such model", 404, _openai("The model `gpt-x` does not exist or you do not have access to it.", code="model_not_found"), "bad_request"),
    Refusal("no such model, messages", 404, _anthropic("model: claude-x", "not_found_error"), "bad_request", wire="anthropic"),
    Refusal("unknown parameter", 400, _openai("Unrecognized request argument supplied: foo"), "bad_request"),
    Refusal("roles, messages", 400, _anthropic("messages: roles must alternate between \"user\" and \"assistant\"", "invalid_request_error"), "bad_request", wire="anthropic"),
    Refusal("filtered", 400, _openai("The response was filtered due to the prompt triggering content management policy.", code="content_filter"), "bad_request"),
    Refusal("quoting 429", 400, _openai("Invalid 'messages[1].content': got '429 rate limit, text too long'"), "bad_request"),
    Refusal("unprocessable", 422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "bad_request"),
    Refusal("overflow", 400, _openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens. Please reduce the length of the messages.", code="context_length_exceeded"), "overflow"),
    Refusal("overflow, messages", 400, _anthropic("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"), "overflow", wire="anthropic"),
    Refusal("overflow by bytes, messages", 413, _anthropic("Request exceeds the maximum size", "request_too_large"), "overflow", wire="anthropic"),
    Refusal("overflow, vLLM", 400, {"object": "error", "message": "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.", "type": "BadRequestError", "param": None, "code": 400}, "overflow"),
    Refusal("overflow, llama.cpp", 400, {"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}}, "overflow"),
    Refusal("timeout", 408, _openai("Request timed out.", "timeout"), "timeout", True),
    Refusal("conflict", 409, _openai("The resource is locked, try again.", "conflict"), "server", True),
    Refusal("rate, seconds", 429, _openai(_SLOW, "requests", "rate_limit_exceeded"), "rate_limit", True, headers={"retry-after": "3"}, after=3),
    Refusal("rate, fraction", 429, _openai(_SLOW, "requests", "rate_limit_exceeded"), "rate_limit", True, headers={"Retry-After": "1.5"}, after=1.5),
    Refusal("rate, date", 429, _openai(_SLOW, "requests", "rate_limit_exceeded"), "rate_limit", True, headers={"retry-after": _soon()}),
    Refusal("rate, milliseconds", 429, _openai(_SLOW, "requests", "rate_limit_exceeded"), "rate_limit", True, headers={"retry-after-ms": "2500"}, after=2.5),
    Refusal("rate, in words", 429, _openai(_SLOW + " Please try again in 20s.", "requests", "rate_limit_exceeded"), "rate_limit", True, after=20),
    Refusal("rate, bare", 429, b"", "rate_limit", True),
    Refusal("rate, quoting overflow", 429, _openai(_SLOW + " Input: 'maximum context length is too long'", "tokens", "rate_limit_exceeded"), "rate_limit", True),
    Refusal("rate, messages", 429, _anthropic("This request would exceed your organization's rate limit of 50,000 input tokens per minute.", "rate_limit_error"), "rate_limit", True, "anthropic", {"retry-after": "12"}, 12),
    Refusal("rate, Gemini", 429, {"error": {"code": 429, "message": "Resource has been exhausted (e.g. check quota).", "status": "RESOURCE_EXHAUSTED", "details": _GEMINI}}, "rate_limit", True, after=7),
    Refusal("quota", 429, _openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"), "quota"),
    Refusal("quota, Kimi", 429, {"error": {"message": "Your account is suspended, please check your plan and billing details", "type": "exceeded_current_quota_error"}}, "quota"),
    Refusal("quota, GLM", 429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}, "quota"),
    Refusal("server", 500, _openai("The server had an error while processing your request. Sorry about that!", "server_error"), "server", True),
    Refusal("server, messages", 500, _anthropic("Internal server error", "api_error"), "server", True, "anthropic"),
    Refusal("gateway page", 502, HTML, "server", True),
    Refusal("overloaded", 503, _openai("The engine is currently overloaded, please try again later", "server_error"), "server", True, headers={"retry-after": "2"}, after=2),
    Refusal("gateway timeout page", 504, HTML.replace(b"502 Bad Gateway", b"504 Gateway Time-out"), "server", True),
    Refusal("overloaded, messages", 529, _anthropic("Overloaded", "overloaded_error"), "server", True, "anthropic"),
)  # fmt: skip


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


def _by_wire(openai: Step, anthropic: Step) -> Callable[[Sequence[bytes], int, Wire], Sequence[Step]]:
    return lambda good, at, wire: [*good[:at], openai if wire == "openai" else anthropic]


def _early_end(good: Sequence[bytes], at: int, wire: Wire) -> Sequence[Step]:
    return [*good[:at], DONE if wire == "openai" else sse({"type": "message_stop"}, "message_stop")]


def _error_event(message: str, type: str) -> Callable[[Sequence[bytes], int, Wire], Sequence[Step]]:
    return _by_wire(sse(_openai(message, type, type)), sse(_anthropic(message, type), "error"))


_BROKEN = frozenset({"network", "malformed"})
_STALL = frozenset({"stall"})
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
    StreamFault("empty deltas for ever", _by_wire(Drip(sse(openai_chunk({})), 0.02), Drip(b"event: ping\n\n", 0.02)), _STALL),
    StreamFault("a line that never ends", _then(Drip(b"data: " + b"x" * 1000, 0.02)), _STALL),
    StreamFault("half a JSON", _then(b'data: {"id":"chatcmpl-1","choi\n\n'), _BROKEN),
    StreamFault("JSON of another shape", _then(b"data: [1, 2]\n\n"), _BROKEN | {"bad_request", "server"}),
    StreamFault("bytes that are no UTF-8", _then(b'data: {"x":"\xff\xfe\x80"}\n\n'), _BROKEN),
    StreamFault("an HTML page", _then(HTML), _BROKEN),
    StreamFault("an error event", _error_event("The server had an error", "server_error"), frozenset({"server"})),
    StreamFault("an overload event", _error_event("Overloaded", "overloaded_error"), frozenset({"server"})),
    StreamFault("a rate event", _error_event("Rate limit reached", "rate_limit_error"), frozenset({"rate_limit"})),
)  # fmt: skip


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
