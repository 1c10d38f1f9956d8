"""Checks that nothing is lost: what left the history lies in a file, byte for byte, or went into a summary."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paitui.context.offload import Limits, body_of
from paitui.context.serialise import longest_prefix
from paitui.context.stubs import UNREADABLE, stub_paths
from paitui.locale import Words
from paitui.messages.message import Message, ToolCall
from paitui.settings import CommandSettings
from paitui.tools.base import Spool, ToolContext, ToolError
from paitui.tools.read import ReadFile, split_note
from paitui.trust.fence import Fence, FenceError

_NAMED = re.compile(r"; whole text in ([^;\n]+);")
_CALL = re.compile(r"read_file (\{.*?\})")


@dataclass(frozen=True, slots=True)
class Claim:
    """A file is said to hold a text."""

    path: str
    """Relative to the project; empty if the placeholder names none."""
    text: str
    """What it must hold."""
    step: int
    """The recorded message that the text belongs to."""


@dataclass(slots=True)
class Audit:
    """Collects what placeholders promise, and what summaries must have seen."""

    claims: dict[tuple[str, int], Claim] = field(default_factory=dict)
    """By path and step; a placeholder that is made again promises the same."""
    missing: int = 0
    """Messages that were removed and in no summary."""

    def replaced(self, original: Message, now: Message, step: int) -> None:
        """Note what a placeholder or a notice promises.

        Args:
            original: The message as it was recorded.
            now: The message as it stands in the history.
            step: Which recorded message it is.
        """
        for path, text in _promised(original, now):
            self.claims[path, step] = Claim(path, text, step)

    def removed(
        self, gone: Sequence[Message], kept: Sequence[Message], asked: Sequence[str], last_summary: str
    ) -> None:
        """Check that what a summary replaced was in its requests, or still stands word for word.

        Reasoning is left out; a summary is made of what was said and done.

        Args:
            gone: Messages that are no longer in the history.
            kept: What stands there now.
            asked: Texts of the requests, in order; one that was asked again stands there once.
            last_summary: The summary before this one, which must not be lost either.
        """
        seen = _plain("".join(asked))
        stands = _plain("\n".join(message.content for message in kept if message.role == "user"))
        for message in gone:
            match message.origin:
                case "summary":
                    texts = [last_summary]
                case "acknowledgement":
                    texts = []
                case _:
                    texts = [_body(message), *(call.arguments for call in message.tool_calls)]
            self.missing += not all(_plain(text) in seen or _plain(text) in stands for text in texts)

    async def unkept(self, fence: Fence, words: Words, limits: Limits) -> int:
        """Read every promised file, as a whole and slice by slice as the model would.

        Args:
            fence: The project's fence.
            words: For the tool.
            limits: How long slices are.

        Returns:
            How many messages of the recording have a promise that does not hold.
        """
        context = _tool_context(fence, words, limits)
        broken = set()
        for claim in self.claims.values():
            # The tool shows bytes that are no UTF-8 by a sign of their own; the file holds them all the same.
            shown = _bytes(claim).decode("utf-8", "replace")
            if not (_holds(fence, claim) and await _read_back(claim.path, context) == shown):
                broken.add(claim.step)
        return len(broken)


def _promised(original: Message, now: Message) -> Iterator[tuple[str, str]]:
    if now.role == "tool" and now.state != "live":
        named = _NAMED.search(now.content)
        yield (named[1] if named and named[1] == now.stored else "", original.content)
    for before, after in zip(original.tool_calls, now.tool_calls, strict=True):
        if before.arguments != after.arguments:
            yield from _promised_arguments(before.name, before.arguments, after.arguments)


def _promised_arguments(tool: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    new = json.loads(after)
    if list(new) == [UNREADABLE]:
        yield _path_in(tool, new[UNREADABLE]), before
    else:
        yield from _differing(tool, json.loads(before), new)


def _differing(tool: str, before: Any, after: Any) -> Iterator[tuple[str, str]]:
    if isinstance(before, dict) and isinstance(after, dict) and list(before) == list(after):
        for name in before:
            yield from _differing(tool, before[name], after[name])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from _differing(tool, one, other)
    elif before != after:
        yield _path_in(tool, after), before if isinstance(before, str) else json.dumps(before)


def _path_in(tool: str, notice: Any) -> str:
    paths = stub_paths(ToolCall("", tool, notice)) if isinstance(notice, str) else []
    return paths[0] if paths else ""


def _body(message: Message) -> str:
    return body_of(message) if message.role == "tool" and message.state == "live" else message.content


def _plain(text: str) -> str:
    """Without line breaks: requests are divided at them."""
    return text.replace("\n", "")


def _holds(fence: Fence, claim: Claim) -> bool:
    if not claim.path:
        return False
    try:
        with fence.open_read(claim.path) as file:
            return file.read() == _bytes(claim)
    except (FenceError, OSError):
        return False


def _bytes(claim: Claim) -> bytes:
    return claim.text.encode("utf-8", "surrogatepass")


async def _read_back(path: str, context: ToolContext) -> str | None:
    """Follow the calls that notice and slices give, to the end of the file; None if they lead nowhere."""
    parts: list[str] = []
    arguments: Mapping[str, Any] | None = {"path": path, "offset": 1, "limit": 200}
    been: list[Mapping[str, Any]] = []
    while arguments is not None:
        if arguments in been:
            return None
        been.append(arguments)
        try:
            outcome = await ReadFile().run(arguments, context)
        except ToolError:
            return None
        text, note = split_note(outcome.text)
        parts.append(text)
        found = _CALL.search(note)
        arguments = json.loads(found[1]) if found else None
    return "".join(parts)


def _tool_context(fence: Fence, words: Words, limits: Limits) -> ToolContext:
    def no_spool(tool: str) -> Spool:
        raise OSError(f"{tool} needs no file here")

    return ToolContext(
        project=fence.root,
        home=fence.root / "home",
        words=words,
        slice_chars=limits.slice_chars,
        command=CommandSettings(),
        open_spool=no_spool,
        fits=lambda text: longest_prefix(text, limits.result_tokens),
    )
