"""Long arguments of old calls become short notices that name a file; the JSON around them stays as it was.

What was written into files, patches and long scripts is about a third of a coding session's characters, and the
model sees it again with every request.
"""

import json
import re
from collections.abc import Callable, Iterator

from paitui.context.estimate import text_tokens
from paitui.messages.message import ToolCall
from paitui.trust.boundary import MARK_CLEARED

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?=(\s*:)?)', re.DOTALL)
"""A string of a JSON text; the group tells that it is a key."""
_NOTICE_CHARS = 320
"""A notice takes about so many; a shorter text never goes."""
UNREADABLE = "unreadable_arguments"
"""Key under which arguments that are no JSON object leave their notice."""


def stub_of(tool: str, chars: int, path: str) -> str:
    """The text in place of a long argument; its meaning is explained in the system prompt.

    Args:
        tool: The tool that was called.
        chars: Characters of the argument.
        path: The file with the whole of it, relative to the project.
    """
    return f"{MARK_CLEARED} argument of {tool}, {chars:,} characters; whole text in {path}; what it did is done]"


def stubbed(call: ToolCall, least: int, save: Callable[[str], str]) -> ToolCall:
    """Take the long texts out of a call's arguments.

    Only those texts change: keys, short values, numbers and white space stay byte for byte. Arguments that are no
    JSON object (the model's call failed for it) go as a whole, so that what is sent is an object again.

    Args:
        call: A call that was answered.
        least: Texts of more characters go.
        save: Stores a text, gives the path of its file.

    Returns:
        The call with notices; the same object if nothing in it is long.

    Raises:
        OSError: A text could not be stored; nothing was changed.
    """
    least = max(least, _NOTICE_CHARS)
    if len(call.arguments) <= least:
        return call
    if not _is_object(call.arguments):
        notice = stub_of(call.name, len(call.arguments), save(call.arguments))
        return ToolCall(call.id, call.name, json.dumps({UNREADABLE: notice}))
    parts: list[str] = []
    end = 0
    for match, text in _long_texts(call.arguments, least):
        notice = stub_of(call.name, len(text), save(text))
        parts += [call.arguments[end : match.start()], json.dumps(notice, ensure_ascii=False)]
        end = match.end()
    return ToolCall(call.id, call.name, "".join([*parts, call.arguments[end:]])) if parts else call


def stub_savings(call: ToolCall, least: int) -> int:
    """Estimate what `stubbed` would free, in tokens, before any file is written."""
    least = max(least, _NOTICE_CHARS)
    if len(call.arguments) <= least:
        return 0
    size = text_tokens(stub_of(call.name, 10_000, ".paitui/tool-outputs/session/000-argument.txt"))
    if not _is_object(call.arguments):
        return max(0, text_tokens(call.arguments) - size)
    return sum(max(0, text_tokens(match[0]) - size) for match, _ in _long_texts(call.arguments, least))


def _long_texts(arguments: str, least: int) -> Iterator[tuple[re.Match[str], str]]:
    for match in _STRING.finditer(arguments):
        if match[1] is None and match.end() - match.start() - 2 > least:
            text = json.loads(match[0])
            if len(text) > least and not text.startswith(MARK_CLEARED):
                yield match, text


def stub_paths(call: ToolCall) -> list[str]:
    """Paths of the files that the notices in a call's arguments name."""
    return re.findall(rf"{re.escape(MARK_CLEARED)} argument of [^;]*; whole text in ([^;]+);", call.arguments)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
