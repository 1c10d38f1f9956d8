"""What a `paitui memory` command came to: lines for a person, one object for a script, an exit code for both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from paitui.clock import iso
from paitui.locale import Phrase
from paitui.memory.view import MemoryView

Status = Literal["stored", "duplicate", "conflict", "replaced", "not_found", "refused", "ok", "failed"]

EXIT_CODES: dict[Status, int] = {
    "stored": 0,
    "duplicate": 0,
    "replaced": 0,
    "ok": 0,
    "failed": 1,
    "not_found": 1,
    "refused": 1,
    "conflict": 4,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a command."""

    status: Status
    lines: Sequence[str] = ()
    """For a person; made safe when they are printed."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """What the object holds besides the status."""
    error: Phrase | None = None
    """Why it was not done, in one line."""
    problems: Sequence[Phrase] = ()
    """What else the user should know."""


def entry_object(view: MemoryView) -> dict[str, Any]:
    """Give an entry as scripts get it; times are ISO-8601 in UTC or null."""
    return {
        "id": view.id,
        "content": view.content,
        "scope": view.scope,
        "project": view.project,
        "state": view.state,
        "written": iso(view.written) if view.written else None,
        "verified": iso(view.verified) if view.verified else None,
        "source": view.source,
        "session": view.session,
        "turn": view.turn,
        "quote": view.quote,
        "external": view.external,
        "tokens": view.tokens,
        "evidence": [
            {"agrees": item.agrees, "file": item.file, "line": item.line, "says": item.says} for item in view.evidence
        ],
        "against": [{"id": item.id, "content": item.content, "reason": item.reason} for item in view.against],
        "used": view.used,
        "last_used": iso(view.last_used) if view.last_used else None,
    }


def conflict_object(view: MemoryView) -> dict[str, Any]:
    """Give an entry that disagrees with a new fact, with the reason."""
    return {**entry_object(view), "reason": view.against[0].reason if view.against else ""}
