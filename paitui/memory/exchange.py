"""Memories from and to files that the user names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paitui.atomic import write_atomic
from paitui.clock import Clock
from paitui.locale import phrase
from paitui.memory.changes import Put, Step
from paitui.memory.entry import FACT, Entry, new_entry
from paitui.memory.importing import MOST_BYTES, MOST_CHARS, Candidate, read_candidates
from paitui.memory.service import MemoryService, Origin, find_against, find_same, tidy
from paitui.memory.store import Change, MemoryFault
from paitui.trust import secrets


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import."""

    stored: int = 0
    duplicates: int = 0
    conflicts: tuple[str, ...] = ()
    """Facts that were left out, since something there disagrees."""
    secrets: int = 0
    unfit: int = 0
    """Items that were empty or too long."""


def export(service: MemoryService, file: Path) -> int:
    """Write the facts that a project sees to a file that does not exist yet, as a JSON array.

    Returns:
        How many.

    Raises:
        MemoryFault: The memory cannot be read, or the file is there or cannot be written.
    """
    raw = [entry.raw for entry in service.entries()]
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
    try:
        if file.stat().st_size > MOST_BYTES:
            raise MemoryFault(phrase("memory.import_large", file=str(file), limit=MOST_BYTES))
        found = read_candidates(file.read_bytes())
    except OSError as error:
        why = error.strerror or str(error)
        raise MemoryFault(phrase("memory.import_unreadable", file=str(file), why=why)) from error
    if found is None:
        raise MemoryFault(phrase("memory.import_no_list", file=str(file)))
    fit = [one for one in found if 0 < len(tidy(one.content)) <= MOST_CHARS]
    plain = [one for one in fit if not secrets.find(one.content)]
    here, origin = service.identity.metadata(), Origin("imported", session, quote=file.name).metadata()

    def decide(entries: tuple[Entry, ...]) -> Change[Imported]:
        return _judge(entries, plain, here, origin, service.clock)

    outcome = service.keep(service.store.change(decide))
    return replace(outcome.value, secrets=len(fit) - len(plain), unfit=len(found) - len(fit))


def _judge(
    entries: Sequence[Entry],
    found: Iterable[Candidate],
    here: dict[str, str],
    origin: dict[str, str],
    clock: Clock,
) -> Change[Imported]:
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.type == FACT:
            groups.setdefault((entry.scope, entry.project), []).append(entry)
    duplicates, conflicts, steps = 0, list[str](), list[Step]()
    for one in found:
        fact = tidy(one.content)
        metadata = {**(dict(one.notes) or here), **origin}
        entry = replace(new_entry(fact, metadata, one.written or clock.now()), verified=one.verified)
        group = groups.setdefault((entry.scope, entry.project), [])
        if find_same(fact, group) is not None:
            duplicates += 1
        elif find_against(fact, group):
            conflicts.append(fact)
        else:
            group.append(entry)
            steps.append(Put(entry, "import"))
    return Change(Imported(len(steps), duplicates, tuple(conflicts)), tuple(steps))
