"""Writing a ledger out: its lines as they are, or as Markdown for a reader."""

import re
from collections.abc import Callable, Iterator

from paitui.ledger.boundaries import message_text
from paitui.ledger.index import LedgerFilter
from paitui.ledger.pages import LedgerPages, Piece
from paitui.ledger.records import Record
from paitui.ledger.row import Row

_FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def pieces(view: LedgerPages, row: Row) -> Iterator[Piece]:
    """Read a line from beginning to end, however long it is."""
    start = 0
    while start < row.size:
        piece = view.piece(row, start)
        if piece.stop <= start:
            return
        yield piece
        start = piece.stop


def as_lines(view: LedgerPages, which: LedgerFilter) -> Iterator[bytes]:
    """Give the lines that a filter takes, byte for byte; a long one in several parts.

    Raises:
        OSError: The file cannot be read.
    """
    for row in _rows(view, which):
        for piece in pieces(view, row):
            yield piece.data
        yield b"\n"


def as_markdown(view: LedgerPages, which: LedgerFilter, told: Callable[[Row], str]) -> Iterator[bytes]:
    """Give the records that a filter takes as Markdown.

    Args:
        view: The ledger.
        which: The filter.
        told: Gives a record's heading, in the reader's language.

    Raises:
        OSError: The file cannot be read.
    """
    for row in _rows(view, which):
        yield _bytes(f"\n## {told(row)}\n\n")
        record = view.record(row)
        if record is None:
            yield from (piece.data for piece in pieces(view, row))
            yield b"\n"
        else:
            yield _bytes(_body(record, row))


def _rows(view: LedgerPages, which: LedgerFilter) -> Iterator[Row]:
    offset = 0
    while rows := view.newer(offset, 200, which):
        yield from rows
        offset = rows[-1].offset + rows[-1].size + 1


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _body(record: Record, row: Row) -> str:
    payload = record.payload
    if record.event == "message":
        text = message_text(payload)
        return (
            f"{text}\n" if record.role == "user" or (record.role == "assistant" and not row.tools) else fenced(text)
        )
    if record.event == "boundary":
        texts = payload.get("texts")
        whole = "\n".join(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ""
        return f"{row.words}\n" + (f"\n{fenced(whole)}" if whole else "")
    return f"{row.words}\n"


def fenced(text: str) -> str:
    """Give a text as a code block that nothing in it can end."""
    longest = max((len(found) for found in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}\n"
