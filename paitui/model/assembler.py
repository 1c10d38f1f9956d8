"""From the chunks of a stream to one message.

The library's own assembly merges calls whose `index` is missing and takes an empty answer for success. Here a new id
or a new name starts a call; where a provider repeats itself, a call whose arguments are already a whole object ends
the doubt, since nothing can follow the closing brace. Nothing is guessed into being: arguments must parse as they
came, and of a stream that did not finish only what was shown is kept.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paitui.messages.message import Message, ToolCall, Usage
from paitui.messages.validity import with_unique_ids
from paitui.model.blocks import Blocks
from paitui.model.port import ReasoningDelta, TextDelta
from paitui.model.usage import add_usage

FINISHED = frozenset(
    {"stop", "tool_calls", "function_call", "end_turn", "tool_use", "stop_sequence", "eos", "eos_token", "complete"}
)
"""Finish reasons after which an answer is whole. After any other (length, content filter, error) it is not."""

NAMELESS = "unnamed"
"""Name of a call that came without one; there is no such tool, so it is answered with an error."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """What came out of a stream."""

    message: Message
    """The assistant message. Without calls and marked as partial unless the stream finished."""
    complete: bool
    """The stream finished, and the arguments of every call parse as an object."""
    finish: str
    """The finish reason as it came; empty if none came."""
    broken: tuple[str, ...]
    """Ids of calls in the message whose arguments do not parse; each is to be answered with an error."""
    usage: Usage | None
    """What the provider reported; None if nothing."""
    error: Mapping[str, Any] | None
    """An error object that came inside the stream."""

    @property
    def finished(self) -> bool:
        """Whether the stream came to its proper end (its calls may still be broken)."""
        return not self.message.partial


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    index: int | None
    parts: list[str] = field(default_factory=list)
    whole: Any = None
    """Arguments that came as an object instead of text."""

    def arguments(self) -> str:
        text = "".join(self.parts)
        if not text.strip():
            return "{}" if self.whole is None else json.dumps(self.whole, ensure_ascii=False)
        return text

    def is_whole(self) -> bool:
        """Whether nothing can follow: the arguments are an object already."""
        if not self.parts:
            return self.whole is not None
        return self.parts[-1].rstrip().endswith("}") and parses("".join(self.parts))

    def takes(self, piece: Any) -> bool:
        """Whether a piece can belong to this call: it is nothing, more is missing, or it repeats what is there."""
        if piece in (None, {}) or (isinstance(piece, str) and not piece.strip()):
            return True
        if isinstance(piece, str):
            return not self.is_whole() or piece.strip() == self.arguments().strip()
        return not (self.parts or self.whole) or (self.whole == piece and not self.parts)

    def add(self, piece: Any) -> None:
        if piece in (None, {}, ""):
            return
        if not isinstance(piece, str):
            self.whole = piece
        elif not (self.is_whole() and piece.strip() == self.arguments().strip()):
            self.parts.append(piece)


class Assembler:
    """Collects one answer. Give it every chunk in order, then call `finish` once."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._blocks = Blocks()
        self._calls: list[_Call] = []
        self._finish = ""
        self._usage: Usage | None = None
        self._error: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._text)

    @property
    def saw_finish(self) -> bool:
        """Whether the provider has said that the answer is whole; what follows is usage at most."""
        return self._finish.lower() in FINISHED

    def add(self, chunk: Mapping[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Take a chunk.

        Args:
            chunk: A chat-completion chunk as plain data; whatever is not as it should be is passed over.

        Returns:
            What there is to show, in the order in which it came; empty for a chunk that only carries calls, usage
            or a role.
        """
        if error := chunk.get("error"):
            self._error = error if isinstance(error, Mapping) else {"message": str(error)}
        self._usage = add_usage(self._usage, chunk.get("usage"))
        choice = next((c for c in _list(chunk.get("choices")) if _index(c) in (None, 0)), None)
        if choice is None:
            return []
        self._usage = add_usage(self._usage, choice.get("usage"))
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self._finish = reason
        delta = choice.get("delta") or choice.get("message")
        return self._take(delta) if isinstance(delta, Mapping) else []

    def finish(self, cut: bool = False) -> Assembled:
        """Judge what came.

        Args:
            cut: The stream did not end by itself (an error, a stall, a cancel), whatever was seen before.

        Returns:
            The message, and whether it is whole.
        """
        finished = not cut and self._error is None and self.saw_finish
        message = Message("assistant", self.text, reasoning="".join(self._reasoning))
        broken: tuple[str, ...] = ()
        if finished:
            made = tuple(ToolCall(c.id, c.name.strip() or NAMELESS, c.arguments()) for c in self._calls)
            message = Message(
                "assistant",
                message.content,
                made,
                reasoning=message.reasoning,
                signed_reasoning=self._blocks.signed(),
            )
            message = with_unique_ids(message, ())
            broken = tuple(c.id for c in message.tool_calls if c.name == NAMELESS or not parses(c.arguments))
        else:
            message = Message("assistant", message.content, reasoning=message.reasoning, partial=True)
        return Assembled(message, finished and not broken, self._finish, broken, self._usage, self._error)

    def _take(self, delta: Mapping[str, Any]) -> list[TextDelta | ReasoningDelta]:
        shown: list[TextDelta | ReasoningDelta] = []
        signed = _list(delta.get("thinking_blocks"))
        own = delta.get("provider_specific_fields")
        details = _list(delta.get("reasoning_details") or (isinstance(own, Mapping) and own.get("reasoning_details")))
        self._blocks.add(signed, details)
        thought = _words(delta.get("reasoning_content")) or _words(delta.get("reasoning"))
        thought = thought or "".join(_words(block.get("thinking")) for block in signed)
        inner, text = _parts(delta.get("content"))
        if thought := thought or inner:
            self._reasoning.append(thought)
            shown.append(ReasoningDelta(thought))
        if text := text or _words(delta.get("refusal")):
            self._text.append(text)
            shown.append(TextDelta(text))
        for entry in _list(delta.get("tool_calls")):
            function = entry.get("function")
            function = function if isinstance(function, Mapping) else {}
            self._call(
                _index(entry), _words(entry.get("id")), _words(function.get("name")), function.get("arguments")
            )
        if isinstance(legacy := delta.get("function_call"), Mapping):
            self._call(0, "", _words(legacy.get("name")), legacy.get("arguments"))
        return shown

    def _call(self, index: int | None, id: str, name: str, piece: Any) -> None:
        if not (id or name or piece):
            return
        call = self._find(index, id, name, piece)
        if call is None:
            call = _Call(id, name, index)
            self._calls.append(call)
        call.id = call.id or id
        call.name = call.name or name
        call.add(piece)

    def _find(self, index: int | None, id: str, name: str, piece: Any) -> _Call | None:
        """Give the call that a piece belongs to; None if it starts one."""
        newest = list(reversed(self._calls))
        here = [call for call in newest if index is None or call.index in (None, index)]
        last = here[:1]
        if id and any(call.id == id for call in newest):
            # An id that comes again continues its call, unless it is given to another: name, index or arguments tell.
            same = (call for call in newest if call.id == id and call.takes(piece))
            return next((call for call in same if not name or (call in here and call.name in ("", name))), None)
        if id:
            # Some servers make up a new id for every piece; others send it after the name.
            drifting = (call for call in last if piece and call.name and not name and call.takes(piece))
            late = (call for call in last if not call.id and not call.parts and name in ("", call.name))
            return next(drifting, None) or next(late, None)
        if name:
            return next((call for call in last if call.name in ("", name) and call.takes(piece)), None)
        return next((call for call in here if call.takes(piece)), next(iter(here), None))


def parses(arguments: str) -> bool:
    """Whether a text is one JSON object, strictly: no NaN, nothing before or behind."""
    try:
        return isinstance(json.loads(arguments, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _index(entry: Mapping[str, Any]) -> int | None:
    index = entry.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Mapping[str, Any]]:
    items: Iterable[Any] = value if isinstance(value, list | tuple) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _parts(content: Any) -> tuple[str, str]:
    """Give the reasoning and the text of a content that may be a list of parts."""
    if isinstance(content, str):
        return "", content
    thoughts, texts = [], []
    for part in _list(content):
        if part.get("type") == "thinking":
            inner = part.get("thinking")
            thoughts.append(_words(inner) or "".join(_words(each.get("text")) for each in _list(inner)))
        else:
            texts.append(_words(part.get("text")))
    return "".join(thoughts), "".join(texts)
