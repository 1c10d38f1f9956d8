"""Which ledgers there are, which one is meant, and whether a file is one."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from paitui.ledger.facts import DAMAGED, WHOLE_BYTES
from paitui.ledger.row import row_of
from paitui.ledger.view import LedgerView
from paitui.locale import Phrase, phrase
from paitui.reading import open_file

ENDING = ".jsonl"
SHOWN_CANDIDATES = 5
"""How many ledgers an error names where a prefix fits several."""
_LOOKED_THROUGH = 200
"""Lines in which the first request is looked for."""


class LedgerFault(Exception):
    """A ledger cannot be looked at.

    Attributes:
        phrase: What is wrong and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """A ledger as a list shows it."""

    session: str
    """Id of the session; the file's name without its ending."""
    path: Path
    size: int
    """Bytes."""
    changed: datetime
    """When it was last written; UTC."""


def ledgers(folder: Path) -> list[LedgerFile]:
    """List the ledgers, last written first; nothing of them is read.

    Args:
        folder: Where they lie; it may be missing.

    Raises:
        LedgerFault: The folder cannot be read.
    """
    found: list[LedgerFile] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING) and not entry.name.startswith(".") and entry.is_file():
                    facts = entry.stat()
                    changed = datetime.fromtimestamp(facts.st_mtime, UTC)
                    session = entry.name.removesuffix(ENDING)
                    found.append(LedgerFile(session, Path(entry.path), facts.st_size, changed))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(folder, error) from error
    return sorted(found, key=lambda one: (one.changed, one.session), reverse=True)


def resolve(folder: Path, name: str) -> Path:
    """Find the ledger that a user names.

    Args:
        folder: Where the ledgers lie.
        name: The id of a session, the beginning of one, or the path of a file.

    Raises:
        LedgerFault: There is none, or several begin like that.
    """
    if os.sep in name or name.endswith(ENDING):
        return Path(name).expanduser()
    names = [one.session for one in ledgers(folder)]
    fitting = [name] if name in names else [one for one in names if name and one.startswith(name)]
    if not fitting:
        raise LedgerFault(phrase("ledger_cli.no_match", prefix=name))
    if len(fitting) > 1:
        shown = ", ".join(fitting[:SHOWN_CANDIDATES])
        raise LedgerFault(phrase("ledger_cli.ambiguous", prefix=name, n=len(fitting), candidates=shown))
    return folder / f"{fitting[0]}{ENDING}"


def open_view(path: Path) -> LedgerView:
    """Open a ledger to look through it.

    Raises:
        LedgerFault: There is no such file, it cannot be read, or it is something else.
    """
    view = LedgerView(path)
    try:
        if view.poll() == "gone":
            raise LedgerFault(phrase("ledger_cli.gone", file=str(path)))
        if view.end and all(row.event == DAMAGED for row in [*view.newer(0, 20), *view.tail(20)]):
            raise LedgerFault(phrase("ledger_cli.not_a_ledger", file=str(path)))
        if not view.end and path.stat().st_size > WHOLE_BYTES:
            raise LedgerFault(phrase("ledger_cli.not_a_ledger", file=str(path)))
    except OSError as error:
        raise unreadable(path, error) from error
    return view


def first_request(path: Path) -> str:
    """Give the first words of the user; empty if the first lines hold none, or cannot be read."""
    try:
        with open_file(path) as file:
            for line in islice(iter(lambda: file.readline(WHOLE_BYTES), b""), _LOOKED_THROUGH):
                if b'"user"' in line:
                    row = row_of(line.rstrip(b"\n"), 0)
                    if row.role == "user" and row.words:
                        return row.words
    except OSError:
        return ""
    return ""


def unreadable(path: Path, error: OSError) -> LedgerFault:
    """Give the error for what the system will not let us read."""
    return LedgerFault(phrase("ledger_cli.unreadable", file=str(path), why=error.strerror or str(error)))
