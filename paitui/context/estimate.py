"""How many tokens a text, a message, a set of schemas takes, before any provider has counted them."""

import base64
import binascii
import math
import re
from collections.abc import Iterable

import orjson

from paitui.context.report import Part
from paitui.messages.codec import spec_to_wire
from paitui.messages.message import Image, Message, ToolSpec

MESSAGE_OVERHEAD = 4
"""Tokens that a message costs besides its text (role and separators)."""

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3105-\u318f\u31a0-\u31ff\u3200-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)
"""CJK ideographs with their extensions, kana, Hangul, full-width forms: about 1.5 characters a token."""


def text_tokens(text: str) -> int:
    """Estimate a text: 1.5 wide characters or 4 others a token, rounded up.

    Args:
        text: Any text.

    Returns:
        Tokens; 0 for an empty text.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return math.ceil(wide / 1.5 + (len(text) - wide) / 4)


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
            images = sum(map(image_tokens, message.images))
            return ((kind, main), ("images", images)) if images else ((kind, main),)
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
