"""Refusals: responses with an error status, in the words of real providers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

from tests.provider.server import Response

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
        return Response(
            [body], self.status, {"content-type": "text/html" if plain else "application/json", **self.headers}
        )


def openai_error(message: str, type: str = "invalid_request_error", code: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def anthropic_error(message: str, type: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_011"}


def _soon() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


_SLOW = "Rate limit reached for gpt-x in organization org-1 on requests per min (RPM): Limit 3, Used 3, Requested 1."
_TOO_LONG = (
    "This model's maximum context length is {} tokens. However, {} tokens. Please reduce the length of the messages."
)
_GEMINI = [
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"},
]

REFUSALS = (
    Refusal("no key", 401, openai_error("You didn't provide an API key.", "invalid_request_error"), "authentication"),
    Refusal("wrong key", 401, openai_error("Incorrect API key provided.", code="invalid_api_key"), "authentication"),
    Refusal(
        "wrong key, messages",
        401,
        anthropic_error("invalid x-api-key", "authentication_error"),
        "authentication",
        wire="anthropic",
    ),
    Refusal(
        "key error quoting words",
        401,
        openai_error("Incorrect key. You sent: 'context length 429 too long'"),
        "authentication",
    ),
    Refusal(
        "no balance", 402, openai_error("Insufficient Balance", "unknown_error", "invalid_request_error"), "payment"
    ),
    Refusal("no credits", 402, {"error": {"message": "Insufficient credits. Add more.", "code": 402}}, "payment"),
    Refusal(
        "country",
        403,
        openai_error(
            "Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"
        ),
        "permission",
    ),
    Refusal(
        "no permission, messages",
        403,
        anthropic_error("Your API key does not have permission to use the specified resource.", "permission_error"),
        "permission",
        wire="anthropic",
    ),
    Refusal("firewall page", 403, HTML.replace(b"502 Bad Gateway", b"403 Forbidden"), "permission"),
    Refusal(
        "no such model",
        404,
        openai_error("The model `gpt-x` does not exist or you do not have access to it.", code="model_not_found"),
        "bad_request",
    ),
    Refusal(
        "no such model, messages",
        404,
        anthropic_error("model: claude-x", "not_found_error"),
        "bad_request",
        wire="anthropic",
    ),
    Refusal("unknown parameter", 400, openai_error("Unrecognized request argument supplied: foo"), "bad_request"),
    Refusal(
        "roles, messages",
        400,
        anthropic_error('messages: roles must alternate between "user" and "assistant"', "invalid_request_error"),
        "bad_request",
        wire="anthropic",
    ),
    Refusal(
        "filtered",
        400,
        openai_error(
            "The response was filtered due to the prompt triggering content management policy.", code="content_filter"
        ),
        "bad_request",
    ),
    Refusal(
        "quoting 429",
        400,
        openai_error("Invalid 'messages[1].content': got '429 rate limit, text too long'"),
        "bad_request",
    ),
    Refusal(
        "unprocessable", 422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "bad_request"
    ),
    Refusal(
        "overflow",
        400,
        openai_error(_TOO_LONG.format(128_000, "your messages resulted in 130211"), code="context_length_exceeded"),
        "overflow",
    ),
    Refusal(
        "overflow, messages",
        400,
        anthropic_error("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
        "overflow",
        wire="anthropic",
    ),
    Refusal(
        "overflow by bytes, messages",
        413,
        anthropic_error("Request exceeds the maximum size", "request_too_large"),
        "overflow",
        wire="anthropic",
    ),
    Refusal(
        "overflow, vLLM",
        400,
        {
            "object": "error",
            "message": _TOO_LONG.format(8192, "you requested 9000"),
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        "overflow",
    ),
    Refusal(
        "overflow, llama.cpp",
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9000,
                "n_ctx": 8192,
            }
        },
        "overflow",
    ),
    Refusal("timeout", 408, openai_error("Request timed out.", "timeout"), "timeout", True),
    Refusal("conflict", 409, openai_error("The resource is locked, try again.", "conflict"), "server", True),
    Refusal(
        "rate, seconds",
        429,
        openai_error(_SLOW, "requests", "rate_limit_exceeded"),
        "rate_limit",
        True,
        headers={"retry-after": "3"},
        after=3,
    ),
    Refusal(
        "rate, fraction",
        429,
        openai_error(_SLOW, "requests", "rate_limit_exceeded"),
        "rate_limit",
        True,
        headers={"Retry-After": "1.5"},
        after=1.5,
    ),
    Refusal(
        "rate, date",
        429,
        openai_error(_SLOW, "requests", "rate_limit_exceeded"),
        "rate_limit",
        True,
        headers={"retry-after": _soon()},
    ),
    Refusal(
        "rate, milliseconds",
        429,
        openai_error(_SLOW, "requests", "rate_limit_exceeded"),
        "rate_limit",
        True,
        headers={"retry-after-ms": "2500"},
        after=2.5,
    ),
    Refusal(
        "rate, in words",
        429,
        openai_error(_SLOW + " Please try again in 20s.", "requests", "rate_limit_exceeded"),
        "rate_limit",
        True,
        after=20,
    ),
    Refusal("rate, bare", 429, b"", "rate_limit", True),
    Refusal(
        "rate, quoting overflow",
        429,
        openai_error(_SLOW + " Input: 'maximum context length is too long'", "tokens", "rate_limit_exceeded"),
        "rate_limit",
        True,
    ),
    Refusal(
        "rate, messages",
        429,
        anthropic_error(
            "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
            "rate_limit_error",
        ),
        "rate_limit",
        True,
        "anthropic",
        {"retry-after": "12"},
        12,
    ),
    Refusal(
        "rate, Gemini",
        429,
        {
            "error": {
                "code": 429,
                "message": "Resource has been exhausted (e.g. check quota).",
                "status": "RESOURCE_EXHAUSTED",
                "details": _GEMINI,
            }
        },
        "rate_limit",
        True,
        after=7,
    ),
    Refusal(
        "quota",
        429,
        openai_error(
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
            "insufficient_quota",
        ),
        "quota",
    ),
    Refusal(
        "quota, Kimi",
        429,
        {
            "error": {
                "message": "Your account is suspended, please check your plan and billing details",
                "type": "exceeded_current_quota_error",
            }
        },
        "quota",
    ),
    Refusal(
        "no balance, GLM", 429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}, "payment"
    ),
    Refusal(
        "server",
        500,
        openai_error("The server had an error while processing your request. Sorry about that!", "server_error"),
        "server",
        True,
    ),
    Refusal(
        "server, messages", 500, anthropic_error("Internal server error", "api_error"), "server", True, "anthropic"
    ),
    Refusal("gateway page", 502, HTML, "server", True),
    Refusal(
        "overloaded",
        503,
        openai_error("The engine is currently overloaded, please try again later", "server_error"),
        "server",
        True,
        headers={"retry-after": "2"},
        after=2,
    ),
    Refusal("gateway timeout page", 504, HTML.replace(b"502 Bad Gateway", b"504 Gateway Time-out"), "server", True),
    Refusal(
        "overloaded, messages", 529, anthropic_error("Overloaded", "overloaded_error"), "server", True, "anthropic"
    ),
)
