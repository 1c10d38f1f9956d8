"""One memory, as the program sees it and as it stands in the file."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args

from paitui.clock import iso
from paitui.jsontext import decode, encode
from paitui.memory.spans import edit, members
from paitui.tokens import text_tokens

Scope = Literal["project", "global"]
Source = Literal["typed", "tool", "extracted", "imported"]

FACT: Final = "FACT"
"""The only type that is written; entries of other types are kept as they are."""
MILLISECONDS_FROM = 100_000_000_000
"""A time given as a number is seconds up to here (the year 5138), milliseconds above."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory. Changed ones are made with `dataclasses.replace`; `render` writes just what differs."""

    id: str
    """``fact-`` and eight hex digits; other programs may use other names."""
    content: str
    """What is remembered."""
    type: str = FACT
    """CONVERSATION, FACT, SUMMARY, TOOL_RESULT, or what another program calls its own."""
    written: datetime | None = None
    """When it was written, UTC; None if the file does not say it in a way that is understood."""
    verified: datetime | None = None
    """When the user last verified it, UTC; None if never."""
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Scope, origin and whatever others noted; values that are no text stand here as their JSON."""
    tokens: int = 0
    """Estimate of `content`, as the file says it."""
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Fields that paitui does not know."""
    raw: bytes = field(default=b"", compare=False, repr=False)
    """The JSON it was read from; empty for a new one."""

    @property
    def scope(self) -> Scope:
        """Where it is visible. None given means everywhere; a word that is not understood never does."""
        return "global" if self.metadata.get("scope", "").strip().lower() in ("", "global") else "project"

    @property
    def project(self) -> str:
        """Absolute path of the project it belongs to; empty for a global one."""
        return self.metadata.get("project", "") if self.scope == "project" else ""

    @property
    def source(self) -> Source | None:
        """Which way it came in; None if that is not known."""
        given = self.metadata.get("source", "")
        return next((known for known in get_args(Source) if known == given), None)

    @property
    def confirmed(self) -> bool:
        """Whether the user stands behind it: an extracted one is unconfirmed until the user verified it."""
        if given := self.metadata.get("confirmed"):
            return given.strip().lower() == "true"
        if self.source != "extracted":
            return True
        return self.verified is not None and (self.written is None or self.verified > self.written)

    @property
    def session(self) -> str:
        """Session in which it was saved; empty if unknown."""
        return self.metadata.get("session", "")

    @property
    def turn(self) -> int | None:
        """Turn of that session, None if unknown."""
        given = self.metadata.get("turn", "")
        return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None

    @property
    def quote(self) -> str:
        """The user's words that it comes from, verbatim; empty if unknown."""
        return self.metadata.get("quote", "")

    @property
    def external(self) -> str:
        """What content from outside was in the session when it was written; empty for none, or if unknown."""
        return self.metadata.get("trust", "")

    def reworded(self, content: str) -> "Entry":
        """The same entry with other words, counted anew."""
        return replace(self, content=content, tokens=text_tokens(content))

    def visible_in(self, project: str) -> bool:
        """Whether it counts in a project.

        Args:
            project: Resolved absolute path.
        """
        return self.scope == "global" or (project != "" and self.project == project)


def new_entry(
    content: str, metadata: Mapping[str, str], now: datetime, random: Callable[[int], bytes] = os.urandom
) -> Entry:
    """Make a memory that is not in the file yet.

    Args:
        content: What is remembered.
        metadata: Scope and origin.
        now: The present time.
        random: Gives that many random bytes.

    Returns:
        A fact with an id of its own.
    """
    return Entry(f"fact-{random(4).hex()}", content, FACT, now, None, dict(metadata), text_tokens(content))


def parse(raw: bytes, value: Any = None) -> Entry | None:
    """Read an entry.

    Args:
        raw: Its JSON.
        value: The same, decoded, if that was done already; it is used up.

    Returns:
        The entry, or None for what is none: no object, no id, no content that is text.

    Raises:
        ValueError: It is no JSON.
    """
    value = decode(raw) if value is None else value
    if not isinstance(value, dict):
        return None
    known = {name: value.pop(name, None) for name in _FIELDS}
    name, content, kind, notes = known["id"], known["content"], known["type"], known["metadata"]
    if not isinstance(name, str) or not name or not isinstance(content, str):
        return None
    count = known["tokenCount"]
    return Entry(
        id=name,
        content=content,
        type=kind if isinstance(kind, str) else FACT if kind is None else _text(kind),
        written=moment(known["timestamp"]),
        verified=moment(known["lastVerifiedAt"]),
        metadata={key: _text(note) for key, note in notes.items()} if isinstance(notes, dict) else {},
        tokens=count if type(count) is int and count >= 0 else text_tokens(content),
        extra=value,
        raw=raw,
    )


def render(entry: Entry, margin: str = "  ") -> bytes:
    """Write an entry as it shall stand in the file.

    Args:
        entry: A new entry, one that was read, or one that was read and then changed.
        margin: White space in front of each line of a new entry.

    Returns:
        Its JSON. Of an entry that was read, only what was changed differs from the bytes it was read from.
    """
    before = parse(entry.raw) if entry.raw else None
    if before is None:
        return _fresh(entry, margin)
    changes: dict[str, Any] = {}
    for name, attribute in _ATTRIBUTES.items():
        new = getattr(entry, attribute)
        if new != getattr(before, attribute):
            changes[name] = iso(new) if isinstance(new, datetime) else new
    if entry.metadata != before.metadata:
        changes["metadata"] = _metadata(entry, before)
    for key in {*entry.extra, *before.extra}:
        if entry.extra.get(key) != before.extra.get(key):
            changes[key] = entry.extra.get(key)
    return edit(entry.raw, changes) if changes else entry.raw


def moment(value: Any) -> datetime | None:
    """Read a time: ISO-8601 (UTC if it names no zone), or seconds or milliseconds since 1970.

    Args:
        value: What the file holds.

    Returns:
        The time in UTC, to the microsecond; None for none, or for what is not understood.
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.strip())
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass  # a time that cannot be read is a time that is not known; its text stays in the file
    return None


_ATTRIBUTES = {
    "id": "id",
    "content": "content",
    "type": "type",
    "timestamp": "written",
    "lastVerifiedAt": "verified",
    "tokenCount": "tokens",
}
_FIELDS = (*_ATTRIBUTES, "metadata")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else encode(value).decode("utf-8")


def _metadata(entry: Entry, before: Entry) -> bytes:
    """Give the metadata anew, with the bytes of all notes that did not change."""
    old = next((entry.raw[m.value : m.end] for m in members(entry.raw) if m.key == "metadata"), b"")
    notes: dict[str, str | None] = dict.fromkeys(key for key in before.metadata if key not in entry.metadata)
    notes |= {key: note for key, note in entry.metadata.items() if before.metadata.get(key) != note}
    return edit(old if old.startswith(b"{") else b"{}", notes)


def _fresh(entry: Entry, margin: str) -> bytes:
    record = {
        "id": entry.id,
        "content": entry.content,
        "type": entry.type,
        "timestamp": iso(entry.written) if entry.written else None,
        "lastVerifiedAt": iso(entry.verified) if entry.verified else None,
        "metadata": dict(entry.metadata),
        "tokenCount": entry.tokens,
        **entry.extra,
    }
    try:
        text = json.dumps(record, ensure_ascii=False, indent=2).encode("utf-8")
    except UnicodeEncodeError:  # half a character, as a file name can hold it, is written as an escape
        text = json.dumps(record, ensure_ascii=True, indent=2).encode("ascii")
    return text.replace(b"\n", b"\n" + margin.encode())
