"""Where lines begin and end in a file of any size, forwards and backwards, in bounded memory."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from paitui.ledger.facts import (
    CALLED,
    HEAD_BYTES,
    NO_RECORD,
    TAIL_BYTES,
    WHOLE_BYTES,
    Facts,
    facts_of,
    long_line,
)

BLOCK_BYTES = 1 << 20
"""How much is read at once."""
_FIRST_BLOCK = 1 << 16


def whole_end(file: BinaryIO, size: int) -> int:
    """Give the offset behind the last line end; bytes behind it are a line that is still being written, or torn.

    Args:
        file: Open for reading.
        size: How many bytes of it count.
    """
    end = size
    while end > 0:
        start = max(0, end - BLOCK_BYTES)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def lines_back(file: BinaryIO, end: int) -> Iterator[tuple[int, int]]:
    """Find lines from the end of a file to its start, reading no more than is asked for.

    Args:
        file: Open for reading.
        end: Offset behind a line end.

    Yields:
        Where each line begins, and the offset behind its line end.
    """
    block, block_at, wanted = b"", end, _FIRST_BLOCK
    while end > 0:
        before = end - 1  # its own line end
        while True:
            if before <= block_at and block_at > 0:
                stop = block_at
                block_at = max(0, stop - wanted)
                file.seek(block_at)
                block = file.read(stop - block_at)
                wanted = min(BLOCK_BYTES, wanted * 2)
                before = min(before, stop)
            found = block.rfind(b"\n", 0, max(0, before - block_at))
            if found >= 0 or block_at == 0:
                break
            before = block_at
        start = block_at + found + 1 if found >= 0 else 0
        yield start, end
        end = start


def scan(file: BinaryIO, start: int) -> Iterator[tuple[int, Facts | tuple[Any, ...], int]]:
    """Read the lines of a file from an offset on and tell what each is.

    Args:
        file: Open for reading.
        start: Where a line begins.

    Yields:
        For each whole line the offset behind its line end, what it is, and the message's uid or 0.
    """
    file.seek(start)
    begun, end = b"", start
    while block := file.read(BLOCK_BYTES):
        lines = (begun + block).split(b"\n")
        begun = lines.pop()
        for line in lines:
            end += len(line) + 1
            yield end, *(facts_of(line) if len(line) <= WHOLE_BYTES else _facts_of_long(line))
        if len(begun) > WHOLE_BYTES:
            long = _rest_of_long(file, begun)
            if long is None:
                return
            size, facts, uid, begun = long
            end += size
            yield end, facts, uid


def _rest_of_long(file: BinaryIO, begun: bytes) -> tuple[int, Facts | tuple[Any, ...], int, bytes] | None:
    """Read to the end of a line that does not fit a block.

    Returns:
        Its size with the line end, what it is, its uid, and what was read of the next line; None if it has no end.
    """
    head, tail, names = begun[:HEAD_BYTES], begun[-TAIL_BYTES:], _names(begun)
    size = len(begun)
    while block := file.read(BLOCK_BYTES):
        found = block.find(b"\n")
        part = block if found < 0 else block[:found]
        names.update(_names(tail[-256:] + part))
        tail = (tail + part)[-TAIL_BYTES:]
        size += len(part)
        if found >= 0:
            file.seek(found + 1 - len(block), 1)
            return size + 1, *_told(head, tail, names), b""
    return None


def _facts_of_long(line: bytes) -> tuple[Facts | tuple[Any, ...], int]:
    return _told(line[:HEAD_BYTES], line[-TAIL_BYTES:], _names(line))


def _told(head: bytes, tail: bytes, names: dict[str, None]) -> tuple[Facts | tuple[Any, ...], int]:
    found = long_line(head, tail, names)
    return (found.facts, found.uid) if found else NO_RECORD


def _names(data: bytes) -> dict[str, None]:
    return dict.fromkeys(name.decode("utf-8", "replace") for name in CALLED.findall(data))
