"""Tier 1: a big tool result goes to a file as it enters the history, and leaves a notice with head and tail."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import orjson

from paitui.context.estimate import text_tokens
from paitui.context.thresholds import Thresholds
from paitui.messages.message import Message, ToolCall
from paitui.settings import ContextSettings
from paitui.trust.boundary import unwrap, wrap

READ_BACK_LINES = 200
"""Lines that the example call in a notice asks for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long results may be, at the current window."""

    result_chars: int
    """A result longer than this goes to a file."""
    command_chars: int
    """The same for a command's output."""
    round_chars: int
    """Results of one round together."""
    slice_chars: int
    """Longest slice of a file that one read returns."""
    result_tokens: int
    """A result of more estimated tokens goes to a file, whatever its characters."""
    round_tokens: int
    """Results of one round together, in estimated tokens."""
    head_chars: int
    """What an offloaded result keeps of its beginning."""
    tail_chars: int
    """What it keeps of its end."""


def limits(settings: ContextSettings, marks: Thresholds) -> Limits:
    """Fit the limits to the window.

    One result may take an eighth of the summary trigger, one round a quarter; where that is less than the
    settings allow, limits and previews shrink in proportion.

    Args:
        settings: Limits for a window that is large enough.
        marks: The thresholds in force.

    Returns:
        The limits in force.
    """
    result_tokens, round_tokens = marks.summary_at // 8, marks.summary_at // 4
    chars = result_tokens * 4
    factor = min(1.0, chars / settings.offload_chars)
    return Limits(
        result_chars=min(settings.offload_chars, chars),
        command_chars=min(settings.offload_command_chars, chars),
        round_chars=min(settings.offload_round_chars, round_tokens * 4),
        slice_chars=min(settings.slice_chars, chars),
        result_tokens=result_tokens,
        round_tokens=round_tokens,
        head_chars=round(settings.preview_head_chars * factor),
        tail_chars=round(settings.preview_tail_chars * factor),
    )


class OutputFiles(Protocol):
    """Where whole results are kept."""

    def save(self, tool: str, text: str) -> str:
        """Write a result to a new file.

        Returns:
            Its path, relative to the project.

        Raises:
            OSError: It cannot be written.
        """
        ...


@runtime_checkable
class ReadableFiles(OutputFiles, Protocol):
    """Where whole results are kept, and can be looked up: what a summary says of a cleared result is taken there."""

    def load(self, path: str) -> str:
        """Read a saved text back, beginning and end of a long one; empty if it cannot be read."""
        ...


@dataclass(frozen=True, slots=True)
class Arrival:
    """A result on its way into the history."""

    call: ToolCall
    text: str
    """The result, raw; head and tail where `stored` or `lost` is set."""
    ok: bool = True
    """Whether the tool did what was asked."""
    bounded: bool = False
    """A slice that the tool itself bounded; never offloaded, so that reading a file back cannot loop."""
    stored: str = ""
    """Path of the file that holds the whole result already, relative to the project."""
    chars: int = 0
    """Characters of the whole result, where `text` is not the whole."""
    lines: int = 0
    """Lines of the whole result, likewise."""
    lost: str = ""
    """Why the middle is in no file, where it was lost while the tool ran."""
    external: bool = False
    """Whether it comes from outside, such as a page that was fetched."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A result as it enters the history."""

    message: Message
    """The tool message, wrapped."""
    offloaded: bool
    """Whether the message holds a notice instead of the whole."""
    chars: int
    """Characters of the whole result."""
    lines: int
    """Lines of the whole result."""
    kept_chars: int
    """Characters of the result that stand in the message."""
    lost: str = ""
    """Why the middle is in no file; empty if nothing is lost."""


@dataclass(slots=True)
class RoundRoom:
    """What the results of one round may still take."""

    chars: int
    tokens: int

    def take(self, text: str) -> None:
        """Count a result that stands in the history."""
        self.chars -= len(text)
        self.tokens -= text_tokens(text)


