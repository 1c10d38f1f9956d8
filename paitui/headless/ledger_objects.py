"""What `paitui ledger --json` prints, as objects for scripts; texts are exact."""

from pathlib import Path
from typing import Any

from paitui.ledger.boundaries import BoundaryDetail, Item
from paitui.ledger.checking import Checked
from paitui.ledger.facts import DAMAGED
from paitui.ledger.row import Row


def row_object(row: Row) -> dict[str, Any]:
    """Give a line in short; what does not belong to it is left out."""
    found: dict[str, Any] = {"seq": row.seq, "time": row.time, "unit": row.unit, "event": row.event}
    if row.event == "message":
        found |= {"role": row.role, "uid": row.uid}
    if row.event == "boundary":
        found |= {"kind": row.kind, "before": row.before, "after": row.after, "ids": row.ids}
    if row.tools:
        found["tools"] = list(row.tools)
    if row.event == DAMAGED:
        found["why"] = row.why
    return {**found, "words": row.words, "size": row.size, "offset": row.offset}


def detail_object(detail: BoundaryDetail) -> dict[str, Any]:
    """Give a boundary with what it took out and put in."""
    return {
        "boundary": row_object(detail.row),
        "damaged": detail.damaged,
        "undone": detail.undone.seq if detail.undone else None,
        "total": detail.total,
        "went": [_item(item) for item in detail.went],
        "came": [_item(item) for item in detail.came],
    }


def checked_object(path: Path, found: Checked) -> dict[str, Any]:
    """Give what a check found."""
    return {
        "file": str(path),
        "sound": found.sound,
        "lines": found.lines,
        "size": found.bytes,
        "events": dict(found.events),
        "counts": dict(found.counts),
        "problems": [
            {"what": one.what, "line": one.line, "seq": one.seq, "detail": one.detail} for one in found.problems
        ],
        "unwritten": found.unwritten,
        "healed": found.healed,
        "newer": found.newer,
        "unanswered": found.unanswered,
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "uid": item.uid,
        "seq": item.row.seq if item.row else None,
        "role": item.row.role if item.row else None,
        "text": item.text,
        "cut": item.cut,
        "stored": item.stored,
        "shortened": item.shortened,
    }
