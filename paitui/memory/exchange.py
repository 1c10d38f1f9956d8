"""Memories from and to files that the user names."""

import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paitui.atomic import write_atomic
from paitui.clock import Clock
from paitui.locale import phrase
from paitui.memory.changes import Put, Step
from paitui.memory.entry import FACT, Entry, new_entry
from paitui.memory.importing import MOST_BYTES, MOST_ITEMS, Candidate, read_candidates
from paitui.memory.judging import MOST_CHARS, Known, holds_secret, tidy
from paitui.memory.pairs import disagreeing
from paitui.memory.service import MemoryService, Origin
from paitui.memory.store import Change, MemoryFault

TEXT_FILES = ("", ".md", ".markdown", ".txt", ".text")
"""Endings of files whose lines may be facts; any other has to hold JSON."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import."""

    stored: int = 0
    duplicates: int = 0
    conflicts: tuple[str, ...] = ()
    """Facts that were left out, since something there disagrees."""
    secrets: int = 0
    unfit: int = 0
    """Items that are no facts, empty or too long."""
    elsewhere: int = 0
    """Of those that were stored: the ones that belong to other projects, and are seen only there."""


def export(service: MemoryService, file: Path, everywhere: bool = False) -> int:
    """Write the facts that a project sees to a file that does not exist yet, as a JSON array.

    Args:
        service: Where they come from.
        file: The new file.
        everywhere: Also those of other projects.

    Returns:
        How many.

    Raises:
        MemoryFault: The memory cannot be read, or the file is there or cannot be written.
    """
    raw = [entry.raw for entry in service.entries(everywhere)]
    if file.exists():
        raise MemoryFault(phrase("memory.export_exists", file=str(file)))
    try:
        write_atomic(file, b"[\n  " + b",\n  ".join(raw) + b"\n]\n" if raw else b"[]\n")
    except OSError as error:
        why = error.strerror or str(error)
        raise MemoryFault(phrase("memory.export_failed", file=str(file), why=why)) from error
    return len(raw)


def import_from(service: MemoryService, file: Path, session: str = "") -> Imported:
    """Take over facts from a file, each through the same checks as one that is saved by hand.

    Args:
        service: Where they go.
        file: A memory file, or a list in Markdown.
        session: The session that it is done in.

    Raises:
        MemoryFault: The file cannot be read, or holds no list; or nothing could be written.
    """
    found = read_candidates(_content(file), lists=file.suffix.lower() in TEXT_FILES)
    if found is None:
        raise MemoryFault(phrase("memory.import_no_list", file=str(file)))
    if len(found) > MOST_ITEMS:
        raise MemoryFault(phrase("memory.import_many", file=str(file), n=len(found), limit=MOST_ITEMS))
    fit = [one for one in found if 0 < len(tidy(one.content)) <= MOST_CHARS]
    plain = [one for one in fit if not holds_secret(tidy(one.content))]
    here, origin = service.identity.metadata(), Origin("imported", session, quote=file.name).metadata()

    def judge(entries: tuple[Entry, ...]) -> Change[Imported]:
        return _judge(entries, plain, here, origin, service.clock)

    # Comparing many takes time, and others wait for the lock: it is done before, and again only if they were changed.
    before = service.store.read()
    judged = judge(before)
    outcome = service.keep(service.store.change(lambda now: judged if now == before else judge(now)))
    return replace(outcome.value, secrets=len(fit) - len(plain), unfit=len(found) - len(fit))


def _content(file: Path) -> bytes:
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe or a device may never end
            raise MemoryFault(phrase("memory.import_no_file", file=str(file)))
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise MemoryFault(phrase("memory.import_unreadable", file=str(file), why=why)) from error
    if len(data) > MOST_BYTES:
        raise MemoryFault(phrase("memory.import_large", file=str(file), limit=MOST_BYTES))
    return data


def _judge(
    entries: Sequence[Entry],
    found: Iterable[Candidate],
    here: dict[str, str],
    origin: dict[str, str],
    clock: Clock,
) -> Change[Imported]:
    facts = [entry for entry in entries if entry.type == FACT]
    known: dict[tuple[str, str], Known] = {}
    for entry in facts:
        known.setdefault((entry.scope, entry.project), Known()).add(entry)
    standing = {entry.id for entry in entries}
    taken = set(standing)
    duplicates, fresh = 0, list[Entry]()
    for one in found:
        entry = _entry(one, here, origin, clock, taken)
        taken.add(entry.id)
        group = known.setdefault((entry.scope, entry.project), Known())
        if group.same(entry.content) is not None:
            duplicates += 1
        else:
            group.add(entry)
            fresh.append(entry)
    against = disagreeing([*facts, *fresh])
    conflicts, steps = list[str](), list[Step]()
    elsewhere = 0
    for entry in fresh:
        if any(other.id in standing for other, _ in against.get(entry.id, ())):
            conflicts.append(entry.content)
            continue
        standing.add(entry.id)
        steps.append(Put(entry, "import"))
        elsewhere += entry.project not in ("", here["project"])
    return Change(Imported(len(steps), duplicates, tuple(conflicts), elsewhere=elsewhere), tuple(steps))


def _entry(one: Candidate, here: dict[str, str], origin: dict[str, str], clock: Clock, taken: set[str]) -> Entry:
    metadata = {**(dict(one.notes) or here), **origin}
    while True:
        entry = replace(new_entry(tidy(one.content), metadata, one.written or clock.now()), verified=one.verified)
        if entry.id not in taken:
            return entry
