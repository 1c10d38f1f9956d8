"""What a provider says of an error: its codes and the beginnings of its messages, and nothing that it quotes.

Error texts repeat what was sent: a bad value, a piece of a prompt, a whole message. "429" or "too long" in there
means nothing. So only fields that providers fill themselves are read, and of a message only its beginning counts.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paitui.model.raw_error import RawError

_CODES = ("code", "type", "status", "reason", "error_code", "err_code", "status_code", "Code", "errorCode", "quotaId")
_MESSAGES = ("message", "msg", "detail", "error", "status_msg", "error_msg", "Message", "errorMessage", "title")
_INNER = ("error", "errors", "detail", "details", "metadata", "base_resp", "Response", "Error", "violations", "raw")
_MAX_DEPTH = 8
_MAX_TEXT = 20_000

_LABEL = re.compile(
    r"\s*(?:"
    r"[\w.]*(?:Error|Exception|Timeout)(?:\s+[\w.]*(?:Error|Exception))?\s*[:\-](?:\s+|$)"
    r"|(?:API )?error(?: code)?\s*:?\s*\d{3}\s*[:\-]?\s*"
    r"|(?:error|message|detail|api error|provider returned error)\s*:\s*"
    r"|(?:invalid|bad)[ _](?:request|params?|parameters?)(?:[ _]error)?\s*[:,]\s*"
    r"|(?:http )?status(?: code)?\s*[:=]?\s*\d{3}\s*[:,\-]?\s*"
    r"|input validation error\s*:\s*"
    r"|<?\[?\d{3}\]?>?\s*[:\-]?\s+"
    r"|InternalError\.Algo\.InvalidParameter\s*:\s*"
    r"|error, "
    r")",
    re.IGNORECASE,
)
"""What libraries and gateways write before the words of a provider."""
_TAGS = re.compile(r"<(?:style|script|head)\b.*?</(?:style|script|head)>|<[^>]{0,200}>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """An error in the provider's own words."""

    codes: frozenset[str]
    """Codes, types and states, in lower case."""
    messages: tuple[str, ...]
    """Messages, labels taken off, the innermost last; may be empty."""
    delays: tuple[str, ...] = ()
    """Values of fields that name a delay."""

    @property
    def text(self) -> str:
        """The message that says most: the innermost one."""
        return self.messages[-1] if self.messages else ""

    def begins(self, wordings: list[str]) -> bool:
        """Whether a message begins with one of these (regular expressions, in lower case)."""
        return any(re.match(wording, message.lower()) for message in self.messages for wording in wordings)


def read(raw: RawError) -> Statement:
    """Find out what a provider said.

    Args:
        raw: The failed request.

    Returns:
        Its codes and messages; of a page of HTML, its visible text.
    """
    found: list[tuple[str, str]] = []
    if raw.code:
        found.append(("code", raw.code))
    inner = _structure(raw.body)
    for text in (raw.message, "" if inner is not None else raw.body):
        plain = unlabelled(text)
        structure = _structure(plain)
        if structure is not None:
            found += _walk(structure, 0)
        elif plain:
            found.append(("message", plain))
    if inner is not None:
        found += _walk(inner, 0)
    codes = frozenset(value.strip().lower() for kind, value in found if kind == "code" and len(value) <= 100)
    messages = dict.fromkeys(value for kind, value in found if kind == "message")
    return Statement(codes, tuple(messages), tuple(value for kind, value in found if kind == "delay"))


def unlabelled(text: str) -> str:
    """Take off what libraries and gateways write before the words of a provider."""
    text = text[:_MAX_TEXT].strip()
    if text[:200].lstrip().lower().startswith(("<!doctype", "<html", "<head", "<?xml")):
        text = " ".join(_TAGS.sub(" ", text).split())
    for _ in range(8):
        match = _LABEL.match(text)
        if match is None or not match.group():
            break
        text = text[match.end() :]
    return text


def _structure(text: str) -> Any:
    """Read a text that is a JSON value, or Python's way of writing one; None if it is neither."""
    text = text[:_MAX_TEXT].strip()
    if text[:2] in ("b'", 'b"'):
        text = text[2:-1]
    if text[:1] not in "{[" or not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # the other way of writing it follows
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _walk(value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Give what providers fill themselves, as pairs of kind and text; the inner parts come last."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list | tuple):
        for item in value[:20]:
            yield from _walk(item, depth + 1)
    if not isinstance(value, Mapping):
        return
    for key in _CODES:
        if isinstance(found := value.get(key), str | int) and not isinstance(found, bool):
            yield "code", str(found)
    for key in ("retryDelay", "retry_after", "retry_after_seconds", "retryAfter"):
        if isinstance(found := value.get(key), str | int | float) and not isinstance(found, bool):
            yield "delay", str(found)
    for key in _MESSAGES:
        if isinstance(found := value.get(key), str) and (plain := unlabelled(found)):
            structure = _structure(plain)
            if structure is None:
                yield "message", plain
            else:
                yield from _walk(structure, depth + 1)
    for key in _INNER:
        inner = value.get(key)
        if isinstance(inner, str) and key == "raw":  # what an upstream sent, passed on as text
            plain = unlabelled(inner)
            inner = _structure(plain)
            if inner is None and plain:
                yield "message", plain
        yield from _walk(inner, depth + 1)
