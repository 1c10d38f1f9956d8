"""What a failed request means: its kind, what to tell the user, whether and when to try again."""

import math
import random
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from paitui.locale import Phrase, phrase
from paitui.model.overflow import is_overflow
from paitui.model.port import FaultKind
from paitui.model.providers import Target
from paitui.model.raw_error import RawError
from paitui.model.retry_after import retry_after
from paitui.model.statement import Statement, read
from paitui.trust.secrets import mask

MAX_WAIT_S = 60.0
"""Longest wait before a further try, in seconds; a provider that asks for more is not asked again."""

_FILE = Path(__file__).parent / "faults.toml"
_SHOWN_CHARS = 300
_TOO_BIG = re.compile(r"request too large for .{1,200}? on tokens per min.{0,20}?limit ([\d,]+), requested ([\d,]+)")

_Cause = Literal[
    "payment",
    "quota",
    "authentication",
    "permission",
    "rate_limit",
    "rate_limit_size",
    "content_filter",
    "overflow",
    "timeout",
    "no_model",
    "overloaded",
    "server",
    "conflict",
    "bad_request",
    "network",
    "stall",
    "malformed",
    "child_died",
    "cut_stream",
    "cut_length",
]

_KINDS: Mapping[_Cause, FaultKind] = {
    "payment": "payment",
    "quota": "quota",
    "authentication": "authentication",
    "permission": "permission",
    "rate_limit": "rate_limit",
    "rate_limit_size": "rate_limit",
    "content_filter": "bad_request",
    "overflow": "overflow",
    "timeout": "timeout",
    "no_model": "bad_request",
    "overloaded": "server",
    "server": "server",
    "conflict": "server",
    "bad_request": "bad_request",
    "network": "network",
    "stall": "stall",
    "malformed": "malformed",
    "child_died": "server",
    "cut_stream": "network",
    "cut_length": "malformed",
}
_RETRIED: tuple[_Cause, ...] = ("rate_limit", "overloaded", "server", "conflict", "network", "cut_stream")

