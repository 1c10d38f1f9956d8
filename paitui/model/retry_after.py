"""How long a provider wants to be left alone, wherever it says so."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from paitui.model.raw_error import RawError
from paitui.model.statement import Statement

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NAMES = {"毫秒": "ms", "秒": "s", "分": "m", "小": "h", "时": "h", "天": "d"}
_UNIT = "毫秒|秒|分钟|分|小时|天|ms|milliseconds?|msecs?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|hrs?|d|days?"
_PART = rf"(\d+(?:\.\d+)?)\s*({_UNIT})"
_DURATION = re.compile(rf"{_PART}(?![a-z])", re.IGNORECASE)
_SPAN = rf"((?:{_PART}(?![a-z])\s*)+)"
_SAID = tuple(
    re.compile(wording, re.IGNORECASE)
    for wording in (
        rf"(?:try(?:ing)? again|retry|retrying|available|resets?|wait)\s+(?:in|after|for)?\s*(?:about\s+)?{_SPAN}",
        rf"(?:请|并?在|等待|等)\s*(?:大约|约)?\s*{_SPAN}\s*(?:后|之后|以后|再)",
    )
)
_MAX_TEXT = 2_000


def retry_after(raw: RawError, said: Statement, now: float | None = None) -> float | None:
    """Find the delay that a provider asks for.

    Args:
        raw: The failed request.
        said: What the provider said.
        now: The time, in seconds since 1970; only needed for dates, and only where the server sends no time itself.

    Returns:
        Seconds from now, never negative; None if it names no delay.
    """
    headers = {name.lower(): value.strip() for name, value in raw.headers.items()}
    now = _date(headers.get("date", "")) or now
    found = _milliseconds(headers.get("retry-after-ms", ""))
    for value in (headers.get("retry-after", ""), *said.delays):
        found = found if found is not None else _value(value, now)
    if found is None:
        found = _in_words(" ".join(said.messages)[:_MAX_TEXT])
    if found is None and raw.status == 429:
        found = _reset(headers, now)
    return found


def _milliseconds(text: str) -> float | None:
    number = _number(text)
    return None if number is None else number / 1000


def _value(text: str, now: float | None) -> float | None:
    """Read a delay: seconds, a duration such as ``6m0s``, or a date."""
    if (number := _number(text)) is not None:
        return number
    if (duration := _duration(text)) is not None:
        return duration
    when = _date(text)
    return None if when is None or now is None else max(0.0, when - now)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _duration(text: str) -> float | None:
    if not re.fullmatch(_SPAN, text.strip(), re.IGNORECASE):
        return None
    return sum(float(number) * _UNITS[_unit(unit)] for number, unit in _DURATION.findall(text))


def _unit(name: str) -> str:
    name = name.lower()
    if name[:1] in _NAMES or name in _NAMES:
        return _NAMES.get(name) or _NAMES[name[:1]]
    return "ms" if name in ("ms", "msec", "msecs") or name.startswith("milli") else name[0]


def _date(text: str) -> float | None:
    """Read an HTTP date or an ISO date, as seconds since 1970."""
    try:
        when = datetime.fromisoformat(text) if re.match(r"\d{4}-\d\d-\d\d", text) else parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _in_words(text: str) -> float | None:
    for wording in _SAID:
        if match := wording.search(text):
            return _duration(match[1])
    return None


def _reset(headers: Mapping[str, str], now: float | None) -> float | None:
    """Read when a limit is renewed: the latest of those that are used up, or the only one that is named."""
    resets: dict[str, float] = {}
    for name, value in headers.items():
        if "ratelimit" in name.replace("rate-limit", "ratelimit") and "reset" in name:
            number = _number(value)
            if number is not None and number > 1e8:  # a point in time, in seconds or milliseconds
                seconds = number / 1000 if number > 1e11 else number
                if now is not None:
                    resets[name] = max(0.0, seconds - now)
            elif (delay := _value(value, now)) is not None:
                resets[name] = delay
    used_up = [delay for name, delay in resets.items() if headers.get(name.replace("reset", "remaining")) == "0"]
    if used_up:
        return max(used_up)
    return next(iter(resets.values())) if len(resets) == 1 else None
