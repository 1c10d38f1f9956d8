"""What a boundary took out of a history, and what it put there, found again in the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from paitui.ledger.index import LedgerFilter
from paitui.ledger.records import Record
from paitui.ledger.row import Row, text_of

CLIP_CHARS = 4_000
"""Most characters of a text in a detail; the rest is read from its record."""
MOST_EARLIER = 100
"""How many boundaries before one are looked at for what stood in the history then."""


@dataclass(frozen=True, slots=True)
class Item:
    """A message that went out or came in."""

    uid: int = 0
    """Its uid; 0 for a text that stands for several messages, such as a summary."""
    row: Row | None = None
    """Its record. None where the ledger has none: a summary, or what was kept beside one."""
    text: str = ""
    """Its text, clipped; empty where only its file holds it."""
    cut: bool = False
    """Whether `text` is not all of it."""
    stored: str = ""
    """The file with the full text, relative to the project, if there is one."""
    shortened: bool = False
    """Whether `text` is what an earlier boundary had put in place of the recorded text."""


@dataclass(frozen=True, slots=True)
class BoundaryDetail:
    """A boundary, a page of what it touched at a time."""

    row: Row
    """The boundary."""
    went: tuple[Item, ...] = ()
    """What stood in the history before and does no more."""
    came: tuple[Item, ...] = ()
    """What stands there now."""
    start: int = 0
    """The place of the first item in the boundary's list."""
    shown: int = 0
    """How many messages this page is about."""
    total: int = 0
    """How many messages the boundary touched."""
    paired: bool = False
    """Whether each item in `came` stands in the place of the one in `went` with its uid."""
    unknown: int = 0
    """Items of this page that have no record."""
    undone: Row | None = None
    """For an undo: the boundary that it took back."""
    damaged: bool = False
    """Whether the boundary cannot be read: damaged, or far too long."""


class Ledger(Protocol):
    """What is asked of a ledger here."""

    def row(self, line: int) -> Row | None:
        """Give a line."""
        ...

    def record(self, row: Row) -> Record | None:
        """Read a record."""
        ...

    def previous_boundary(self, line: int, which: LedgerFilter = ...) -> int | None:
        """Give the boundary before a line."""
        ...

    def message(self, uid: int, before: int) -> int | None:
        """Find the record of a message."""
        ...


def boundary_detail(ledger: Ledger, line: int, start: int, count: int) -> BoundaryDetail | None:
    """Find what a boundary took out and put in.

    Args:
        ledger: Where it stands.
        line: Its position.
        start: The place of the first message in its list.
        count: At most this many messages.

    Returns:
        A page of it; None if there is no boundary in this line.
    """
    row = ledger.row(line)
    if row is None or row.event != "boundary":
        return None
    record = ledger.record(row)
    if record is None:
        return BoundaryDetail(row, damaged=True)
    payload = record.payload
    undone: Row | None = None
    if row.kind == "undo" and (found := _undone(ledger, line, record)) is not None:
        undone, payload = found
    ids, texts = _ids(payload), _texts(payload)
    page = ids[start : start + count]
    where = undone.line if undone else line
    recorded = {uid: ledger.message(uid, where) for uid in page}
    stood = _stood(ledger, where, row.unit, recorded)
    paired = bool(texts) and len(texts) == len(ids) and payload.get("kind") != "summary"
    new = texts[start : start + count] if paired else texts[:count] if start == 0 else []
    standing = tuple(_put(uid, text) for uid, text in zip(page if paired else [0] * len(new), new, strict=False))
    instead = dict(zip(page, new, strict=False)) if paired else {}
    originals = tuple(_original(ledger, uid, recorded[uid], stood, instead) for uid in page)
    went, came = (standing, originals) if row.kind == "undo" else (originals, standing)
    unknown = sum(item.row is None for item in originals)
    return BoundaryDetail(row, went, came, start, len(page), len(ids), paired, unknown, undone)


