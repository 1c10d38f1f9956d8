"""What became of memories, as one project may see it, and the change that was made last, whoever made it."""

from collections.abc import Iterable
from itertools import groupby

from paitui.locale import phrase
from paitui.memory.changes import Record, history
from paitui.memory.service import MemoryService, Unknown
from paitui.memory.store import MemoryFault


def past_of(service: MemoryService, name: str, everywhere: bool = False) -> tuple[str, tuple[Record, ...]]:
    """Give the history of an entry, also of one that is gone.

    Args:
        service: The memory.
        name: Its id, or the beginning of one.
        everywhere: Also look at other projects.

    Returns:
        Its whole id, and what became of it, oldest first.

    Raises:
        Unknown: No entry is meant, or more than one.
        MemoryFault: The memory or its history cannot be read.
    """
    given = name.strip()
    records = _visible(service, everywhere)
    ids = {record.id for record in records} | {entry.id for entry in service.entries(everywhere)}
    found = [given] if given in ids else sorted(id for id in ids if given and id.startswith((given, f"fact-{given}")))
    if len(found) > 1:
        raise Unknown(phrase("memory.ambiguous", id=name, n=len(found), some=", ".join(found[:5])))
    if not found:
        raise Unknown(phrase("memory.not_found", id=name))
    return found[0], tuple(record for record in records if record.id == found[0])


def last_change(service: MemoryService, name: str = "", everywhere: bool = False) -> tuple[Record, ...]:
    """Give what was done last and not taken back yet, for the store to take back; by whichever process.

    Args:
        service: The memory.
        name: Whole id of an entry, to look at nothing else; empty for all.
        everywhere: Also what was done to those of other projects.

    Returns:
        The steps of one change; empty if none is known.

    Raises:
        MemoryFault: The memory or its history cannot be read.
    """
    records = _visible(service, everywhere)
    standing: list[tuple[Record, ...]] = []
    for _, group in groupby(records, key=lambda record: record.at):
        change = tuple(record for record in group if not name or record.id == name)
        if not change:
            continue
        if change[0].act != "undo":
            standing.append(change)
        elif undone := next((done for done in reversed(standing) if _ids(done) == _ids(change)), None):
            standing.remove(undone)
    last = standing[-1] if standing else ()
    # That something was added stands in no history: the entry itself says it.
    known = {record.id for record in records}
    added = [
        entry
        for entry in service.entries(everywhere)
        if entry.written and entry.id not in known and (not name or entry.id == name)
    ]
    newest = max(added, key=lambda entry: entry.written or service.clock.now(), default=None)
    at = last[0].at if last else None
    if newest is not None and newest.written is not None and (at is None or newest.written > at):
        return (Record("add", None, newest, newest.written),)
    return last


def _visible(service: MemoryService, everywhere: bool) -> list[Record]:
    project, file = str(service.project), service.store.history_path
    try:
        records = list(history(file))
    except OSError as error:
        why = error.strerror or str(error)
        raise MemoryFault(phrase("memory.unreadable", file=str(file), why=why)) from error
    return [
        record
        for record in records
        if everywhere or any(side.visible_in(project) for side in (record.before, record.after) if side)
    ]


def _ids(change: Iterable[Record]) -> frozenset[str]:
    return frozenset(record.id for record in change)
