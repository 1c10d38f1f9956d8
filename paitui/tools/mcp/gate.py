"""What of a server's messages goes on to the session: answers always, the rest only as fast as anybody needs it."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from paitui.tools.mcp.log import ServerLog

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""A longer message is cut; no more of it is ever held."""
CUT = "paitui/cut"
"""In the metadata of an answer that was cut: how many bytes it had."""
_PER_SECOND = 50.0
_BURST = 100.0
"""Notifications and requests of a server beyond this are dropped."""
_PASSED = ("notifications/progress", "notifications/cancelled", "notifications/subscriptions/acknowledged")
_ID = re.compile(rb'"id"\s*:\s*([0-9]{1,15})\s*[,}]')
_TEXT = re.compile(rb'"text"\s*:\s*"((?:[^"\\]++|\\.)*+)', re.DOTALL)
_OPEN_ESCAPE = re.compile(rb"\\u[0-9a-fA-F]{0,3}$")


class Gate:
    """Judges the messages of one server."""

    def __init__(self, log: ServerLog, clock: Callable[[], float]) -> None:
        """Set up.

        Args:
            log: Gets what the server wants logged.
            clock: Seconds.
        """
        self.log = log
        self._clock = clock
        self._room = _BURST
        self._at = clock()
        self.changed = asyncio.Event()
        """Set when what the server offers has changed."""
        self.gone = asyncio.Event()
        """Set when nothing more can come."""
        self.dropped = 0
        """Messages that were not passed on."""

    def has_room(self) -> bool:
        """Whether one more message may pass now; it is counted."""
        now = self._clock()
        self._room = min(_BURST, self._room + (now - self._at) * _PER_SECOND)
        self._at = now
        if self._room < 1:
            self.dropped += 1
            return False
        self._room -= 1
        return True

    def skips(self, line: bytes) -> bool:
        """Whether a line need not even be read: it is no answer, and there were many like it."""
        if b'"method"' not in line[:400] or b'"result"' in line or b'"error"' in line:
            return False
        if b"list_changed" in line:
            self.changed.set()
            return True
        return not self.has_room()

    def notification(self, method: str, params: Any) -> bool:
        """Take a notification.

        Returns:
            Whether the session needs it.
        """
        if method.endswith("/list_changed"):
            self.changed.set()
        elif method == "notifications/message" and isinstance(params, dict):
            data = params.get("data")
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
            self.log.say(f"[{params.get('level', '')!s:.12}] {' '.join(text[:1_000].split())}")
        return method in _PASSED


def tidy(result: dict[str, Any]) -> None:
    """Take from a list of tools what nobody needs or can read.

    The schema of a tool's answers goes: an answer is text for the model whatever it says, and checking it would let
    a server have any pattern run here. An entry that is no tool goes, so that the others still count.
    """
    tools = result.get("tools")
    if not isinstance(tools, list):
        return
    kept = [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
    for tool in kept:
        tool.pop("outputSchema", None)
        tool["inputSchema"] = _readable(tool.get("inputSchema"))
        for key in ("description", "title"):
            if not isinstance(tool.get(key), str):
                tool.pop(key, None)
        for key in ("annotations", "icons", "execution"):
            tool.pop(key, None)
    result["tools"] = kept


def _readable(schema: object) -> dict[str, Any]:
    """Mend what the SDK would refuse the whole list for."""
    if not isinstance(schema, dict):
        return {"type": "object"}
    mended = {**schema, "type": "object"}
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict):
        mended["properties"] = {name: what if isinstance(what, dict) else {} for name, what in properties.items()}
    else:
        mended.pop("properties", None)
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        mended.pop("required", None)
    return mended


def salvage(head: bytes, total: int) -> dict[str, Any] | None:
    """Make a valid answer of one that was too long to be taken whole.

    Args:
        head: Its beginning.
        total: Bytes of the whole.

    Returns:
        The answer as JSON data, with as much of its first text as came; None if nobody can say which request it
        answers.
    """
    number = _ID.search(head[:2_000])
    if number is None:
        return None
    text = _TEXT.search(head)
    raw = _OPEN_ESCAPE.sub(b"", text[1]) if text else head[:100_000]
    try:
        cut = json.loads(b'"%b"' % raw, strict=False) if text else raw.decode("utf-8", "replace")
    except ValueError:  # cut in the middle of a character
        cut = raw.decode("utf-8", "replace")
    result = {
        "content": [{"type": "text", "text": cut.encode("utf-8", "replace").decode()}],
        "isError": False,
        "resultType": "complete",
        "_meta": {CUT: total},
    }
    return {"jsonrpc": "2.0", "id": int(number[1]), "result": result}
