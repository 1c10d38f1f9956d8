"""A request as the engine sees it: an earlier summary, then turns, each with its rounds of calls."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from paitui.messages.message import Message
from paitui.model.offline.results import Result, read_result

SUMMARY_MARK = "[paitui:summary"
"""How a summary message begins, in every language."""


@dataclass(slots=True)
class Turn:
    """What the user asked, and what was done about it."""

    texts: list[str]
    """The user's words: the request, then what was added while work was going on."""
    carried: bool = False
    """The beginning of this turn was cut off by a summary."""
    messages: list[Message] = field(default_factory=list)
    """Assistant and tool messages since."""
    broken_off: bool = False
    """The program asked for last words, so the answer is only partial."""

    @property
    def answered(self) -> bool:
        """Whether an answer without calls ends it."""
        last = self.messages[-1] if self.messages else None
        return last is not None and last.role == "assistant" and not last.tool_calls and not last.partial

    @property
    def says(self) -> list[str]:
        """What the engine itself said in this turn."""
        return [message.content for message in self.messages if message.role == "assistant" and message.content]


@dataclass(frozen=True, slots=True)
class View:
    """A request, taken apart."""

    summary: str
    """Text of the newest summary, without its marker; empty if there is none."""
    turns: Sequence[Turn]
    memories: Sequence[str] = ()
    """Lines of the memories that are attached to the messages, the newest message's first."""


def look(messages: Iterable[Message]) -> View:
    """Take the messages of a request apart.

    Args:
        messages: A valid list.

    Returns:
        The newest summary and what came after it. A text that entered while work was going on belongs to the turn
        it entered; a new request starts a new one.
    """
    summary = ""
    turns: list[Turn] = []
    memories: list[str] = []
    for message in messages:
        if message.memories:
            memories[:0] = message.memories.splitlines()[1:-1]
        match message.role:
            case "user" if message.origin == "summary" or message.content.startswith(SUMMARY_MARK):
                summary = message.content.partition("\n")[2]
                turns = []
            case "user" if message.origin == "results":
                continue  # the answer that follows is that of the turn it stands in
            case "user" if message.origin == "program":
                if turns:
                    turns[-1].broken_off = True
            case "user" if message.origin == "steered" and turns and not turns[-1].answered:
                turns[-1].texts.append(message.content)
            case "user":
                turns.append(Turn([message.content], carried=message.origin == "carried"))
            case "assistant" | "tool" if turns:
                turns[-1].messages.append(message)
            case _:
                continue  # system messages, and the acknowledgement of a summary
    return View(summary, turns, memories)


def arguments_of(text: str) -> Mapping[str, Any]:
    """The arguments of a call; empty if they are no JSON object."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Deed:
    """A call that was made, seen in the request or told by a summary."""

    tool: str
    key: str
    """What it was about: a path, a pattern, a command line."""
    note: str = ""
    """What a summary says about its result."""
    message: Message | None = None
    """Its tool message, if that still stands."""
    failed: bool = False

    @property
    def result(self) -> Result | None:
        """Its result, if it still stands."""
        return read_result(self.message) if self.message is not None else None


def key_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """What a call is about, by which it is found again.

    Args:
        tool: Name of the tool.
        arguments: Its arguments.

    Returns:
        Path, pattern or command; a slice of a file has its offset behind a ``#``.
    """
    if tool == "read_file":
        path, offset = str(arguments.get("path", "")), arguments.get("offset")
        return f"{path}#{offset}" if isinstance(offset, int) else path
    for name in ("command", "pattern", "path", "query", "fact", "url"):
        if name in arguments:
            return str(arguments[name])
    return ""


def deeds(messages: Sequence[Message]) -> list[Deed]:
    """The calls of a turn with their results, in call order; calls that were cut off count as not made."""
    results = {message.tool_call_id: message for message in messages if message.role == "tool"}
    found: list[Deed] = []
    for message in messages:
        for call in message.tool_calls:
            answer = results.get(call.id)
            if answer is None or (not answer.ok and len(answer.content) < 400 and read_result(answer).unfinished):
                continue
            key = key_of(call.name, arguments_of(call.arguments))
            found.append(Deed(call.name, key, message=answer, failed=not answer.ok))
    return found
