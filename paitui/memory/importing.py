"""Facts from elsewhere: a memory file of this design, or a list in Markdown or plain text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from paitui.jsontext import decode, encode
from paitui.memory.entry import FACT, Entry, parse

MOST_BYTES = 20_000_000
"""A larger file is no list of memories."""
MOST_CHARS = 2_000
"""A longer item is no single fact."""
_ITEM = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)$")
_NOTES = ("scope", "project", "projectRemote", "projectCommit")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that may be taken over."""

    content: str
    written: datetime | None = None
    verified: datetime | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    """Scope and project, where the source names them."""


def read_candidates(data: bytes) -> list[Candidate] | None:
    """Read a file.

    Args:
        data: A JSON array (or an object that holds one) of entries, or text with one fact a list item. In a text
            without list items each line that is neither blank nor a heading is a fact.

    Returns:
        What it holds, in its order; None if it is neither.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if text.lstrip()[:1] in ("[", "{"):
        return _entries(text)
    if "\0" in text:
        return None
    lines = _outside_fences(text.splitlines())
    items = [match["text"].strip() for line in lines if (match := _ITEM.match(line))]
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
        elif (entry := parse(encode(item))) is not None and entry.type == FACT:
            found.append(_candidate(entry))
    return found


def _candidate(entry: Entry) -> Candidate:
    notes = {key: entry.metadata[key] for key in _NOTES if key in entry.metadata}
    notes.setdefault("scope", entry.scope)  # none given means everywhere, there as here
    return Candidate(entry.content, entry.written, entry.verified, notes)


def _outside_fences(lines: list[str]) -> list[str]:
    kept: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif not inside:
            kept.append(line)
    return kept
