"""`read_file`: a whole small file, or a bounded slice that says how to go on."""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paitui.locale import Words, phrase
from paitui.messages.message import ToolSpec
from paitui.tools.access import counted, fence_of, fenced, is_output
from paitui.tools.base import Access, Effect, ToolContext, ToolError, ToolOutcome
from paitui.tools.encoding import SAMPLE_BYTES, Encoding, sniff
from paitui.tools.slices import Slice, read_slice
from paitui.trust.fence import Fence

WHOLE_BYTES = 4_000_000
"""A larger file is read in slices even if nobody asked for one."""
_NOTE_CHARS = 240
"""Room in a slice for the line that says how to go on, besides the path in it."""

_SPEC = ToolSpec(
    "read_file",
    "Read a text file. Long files come in slices; the last line says how to go on.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
            "limit": {"type": "integer", "minimum": 1, "description": "number of lines"},
            "column": {
                "type": "integer",
                "minimum": 1,
                "description": "first character, from 1, within a very long line",
            },
        },
        "required": ["path"],
    },
)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Reads text files inside the project.

    The text is exactly what the file holds: no line numbers, line ends as they are. A slice that is not the end
    is followed by one line break and one line in square brackets; `split_note` takes it off again.
    """

    spec: ToolSpec = _SPEC
    access: Access = "read"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Reading needs no approval."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Read the file or the slice.

        Raises:
            ToolError: Outside, missing, binary, no regular file, or nothing at that place.
        """
        return await asyncio.to_thread(_read, arguments, context)


def _read(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
    fence = fence_of(context)
    with fenced():
        path = fence.relative(arguments["path"])
        stored = is_output(path) or is_output(fence.resolved(path))
        file = fence.open_read(path)
    sliced = stored or any(name in arguments for name in ("offset", "limit", "column"))
    try:
        with file:
            size = os.fstat(file.fileno()).st_size
            sample = file.read(SAMPLE_BYTES)
            # What a tool printed may hold any byte and must still be readable, exactly; a mark is part of it.
            encoding = Encoding("utf-8") if stored else sniff(sample, len(sample) >= size)
            if encoding is None:
                raise ToolError(phrase("tools.binary", path=path, bytes=size))
            if not sliced and size <= WHOLE_BYTES:
                file.seek(len(encoding.mark))
                data = file.read(WHOLE_BYTES + 1)
                if len(data) <= WHOLE_BYTES:
                    return _whole(data, encoding, context.words)
            note_room = _NOTE_CHARS + len(_call(path, 10**9, 10**9))
            chars = max(context.slice_chars // 2, context.slice_chars - note_room)
            offset, column, limit = (arguments.get(n, d) for n, d in (("offset", 1), ("column", 1), ("limit", 0)))
            part = read_slice(file, size, encoding, offset, column, limit, chars)
            if (fitting := context.fits(part.text)) < len(part.text):
                part = read_slice(file, size, encoding, offset, column, limit, max(1, fitting))
    except OSError as error:
        raise ToolError(phrase("tools.read_failed", path=path, why=error.strerror or str(error))) from error
    note = _note(part, path, encoding, context.words)
    lines = part.last - part.first + 1 if part.text else 0
    return ToolOutcome(part.text + note, headline=counted("tools.lines", lines), bounded=True)


def _whole(data: bytes, encoding: Encoding, words: Words) -> ToolOutcome:
    text = encoding.decoder().decode(data, True)
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    note = f"\n[{words('tools.guessed')}]" if encoding.guessed else ""
    return ToolOutcome(text + note, headline=counted("tools.lines", lines))


def _note(part: Slice, path: str, encoding: Encoding, words: Words) -> str:
    said = [words("tools.guessed")] if encoding.guessed else []
    if part.next_offset:
        where = "tools.part_of" if part.total_lines else "tools.part"
        said.append(
            words(
                where,
                first=part.first,
                last=part.last,
                total=part.total_lines,
                call=_call(path, part.next_offset, part.next_column),
            )
        )
    last_line = part.text.rpartition("\n")[2]
    if not said and last_line.startswith("[") and last_line.endswith("]"):
        said.append(words("tools.end_of_file"))  # Else the file's own last line would pass for a note.
    return f"\n[{' '.join(said)}]" if said else ""


def _call(path: str, offset: int, column: int) -> str:
    """The call that goes on, to be copied as it stands."""
    arguments: dict[str, str | int] = {"path": path, "offset": offset}
    if column > 1:
        arguments["column"] = column
    return f"read_file {json.dumps(arguments, ensure_ascii=False)}"


def split_note(text: str) -> tuple[str, str]:
    """Take a slice apart.

    Args:
        text: Text of an outcome of `read_file` that has a note.

    Returns:
        The file's own text, and the note (empty if there is none).
    """
    body, line_break, note = text.rpartition("\n")
    if line_break and note.startswith("[") and note.endswith("]"):
        return body, note
    return text, ""


def read_whole(fence: Fence, path: str) -> tuple[str, Encoding]:
    """Read a text file to change it.

    Args:
        fence: The project's fence.
        path: The file.

    Returns:
        Its text without the byte-order mark, and how it is written.

    Raises:
        ToolError: It is binary, too large, or cannot be read.
    """
    with fenced(), fence.open_read(path) as file:
        data = file.read(WHOLE_BYTES + 1)
    if len(data) > WHOLE_BYTES:
        raise ToolError(phrase("tools.too_large", path=path, mb=WHOLE_BYTES // 1_000_000))
    encoding = sniff(data, True)
    if encoding is None:
        raise ToolError(phrase("tools.binary", path=path, bytes=len(data)))
    return encoding.decoder().decode(data[len(encoding.mark) :], True), encoding
