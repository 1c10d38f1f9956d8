"""What can be had from a memory file that is no valid JSON any more."""

import codecs
import json
import re
from collections.abc import Iterable
from typing import Any

from paitui.memory.document import Document, build, own_id
from paitui.memory.draft import Draft
from paitui.memory.entry import FACT, Entry, moment, render
from paitui.memory.spans import edit
from paitui.tokens import text_tokens

_DECODER = json.JSONDecoder()
_FIELDS = ("id", "type", "timestamp", "metadata", "tokenCount")
_STRING = r'"(?:[^"\\]|\\.)*"'
_MEMBER = re.compile(
    rf'"(id|content|type|timestamp|lastVerifiedAt|scope|project|source)"\s*:\s*({_STRING})(?=\s*[,}}])'
)
_METADATA = re.compile(r'"metadata"\s*:\s*(?=\{)')
_BEGIN = re.compile(r"(?<![:\s])\s*\{")


def salvage(data: bytes) -> Document:
    """Find every entry that is still whole, and what is left of broken ones.

    Objects are looked for one by one, so that damage costs the entry it hits and no other. Of a broken entry, its
    words are kept if they are whole. If its scope is lost, it belongs to a project without a name: it must not
    show up where it was not meant to.

    Args:
        data: The file, damaged in any way: cut off, bytes changed, not UTF-8, something else around the array.

    Returns:
        What was found, in order, none twice.
    """
    text = _decode(data)
    pieces: list[str] = []
    at = behind = 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        before = text[behind:at].rstrip()
        in_array = not before or before[-1] in "[,}"
        first = not text[:at].strip() if at < 100 else False
        if (_is_entry(value) and (in_array or "id" in value)) or (
            in_array and not first
        ):  # or another program's element
            pieces += [*_fragments(text[behind:at]), text[at:end]]
            behind = at = end
        else:
            at = at + 1 if first else end  # something around the entries, or the metadata of a broken one
    pieces += _fragments(text[behind:])
    return build(_once(piece.encode("utf-8", "replace") for piece in pieces))


def join(found: Document, memory: Iterable[Entry]) -> Document:
    """Put what this process still knows beside what was found in the file.

    Args:
        found: What was salvaged.
        memory: The entries as they were last read here.

    Returns:
        All of them. Where both have an entry, the file's counts if it was whole; of a broken one, the memory's.
    """
    known = {entry.id: entry for entry in found.entries}
    draft = Draft(found)
    for entry in memory:
        there = known.get(entry.id)
        if there is None:
            draft.add(entry)
        elif there.metadata.get("salvaged") == "part":
            draft.replace(entry)
    return draft.document()


def is_blank(data: bytes) -> bool:
    """Whether there is nothing in the file that could be lost."""
    return not data.removeprefix(codecs.BOM_UTF8).strip(b" \t\r\n\0")


def _decode(data: bytes) -> str:
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(name, "replace")
    return data.decode("utf-8-sig", "replace")


def _is_entry(value: Any) -> bool:
    return isinstance(value.get("content"), str) and any(name in value for name in _FIELDS)


def _fragments(gap: str) -> list[str]:
    """Give the entries whose words are whole in a stretch where no object is."""
    starts = [found.start() for found in _BEGIN.finditer(gap)]
    found = (_fragment(gap[a:b]) for a, b in zip([0, *starts], [*starts, len(gap)], strict=True))
    return [piece for piece in found if piece]


def _fragment(chunk: str) -> str:
    fields: dict[str, str] = {}
    for found in _MEMBER.finditer(chunk):
        try:
            value = json.loads(found[2])
        except ValueError:
            continue
        if found[1] in ("id", "content") and found[1] in fields:
            return ""  # parts of two entries: whose words these are cannot be told
        fields.setdefault(found[1], value)
    if not fields.get("content"):
        return ""
    notes: dict[str, Any] = {}
    if begin := _METADATA.search(chunk):
        try:
            notes = _DECODER.raw_decode(chunk, begin.end())[0]
        except (ValueError, RecursionError):
            notes = {}
    if not notes:
        notes = {name: fields[name] for name in ("scope", "project", "source") if name in fields}
        notes.setdefault("scope", "project")
    notes["salvaged"] = "part"
    entry = Entry(
        id=fields.get("id") or own_id(chunk.encode("utf-8", "replace"), set()),
        content=fields["content"],
        type=fields.get("type", FACT),
        written=moment(fields.get("timestamp")),
        verified=moment(fields.get("lastVerifiedAt")),
        metadata={key: note for key, note in notes.items() if isinstance(note, str)},
        tokens=text_tokens(fields["content"]),
    )
    return render(entry).decode("utf-8")


def _once(pieces: Iterable[bytes]) -> list[bytes]:
    """Leave out what stands there twice, letter by letter, and give a name to entries that lost theirs."""
    result: dict[bytes, None] = {}
    for raw in pieces:
        value = json.loads(raw)
        named = isinstance(value.get("id"), str) and value["id"]
        result[raw if named or not _is_entry(value) else edit(raw, {"id": own_id(raw, set())})] = None
    return list(result)