def admit(arrivals: Sequence[Arrival], room: RoundRoom, bounds: Limits, files: OutputFiles) -> list[Admitted]:
    """Bring results into the form in which they enter the history.

    Args:
        arrivals: Results that arrive together, in call order.
        room: What the round may still take; reduced by what is admitted.
        bounds: The limits in force.
        files: Where whole results go.

    Returns:
        One tool message each, in the same order.
    """
    too_large = {
        at
        for at, (arrival, size) in enumerate((a, len(a.text)) for a in arrivals)
        if not arrival.bounded
        and (
            size > (bounds.command_chars if arrival.call.name == "execute_command" else bounds.result_chars)
            or text_tokens(arrival.text) > bounds.result_tokens
        )
    }
    preview = bounds.head_chars + bounds.tail_chars
    by_size = sorted(range(len(arrivals)), key=lambda at: -len(arrivals[at].text))
    for at in by_size:
        texts = [_kept(a, n in too_large, preview) for n, a in enumerate(arrivals)]
        if sum(map(len, texts)) <= room.chars and sum(map(text_tokens, texts)) <= room.tokens:
            break
        if len(arrivals[at].text) > preview and not arrivals[at].bounded:
            too_large.add(at)
    admitted = []
    for at, arrival in enumerate(arrivals):
        stored_already = bool(arrival.stored or arrival.lost)
        offloads = at in too_large or stored_already
        one = _offload(arrival, bounds, files) if offloads else _keep(arrival)
        room.take(one.message.content)
        admitted.append(one)
    return admitted


def _kept(arrival: Arrival, offloaded: bool, preview: int) -> str:
    return arrival.text[:preview] if offloaded else arrival.text


def _keep(arrival: Arrival) -> Admitted:
    text = arrival.text or "(no output)"
    message = tool_message(arrival.call, text, arrival.ok, arrival.external)
    return Admitted(message, False, len(arrival.text), count_lines(arrival.text), len(text))


def tool_message(call: ToolCall, text: str, ok: bool, external: bool = False) -> Message:
    """Wrap a whole result."""
    return Message(
        "tool",
        wrap(call.name, text),
        tool_call_id=call.id,
        name=call.name,
        body_chars=len(text),
        ok=ok,
        external=external,
    )


def body_of(message: Message) -> str:
    """The result of a `live` tool message exactly as it came."""
    body = unwrap(message.content)
    return message.content if body is None else body


def _offload(arrival: Arrival, bounds: Limits, files: OutputFiles) -> Admitted:
    tool, stored, lost = arrival.call.name, arrival.stored, arrival.lost
    chars = arrival.chars or len(arrival.text)
    lines = arrival.lines or count_lines(arrival.text)
    if not stored and not lost:
        try:
            stored = files.save(tool, arrival.text)
        except OSError as error:
            lost = error.strerror or str(error)
    head, tail = preview_of(arrival.text, bounds.head_chars, bounds.tail_chars)
    message = Message(
        "tool",
        wrap(tool, f"{head}\n[...]\n{tail}", notice=offload_notice(tool, chars, lines, stored, lost)),
        tool_call_id=arrival.call.id,
        name=tool,
        ok=arrival.ok,
        state="offloaded",
        stored=stored,
        body_chars=chars,
        external=arrival.external,
    )
    return Admitted(message, True, chars, lines, len(head) + len(tail), lost)


def offload_one(message: Message, bounds: Limits, files: OutputFiles) -> Message:
    """Put a result that stands whole into a file, whatever its length; head and tail stay.

    Returns:
        The message in its new form; the same object if it is no whole result, or so short that all of it would stay.

    Raises:
        OSError: It cannot be stored.
    """
    if message.role != "tool" or message.state != "live":
        return message
    text = body_of(message)
    if len(text) <= bounds.head_chars + bounds.tail_chars:
        return message
    call = ToolCall(message.tool_call_id, message.name, "")
    stored = files.save(message.name, text)
    done = _offload(Arrival(call, text, message.ok, stored=stored), bounds, files)
    return replace(done.message, uid=message.uid, origin=message.origin, external=message.external)


def offload_notice(tool: str, chars: int, lines: int, stored: str, lost: str) -> str:
    """The line that stands for an offloaded result; its meaning is explained in the system prompt."""
    size = f"[paitui:offloaded {tool} result of {chars:,} characters, {lines:,} lines"
    if lost:
        return f"{size}; it could not be stored ({lost}), so the middle is lost; beginning and end follow]"
    return f"{size}; whole text in {stored}; {read_back(stored)}; beginning and end follow]"


def read_back(stored: str) -> str:
    """The call that reads a stored result back, to be copied as it stands."""
    arguments = orjson.dumps({"path": stored, "offset": 1, "limit": READ_BACK_LINES}).decode()
    return f"read it with read_file {arguments}"


def preview_of(text: str, head_chars: int, tail_chars: int) -> tuple[str, str]:
    """Cut head and tail out of a text, at line ends where one is within a fifth of the length."""
    if len(text) <= head_chars + tail_chars:
        return text, ""
    head, tail = text[:head_chars], text[len(text) - tail_chars :]
    at_end = head.rfind("\n", head_chars * 4 // 5)
    at_start = tail.find("\n", 0, tail_chars // 5)
    return (head[:at_end] if at_end > 0 else head), (tail[at_start + 1 :] if at_start >= 0 else tail)


def count_lines(text: str) -> int:
    """Lines of a text; a last line without a line break counts."""
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)
