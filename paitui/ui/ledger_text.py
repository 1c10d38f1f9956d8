"""What a record of the ledger says, in pieces that are drawn when they come into view."""

from collections.abc import Sequence

import orjson

from paitui.jsontext import decode
from paitui.ledger.boundaries import message_text
from paitui.ledger.row import Row
from paitui.ledger.view import LedgerView
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.pages import TextPages
from paitui.ui.render import ledger as render
from paitui.ui.widgets.pane_detail import Piece

WHOLE_BYTES = 2 << 20
"""Longer records are shown as they stand in the file, a piece at a time."""
_PIECE_BYTES = 16_384


def text_of(view: LedgerView, row: Row, source: bool) -> str:
    """Give a record as a whole: what was said, or its JSON.

    Args:
        view: Its ledger.
        row: The record, at most `WHOLE_BYTES` long.
        source: Whether the JSON is wanted, also of a message.

    Raises:
        OSError: The file cannot be read.
    """
    record = None if source else view.record(row)
    if record is not None and record.event == "message":
        return message_text(record.payload)
    data = view.raw(row) or b""
    try:
        return orjson.dumps(decode(data), option=orjson.OPT_INDENT_2).decode()
    except (ValueError, TypeError):
        return data.decode("utf-8", "replace")


def pieces_of(view: LedgerView, row: Row, source: bool, look: Look) -> Sequence[Piece]:
    """Give what the detail shows of a record.

    Args:
        view: Its ledger.
        row: The record.
        source: Whether the JSON is wanted.
        look: Words and signs.

    Raises:
        OSError: The file cannot be read.
    """

    def head(total: int) -> list[Line]:
        return render.facts(row, look, total)

    if row.event == "boundary" and not source and row.line >= 0:
        detail = view.boundary(row.line)
        return [head, *([lambda total: render.boundary(detail, look, total)] if detail is not None else [])]
    if row.size > WHOLE_BYTES:
        return [head, *(_part(view, row, start) for start in range(0, row.size, _PIECE_BYTES))]
    pages = TextPages(text_of(view, row, source))
    return [head, *(_page(pages, at) for at in range(len(pages)))]


def _page(pages: TextPages, at: int) -> Piece:
    return lambda total: render.text_rows(pages.page(at), total)


def _part(view: LedgerView, row: Row, start: int) -> Piece:
    return lambda total: render.text_rows(view.piece(row, start, _PIECE_BYTES).text, total)
