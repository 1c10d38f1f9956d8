"""What a server says about its tools, made fit for a request: names, lengths, numbers. Pure.

All of it was written by somebody else. It is bounded, since each request carries it, and made plain, since it is
shown.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from paitui.locale import Phrase, phrase
from paitui.tools.mcp.config import ServerConfig
from paitui.tools.mcp.offer import Prompt, Resource, ServerTool
from paitui.trust.boundary import escape_markers, escape_tags
from paitui.trust.safe_text import safe_text

NAME_CHARS = 64
"""Longest name of a tool that all providers take."""
DESCRIPTION_CHARS = 2_000
ARGUMENT_CHARS = 600
"""Longest description within a schema."""
SCHEMA_CHARS = 16_000
"""Longest schema, as JSON."""
SCHEMA_DEPTH = 20
MAX_TOOLS = 128
"""Tools of one server."""
MAX_LISTED = 1_000
"""Resources or prompts of one server."""
_OTHER = re.compile(r"[^a-zA-Z0-9_-]+")
_NO_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}


def plain(text: object, chars: int) -> str:
    """Make a text of a server harmless: visible characters, no look-alikes of paitui's own marks, bounded."""
    if not isinstance(text, str):
        return ""
    shown = escape_markers(escape_tags(safe_text(text[: chars + 1])))
    return shown if len(shown) <= chars else shown[: chars - 1] + "…"


def mark_of(config: ServerConfig, tool: Mapping[str, Any]) -> str:
    """Hash what an approval is bound to: how the server is started, and what the tool says about itself.

    Args:
        config: The server. Of variables and headers only the names count: a renewed key changes nothing.
        tool: The tool as the server sent it.
    """
    facts = {
        "server": [config.name, config.transport, config.command, config.args, config.cwd, config.url],
        "names": [sorted(config.env), sorted(config.headers)],
        "tool": {key: tool.get(key) for key in ("name", "title", "description", "inputSchema")},
    }
    data = json.dumps(facts, sort_keys=True, ensure_ascii=True, default=str).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def tools_of(config: ServerConfig, sent: Sequence[Mapping[str, Any]]) -> tuple[tuple[ServerTool, ...], list[Phrase]]:
    """Take the tools of a server.

    Args:
        config: The server.
        sent: Its tools as it sent them.

    Returns:
        Those that can be used, in the server's order, and what was left out.
    """
    notes: list[Phrase] = []
    found: dict[str, ServerTool] = {}
    if len(sent) > MAX_TOOLS:
        notes.append(phrase("mcp.too_many_tools", server=config.name, n=len(sent), most=MAX_TOOLS))
    for tool in sent[:MAX_TOOLS]:
        name = tool.get("name")
        if not isinstance(name, str) or not name or len(name) > 1_000 or name in found:
            notes.append(phrase("mcp.bad_tool_name", server=config.name, name=plain(name, 60)))
            continue
        schema = _schema(tool.get("inputSchema"))
        if schema is None:
            schema = _NO_SCHEMA
            notes.append(phrase("mcp.schema_left_out", server=config.name, tool=plain(name, 60)))
        described = tool.get("description") or tool.get("title")
        found[name] = ServerTool(
            server=config.name,
            name=name,
            called="",
            description=plain(described, DESCRIPTION_CHARS),
            schema=schema,
            mark=mark_of(config, tool),
        )
    return tuple(found.values()), notes


def called(server: str, tool: str, taken: Iterable[str] = ()) -> str:
    """Name a tool as the model calls it, ``mcp__server__tool``.

    Args:
        server: Name of the server.
        tool: Name of the tool, any text.
        taken: Names in use; one of them gets a short hash behind it.
    """
    name = f"mcp__{_clean(server)}__{_clean(tool)}"
    if len(name) > NAME_CHARS or _OTHER.search(tool) or name in set(taken):
        mark = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:6]
        name = f"{name[: NAME_CHARS - 7]}_{mark}"
    return name


def _clean(text: str) -> str:
    return _OTHER.sub("_", text)


def _schema(sent: object) -> Mapping[str, Any] | None:
    """The schema of the arguments, bounded; None if it is none, or too large to be sent with every request."""
    if not isinstance(sent, dict):
        return None
    schema = _bounded(sent, 0)
    if not isinstance(schema, dict):
        return None
    schema["type"] = "object"
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        schema["properties"] = {}
        schema.setdefault("additionalProperties", True)
    elif not all(isinstance(value, dict) for value in properties.values()):
        schema["properties"] = {k: v if isinstance(v, dict) else {} for k, v in properties.items()}
    required = schema.get("required")
    if required is not None:
        known = schema["properties"]
        schema["required"] = [key for key in required if key in known] if isinstance(required, list) else []
    try:
        size = len(json.dumps(schema, ensure_ascii=False))
    except (ValueError, RecursionError, TypeError):
        return None
    return schema if size <= SCHEMA_CHARS else None


def _bounded(value: Any, depth: int) -> Any:
    if depth > SCHEMA_DEPTH:
        return None
    if isinstance(value, dict):
        bounded = {plain(key, 200): _bounded(item, depth + 1) for key, item in value.items() if key != "$schema"}
        for key in ("description", "title"):
            if isinstance(bounded.get(key), str):
                bounded[key] = plain(value[key], ARGUMENT_CHARS)
        return bounded
    if isinstance(value, list):
        return [_bounded(item, depth + 1) for item in value]
    return safe_text(value) if isinstance(value, str) else value


def resources_of(
    server: str, sent: Sequence[Mapping[str, Any]], patterns: Sequence[Mapping[str, Any]]
) -> tuple[Resource, ...]:
    """Take the resources of a server, and its patterns of addresses."""
    both = [(item, "uri", False) for item in sent] + [(item, "uriTemplate", True) for item in patterns]
    found = [
        Resource(
            server,
            str(item[key]),
            plain(item.get("title") or item.get("name"), 200),
            plain(item.get("description"), ARGUMENT_CHARS),
            plain(item.get("mimeType"), 100),
            is_pattern,
        )
        for item, key, is_pattern in both[:MAX_LISTED]
        if isinstance(item.get(key), str) and len(item[key]) <= 2_000 and safe_text(item[key], False) == item[key]
    ]
    return tuple(found)


def prompts_of(server: str, sent: Sequence[Mapping[str, Any]]) -> tuple[Prompt, ...]:
    """Take the prompts of a server."""
    found: list[Prompt] = []
    for item in sent[:MAX_LISTED]:
        arguments = item.get("arguments")
        named = [a for a in arguments if isinstance(a, dict)] if isinstance(arguments, list) else []
        found.append(
            Prompt(
                server,
                plain(item.get("name"), 200),
                plain(item.get("description") or item.get("title"), ARGUMENT_CHARS),
                tuple((plain(a.get("name"), 100), a.get("required") is True) for a in named[:20]),
            )
        )
    return tuple(prompt for prompt in found if prompt.name)
