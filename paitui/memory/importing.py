"""Facts from elsewhere: a memory file of this design, or a list in Markdown or plain text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from paitui.jsontext import decode, encode
from paitui.memory.entry import FACT, Entry, parse

MOST_BYTES = 20_000_000
"""A larger file is no list of memories."""
MOST_ITEMS = 10_000
"""Nor is one with more items."""
_ITEM = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)$")
_NOTES = ("scope", "project", "projectRemote", "projectCommit", "trust")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that may be taken over."""

    content: str
    written: datetime | None = None
    verified: datetime | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    """Scope and project, where the source names them, and what it says against relying on it."""


def read_candidates(data: bytes, lists: bool = True) -> list[Candidate] | None:
    """Read a file.

    Args:
        data: A JSON array (or an object that holds one) of entries, or text with one fact a list item. In a text
            without list items each line that is neither blank nor a heading is a fact.
        lists: Whether it may be such a text.

    Returns:
        What it holds, in its order, with empty content for what is no fact; None if it is neither.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if text.lstrip()[:1] in ("[", "{"):
        return _entries(text)
    if "\0" in text or not lists:
        return None
    lines = _outside_fences(text.splitlines())
    items = _items(lines)
    if not items:
        items = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith(("#", "---", "==="))]
    return [Candidate(item) for item in items]


def _entries(text: str) -> list[Candidate] | None:
    try:
        value = decode(text.encode("utf-8"))
    except ValueError:
        return None
    if isinstance(value, dict):
        value = next((inner for inner in value.values() if isinstance(inner, list)), None)
    if not isinstance(value, list):
        return None
    found: list[Candidate] = []
    for item in value:
        if isinstance(item, str):
            found.append(Candidate(item))
        else:
            found.append(_read(item))
    return found


def _read(item: Any) -> Candidate:
    """Read an element of an array; one of another type, or without text, has no content that can be taken over."""
    by_hand = isinstance(item, dict) and not item.get("id")
    try:
        entry = parse(encode({**item, "id": "fact-"} if by_hand else item))
    except ValueError:  # nested too deeply to be a memory
        return Candidate("")
    if entry is None or entry.type != FACT:
        return Candidate("")
    return Candidate(entry.content) if by_hand and not entry.metadata else _candidate(entry)


def _candidate(entry: Entry) -> Candidate:
    notes = {key: entry.metadata[key] for key in _NOTES if key in entry.metadata}
    notes.setdefault("scope", entry.scope)  # none given means everywhere, there as here
    if not entry.confirmed:
        notes["confirmed"] = "false"  # a way through a file confirms nothing
    return Candidate(entry.content, entry.written, entry.verified, notes)


def _items(lines: list[str]) -> list[str]:
    """Give the items of a list, each with the indented lines that go on with it."""
    items: list[str] = []
    goes_on = False
    for line in lines:
        if match := _ITEM.match(line):
            items.append(match["text"].strip())
        elif goes_on and line[:2].isspace() and line.strip():
            items[-1] += f" {line.strip()}"
            continue
        goes_on = match is not None
    return items


def _outside_fences(lines: list[str]) -> list[str]:
    kept: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif not inside:
            kept.append(line)
    return kept
