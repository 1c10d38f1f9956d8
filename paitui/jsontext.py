"""JSON for files: fast for what is normal, lossless for what is not."""

import json
from typing import Any

import orjson


def encode(value: Any) -> bytes:
    """Write a value as one line of JSON.

    orjson refuses text with lone surrogates (file names and output that were no UTF-8), integers over 64 bits
    and very deep nesting. The standard library writes them all, a surrogate as an escape, so nothing is lost.

    Args:
        value: Plain data: dicts with text keys, lists or tuples, texts, numbers, booleans, None.

    Returns:
        ASCII or UTF-8 bytes without a line break.

    Raises:
        TypeError: The value holds something that is no plain data.
        ValueError: It holds itself, or is nested deeper than the interpreter can follow.
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # orjson's error for all of these, and for what is no plain data
        try:
            return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def decode(data: bytes) -> Any:
    """Read what `encode` wrote.

    Args:
        data: One JSON text.

    Returns:
        The value.

    Raises:
        ValueError: It is no JSON, or is cut off.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:  # also for escaped lone surrogates and deep nesting
        try:
            return json.loads(data.decode("utf-8"))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
