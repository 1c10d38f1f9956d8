"""Histories and files for the context tests."""

import itertools
from dataclasses import dataclass, field, replace
from itertools import count

from paitui.context.offload import tool_message
from paitui.messages.message import Message, ToolCall


@dataclass
class MemoryFiles:
    """An offload folder in memory; `broken` makes every write fail."""

    saved: dict[str, str] = field(default_factory=dict)
    broken: OSError | None = None

    def save(self, tool: str, text: str) -> str:
        if self.broken:
            raise self.broken
        path = f".paitui/tool-outputs/s/{len(self.saved) + 1:03d}-{tool}.txt"
        self.saved[path] = text
        return path

    def load(self, path: str) -> str:
        return self.saved.get(path, "")


def system(text: str = "You are an agent.") -> Message:
    return Message("system", text)


def user(text: str) -> Message:
    return Message("user", text, origin="typed")


def answer(text: str) -> Message:
    return Message("assistant", text)


_numbers = count(1)


def tool_round(*bodies: str, name: str = "read_file", ok: bool = True, text: str = "Looking.") -> list[Message]:
    """An assistant message with one call per body, and the results."""
    calls = [ToolCall(f"c{next(_numbers)}", name, '{"path":"src/file.py"}') for _ in bodies]
    results = [tool_message(call, body, ok) for call, body in zip(calls, bodies, strict=True)]
    return [Message("assistant", text, tool_calls=tuple(calls)), *results]


def numbered(*parts: Message | list[Message]) -> list[Message]:
    """Flatten, and give every message a uid."""
    flat = itertools.chain.from_iterable(part if isinstance(part, list) else [part] for part in parts)
    return [replace(message, uid=uid) for uid, message in enumerate(flat, 1)]
