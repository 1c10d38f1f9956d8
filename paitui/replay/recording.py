"""Reading a recorded session: one chat message a line, or a ledger of paitui's own."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paitui.jsontext import decode
from paitui.ledger.records import Record, from_line
from paitui.locale import Phrase, phrase
from paitui.messages.codec import from_record
from paitui.messages.message import Image, Message, ToolCall, Usage
from paitui.trust.boundary import unwrap
from paitui.trust.memory_block import without_memories

UNIT = "react"
"""The unit of a ledger that is replayed, if it is there: the main agent."""

_OWN_NAMES: Mapping[str, str] = {
    "bash": "execute_command",
    "shell": "execute_command",
    "edit": "edit_file",
    "read": "read_file",
    "write": "write_file",
}
"""Names that other agents give to tools that paitui has too; in lower case."""
_FAILED = re.compile(
    r"(?:\[exit (?!0\])\d+\]|exited with code (?!0\b)\d+|Command (?:aborted|timed out[^\n]*))\s*\Z", re.IGNORECASE
)
"""How a command's output ends that did not succeed, in paitui's words or another agent's."""


class ReplayError(Exception):
    """A recording cannot be used.

    Attributes:
        phrase: Why.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded message."""

    message: Message
    """As it was recorded; a tool result is raw, not wrapped."""
    usage: Usage | None = None
    """For an assistant message: what the provider reported for the request, if it reported anything."""
    notice: Message | None = None
    """For a result that was offloaded: what was sent in its place."""

    @property
    def sent(self) -> Message:
        """The message as it stood in the request."""
        return self.message if self.notice is None else self.notice


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded session."""

    steps: tuple[Step, ...]
    restarts: frozenset[int] = field(default_factory=frozenset)
    """Steps before which the user emptied the history."""
    breaks: frozenset[int] = field(default_factory=frozenset)
    """Steps before which the agent is known to have shortened its history, or to have taken that back."""
    unread: int = 0
    """Lines that are no message and no record."""
    partly: int = 0
    """Results of which the file with the whole text is gone, so that only the notice is replayed."""

    @property
    def requests(self) -> int:
        """Requests that were made: one for each assistant message."""
        return sum(step.message.role == "assistant" for step in self.steps)


def read_recording(file: Path, project: Path) -> Recording:
    """Read a file of either kind.

    Args:
        file: The recording; a ledger is known by its lines.
        project: Where a ledger's offloaded results lie.

    Returns:
        Its messages, in order.

    Raises:
        ReplayError: The file cannot be read, or holds no request.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ReplayError(phrase("replay.unreadable", file=str(file), why=error.strerror or str(error))) from error
    lines = [line for line in data.split(b"\n") if line.strip()]
    found = [_object(line) for line in lines]
    is_ledger = any(one is not None and "event" in one and "payload" in one for one in found)
    recording = _from_ledger(lines, project) if is_ledger else _from_messages(found)
    if not recording.requests:
        raise ReplayError(phrase("replay.no_session", file=str(file)))
    return recording


def _from_messages(found: Sequence[Mapping[str, Any] | None]) -> Recording:
    steps: list[Step] = []
    unread = 0
    for one in found:
        try:
            steps.append(_step(one))
        except (ValueError, TypeError, KeyError, AttributeError):
            unread += 1
    return Recording(tuple(_named(steps)), unread=unread)


