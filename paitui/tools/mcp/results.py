"""What a server answers, as text for the model."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from paitui.tools.mcp.gate import CUT

MAX_CHARS = 8_000_000
"""No answer is longer, in characters; the rest is left out."""
MAX_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    text: str
    ok: bool = True
    parts: int = 1
    """Pieces of content that it had."""
    cut_bytes: int = 0
    """Bytes of the whole, if only its beginning could be taken; else 0."""


def answer_of(result: types.CallToolResult) -> Answer:
    """Turn a tool's result into text; data without a text of its own is written as JSON."""
    parts = [_part(item) for item in result.content[:MAX_PARTS]]
    structured = result.structured_content
    if structured is not None and not any(isinstance(item, types.TextContent) for item in result.content):
        parts.append(_json(structured))
    cut = (result.meta or {}).get(CUT, 0)
    return _answer(parts, not result.is_error, cut if isinstance(cut, int) else 0)


def contents_of(result: types.ReadResourceResult) -> Answer:
    """Turn the contents of a resource into text."""
    return _answer([_contents(item) for item in result.contents[:MAX_PARTS]], True)


def prompt_of(result: types.GetPromptResult) -> Answer:
    """Turn a filled-in prompt into text, with who speaks where somebody else than the user does."""
    parts = [
        _part(message.content) if message.role == "user" else f"{message.role}: {_part(message.content)}"
        for message in result.messages[:MAX_PARTS]
    ]
    return _answer(parts, True)


def _answer(parts: Iterable[str], ok: bool, cut: int = 0) -> Answer:
    whole = list(parts)
    text = "\n".join(whole)
    return Answer(text[:MAX_CHARS], ok, len(whole), cut or (len(text) if len(text) > MAX_CHARS else 0))


def _part(item: Any) -> str:
    match item:
        case types.TextContent():
            return item.text
        case types.ImageContent() | types.AudioContent():
            kind = "image" if isinstance(item, types.ImageContent) else "audio"
            return f"[{kind}: {item.mime_type}, {len(item.data) * 3 // 4:,} bytes, not shown]"
        case types.ResourceLink():
            return f"[resource: {item.uri} {item.name}]"
        case types.EmbeddedResource():
            return f"[resource: {item.resource.uri}]\n{_contents(item.resource)}"
    return _json(item.model_dump(mode="json", by_alias=True, exclude_none=True))


def _contents(item: Any) -> str:
    if isinstance(item, types.TextResourceContents):
        return item.text
    return f"[data: {item.mime_type or 'unknown'}, {len(item.blob) * 3 // 4:,} bytes, not shown]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)