def _original(ledger: Ledger, uid: int, at: int | None, stood: Mapping[int, str], new: Mapping[int, str]) -> Item:
    row = ledger.row(at) if at is not None else None
    if row is None:
        text, cut = _clipped(stood.get(uid, ""))
        return Item(uid, None, text, cut, shortened=uid in stood)
    record = ledger.record(row)
    payload = record.payload if record else {}
    stored = payload.get("stored")
    stored = stored if isinstance(stored, str) else ""
    whole = message_text(payload) if record else row.words
    if uid in stood and stood[uid] != whole:
        text, cut = _clipped(stood[uid])
        return Item(uid, row, text, cut, stored, shortened=True)
    if stored and whole == new.get(uid):  # put into a file as it arrived: only the file ever held it
        return Item(uid, row, "", True, stored)
    text, cut = _clipped(whole)
    return Item(uid, row, text, cut or record is None, stored)


def message_text(payload: Mapping[str, Any]) -> str:
    """Give the text of a message as a reader wants it: its content, then the calls it makes."""
    lines = [text_of(payload)]
    calls = payload.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            lines.append(f"{function.get('name', '')}({function.get('arguments', '')})")
    return "\n".join(line for line in lines if line)


def _put(uid: int, text: str) -> Item:
    shown, cut = _clipped(text)
    return Item(uid, None, shown, cut)


def _stood(ledger: Ledger, line: int, unit: str, recorded: Mapping[int, int | None]) -> dict[int, str]:
    """Find what earlier boundaries put in place of messages that are touched again.

    Args:
        ledger: Where they stand.
        line: The boundary that touches them now.
        unit: Whose history.
        recorded: The messages by uid, each with the line of its record.
    """
    found: dict[int, str] = {}
    taken_back = 0
    oldest = min((at for at in recorded.values() if at is not None), default=line)
    at = ledger.previous_boundary(line, LedgerFilter(unit=unit))
    for _ in range(MOST_EARLIER):
        if at is None or at < oldest or len(found) == len(recorded):
            break
        row = ledger.row(at)
        record = ledger.record(row) if row else None
        payload = record.payload if record else {}
        if payload.get("kind") == "cleared_history":
            break
        if payload.get("kind") == "undo":
            taken_back += 1
        elif taken_back:
            taken_back -= 1
        else:
            texts, touched = _texts(payload), _ids(payload)
            if len(texts) == len(touched) and payload.get("kind") != "summary":
                for uid, text in zip(touched, texts, strict=True):
                    if uid in recorded:
                        found.setdefault(uid, text)
        at = ledger.previous_boundary(at, LedgerFilter(unit=unit))
    return found


def _undone(ledger: Ledger, line: int, undo: Record) -> tuple[Row, Mapping[str, Any]] | None:
    """Find the boundary that an undo took back: the last one of its unit that was not taken back before."""
    taken_back = 0
    at = ledger.previous_boundary(line, LedgerFilter(unit=undo.unit))
    for _ in range(MOST_EARLIER):
        if at is None:
            return None
        row = ledger.row(at)
        record = ledger.record(row) if row else None
        kind = record.payload.get("kind") if record else None
        if row is None or record is None or kind == "cleared_history":
            return None
        if kind == "undo":
            taken_back += 1
        elif taken_back:
            taken_back -= 1
        elif kind == undo.payload.get("why"):
            return row, record.payload
        elif kind != "offload":  # an offload on arrival is no step of its own
            return None
        at = ledger.previous_boundary(at, LedgerFilter(unit=undo.unit))
    return None


def _ids(payload: Mapping[str, Any]) -> list[int]:
    ids = payload.get("ids")
    return [uid for uid in ids if type(uid) is int] if isinstance(ids, list) else []


def _texts(payload: Mapping[str, Any]) -> list[str]:
    texts = payload.get("texts")
    return [text if isinstance(text, str) else "" for text in texts] if isinstance(texts, list) else []


def _clipped(text: str) -> tuple[str, bool]:
    return text[:CLIP_CHARS], len(text) > CLIP_CHARS
