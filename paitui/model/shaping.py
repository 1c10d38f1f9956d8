"""A history as a provider wants it: the wire list, the tools, the arguments of a request."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from paitui.messages.codec import spec_to_wire, to_wire
from paitui.messages.message import Message, ToolSpec
from paitui.model.assembler import NAMELESS, parses
from paitui.model.catalogue import ModelFacts
from paitui.model.port import Request
from paitui.model.providers import Rule, Target

GO_ON = "Go on."
"""Closes a request for a provider that does not let the assistant have the last word."""
NO_IMAGE = "[an image stood here; this model takes none]"
"""Stands for an image that cannot be sent."""

_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME = 64
_MAX_ID = 40
_ANSWER_TOKENS = 20_000
"""Room for the answer: what the summary threshold leaves free of a window, or a quarter of a small one."""


def request_params(
    target: Target, request: Request, facts: ModelFacts, known: Sequence[ToolSpec] = ()
) -> dict[str, Any]:
    """Give the arguments of the completion call for a request.

    Args:
        target: Where the model is.
        request: What to ask.
        facts: What is known of the model.
        known: All tools of the session, for a request without tools at a provider that wants them named.

    Returns:
        Arguments as plain data, with the key: not to be logged.
    """
    rule = target.rule
    params: dict[str, Any] = {"model": target.model, "messages": shape(request.messages, rule, facts.vision)}
    params |= tools_for(request, rule, known)
    if target.base_url:
        params["api_base"] = target.base_url
    if target.key:
        params["api_key"] = target.key
    if rule.usage:
        params["stream_options"] = {"include_usage": True}
    if rule.max_tokens and facts.max_output:
        params["max_tokens"] = min(facts.max_output, _ANSWER_TOKENS, facts.window // 4)
    if rule.window and facts.source != "default":
        params[rule.window] = facts.window
    return params


def tools_for(request: Request, rule: Rule, known: Sequence[ToolSpec] = ()) -> dict[str, Any]:
    """Give the tools of a request and whether they may be called.

    A request for last words names no tools, but some providers refuse tool messages then. They get the tools of the
    session with the order to call none, which also keeps their prefix cache; where the session's tools are not
    known, the names in the history must do.

    Args:
        request: What to ask.
        rule: What the provider accepts.
        known: All tools of the session.

    Returns:
        ``tools`` and, if need be, ``tool_choice``; empty if no tools are to be named.
    """
    if request.tools:
        return {"tools": [spec_to_wire(spec) for spec in request.tools]}
    called = dict.fromkeys(_tool_name(call.name) for message in request.messages for call in message.tool_calls)
    if not called or not rule.tools_with_history:
        return {}
    specs = known or [ToolSpec(name, name, {"type": "object", "properties": {}}) for name in called]
    return {"tools": [spec_to_wire(spec) for spec in specs], "tool_choice": "none"}


def shape(messages: Sequence[Message], rule: Rule, vision: bool = True) -> list[dict[str, Any]]:
    """Make the wire list of a history.

    Args:
        messages: A valid list (see `paitui.messages.validity`).
        rule: What the provider accepts.
        vision: Whether the model takes images.

    Returns:
        The list in the chat-completions form, obeying the rule. The history itself is not changed.
    """
    ids = _ids(messages, rule)
    wire: list[dict[str, Any]] = []
    for message in messages:
        one = _shaped(message, rule, vision, ids)
        if one is None:
            continue
        if (
            wire and one["role"] == wire[-1]["role"] == rule.system
        ):  # many chat templates know one system message only
            wire[-1] = {**one, "content": f"{wire[-1]['content']}\n\n{one['content']}"}
        else:
            wire.append(one)
    if wire and wire[-1]["role"] == "assistant" and not rule.ends_with_assistant:
        wire.append({"role": "user", "content": GO_ON})
    return wire


def _shaped(message: Message, rule: Rule, vision: bool, ids: Mapping[str, str]) -> dict[str, Any] | None:
    wire = to_wire(message)
    match message.role:
        case "system":
            wire["role"] = rule.system
        case "user":
            wire["content"] = _user_content(message, wire["content"], rule.images and vision)
        case "tool":
            wire["tool_call_id"] = ids[message.tool_call_id]
            name = wire.pop("name")
            if rule.tool_names:
                wire["name"] = _tool_name(name)
        case "assistant":
            return _assistant(message, wire, rule, ids)
    return wire


def _user_content(message: Message, content: Any, images: bool) -> Any:
    if not message.images:
        return content
    if not images:
        return "\n".join([*filter(str.strip, [message.sent_text]), *([NO_IMAGE] * len(message.images))])
    return [part for part in content if part["type"] != "text" or part["text"].strip()]


def _assistant(message: Message, wire: dict[str, Any], rule: Rule, ids: Mapping[str, str]) -> dict[str, Any] | None:
    thought = wire.pop("reasoning_content", "")
    if thought and (rule.reasoning == "send" or (rule.reasoning == "rounds" and message.tool_calls)):
        wire["reasoning_content"] = thought
    blocks = _signed(message, rule)
    if blocks:
        wire["thinking_blocks" if rule.reasoning == "signed" else "reasoning_details"] = blocks
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": ids[call.id],
                "type": "function",
                "function": {"name": _tool_name(call.name), "arguments": _arguments(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if not message.content.strip():
        if not (message.tool_calls or blocks):
            return None  # only reasoning that this provider does not take: there is nothing to send
        if rule.empty == "omit":
            del wire["content"]
        else:
            wire["content"] = "" if rule.empty == "text" else None
    return wire


def _signed(message: Message, rule: Rule) -> list[dict[str, Any]]:
    """Give the signed blocks of the family that the provider knows, all or none."""
    families = {"signed": ("thinking", "redacted_thinking"), "details": ("reasoning.",)}
    family = families.get(rule.reasoning, ())
    blocks = [dict(block) for block in message.signed_reasoning]
    ours = [block for block in blocks if str(block.get("type", "")).startswith(family)] if family else []
    whole = all(block.get("signature") or block.get("data") for block in ours)
    return ours if rule.reasoning == "details" or whole else []


def _ids(messages: Sequence[Message], rule: Rule) -> dict[str, str]:
    """Give each call id its name on the wire; unique ids stay unique."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for id in (call.id for message in messages for call in message.tool_calls):
        plain = id
        if rule.plain_ids:
            plain = _NAME.sub("_", id)[:_MAX_ID]
            number = 1
            while plain in taken:
                number += 1
                plain = f"{_NAME.sub('_', id)[: _MAX_ID - 6]}_{number}"
        taken.add(plain)
        ids[id] = plain
    return ids


def _tool_name(name: str) -> str:
    """A model may call a tool by a name that no provider takes back."""
    return _NAME.sub("_", name)[:_MAX_NAME] or NAMELESS


def _arguments(arguments: str) -> str:
    """Arguments that do not parse went back to the model as an error; on the wire they must parse all the same."""
    return arguments if parses(arguments) else json.dumps({"unreadable_arguments": arguments}, ensure_ascii=False)
