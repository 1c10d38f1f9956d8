"""From what a step wants to calls that a tool accepts: names and arguments as the request's schemas have them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from paitui.messages.message import Message, ToolCall, ToolSpec

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "path": ("path", "file_path", "file", "directory", "dir"),
    "pattern": ("pattern", "glob", "query", "regex"),
    "command": ("command", "cmd"),
    "content": ("content", "text", "contents"),
    "old": ("old_text", "old", "old_string", "find", "search"),
    "new": ("new_text", "new", "new_string", "replacement", "replace"),
    "all": ("replace_all", "all", "all_occurrences"),
    "offset": ("offset",),
    "limit": ("limit",),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that a step wants."""

    tool: str
    arguments: Mapping[str, Any]
    """By role; `calls` finds the schema's own names."""


def make_calls(
    wanted: Sequence[Wanted], tools: Iterable[ToolSpec], messages: Iterable[Message]
) -> tuple[ToolCall, ...]:
    """Write the calls.

    Args:
        wanted: What a step wants, in order.
        tools: The tools of the request.
        messages: The request's messages; no id of theirs is used again.

    Returns:
        One call each, with ids that are unique in the history.
    """
    schemas = {spec.name: spec.parameters.get("properties", {}) for spec in tools}
    used = {call.id for message in messages for call in message.tool_calls}
    calls: list[ToolCall] = []
    number = len(used)
    for want in wanted:
        number += 1
        while f"call_{number}" in used:
            number += 1
        known = schemas.get(want.tool, {})
        arguments = {_name(role, known): value for role, value in want.arguments.items() if _name(role, known)}
        calls.append(ToolCall(f"call_{number}", want.tool, orjson.dumps(arguments).decode()))
    return tuple(calls)


def _name(role: str, known: Mapping[str, Any]) -> str:
    """The schema's name for a role; empty if the tool has no such argument."""
    if not known:
        return role
    return next((name for name in _ALIASES.get(role, (role,)) if name in known), "")
