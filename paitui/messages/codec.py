"""Messages as JSON: the wire form that providers of the chat-completions kind read, and the stored form."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from paitui.messages.message import Image, Message, Spans, ToolCall, ToolSpec

_DEFAULTS = {field.name: field.default for field in fields(Message)}


def to_wire(message: Message) -> dict[str, Any]:
    """Give the message as it is sent, in the chat-completions form.

    Args:
        message: Any message of a history.

    Returns:
        A JSON-ready object with ``role`` and ``content`` and, where they apply, ``tool_calls``,
        ``tool_call_id``, ``name`` and ``reasoning_content``. Paitui's own notes are left out.
    """
    text = message.sent_text
    content: Any = text
    if message.images:
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        parts += [{"type": "image_url", "image_url": {"url": image.url}} for image in message.images]
        content = parts
    wire: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        if not message.content:
            wire["content"] = None
    if message.role == "tool":
        wire["tool_call_id"] = message.tool_call_id
        wire["name"] = message.name
    if message.reasoning:
        wire["reasoning_content"] = message.reasoning
    return wire


def spec_to_wire(spec: ToolSpec) -> dict[str, Any]:
    """Give a tool's schema in the chat-completions form."""
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)},
    }


def to_record(message: Message) -> dict[str, Any]:
    """Give everything of a message as a JSON-ready object; default values are left out."""
    record: dict[str, Any] = {"role": message.role}
    for name, default in _DEFAULTS.items():
        value = getattr(message, name)
        if name == "role" or value == default:
            continue
        if name == "tool_calls":
            value = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in value]
        elif name == "images":
            value = [{"url": image.url} for image in value]
        elif name == "signed_reasoning":
            value = [dict(block) for block in value]
        elif name == "remembered":
            value = list(value)
        elif name == "pasted":
            value = [list(span) for span in value]
        record[name] = value
    return record


def spans_from_record(value: Any) -> Spans:
    """Read parts of a text, stored as pairs of numbers.

    Raises:
        ValueError: They are none, or not in order.
    """
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise ValueError("spans are pairs of numbers")
    ends = [end for pair in value for end in pair]
    if any(type(end) is not int or end < 0 for end in ends) or ends != sorted(ends):
        raise ValueError("spans are out of order")
    return tuple((start, end) for start, end in value)


def from_record(record: Mapping[str, Any]) -> Message:
    """Read a message that `to_record` wrote.

    Args:
        record: The object; unknown keys are ignored, so that an older program reads a newer file.

    Returns:
        The message.

    Raises:
        ValueError: The role is missing or unknown, or a field has the wrong type.
    """
    if record.get("role") not in ("system", "user", "assistant", "tool"):
        raise ValueError(f"unknown role: {record.get('role')!r}")
    values: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        if name not in record:
            continue
        value = record[name]
        try:
            if name == "tool_calls":
                value = tuple(ToolCall(str(c["id"]), str(c["name"]), str(c["arguments"])) for c in value)
            elif name == "images":
                value = tuple(Image(str(image["url"])) for image in value)
            elif name == "signed_reasoning":
                value = tuple(dict(block) for block in value)
            elif name == "remembered":
                if not isinstance(value, list):
                    raise TypeError
                value = tuple(map(str, value))
            elif name == "pasted":
                value = spans_from_record(value)
            elif name != "role" and type(value) is not type(default):
                raise ValueError(f"{name} has the wrong type")
        except (TypeError, KeyError) as error:
            raise ValueError(f"{name} cannot be read") from error
        values[name] = value
    return Message(**values)
