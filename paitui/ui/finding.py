"""Where a text stands in drawn rows, also where a row was broken in the middle of it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from paitui.ui.lines import Line, cells
from paitui.ui.wrap import width


class Hit(NamedTuple):
    """A part of a row that belongs to something found."""

    row: int
    first: int
    """First cell."""
    last: int
    """The cell after the last."""
    begins: bool
    """Whether it is the first part: what was found may go on in the next row."""


def needle(text: str) -> re.Pattern[str]:
    """What to look for; capital letters are as good as small ones."""
    return re.compile(re.escape(text), re.IGNORECASE)


def hits(rows: Sequence[Line], wanted: re.Pattern[str]) -> list[Hit]:
    """Find a text in rows.

    Args:
        rows: Drawn rows, as they follow each other.
        wanted: What to look for.

    Returns:
        The parts of rows, in order.
    """
    found: list[Hit] = []
    text = ""  # of one line
    starts: list[tuple[int, int, int]] = []  # of its rows: offset in it, number, cells before the text
    for number, row in enumerate([*rows, ()]):
        glue = next((span.glue for span in row if span.glue is not None), None)
        if glue is None or number == len(rows):
            found += _in_line(text, starts, wanted)
            text, starts = "", []
        else:
            text += glue
        lead = 0
        while lead < len(row) and row[lead].copy == "":
            lead += 1
        starts.append((len(text), number, cells(row[:lead])))
        text += "".join(span.text for span in row[lead:])
    return found


def _in_line(text: str, starts: Sequence[tuple[int, int, int]], wanted: re.Pattern[str]) -> list[Hit]:
    found: list[Hit] = []
    ends = [offset for offset, _, _ in starts[1:]] + [len(text)]
    for match in wanted.finditer(text):
        begins = True
        for (start, row, before), end in zip(starts, ends, strict=True):
            low, high = max(match.start(), start), min(match.end(), end)
            if low < high:
                first = before + width(text[start:low])
                found.append(Hit(row, first, first + width(text[low:high]), begins))
                begins = False
    return found
