"""What became of memories: each replacing, deleting and verifying, with enough to take it back exactly."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from paitui.appendlog import read_lines
from paitui.clock import iso
from paitui.jsontext import decode, encode
from paitui.memory.draft import Draft
from paitui.memory.entry import Entry, moment, new_entry, parse

SCHEMA = 1
Act = Literal["add", "import", "replace", "verify", "rescope", "delete", "clear", "undo"]
"""What was done. ``add`` and ``import`` are seen in the entry itself and stand in no history."""
_ADDING = ("add", "import")


@dataclass(frozen=True, slots=True)
class Put:
    """Add an entry, or put its new state in the place of the old one."""

    entry: Entry
    """The new state. One that is added or imported gets another id if its own is taken."""
    act: Act = "add"
    """Why."""
    behind: str | None = None
    """For one that comes back: id of the entry to stand behind, empty for the first place, None for the end."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Take an entry out."""

    id: str
    """Its whole id."""
    act: Act = "delete"
    """Why."""


Step = Put | Drop


@dataclass(frozen=True, slots=True)
class Record:
    """A step that was done."""

    act: Act
    """What was done."""
    before: Entry | None
    """The entry before; None for one that was not there."""
    after: Entry | None
    """The entry afterwards; None for one that is gone."""
    at: datetime | None
    """When, UTC; None if the history does not say it in a way that is understood."""
    behind: str = ""
    """Id of the entry that it stood behind; empty for the first place."""

    @property
    def id(self) -> str:
        """Which entry."""
        entry = self.before or self.after
        return entry.id if entry else ""

    @property
    def kept(self) -> bool:
        """Whether it belongs into the history: something is gone that the entry itself does not show."""
        return self.before is not None or self.act == "undo"


def apply(draft: Draft, step: Step, now: datetime) -> Record:
    """Carry out a step.

    Args:
        draft: The file's content, which is changed.
        step: What to do.
        now: The present time.

    Returns:
        What was done.

    Raises:
        KeyError: The entry is not there.
    """
    if isinstance(step, Drop):
        behind = draft.behind(step.id)
        return Record(step.act, draft.drop(step.id), None, now, behind)
    if step.act in _ADDING or (step.entry.id not in draft and step.act == "undo"):
        entry = step.entry
        while entry.id in draft:
            entry = replace(entry, id=new_entry("", {}, now).id)  # the id it drew is taken
        return Record(step.act, None, draft.add(entry, step.behind), now)
    behind = draft.behind(step.entry.id)
    before, after = draft.replace(step.entry)
    return Record(step.act, before, after, now, behind)


def reverse(record: Record, now: Entry | None) -> Step | None:
    """Give the step that takes a step back.

    Args:
        record: What was done.
        now: The entry as it is now, None if there is none of that id.

    Returns:
        The step; it brings back the very bytes. None if the entry was changed since, so that nothing newer is lost.
    """
    if (now.raw if now else None) != (record.after.raw if record.after else None):
        return None
    if record.before is None:
        return Drop(record.id, "undo")
    return Put(record.before, "undo", record.behind)


def line(record: Record) -> bytes:
    """Write a record as a line of the history. Entries stand in it as the text they were, for no byte to be lost."""
    value: dict[str, Any] = {
        "v": SCHEMA,
        "at": iso(record.at) if record.at else None,
        "act": record.act,
        "id": record.id,
        "before": record.before.raw.decode("utf-8") if record.before else None,
        "after": record.after.raw.decode("utf-8") if record.after else None,
        "behind": record.behind,
    }
    return encode(value)


def past(path: Path, name: str) -> tuple[Record, ...]:
    """Read what became of an entry.

    Args:
        path: The history.
        name: Whole id of the entry.

    Returns:
        Its records, oldest first; lines that cannot be read are left out, and stay in the file.

    Raises:
        OSError: The history cannot be read.
    """
    return tuple(record for record in history(path, name.encode()) if record.id == name)


def history(path: Path, word: bytes = b"") -> Iterator[Record]:
    """Read the history, oldest first.

    Args:
        path: The history; none yet means nothing happened.
        word: Only lines that hold these bytes are looked at.

    Raises:
        OSError: It cannot be read.
    """
    if not path.exists():
        return
    for _, text in read_lines(path):
        if word in text and (record := _record(text)):
            yield record


def _record(text: bytes) -> Record | None:
    try:
        value = decode(text)
        before, after = (parse(value[side].encode()) if value.get(side) else None for side in ("before", "after"))
        act = next(known for known in get_args(Act) if known == value["act"])
        if before is None and after is None:
            return None
        return Record(act, before, after, moment(value.get("at")), str(value.get("behind", "")))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return None
