"""A ledger in lines of text. Whoever prints them makes them safe."""

from datetime import datetime

from paitui.headless.cells import cut, padded
from paitui.ledger.boundaries import BoundaryDetail, Item
from paitui.ledger.checking import Checked
from paitui.ledger.facts import DAMAGED
from paitui.ledger.row import Row
from paitui.locale import Words

_WHO_CELLS = 22
_UNIT_CELLS = 10


class LedgerText:
    """Says what a ledger holds."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def row(self, row: Row, width: int = 0) -> str:
        """Give a record on one line.

        Args:
            row: The record.
            width: Cells of the terminal; 0 for no limit.
        """
        seq = f"{row.seq:>6}" if row.seq else f"{'-':>6}"
        line = f"{seq}  {local(row.time)}  {padded(cut(row.unit, _UNIT_CELLS), _UNIT_CELLS)}  "
        line += f"{padded(cut(self.who(row), _WHO_CELLS), _WHO_CELLS)}  {size(row.size):>8}  {self.said(row)}"
        return cut(line, width) if width else line

    def who(self, row: Row) -> str:
        """Give what a record is, in a word or two: the event, or the role and its tools."""
        if row.event == "message":
            return " ".join((row.role, ", ".join(row.tools))).strip() if row.tools else row.role
        return " ".join((row.event, row.kind)).strip()

    def said(self, row: Row) -> str:
        """Give the first words of a record."""
        if row.event == DAMAGED:
            return self._words("ledger_cli.row_damaged", why=row.why, words=row.words)
        if row.event == "boundary":
            return f"{row.before:,} -> {row.after:,}  {row.words}"
        return row.words

    def heading(self, row: Row) -> str:
        """Give the heading of a record in a document."""
        number = f"{row.seq}" if row.seq else "-"
        return " · ".join(part for part in (number, self.who(row), row.unit, local(row.time)) if part.strip())

    def boundary(self, detail: BoundaryDetail) -> list[str]:
        """Give what a boundary took out and put in."""
        words, row = self._words, detail.row
        lines = [self.row(row)]
        if detail.damaged:
            return [*lines, words("ledger_cli.boundary_unread")]
        if detail.undone is not None:
            lines.append(words("ledger_cli.boundary_undone", seq=detail.undone.seq, kind=detail.undone.kind))
        if detail.shown < detail.total:
            lines.append(words("ledger_cli.boundary_part", n=detail.shown, total=detail.total))
        for side, items in (("went", detail.went), ("came", detail.came)):
            key = f"ledger_cli.{side}" if items else f"ledger_cli.{side}_nothing"
            lines += ["", words(key, n=len(items))]
            for item in items:
                lines += self._item(item)
        return lines

    def _item(self, item: Item) -> list[str]:
        words = self._words
        if item.row is not None:
            lines = [f"  [{item.uid}] {self.heading(item.row)}"]
        else:
            lines = ["  " + words(f"ledger_cli.item_{'instead' if item.uid else 'made'}", uid=item.uid)]
        if item.shortened:
            lines.append("    " + words("ledger_cli.item_shortened"))
        lines += [f"    {line}" for line in item.text.splitlines()]
        if item.stored and (item.cut or item.shortened):
            lines.append("    " + words("ledger_cli.item_stored", file=item.stored))
        elif item.cut and item.row:
            lines.append("    " + words("ledger_cli.item_cut", seq=item.row.seq))
        return lines

    def checked(self, name: str, found: Checked) -> list[str]:
        """Give what a check found."""
        words = self._words
        key = "ledger_cli.checked_sound" if found.sound else "ledger_cli.checked"
        lines = [words(key, name=name, n=found.lines, size=size(found.bytes))]
        for problem in found.problems:
            what = words(f"ledger_cli.problem_{problem.what}", detail=problem.detail)
            key = "ledger_cli.problem_record" if problem.seq else "ledger_cli.problem_line"
            lines.append("  " + words(key, line=problem.line, seq=problem.seq, what=what))
        if more := sum(found.counts.values()) - len(found.problems):
            lines.append("  " + words("ledger_cli.problems_more", n=more))
        for name, count in (
            ("unwritten", found.unwritten),
            ("healed", found.healed),
            ("newer", found.newer),
            ("unanswered", found.unanswered),
        ):
            lines += ["  " + words(f"ledger_cli.note_{name}", n=count)] if count else []
        return lines


def local(time: str) -> str:
    """Give a record's time as the user's clock shows it; what is none stays as it is."""
    try:
        return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return time[:19]


def size(count: int) -> str:
    """Give a size in bytes in the unit that suits it."""
    if count < 1_000:
        return f"{count} B"
    for unit in ("KB", "MB", "GB"):
        if (shown := count / 1_000) < 999.95 or unit == "GB":
            return f"{shown:.1f} {unit}"
        count = round(shown)
    raise AssertionError
