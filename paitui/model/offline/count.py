"""The engine's own count of tokens, from which its usage reports and its overflow come."""

import math
import re

import orjson

from paitui.messages.codec import spec_to_wire
from paitui.messages.message import Message
from paitui.model.port import Request

_PER_MESSAGE = 4
_WIDE_RUNS = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3105-\u318f\u31a0-\u31ff\u3200-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]+"
)


def text_tokens(text: str) -> int:
    """Count a text: 1.5 wide characters or 4 others a token, rounded up."""
    wide = 0 if text.isascii() else sum(map(len, _WIDE_RUNS.findall(text)))
    return math.ceil(wide / 1.5 + (len(text) - wide) / 4)


def message_tokens(message: Message) -> int:
    """Count a message with its calls and its reasoning."""
    calls = sum(text_tokens(call.name) + text_tokens(call.arguments) for call in message.tool_calls)
    name = text_tokens(message.name) if message.name else 0
    return _PER_MESSAGE + text_tokens(message.content) + calls + name + text_tokens(message.reasoning)


def request_tokens(request: Request) -> int:
    """Count a request: every message and every tool schema."""
    schemas = sum(text_tokens(orjson.dumps(spec_to_wire(spec)).decode()) for spec in request.tools)
    return schemas + sum(map(message_tokens, request.messages))
