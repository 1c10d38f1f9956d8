"""Taking a slice out of a text file in bounded work and memory. Lines end with a line feed and count from 1."""

from dataclasses import dataclass
from typing import BinaryIO

from paitui.locale import phrase
from paitui.tools.base import ToolError
from paitui.tools.encoding import Encoding

SCAN_BYTES = 64 * 1024 * 1024
"""How far a slice may lie from the beginning of its file, or in its line."""
_COUNT_BYTES = 8 * 1024 * 1024
"""In larger files lines are not counted to the end."""
_CHUNK = 256 * 1024


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a file, exactly as it stands there."""

    text: str
    first: int
    """Number of its first line."""
    last: int
    """Number of its last line."""
    next_offset: int = 0
    """Line that the rest begins in; 0 if this was the end."""
    next_column: int = 1
    """Character of that line that the rest begins with."""
    total_lines: int = 0
    """Lines of the whole file, where they were counted."""


def read_slice(
    file: BinaryIO, size: int, encoding: Encoding, offset: int, column: int, limit: int, chars: int
) -> Slice:
    """Read a slice.

    It ends after `limit` lines, or with the last line end within `chars`; only where one line alone is longer
    is the line itself cut.

    Args:
        file: The file; read from its beginning.
        size: Its size in bytes.
        encoding: How it is written.
        offset: First line.
        column: First character of that line.
        limit: Most lines; 0 for no limit.
        chars: Most characters.

    Returns:
        The slice and where the rest begins.

    Raises:
        ToolError: The slice begins behind the end, or too far from the beginning to look for it.
    """
    _seek_line(file, offset, len(encoding.mark))
    text = _collect(file, encoding, column, limit, chars)
    end = len(text)
    if limit and (at := _nth_line_end(text, limit)):
        end = at
    if end > chars:
        end = text.rfind("\n", 0, chars) + 1 or chars
    body = text[:end]
    breaks = body.count("\n")
    last = offset + breaks - (1 if body.endswith("\n") else 0)
    total = _count_lines(file) if size <= _COUNT_BYTES else 0
    if end == len(text):
        return Slice(body, offset, max(last, offset), total_lines=total)
    next_column = 1 if body.endswith("\n") else (1 if breaks else column) + len(body) - (body.rfind("\n") + 1)
    return Slice(body, offset, last, offset + breaks, next_column, total)


def _seek_line(file: BinaryIO, offset: int, start: int) -> None:
    """Move to the beginning of a line."""
    file.seek(start)
    passed, at, last = 0, start, b""
    while passed < offset - 1:
        chunk = file.read(_CHUNK)
        if not chunk:
            lines = passed + (1 if last not in (b"", b"\n") else 0)
            raise ToolError(phrase("tools.past_end", lines=lines))
        here = chunk.count(b"\n")
        if passed + here < offset - 1:
            passed, at, last = passed + here, at + len(chunk), chunk[-1:]
        else:
            position = -1
            while passed < offset - 1:
                position = chunk.index(b"\n", position + 1)
                passed += 1
            at += position + 1
            file.seek(at)
            if not file.read(1):
                raise ToolError(phrase("tools.past_end", lines=passed))
            file.seek(at)
            return
        if at - start > SCAN_BYTES:
            raise ToolError(phrase("tools.too_far", line=offset, mb=SCAN_BYTES // 1024**2))


def _collect(file: BinaryIO, encoding: Encoding, column: int, limit: int, chars: int) -> str:
    """Read from here on, from the given column, more than the slice needs if there is more."""
    decoder = encoding.decoder()
    skip, scanned = column - 1, 0
    pieces: list[str] = []
    held = breaks = 0
    while True:
        chunk = file.read(_CHUNK)
        scanned += len(chunk)
        piece = decoder.decode(chunk, not chunk)
        if skip:
            line_end = piece.find("\n", 0, skip)
            if line_end >= 0 or (not chunk and len(piece) <= skip):
                length = column - 1 - skip + (line_end if line_end >= 0 else len(piece))
                raise ToolError(phrase("tools.past_line", chars=length))
            dropped = min(skip, len(piece))
            piece, skip = piece[dropped:], skip - dropped
            if skip and scanned > SCAN_BYTES:
                raise ToolError(phrase("tools.too_far_in_line", column=column, mb=SCAN_BYTES // 1024**2))
        pieces.append(piece)
        held += len(piece)
        breaks += piece.count("\n")
        if (
            not chunk
            or held > chars
            or (limit and (breaks > limit or (breaks == limit and not piece.endswith("\n"))))
        ):
            return "".join(pieces)


def _nth_line_end(text: str, number: int) -> int:
    """Offset behind the given line break; 0 if there are fewer."""
    at = 0
    for _ in range(number):
        at = text.find("\n", at) + 1
        if not at:
            return 0
    return at


def _count_lines(file: BinaryIO) -> int:
    file.seek(0)
    breaks, last = 0, b"\n"
    while chunk := file.read(_CHUNK):
        breaks, last = breaks + chunk.count(b"\n"), chunk[-1:]
    return breaks + (last != b"\n")
