"""The built-in tools in their fixed order, and what is done with the arguments of a call."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from paitui.locale import phrase
from paitui.messages.message import ToolSpec
from paitui.tools.base import Tool, Toolbox, ToolError
from paitui.tools.files import EditFile, ListDir, WriteFile
from paitui.tools.memory import MemoryDesk, SaveMemory, SearchMemory
from paitui.tools.read import ReadFile
from paitui.tools.search import GlobFiles, GrepCode
from paitui.tools.shell import ExecuteCommand

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def builtin_tools(memory: MemoryDesk | None = None, web: Sequence[Tool] = ()) -> Toolbox:
    """Give the tools that every session has; their order is part of the cached prefix of a request.

    Args:
        memory: Who carries out what is asked of long-term memory; without one there are no such tools.
        web: What reaches out, set up as the user wants it.
    """
    tools: tuple[Tool, ...] = (
        ReadFile(),
        WriteFile(),
        EditFile(),
        ListDir(),
        GlobFiles(),
        GrepCode(),
        ExecuteCommand(),
        *web,
        *((SaveMemory(memory), SearchMemory(memory)) if memory else ()),
    )
    return Toolbox({tool.spec.name: tool for tool in tools})


def parse_arguments(spec: ToolSpec, text: str) -> dict[str, Any]:
    """Read and check the arguments of a call.

    Args:
        spec: The tool; of its schema `type`, `required`, `enum` and `minimum` are checked.
        text: JSON as the model wrote it; empty text stands for no arguments.

    Returns:
        The arguments. Optional ones that are null are left out; whole numbers written as text or as 3.0 are taken.

    Raises:
        ToolError: The text is no JSON object, or does not fit the schema; it says what would.
    """
    try:
        values = json.loads(text) if text.strip() else {}
    except (json.JSONDecodeError, RecursionError) as error:
        raise ToolError(phrase("tools.bad_json", tool=spec.name, why=str(error))) from error
    if not isinstance(values, dict):
        raise ToolError(phrase("tools.no_object", tool=spec.name))
    known: Mapping[str, Mapping[str, Any]] = spec.parameters.get("properties", {})
    required = spec.parameters.get("required", ())
    for name in required:
        if values.get(name) is None:
            raise ToolError(phrase("tools.missing_argument", tool=spec.name, name=name))
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known and not spec.parameters.get("additionalProperties"):
            raise ToolError(
                phrase("tools.unknown_argument", tool=spec.name, name=name, known=", ".join(known) or "-")
            )
        if value is not None:
            checked[name] = _checked(spec.name, name, value, known.get(name, {}))
    return checked


def _checked(tool: str, name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    expected = schema.get("type", "")
    if not isinstance(expected, str):
        return value  # a schema of somebody else's, which judges for itself
    if expected == "integer":
        value = _whole_number(value)
    types = _TYPES.get(expected)
    if types and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        raise ToolError(phrase("tools.wrong_type", tool=tool, name=name, expected=expected))
    if isinstance(schema.get("enum"), list | tuple) and value not in schema["enum"]:
        allowed = ", ".join(map(str, schema["enum"]))
        raise ToolError(phrase("tools.not_listed", tool=tool, name=name, allowed=allowed))
    least = schema.get("minimum")
    if expected in ("integer", "number") and isinstance(least, int | float) and value < least:
        raise ToolError(phrase("tools.too_small", tool=tool, name=name, least=least))
    return value


def _whole_number(value: Any) -> Any:
    """Models write 3 as 3.0 or as text; that is no reason to refuse."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value


def subject_line(name: str, arguments: str) -> str:
    """Sum up a call in one line, for its card.

    Args:
        name: Name of the tool.
        arguments: JSON text as the model wrote it.

    Returns:
        A path with its lines, a pattern in quotes, a command line; the bare text if it cannot be read.
    """
    try:
        values = json.loads(arguments) if arguments.strip() else {}
    except (json.JSONDecodeError, RecursionError):
        return " ".join(arguments.split())
    if not isinstance(values, dict):
        return " ".join(arguments.split())
    text = _subject(name, values)
    return " ".join(text.split("\n")).strip()


def _subject(name: str, values: Mapping[str, Any]) -> str:
    path = str(values.get("path", ""))
    match name:
        case "read_file":
            return f"{path} {_range(values)}".rstrip()
        case "glob_files" | "grep_code":
            pattern = f'"{values.get("pattern", "")}"'
            where = [str(values[key]) for key in ("path", "glob") if values.get(key)]
            return " ".join((pattern, *where))
        case "execute_command":
            return str(values.get("command", ""))
        case "save_memory":
            return str(values.get("fact", ""))
        case "web_fetch":
            return str(values.get("url", ""))
        case "search_memory" | "web_search":
            return f'"{values.get("query", "")}"'
        case "list_dir":
            return path or "."
        case "read_mcp_resource":
            return f"{values.get('server', '')}:{values.get('uri', '')}"
    if path:
        return path
    return json.dumps(values, ensure_ascii=False) if values else ""


def _range(values: Mapping[str, Any]) -> str:
    first, limit, column = values.get("offset"), values.get("limit"), values.get("column")
    if not isinstance(first, int) and not isinstance(limit, int):
        return ""
    start = first if isinstance(first, int) else 1
    lines = f"{start}-{start + limit - 1}" if isinstance(limit, int) else f"{start}-"
    return f"{lines}:{column}" if isinstance(column, int) and column > 1 else lines