def _from_ledger(lines: Sequence[bytes], project: Path) -> Recording:
    records: list[Record] = []
    unread = partly = 0
    for line in lines:
        try:
            records.append(from_line(line))
        except ValueError:
            unread += 1
    units = [record.unit for record in records if record.event == "message"]
    unit = UNIT if UNIT in units else next(iter(units), "")
    steps: list[Step] = []
    restarts: set[int] = set()
    breaks: set[int] = set()
    for record in records:
        if record.unit != unit:
            continue
        if record.event == "boundary" and record.payload.get("kind") != "offload":
            breaks.add(len(steps))
            if record.payload.get("kind") == "cleared_history":
                restarts.add(len(steps))
        elif record.event == "message":
            try:
                message, notice, whole = _ledger_message(record.payload, project)
            except (ValueError, TypeError, KeyError, AttributeError):
                unread += 1
                continue
            partly += not whole
            steps.append(Step(message, _usage(record.payload.get("usage")), notice))
    return Recording(tuple(_named(steps)), frozenset(restarts), frozenset(breaks), unread, partly)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = decode(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _step(found: Mapping[str, Any] | None) -> Step:
    if found is None:
        raise ValueError("no object")
    text, images = _content(found.get("content"))
    message = from_record({"role": found.get("role")})
    # What the program attached is none of the user's words.
    words = without_memories(text) if message.role == "user" else text
    message = replace(
        message,
        content=words,
        memories=text[len(words) :].lstrip("\n"),
        images=images,
        tool_calls=tuple(_calls(found.get("tool_calls") or ())),
        tool_call_id=str(found.get("tool_call_id") or ""),
        name=str(found.get("name") or ""),
        reasoning=str(found.get("reasoning") or found.get("reasoning_content") or ""),
        body_chars=len(text) if message.role == "tool" else 0,
        origin="typed" if message.role == "user" else "",
    )
    return Step(message, _usage(found.get("usage")))


def _content(content: Any) -> tuple[str, tuple[Image, ...]]:
    """Take text or parts."""
    if not isinstance(content, list):
        return str(content or ""), ()
    texts = [str(part["text"]) for part in content if part.get("type") == "text"]
    urls = [part.get("image_url") for part in content if part.get("type") == "image_url"]
    return "\n".join(texts), tuple(Image(str(url["url"] if isinstance(url, dict) else url)) for url in urls)


def _calls(found: Any) -> Iterator[ToolCall]:
    """Take calls in the short form, or in that of the chat-completions API."""
    for call in found:
        function = call.get("function") or call
        arguments = function.get("arguments", "{}")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        yield ToolCall(str(call.get("id") or ""), str(function["name"]), text)


def _usage(found: Any) -> Usage | None:
    if not isinstance(found, dict):
        return None
    prompt = found.get("prompt", found.get("prompt_tokens", 0))
    completion = found.get("completion", found.get("completion_tokens", 0))
    return Usage(int(prompt or 0), int(completion or 0), int(found.get("reasoning") or 0))


def _ledger_message(payload: Mapping[str, Any], project: Path) -> tuple[Message, Message | None, bool]:
    """Give a message of a ledger, what was sent in its place, and whether all of its text is there."""
    message = _step(payload).message
    origin = payload.get("origin")
    if message.role == "user" and origin in ("steered", "program"):
        message = replace(message, origin=origin)
    if message.role != "tool":
        return message, None, True
    stored = payload.get("stored")
    body = unwrap(message.content)
    whole = True
    if stored:
        try:
            body = (project / str(stored)).read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            whole = False
    text = message.content if body is None else body
    return replace(message, content=text, body_chars=len(text)), message if stored else None, whole


def _named(steps: Sequence[Step]) -> Iterator[Step]:
    """Give results the name of the tool that was called, and whether it succeeded."""
    names: dict[str, str] = {}
    for step in steps:
        message = step.message
        names.update({call.id: call.name for call in message.tool_calls})
        if message.role == "tool":
            name = message.name or names.get(message.tool_call_id, "")
            failed = own_name(name) == "execute_command" and _FAILED.search(message.content[-200:]) is not None
            message = replace(message, name=name, ok=not failed)
        yield replace(step, message=message)


def own_name(tool: str) -> str:
    """The name that paitui has for a tool of another agent; the same name if it has none."""
    return _OWN_NAMES.get(tool.lower(), tool)


def as_paitui(message: Message) -> Message:
    """A recorded message as paitui would have had it: its tools under their own names."""
    calls = tuple(replace(call, name=own_name(call.name)) for call in message.tool_calls)
    return replace(message, name=own_name(message.name), tool_calls=calls)
