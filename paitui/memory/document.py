"""The memory's file as bytes that stay and entries that are seen."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from paitui.jsontext import decode
from paitui.memory.entry import Entry, parse, render
from paitui.memory.spans import edit, elements

_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Item:
    """One element of the array."""

    raw: bytes
    """Its JSON, as it stands in the file."""
    entry: Entry | None
    """What it says; None for what is no entry, which is kept all the same."""
    gap: bytes
    """What stands between it and the element before: a comma and white space; only white space for the first."""


@dataclass(frozen=True, slots=True)
class Document:
    """The file's content; `data()` gives the bytes back, the untouched ones exactly."""

    items: tuple[Item, ...] = ()
    """All elements, in order."""
    entries: tuple[Entry, ...] = ()
    """Those that are entries, in order."""
    head: bytes = b"["
    """Up to the opening bracket."""
    tail: bytes = b"\n]\n"
    """From behind the last element."""

    def data(self) -> bytes:
        """Give the file's bytes."""
        pieces = [self.head]
        for item in self.items:
            pieces += (item.gap, item.raw)
        pieces.append(self.tail)
        return b"".join(pieces)

    def item(self, entry: Entry) -> Item:
        """Make an element of an entry, indented and separated as this file does it."""
        raw = render(entry, "" if self.items and b"\n" not in self._gap else "  ")
        return Item(raw, parse(raw), self._gap)

    def grown(self, entries: Sequence[Entry]) -> "Document":
        """Give the document with entries added at the end, in constant time but for the copying."""
        if not entries:
            return self
        if not self.items:
            return self.of([self.item(entry) for entry in entries])
        items = tuple(self.item(entry) for entry in entries)
        added = tuple(item.entry for item in items if item.entry is not None)
        return replace(self, items=self.items + items, entries=self.entries + added)

    def of(self, items: Sequence[Item]) -> "Document":
        """Give the document with these elements in place of its own; commas are put right."""
        first = self.items[0].gap if self.items else b"\n  "
        right = list(items)
        for at, item in enumerate(items):
            if (item.gap[:1] == b",") != (at > 0):
                right[at] = replace(item, gap=self._gap if at else first)
        entries = tuple(item.entry for item in right if item.entry is not None)
        tail = b"\n" + self.tail if self.tail[:1] == b"]" and b"\n" in first else self.tail
        return replace(self, items=tuple(right), entries=entries, tail=tail)

    @property
    def _gap(self) -> bytes:
        """What separates an added element from the one before, as this file does it."""
        if len(self.items) > 1:
            return self.items[-1].gap
        return b"," + self.items[0].gap if self.items else b",\n  "


def read(data: bytes, before: Document | None = None, old: bytes = b"") -> Document:
    """Read the file's bytes.

    Args:
        data: Its content.
        before: What was read the last time; entries that did not change are taken from there.
        old: The bytes that `before` was read from.

    Returns:
        The document.

    Raises:
        ValueError: It is no JSON array.
    """
    if before is not None and before.items and (grown := _grown(data, before, old)):
        return grown
    start = len(_BOM) if data.startswith(_BOM) else 0
    while start < len(data) and data[start] in _SPACE:
        start += 1
    if data[start : start + 1] != b"[":
        raise ValueError("not an array")
    known = {item.raw: item.entry for item in before.items} if before else {}
    try:
        spans = _fast(data, start)
        items = _items(data, spans, start + 1, known, set())
    except ValueError:
        if not isinstance(decode(data.removeprefix(_BOM)), list):
            raise
        spans = list(elements(data, start))
        items = _items(data, spans, start + 1, known, set())
    end = spans[-1][1] if spans else start + 1
    entries = tuple(item.entry for item in items if item.entry is not None)
    return Document(items, entries, data[: start + 1], data[end:])


def build(pieces: Iterable[bytes]) -> Document:
    """Make a document of elements, each valid JSON."""
    gap, taken = b"\n  ", set[str]()
    result = []
    for raw in pieces:
        result.append(_item(raw, gap, {}, taken))
        gap = b",\n  "
    return Document().of(result)


def _grown(data: bytes, before: Document, old: bytes) -> Document | None:
    """Read only what was added at the end, which is what most writers do."""
    end = len(old) - len(before.tail)
    if not data.startswith(old[:end]):
        return None
    if len(data) == len(old) and data.endswith(before.tail):
        return before
    if not data.endswith(before.tail):
        return None
    rest = data[end : len(data) - len(before.tail)]
    added = rest.lstrip(_SPACE)
    if not added.startswith(b","):
        return None
    array = b"[" + added[1:] + b"]"
    try:
        if not isinstance(decode(array), list):
            return None
    except ValueError:
        return None
    shift = len(rest) - len(added)
    spans = [(first + shift, last + shift) for first, last in elements(array)]
    if not spans:
        return None
    items = _items(rest, spans, 0, {}, {entry.id for entry in before.entries})
    entries = tuple(item.entry for item in items if item.entry is not None)
    return replace(before, items=before.items + items, entries=before.entries + entries)


def _fast(data: bytes, start: int) -> list[tuple[int, int]]:
    """Cut at what separates the first two elements, which is the same throughout where a program wrote the file.

    A cut inside an element leaves a piece that is no JSON, so that no wrong cut goes unnoticed once the pieces are
    read.

    Raises:
        ValueError: The file is not written like that.
    """
    found = elements(data, start)
    first, second = next(found, None), next(found, None)
    body = data.rstrip(_SPACE)
    if first is None or second is None or not body.endswith(b"]"):
        raise ValueError("not cut by program")
    between = data[first[1] - 1 : second[0] + 1]
    if not between.startswith(b"}") or not between.endswith(b"{"):
        raise ValueError("not of objects")
    spans, at, end = [], first[0], len(body[:-1].rstrip(_SPACE))
    while (cut := data.find(between, at, end)) >= 0:
        spans.append((at, cut + 1))
        at = cut + len(between) - 1
    spans.append((at, end))
    return spans


def _items(
    data: bytes, spans: Iterable[tuple[int, int]], at: int, known: Mapping[bytes, Entry | None], taken: set[str]
) -> tuple[Item, ...]:
    items = []
    for first, last in spans:
        items.append(_item(data[first:last], data[at:first], known, taken))
        at = last
    return tuple(items)


def _item(raw: bytes, gap: bytes, known: Mapping[bytes, Entry | None], taken: set[str]) -> Item:
    entry = known[raw] if raw in known else parse(raw)
    if entry is not None and entry.id in taken:
        # Two of one id (a line copied by hand): the later one gets a name of its own, the same at every reading.
        raw = edit(raw, {"id": own_id(raw, taken)})
        entry = parse(raw)
    if entry is not None:
        taken.add(entry.id)
    return Item(raw, entry, gap)


def own_id(raw: bytes, taken: set[str]) -> str:
    """Make an id from an entry's bytes that none of the taken ones equals."""
    number = 0
    while (name := f"fact-{hashlib.sha256(raw + bytes([number])).hexdigest()[:8]}") in taken:
        number += 1
    return name
