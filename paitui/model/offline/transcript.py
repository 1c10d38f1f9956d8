"""Reading serialised conversation: the blocks of a summary request, told apart from text that imitates them.

Blocks are numbered without gaps and a live result states its length, so a line in a file that looks like the
beginning of a block does not begin one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from paitui.messages.message import Message
from paitui.model.offline.view import Deed, arguments_of, key_of

_HEAD = re.compile(
    r"^\[\[(\d+) (user|assistant|summary|program|carried user texts"
    r"|(failed )?result of ([^\],]*), ([\d,]+) characters(?:, stored in ([^\]\n]*))?)\]\]$",
    re.MULTILINE,
)
_CALL = re.compile(r"^\[\[call ([^\]\n]+)\]\] (.*)$", re.MULTILINE)
_CLOSE = "</tool_result>"
_PART = re.compile(r"^\[\[part (\d+) of (\d+)\]\]$", re.MULTILINE)

Kind = Literal["user", "assistant", "summary", "program", "carried", "result"]


@dataclass(frozen=True, slots=True)
class Block:
    """One message of the conversation."""

    kind: Kind
    text: str
    tool: str = ""
    """For a result: the tool."""
    ok: bool = True
    """For a result: whether it succeeded."""
    deeds: list[Deed] = field(default_factory=list)
    """For an assistant message: its calls, with their results where they follow."""


def parts(text: str) -> list[str]:
    """The partial summaries of a merge request; empty if it is none."""
    marks = list(_PART.finditer(text))
    if not marks or marks[0].start() > 0:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [text[mark.end() : end].strip("\n") for mark, end in zip(marks, ends, strict=True)]


def blocks(text: str) -> list[Block]:
    """Divide a piece of serialised conversation.

    Args:
        text: The piece; it may begin amid a message, and that beginning is left out.

    Returns:
        Its messages in order, each assistant message with its calls paired to the results that follow it.
    """
    found: list[Block] = []
    waiting: list[Deed] = []
    for head, body in _divide(text):
        if head[4] is None:
            kind: Kind = "carried" if head[2].startswith("carried") else head[2]  # type: ignore[assignment]
            deeds = _calls(body) if kind == "assistant" else []
            said = _CALL.sub("", body).strip() if kind == "assistant" else body
            found.append(Block(kind, said, deeds=deeds))
            waiting = list(deeds) if deeds else waiting
            continue
        ok, tool = head[3] is None, head[4]
        found.append(Block("result", body, tool, ok))
        if waiting and (owner := _owner(found)) is not None:
            asked = waiting.pop(0)
            chars = int(head[5].replace(",", ""))
            message = Message("tool", body, name=tool, ok=ok, stored=head[6] or "", body_chars=chars)
            owner.deeds[owner.deeds.index(asked)] = Deed(asked.tool, asked.key, message=message, failed=not ok)
    return found


def _owner(found: Sequence[Block]) -> Block | None:
    return next((block for block in reversed(found) if block.deeds), None)


def _calls(body: str) -> list[Deed]:
    return [Deed(match[1], key_of(match[1], arguments_of(match[2])), note="?") for match in _CALL.finditer(body)]


def _divide(text: str) -> list[tuple[re.Match[str], str]]:
    """Heads with their bodies. Of a piece that begins amid a message, the head with the longest run is the first."""
    candidates = [match for match, _ in zip(_HEAD.finditer(text), range(10), strict=False)]
    runs = (_run(text, first) for first in candidates)
    return max(runs, key=len, default=[])


def _run(text: str, first: re.Match[str]) -> list[tuple[re.Match[str], str]]:
    heads: list[tuple[re.Match[str], str]] = []
    head: re.Match[str] | None = first
    while head is not None:
        start = head.end() + 1
        end = _stated_end(text, head, start)
        following = _next_head(text, end, int(head[1]) + 1)
        stop = following.start() - 1 if following is not None else len(text)
        heads.append((head, text[start : max(start, stop)]))
        head = following
    return heads


def _stated_end(text: str, head: re.Match[str], start: int) -> int:
    """Before which position no next head can stand: a wrapped result ends with its tag, a live one has its length."""
    if head[4] is None:
        return start
    if text.startswith("<tool_result ", start) and (close := text.find(_CLOSE, start)) >= 0:
        return close + len(_CLOSE)
    end = start + int(head[5].replace(",", ""))
    return end if end <= len(text) and (end == len(text) or text.startswith("\n[[", end)) else start


def _next_head(text: str, start: int, number: int) -> re.Match[str] | None:
    for match in _HEAD.finditer(text, max(0, start)):
        if int(match[1]) == number:
            return match
    return None
