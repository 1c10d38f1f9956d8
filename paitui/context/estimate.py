"""How many tokens a text, a message, a set of schemas takes, before any provider has counted them."""

import base64
import binascii
from collections.abc import Iterable

import orjson

from paitui.context.report import Part
from paitui.messages.codec import spec_to_wire
from paitui.messages.message import Image, Message, ToolSpec
from paitui.tokens import text_tokens as text_tokens

MESSAGE_OVERHEAD = 4
"""Tokens that a message costs besides its text (role and separators)."""


def image_tokens(image: Image) -> int:
    """Estimate an image: inline by its bytes / 768 within 256..4,096, by address 1,024."""
    if not image.url.startswith("data:"):
        return 1_024
    data = image.url.partition(",")[2]
    try:
        size = len(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        size = len(data)
    return min(4_096, max(256, size // 768))


def schema_tokens(specs: Iterable[ToolSpec]) -> int:
    """Estimate the tool schemas of a request, as the JSON that is sent."""
    return sum(text_tokens(orjson.dumps(spec_to_wire(spec)).decode()) for spec in specs)


def message_parts(message: Message, reasoning_sent: bool = True) -> tuple[tuple[Part, int], ...]:
    """Estimate a message, split by what its tokens are.

    Args:
        message: Any message of a history.
        reasoning_sent: Whether the model gets its earlier reasoning back.

    Returns:
        Parts with their tokens; the overhead of the message is counted with its main part.
    """
    main = text_tokens(message.content) + MESSAGE_OVERHEAD
    match message.role:
        case "system":
            return (("system", main),)
        case "user":
            kind: Part = "summary" if message.origin == "summary" else "user"
            main += text_tokens(message.attached)
            others: tuple[tuple[Part, int], ...] = (
                ("images", sum(map(image_tokens, message.images))),
                ("memories", text_tokens(message.memories)),
            )
            return ((kind, main), *(part for part in others if part[1]))
        case "tool":
            by_state: dict[str, Part] = {
                "live": "results_live",
                "cleared": "results_cleared",
                "offloaded": "results_offloaded",
            }
            return ((by_state[message.state], main + text_tokens(message.name)),)
        case "assistant":
            origin: Part = "summary" if message.origin == "acknowledgement" else "assistant"
            parts: list[tuple[Part, int]] = [(origin, main)]
            calls = sum(text_tokens(call.name) + text_tokens(call.arguments) for call in message.tool_calls)
            thinking = text_tokens(message.reasoning) if reasoning_sent else 0
            thinking += sum(text_tokens(orjson.dumps(dict(b)).decode()) for b in message.signed_reasoning)
            if calls:
                parts.append(("arguments", calls))
            if thinking:
                parts.append(("reasoning", thinking))
            return tuple(parts)


def message_tokens(message: Message, reasoning_sent: bool = True) -> int:
    """Estimate a message as a whole."""
    return sum(tokens for _, tokens in message_parts(message, reasoning_sent))


def messages_tokens(messages: Iterable[Message], reasoning_sent: bool = True) -> int:
    """Estimate a list of messages, without schemas."""
    return sum(message_tokens(message, reasoning_sent) for message in messages)