_CLASSES: Mapping[str, _Cause] = {
    "AuthenticationError": "authentication",
    "PermissionDeniedError": "permission",
    "RateLimitError": "rate_limit",
    "NotFoundError": "no_model",
    "ContentPolicyViolationError": "content_filter",
    "InternalServerError": "server",
    "ServiceUnavailableError": "overloaded",
    "BadGatewayError": "server",
    "Timeout": "timeout",
    "APIConnectionError": "network",
    "Malformed": "malformed",
    "APIResponseValidationError": "malformed",
}
"""What the library's classes mean where no server gave a status; all others are faults of the request."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a request went to, for the words of a fault; and how large it was."""

    provider: str = ""
    """Name of the provider for people; empty if unknown."""
    model: str = ""
    """Name of the model at the provider; empty if unknown."""
    table: str = ""
    """Name of the provider's table in the settings."""
    key_env: str = ""
    """Environment variable with the key; empty if there is none."""
    rule: str = ""
    """Name of the provider whose rules hold, for numbers that mean something only there."""
    estimate: int = 0
    """Tokens of the request, as estimated; 0 if unknown."""
    window: int = 0
    """Tokens the model takes; 0 if unknown."""

    @classmethod
    def of(cls, target: Target, estimate: int = 0, window: int = 0) -> "Asked":
        """Describe a request to a target."""
        rule = target.rule
        return cls(rule.title, target.name, target.provider, target.key_env, rule.name, estimate, window)


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed request, judged."""

    kind: FaultKind
    phrase: Phrase
    """What happened and what to do."""
    retry: bool
    """Whether trying again makes sense; only as long as nothing of an answer was shown."""
    retry_after_s: float | None = None
    """Seconds that the provider asks to wait; None if it does not say."""


def judge(raw: RawError, asked: Asked | None = None, now: float | None = None) -> Fault:
    """Judge a failed request.

    Args:
        raw: What is known of the failure.
        asked: Whom it went to.
        now: The time, in seconds since 1970; needed where a provider names a date and sends no time of its own.

    Returns:
        Its kind, what to say, and whether to try again: only after connection errors, 408, 409, 429 that is no quota,
        5xx and overload, and not if the provider asks for more than `MAX_WAIT_S`.
    """
    asked = asked or Asked()
    said = read(raw)
    cause = _cause(raw, said, asked)
    wait = retry_after(raw, said, now) if cause in ("rate_limit", "overloaded", "server", "timeout") else None
    retry = cause in _RETRIED or (cause == "timeout" and raw.where == "connect")
    if wait is not None and wait > MAX_WAIT_S:
        return Fault(_KINDS[cause], _say("rate_limit_long", asked, said, wait=_span(wait)), False, wait)
    return Fault(_KINDS[cause], _phrase(cause, raw, said, asked), retry, wait)


def no_key(asked: Asked) -> Fault:
    """Give the fault of a request that cannot be sent for want of a key."""
    return Fault("authentication", _say("no_key", asked, None, how=_how(asked)), False)


def delay(attempt: int, fault: Fault, rng: random.Random, cap: float = MAX_WAIT_S) -> float:
    """Choose how long to wait before the next try.

    Full jitter: evenly between nothing and a bound that doubles with each try, so that many clients do not come back
    together. What the provider asked for is waited for in full, with a little jitter behind.

    Args:
        attempt: How many tries there were, from 1.
        fault: Why the last one failed.
        rng: Source of the jitter.
        cap: Longest wait in seconds.

    Returns:
        Seconds, at most `cap`.
    """
    if fault.retry_after_s is not None:
        return min(cap, fault.retry_after_s + rng.uniform(0, 1))
    return rng.uniform(0, min(cap, 2.0 ** min(attempt - 1, 30)))


def _cause(raw: RawError, said: Statement, asked: Asked) -> _Cause:
    if raw.where == "idle":
        return "stall"
    if raw.where == "first_event":
        return "timeout"
    if raw.where == "child":
        return "child_died"
    book: Mapping[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    status = raw.status or _status(said)
    named = _named(said, book, asked.rule)
    if named == "quota" and _per_minute(said):
        named = "rate_limit"
    if named in ("payment", "quota"):
        return named
    if status in (401, 402, 403, 407):
        by_status: dict[int, _Cause] = {401: "authentication", 402: "payment", 403: "permission", 407: "network"}
        return named if named in ("authentication", "permission", "content_filter") else by_status[status]
    if named in ("authentication", "permission"):
        return named
    if named == "rate_limit" or status == 429:
        return "overloaded" if named == "overloaded" else "rate_limit_size" if _too_big(said) else "rate_limit"
    if status == 408 or (named == "timeout" and status is None):
        return "timeout"
    if named == "content_filter":
        return named
    overflow, estimate = book["overflow"], 0 if named else asked.estimate
    if is_overflow(status, said, overflow["codes"], overflow["wordings"], estimate, asked.window):
        return "overflow"
    if named in ("overloaded", "server", "no_model"):
        return named
    return _by_status(status) if status is not None else _without_status(raw)


def _named(said: Statement, book: Mapping[str, Any], rule: str) -> _Cause | None:
    """Find the cause that codes name, else the one that wordings do; overflow is judged apart."""
    causes: list[_Cause] = [
        "payment",
        "quota",
        "authentication",
        "permission",
        "rate_limit",
        "content_filter",
        "overloaded",
        "timeout",
        "no_model",
        "server",
    ]
    special = book["numbers"].get(rule, {})
    for cause in causes:
        if not said.codes.isdisjoint(special.get(cause, ())):
            return cause
    # A quota is often filed under the code of a rate limit, and money under any: there the words are more exact.
    for cause in causes[:2]:
        if not said.codes.isdisjoint(book[cause]["codes"]) or said.begins(book[cause]["wordings"]):
            return cause
    for part in ("codes", "wordings"):
        for cause in causes[2:]:
            known = book[cause][part]
            if said.begins(known) if part == "wordings" else not said.codes.isdisjoint(known):
                return cause
    return None


def _per_minute(said: Statement) -> bool:
    """Whether what is called a quota is one that is renewed in a moment: Gemini words both alike."""
    quotas = [code for code in said.codes if "perday" in code or "perminute" in code]
    if quotas:
        return not any("perday" in code for code in quotas)
    return "resource_exhausted" in said.codes and bool(said.delays)


def _too_big(said: Statement) -> bool:
    """Whether the request alone is more than the plan allows in a minute."""
    match = _TOO_BIG.match(said.text.lower())
    return match is not None and int(match[2].replace(",", "")) > int(match[1].replace(",", ""))


def _status(said: Statement) -> int | None:
    """Give the status that an error inside a stream names as its code."""
    numbers = sorted(int(code) for code in said.codes if re.fullmatch(r"[45]\d\d", code))
    return numbers[0] if numbers else None


def _by_status(status: int) -> _Cause:
    if status == 409:
        return "conflict"
    if status in (404, 405, 410):
        return "no_model"
    if status >= 500:
        return "overloaded" if status in (503, 529) else "server"
    return "bad_request"


def _without_status(raw: RawError) -> _Cause:
    if raw.kind:
        return _CLASSES.get(raw.kind, "malformed" if raw.where == "stream" else "bad_request")
    if raw.code in ("length", "max_tokens"):
        return "cut_length"
    return "cut_stream" if raw.where == "stream" else "network"


def _phrase(cause: _Cause, raw: RawError, said: Statement, asked: Asked) -> Phrase:
    if cause == "server":
        return _say("server", asked, said, status=raw.status or _status(said) or raw.kind or "?")
    if cause == "conflict":
        return _say("server", asked, said, status=409)
    if cause == "authentication":
        return _say("authentication", asked, said, how=_how(asked))
    return _say(cause, asked, said)


def _say(name: str, asked: Asked, said: Statement | None, **more: Any) -> Phrase:
    words = mask(" ".join(said.text.split())) if said else ""
    if len(words) > _SHOWN_CHARS:
        words = f"{words[:_SHOWN_CHARS]}…"
    known = {
        "provider": asked.provider or phrase("model.some_provider"),
        "model": asked.model or phrase("model.some_model"),
        "name": asked.table or "NAME",
        "detail": phrase("model.said", text=words) if words else phrase("model.said_nothing"),
    }
    return phrase(f"model.{name}", **known, **more)


def _how(asked: Asked) -> Phrase:
    table = asked.table or "NAME"
    if asked.key_env:
        return phrase("model.key_both", env=asked.key_env, name=table)
    return phrase("model.key_setting", name=table)


def _span(seconds: float) -> Phrase:
    for name, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return phrase(f"model.{name}", n=math.ceil(seconds / size))
    return phrase("model.seconds", n=math.ceil(seconds))
