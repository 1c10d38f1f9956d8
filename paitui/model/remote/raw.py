"""What can be known of a failed request, as plain data: the library's error and what lies beneath it.

litellm wraps errors several times, gives connection failures a made-up status of 500 and drops the headers on the
way up; the truth is further down the chain of causes. Runs in the child, and knows the classes by name only.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

MAX_BODY = 20_000
"""Characters of an error body that are kept."""
MAX_MESSAGE = 4_000
"""Characters of an error message that are kept."""
MAX_HEADERS = 100
"""Headers that are kept."""
MAX_HEADER = 500
"""Characters of a header that are kept."""
MAX_DEPTH = 20
"""Errors of a chain that are looked at."""

_LABELS = re.compile(
    r"^(?:(?:litellm\.)?\w*(?:Error|Timeout|Exception): )*(?:\w+(?:Exception|Error) - )?|Handle with `.*?`\."
)
"""What litellm writes around the words of a provider."""

_CONNECTION = ("TransportError", "APIConnectionError", "ClientConnectionError", "ConnectionError", "gaierror")
_TIMEOUT = ("TimeoutException", "APITimeoutError", "TimeoutError")
_UNREADABLE = ("ValueError", "TypeError", "AttributeError", "KeyError", "IndexError")
"""What the library stumbles with over an event of an unknown shape."""
_MALFORMED = ("JSONDecodeError", "UnicodeDecodeError", "DecodingError")


_KINDS_WITHOUT_STATUS = ("Timeout", "Malformed", "APIConnectionError")


def describe(error: BaseException) -> dict[str, Any]:
    """Give what is known of an error.

    Args:
        error: What the library raised.

    Returns:
        ``kind`` (the name of an error class, of those that the OpenAI SDK and litellm use), ``status`` (an HTTP
        status that a server really sent, else None), ``code`` (the provider's word for it), ``message``,
        ``headers`` (lower-case names) and ``body`` (text).
    """
    chain = list(_chain(error)) or [error]
    answered = [(each, response) for each in chain if (response := _real_response(each)) is not None]
    status = answered[-1][1].status_code if answered else None
    kind = _kind(chain, status)
    if status is None and kind not in _KINDS_WITHOUT_STATUS and "MidStreamFallbackError" not in _names(chain[0]):
        status = next((filed for each in chain if (filed := _library_status(each)) is not None), None)
    headers: dict[str, str] = {}
    for each in chain:
        for source in (getattr(each, "headers", None), getattr(getattr(each, "response", None), "headers", None)):
            headers = headers or _texts(source)
    body = next((text for each in chain if (text := _body(each))), "")
    said = _said(_parsed(body)) or _message(chain, kind)
    return {
        "kind": kind,
        "status": status,
        "code": next((code for each in chain if (code := _code(each))), ""),
        "message": said[:MAX_MESSAGE],
        "headers": headers,
        "body": body[:MAX_BODY],
    }


def _chain(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(MAX_DEPTH):
        if current is None:
            return
        if not isinstance(current, StopIteration | StopAsyncIteration):
            yield current
        inner = getattr(current, "original_exception", None)
        following = current.__cause__ or current.__context__
        current = following or (inner if isinstance(inner, BaseException) else None)


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _real_response(error: BaseException) -> Any:
    """The response of an error that an HTTP client raised, not one that was made up on the way."""
    if not _names(error) & {"HTTPStatusError", "APIStatusError"} or "litellm.exceptions" in type(error).__module__:
        return None
    response = getattr(error, "response", None)
    return response if isinstance(getattr(response, "status_code", None), int) else None


def _library_status(error: BaseException) -> int | None:
    """The status by which litellm files an error of a provider that has no HTTP client of the usual kind."""
    status = getattr(error, "status_code", None) if "BaseLLMException" in _names(error) else None
    return status if isinstance(status, int) else None


def _kind(chain: list[BaseException], status: int | None) -> str:
    names = [_names(error) for error in chain]
    cut = "MidStreamFallbackError" in names[0]
    if status is None:
        if cut and any(own & set(_UNREADABLE) for own in names):
            return "Malformed"
        for group, kind in ((_TIMEOUT, "Timeout"), (_MALFORMED, "Malformed"), (_CONNECTION, "APIConnectionError")):
            if any(own & set(group) for own in names[1:] or names):
                return kind
    # The wrapper for a failure in the middle of a stream says nothing of its own.
    outer = chain[1:] if cut and len(chain) > 1 else chain
    return type(outer[0]).__name__


def _message(chain: list[BaseException], kind: str) -> str:
    outer = chain[1] if "MidStreamFallbackError" in _names(chain[0]) and len(chain) > 1 else chain[0]
    said = _LABELS.sub("", str(outer) or str(chain[0])).strip()
    if kind != "APIConnectionError":
        return said
    # "Connection error." is all that the upper levels say of a refused connection or an unknown name.
    deepest = next((str(error) for error in reversed(chain) if isinstance(error, OSError)), "")
    return f"{said} ({deepest})" if deepest and deepest not in said else said


def _code(error: BaseException) -> str:
    body = _parsed(_body(error))
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    for source in (inner, body):
        if isinstance(source, Mapping):
            for key in ("code", "type", "status"):
                if isinstance(value := source.get(key), str) and value not in ("", "error"):
                    return value
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and not code.isdigit() else ""


def _body(error: BaseException) -> str:
    """The text that came with an error: as it was sent, or as the client had parsed it."""
    response = _real_response(error)
    try:
        text = response.text if response is not None else ""
    except (RuntimeError, ValueError):  # a stream that was not read, or bytes that are no text
        text = ""
    body = getattr(error, "body", None)
    if not text and isinstance(body, Mapping | list):
        return json.dumps(body, ensure_ascii=False, default=str)
    return str(text or body or "")


def _said(body: Any) -> str:
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    message = inner.get("message") if isinstance(inner, Mapping) else inner
    return message if isinstance(message, str) else ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] == "{" else None
    except ValueError:
        return None


def _texts(headers: Any) -> dict[str, str]:
    items = headers.items() if hasattr(headers, "items") else ()
    return {str(name).lower(): str(value)[:MAX_HEADER] for name, value in islice(items, MAX_HEADERS)}
