"""`paitui memory check`: whether the memory's file is sound, and what in it deserves a look."""

from collections import Counter

from paitui.headless.memory_answer import Answer, entry_object
from paitui.headless.memory_text import MemoryText
from paitui.locale import Words, phrase
from paitui.memory.entry import FACT
from paitui.memory.judging import Known
from paitui.memory.library import Library
from paitui.memory.view import MemoryView

MOST_TOLD = 20
"""Pairs of a kind that are told in lines; of more only the number."""


def check(library: Library, words: Words) -> Answer:
    """Look through all memories, those of other projects too.

    Args:
        library: The memory.
        words: The user's language.

    Returns:
        An answer that failed if the file is damaged; what merely deserves a look is told and fails nothing.

    Raises:
        MemoryFault: The file cannot be read.
    """
    service, text = library.service, MemoryText(words)
    entries = service.store.read()
    damaged = service.store.problems
    library.compare_all()
    views = library.views(everywhere=True)
    by_id = {view.id: view for view in views}
    same = [(by_id[one], by_id[other]) for one, other in _duplicates(library)]
    against = [
        (view, by_id[item.id], item)
        for view in views
        for item in view.against
        if item.id in by_id and view.id < item.id
    ]
    states = Counter(view.state for view in views)
    movable = sum(len(found.ids) for found in service.movable() if found.gone)
    here = sum(view.project == str(service.project) for view in views)
    everywhere = sum(view.scope == "global" for view in views)

    lines = [str(service.store.path)]
    lines.append(
        words(
            "memory_cli.counts",
            n=len(views),
            here=here,
            everywhere=everywhere,
            elsewhere=len(views) - here - everywhere,
            others=len(entries) - len(views),
        )
    )
    lines.append(
        words(
            "memory_cli.states",
            fresh=states["fresh"],
            stale=states["stale"],
            unconfirmed=states["unconfirmed"],
        )
    )
    if same:
        lines.append(words("memory_cli.same", n=len(same)))
        for one, other in same[:MOST_TOLD]:
            lines += [_line(words, one), _line(words, other)]
    if against:
        lines.append(words("memory_cli.against", n=len(against)))
        for one, other, item in against[:MOST_TOLD]:
            lines += [_line(words, one), _line(words, other), "    " + words(f"memory_lines.reason_{item.reason}")]
    if differing := [view for view in views if any(not item.agrees for item in view.evidence)]:
        lines.append(words("memory_cli.differing", n=len(differing)))
        for view in differing[:MOST_TOLD]:
            lines.append(_line(words, view))
            lines += ["    " + text.evidence(item) for item in view.evidence if not item.agrees]
    if movable:
        lines.append(words("memory_cli.movable", n=movable))
    lines.append(words("memory_cli.damaged" if damaged else "memory_cli.sound"))
    data = {
        "file": str(service.store.path),
        "count": len(views),
        "states": {state: states[state] for state in ("fresh", "stale", "unconfirmed")},
        "duplicates": [[entry_object(one), entry_object(other)] for one, other in same],
        "conflicts": [
            {"entries": [entry_object(one), entry_object(other)], "reason": item.reason}
            for one, other, item in against
        ],
        "movable": movable,
    }
    error = phrase("memory_cli.damaged") if damaged else None
    return Answer("failed" if damaged else "ok", lines[:-1] if damaged else lines, data, error)


def _duplicates(library: Library) -> list[tuple[str, str]]:
    """Find entries that say what an earlier one of the same place says."""
    places: dict[tuple[str, str], Known] = {}
    found: list[tuple[str, str]] = []
    for entry in library.service.store.read():
        if entry.type != FACT:
            continue
        known = places.setdefault((entry.scope, entry.project), Known())
        if (same := known.same(entry.content)) is not None:
            found.append((same.id, entry.id))
        known.add(entry)
    return found


def _line(words: Words, view: MemoryView) -> str:
    return words("memory_lines.old", id=view.id, fact=view.content)
