"""Reasoning blocks that a provider signs, put together from a stream.

Two families: thinking blocks (Anthropic and what follows it; the signature comes last, in a piece of its own) and
reasoning details (OpenRouter, which passes on what its upstream signed). They are opaque: what is not whole is of no
use, and a block that was altered is refused by its provider.
"""

from collections.abc import Iterable, Mapping
from typing import Any

_GROWING = ("thinking", "text", "summary", "signature", "data")
"""Fields that arrive in pieces; all others are the same in every piece, or come once."""


class Blocks:
    """Collects the blocks of one answer."""

    def __init__(self) -> None:
        self._thinking: list[dict[str, Any]] = []
        self._details: list[dict[str, Any]] = []

    def add(self, thinking: Iterable[Mapping[str, Any]], details: Iterable[Mapping[str, Any]]) -> None:
        """Take the pieces of a chunk, of both families."""
        for piece in thinking:
            _grow(self._thinking, piece)
        for piece in details:
            _grow(self._details, piece)

    def signed(self) -> tuple[Mapping[str, Any], ...]:
        """Give the blocks as they are to be sent back; empty if a thinking block lacks its signature."""
        # The position in the stream is the library's, not the provider's, who refuses fields it does not know.
        thinking = [{key: value for key, value in block.items() if key != "index"} for block in self._thinking]
        whole = all(block.get("signature") or block.get("data") for block in thinking)
        return tuple([*(thinking if whole else ()), *self._details])


def _grow(blocks: list[dict[str, Any]], piece: Mapping[str, Any]) -> None:
    last = blocks[-1] if blocks else None
    if last is None or not _continues(last, piece):
        blocks.append({key: value for key, value in piece.items() if value is not None})
        return
    for key, value in piece.items():
        if key in _GROWING and isinstance(value, str) and isinstance(last.get(key, ""), str):
            last[key] = last.get(key, "") + value
        elif value is not None:
            last[key] = value


def _continues(last: Mapping[str, Any], piece: Mapping[str, Any]) -> bool:
    if last.get("type") != piece.get("type") or piece.get("type") == "redacted_thinking":
        return False
    if piece.get("index") is not None and last.get("index") is not None:
        return bool(piece["index"] == last["index"])
    return not last.get("signature") or not (piece.get("thinking") or piece.get("text"))
