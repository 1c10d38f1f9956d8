"""Chunks as providers send them, well-behaved and not."""

from itertools import pairwise
from typing import Any


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more}


def call(index: int | None = None, id: str | None = None, name: str | None = None, arguments: Any = None) -> Any:
    """One entry of `tool_calls`; None leaves a field out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    outer = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {**outer, "type": "function", "function": function}


def calls(*entries: Any) -> dict[str, Any]:
    return chunk({"tool_calls": list(entries)})


def cut_up(text: str, at: list[int]) -> list[str]:
    """Cut a text at these offsets."""
    marks = [0, *sorted({n % (len(text) + 1) for n in at}), len(text)]
    return [text[a:b] for a, b in pairwise(marks) if a != b] or [text]
