"""Writing the raw ledger: what happened, as it happened, for whoever looks later. The agent never reads it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from paitui.appendlog import AppendLog, read_lines_backwards
from paitui.clock import Clock, iso
from paitui.ledger.records import BoundaryKind, EventName, Record, from_line, message_payload, to_line
from paitui.locale import Phrase, phrase
from paitui.messages.message import Message, Usage


class LedgerError(Exception):
    """A record could not be written; the work goes on, and the next record says how many are missing.

    Attributes:
        phrase: What happened and what to do.
        first: Whether this is the first failure since a record was written; the user is told once.
    """

    def __init__(self, what: Phrase, first: bool = True) -> None:
        super().__init__(what.key)
        self.phrase = what
        self.first = first


class LedgerWriter:
    """Appends to one session's ledger. The cost of a record does not depend on the size of the file."""

    def __init__(
        self, path: Path, session: str, clock: Clock, mask: Callable[[str], str] = lambda text: text
    ) -> None:
        """Remember where to write; nothing is opened before the first record.

        Args:
            path: The ledger file, ``<session>.jsonl``.
            session: Id of the session.
            clock: For the time of each record.
            mask: Takes known secrets out of a text; every text of every payload passes it.
        """
        self._log = AppendLog(path)
        self._session = session
        self._clock = clock
        self._mask = mask
        self._seq = -1
        self._lost = 0
        self._healed = 0

    def message(self, unit: str, message: Message, usage: Usage | None = None) -> None:
        """Record a message at the moment it enters a history.

        Args:
            unit: Whose history.
            message: The message.
            usage: For an answer: what the provider reported for the request.

        Raises:
            LedgerError: It is not in the ledger.
        """
        self._write(unit, "message", message_payload(message, usage))

    def boundary(
        self,
        unit: str,
        kind: BoundaryKind,
        why: str,
        before: int,
        after: int,
        ids: Sequence[int] = (),
        texts: Sequence[str] = (),
    ) -> None:
        """Record that a history was shortened.

        Args:
            unit: Whose history.
            kind: What was done.
            why: What made it happen, for a reader: ``over the clear threshold``, ``/compact``.
            before: Tokens of the history before (for an offload: characters of the result).
            after: Tokens after (for an offload: characters kept).
            ids: `Message.uid` of every message that was changed or taken out.
            texts: What stands in their place; where there are as many as `ids`, one for each.

        Raises:
            LedgerError: It is not in the ledger.
        """
        payload = {"kind": kind, "why": why, "before": before, "after": after}
        self._write(unit, "boundary", {**payload, "ids": list(ids), "texts": list(texts)})

    def event(self, event: EventName, payload: Mapping[str, Any], unit: str = "") -> None:
        """Record something else: an approval, a turn, the session, a fault.

        Args:
            event: What kind of record it is.
            payload: Plain data.
            unit: Whose history it is about, if any.

        Raises:
            LedgerError: It is not in the ledger.
        """
        self._write(unit, event, payload)

    def sync(self) -> None:
        """Flush to the disk; once per turn is enough.

        Raises:
            LedgerError: The disk reports an error.
        """
        try:
            self._log.sync()
        except OSError as error:
            raise LedgerError(self._phrase(error)) from error

    def close(self) -> None:
        """Let go of the file."""
        self._log.close()

    def _write(self, unit: str, event: EventName, payload: Mapping[str, Any]) -> None:
        try:
            self._open()
            self._report_healing()
            if self._lost:
                self._append("", "gap", {"lost": self._lost})
                self._lost = 0
            self._append(unit, event, payload)
        except OSError as error:
            self._lost += 1
            raise LedgerError(self._phrase(error), first=self._lost == 1) from error

    def _open(self) -> None:
        self._log.open()
        if self._seq < 0:
            self._seq = _last_seq(self._log.path)

    def _report_healing(self) -> None:
        for kept in self._log.set_aside[self._healed :]:
            payload = {"what": "torn end", "kept": kept.name, "bytes": kept.stat().st_size}
            self._append("", "fault", payload)
            self._healed += 1

    def _append(self, unit: str, event: EventName, payload: Mapping[str, Any]) -> None:
        time = iso(self._clock.now())
        record = Record(self._seq + 1, time, self._session, unit, event, _masked(payload, self._mask))
        self._log.append(to_line(record))
        self._seq += 1

    def _phrase(self, error: OSError) -> Phrase:
        return phrase("ledger.unwritten", file=str(self._log.path), why=error.strerror or str(error))


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    """Give plain data with every text masked, also those used as keys."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {_masked(key, mask): _masked(item, mask) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item, mask) for item in value]
    return value


def _last_seq(path: Path) -> int:
    """Give the number of the last record; 0 for a new file. Damaged lines at the end are passed over."""
    for line in read_lines_backwards(path):
        try:
            return from_line(line).seq
        except ValueError:
            continue
    return 0
