"""What providers report of a request, wherever they put it."""

from collections.abc import Mapping
from typing import Any

from paitui.messages.message import Usage


def add_usage(known: Usage | None, reported: Any) -> Usage | None:
    """Add a report to what is known.

    Reports of one stream are cumulative, and a later one may lack what an earlier one held, so the larger number of
    each kind counts.

    Args:
        known: What earlier chunks reported.
        reported: The `usage` of a chunk or of a choice, in the chat-completions form or near it.

    Returns:
        The usage; `known` if the report holds nothing.
    """
    if not isinstance(reported, Mapping):
        return known
    before = known or Usage()
    sent, answered = _part(reported, "prompt_tokens_details"), _part(reported, "completion_tokens_details")
    cost: Any = reported.get("cost")
    usage = Usage(
        prompt=max(before.prompt, _count(reported, "prompt_tokens"), _count(reported, "input_tokens")),
        completion=max(before.completion, _count(reported, "completion_tokens"), _count(reported, "output_tokens")),
        reasoning=max(before.reasoning, _count(answered, "reasoning_tokens"), _count(reported, "reasoning_tokens")),
        cached=max(
            before.cached,
            _count(sent, "cached_tokens"),
            _count(reported, "cache_read_input_tokens"),
            _count(reported, "prompt_cache_hit_tokens"),
            _count(reported, "cached_tokens"),
        ),
        cost=float(cost)
        if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0
        else before.cost,
    )
    return known if usage == Usage() else usage


def _part(reported: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = reported.get(name)
    return part if isinstance(part, Mapping) else {}


def _count(reported: Mapping[str, Any], name: str) -> int:
    value = reported.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
