"""`list_dir`, `write_file` and `edit_file`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paitui.locale import phrase
from paitui.messages.message import ToolSpec
from paitui.tools.access import always_folder, counted, fence_of, fenced
from paitui.tools.base import Access, Effect, ToolContext, ToolError, ToolOutcome
from paitui.tools.diff import Diff, unified
from paitui.tools.read import read_whole
from paitui.trust.fence import Entry, Fence, FenceError

MOST_ENTRIES = 500
"""Entries of a folder that are listed."""


_LIST_SPEC = ToolSpec(
    "list_dir",
    "List a folder: subfolders, then files with their size in bytes.",
    {"type": "object", "properties": {"path": {"type": "string", "description": "default: the project"}}},
)
_WRITE_SPEC = ToolSpec(
    "write_file",
    "Create a file or replace its whole content.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
)
_EDIT_SPEC = ToolSpec(
    "edit_file",
    "Replace an exact text in a file. It must occur once, unless replace_all is set.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "old": {"type": "string"},
            "new": {"type": "string"},
            "replace_all": {"type": "boolean"},
        },
        "required": ["path", "old", "new"],
    },
)


@dataclass(frozen=True, slots=True)
class ListDir:
    """Lists one folder: folders first, with a slash, then files with their size in bytes."""

    spec: ToolSpec = _LIST_SPEC
    access: Access = "read"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Reading needs no approval."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """List the folder.

        Raises:
            ToolError: It is outside, missing or no folder.
        """
        with fenced():
            entries = await asyncio.to_thread(fence_of(context).list_dir, arguments.get("path", "."))
        entries.sort(key=lambda entry: entry.kind != "folder")
        lines = [_line(entry) for entry in entries[:MOST_ENTRIES]]
        if len(entries) > MOST_ENTRIES:
            lines.append(f"[{context.words('tools.more_entries', n=len(entries) - MOST_ENTRIES)}]")
        text = "\n".join(lines) or context.words("tools.empty_folder")
        return ToolOutcome(text, headline=counted("tools.entries", len(entries)))


def _line(entry: Entry) -> str:
    # A line break in a name would forge an entry.
    name = entry.name.replace("\n", "\\n").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    match entry.kind:
        case "folder":
            return f"{name}/"
        case "link":
            return f"{name} -> {entry.target}"
        case "file":
            return f"{name}  {entry.size:,}"
    return f"{name}  (special)"


@dataclass(frozen=True, slots=True)
class _Change:
    path: str
    data: bytes
    diff: Diff
    text: str


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Writes a whole file at once."""

    spec: ToolSpec = _WRITE_SPEC
    access: Access = "write"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Show what would be written.

        Raises:
            ToolError: It cannot be written there.
        """
        return _effect(self._change(arguments, context), context)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Write it.

        Raises:
            ToolError: It could not be written; the old file is as it was.
        """
        return await asyncio.to_thread(lambda: _apply(self._change(arguments, context), context))

    def _change(self, arguments: Mapping[str, Any], context: ToolContext) -> _Change:
        fence = fence_of(context)
        content: str = arguments["content"]
        with fenced():
            path = fence.relative(arguments["path"])
        data = _encode(content, "utf-8", path)
        return _Change(path, data, _compare(fence, path, content), content)


def _compare(fence: Fence, path: str, new: str) -> Diff:
    try:
        fence.stat(path)
    except FenceError as error:
        if error.fault != "missing":
            raise ToolError(error.phrase) from error
        return unified(path, "", new)
    try:
        old, _ = read_whole(fence, path)
    except ToolError as error:
        if error.phrase.key not in ("tools.binary", "tools.too_large"):
            raise
        old = ""  # Replacing such a file is allowed; all that can be shown is what it becomes.
    return unified(path, old, new)


@dataclass(frozen=True, slots=True)
class EditFile:
    """Replaces an exact text in a file; line ends and encoding stay as they are."""

    spec: ToolSpec = _EDIT_SPEC
    access: Access = "write"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Show what would change.

        Raises:
            ToolError: The text is not there, or not unique, or the file cannot be changed.
        """
        return _effect(self._change(arguments, context), context)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Change the file.

        Raises:
            ToolError: As for `effect`; the old file is as it was.
        """
        return await asyncio.to_thread(lambda: _apply(self._change(arguments, context), context))

    def _change(self, arguments: Mapping[str, Any], context: ToolContext) -> _Change:
        fence = fence_of(context)
        with fenced():
            path = fence.relative(arguments["path"])
        text, encoding = read_whole(fence, path)
        if encoding.guessed:
            raise ToolError(phrase("tools.not_utf8", path=path))
        new = replaced(text, arguments["old"], arguments["new"], arguments.get("replace_all", False), path)
        data = encoding.mark + _encode(new, encoding.name, path)
        return _Change(path, data, unified(path, text, new), new)


def replaced(text: str, old: str, new: str, everywhere: bool, path: str) -> str:
    """Replace a text.

    Args:
        text: The whole file.
        old: What is there; with plain line ends it also finds Windows ones, which then stay.
        new: What takes its place.
        everywhere: Replace every occurrence.
        path: For the message.

    Returns:
        The changed file.

    Raises:
        ToolError: `old` is empty, the same as `new`, not there, or there more than once.
    """
    if not old:
        raise ToolError(phrase("tools.edit_empty"))
    if old == new:
        raise ToolError(phrase("tools.edit_same"))
    count = text.count(old)
    if not count and "\r\n" in text and "\r\n" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
        count = text.count(old)
    if not count:
        lines = [line.strip() for line in text.splitlines()]
        first = next((line.strip() for line in old.splitlines() if line.strip()), "")
        if first in lines:
            raise ToolError(phrase("tools.edit_near", path=path, line=lines.index(first) + 1))
        raise ToolError(phrase("tools.edit_missing", path=path))
    if count > 1 and not everywhere:
        raise ToolError(phrase("tools.edit_many", path=path, n=count))
    return text.replace(old, new)


def _encode(text: str, encoding: str, path: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ToolError(phrase("tools.bad_characters", path=path)) from error


def _effect(change: _Change, context: ToolContext) -> Effect:
    fence = fence_of(context)
    with fenced():
        fence.check_writable(change.path)
        resolved = fence.resolved(change.path)
    detail = change.diff.text or context.words("tools.no_change")
    subject = change.path if resolved == change.path else f"{change.path} -> {resolved}"
    return Effect("write", subject, detail, always_folder(resolved))


def _apply(change: _Change, context: ToolContext) -> ToolOutcome:
    with fenced():
        created = fence_of(context).replace(change.path, change.data)
    lines = change.text.count("\n") + (not change.text.endswith("\n") and bool(change.text))
    text = context.words(
        "tools.created" if created else "tools.written", path=change.path, lines=lines, chars=len(change.text)
    )
    return ToolOutcome(
        text,
        headline=phrase("tools.changed", added=change.diff.added, removed=change.diff.removed),
        diff=change.diff.text,
        changed=(change.path,),
    )
