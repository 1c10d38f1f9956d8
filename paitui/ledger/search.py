"""Searching a ledger for text, block by block, in either direction, without decoding what cannot match."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from paitui.jsontext import decode
from paitui.ledger.facts import WHOLE_BYTES

SEARCH_BYTES = 1 << 20
"""How much is searched between two chances to stop."""
_NAME_BEFORE, _NAME_AFTER = re.compile(rb'(?<!\\)"[a-z_]*\Z'), re.compile(rb'[a-z_]*":')
_BLANKS = re.compile(r"\s+")


class Needle:
    """A text to be found in the texts of records.

    Case does not matter, nor how many blanks or line ends lie between words.

    What matches is looked for in the bytes first: the longest word, in each form in which JSON may hold it. Only
    lines that have it are decoded, and their texts compared, so that names of fields never match.
    """

    def __init__(self, text: str) -> None:
        plain = _BLANKS.sub(" ", text.strip()).lower()
        self.text = plain
        """What is looked for, normalised."""
        self._variants = _variants(plain)
        word = max(plain.split(" "), key=lambda word: len(word.encode("utf-8", "replace")))
        foreign = (character for character in word if not character.isascii())
        self._cased = any(character.upper() != character or character.lower() != character for character in foreign)
        self._forms = tuple(dict.fromkeys(_utf8(variant).lower() for variant in _variants(word)))
        escaped = dict.fromkeys(_ascii(variant).lower() for variant in _variants(word))
        self._escaped = tuple(form for form in escaped if form not in self._forms)
        self._has_case = any(form.upper() != form for form in self._forms)
        between = rb"(?: |\\+[nrt])+"
        patterns = {between.join(re.escape(form(word)) for word in plain.split(" ")) for form in (_utf8, _ascii)}
        self._long = re.compile(b"|".join(sorted(patterns)), re.IGNORECASE)

    def __bool__(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.text)

    def may_hold(self, block: bytes) -> Iterator[int]:
        """Give places in a block of lines at which a match may be, one for each line at most, in order.

        Args:
            block: Whole lines.
        """
        if self._cased:  # lower case of such letters is not known byte by byte
            yield from self._may_hold_cased(block)
            return
        low, forms = self._ready(block)
        nexts = {form: low.find(form) for form in forms}
        while found := [at for at in nexts.values() if at >= 0]:
            at = min(found)
            yield at
            end = low.find(b"\n", at)
            if end < 0:
                return
            nexts = {
                form: found if found < 0 or found > end else low.find(form, end) for form, found in nexts.items()
            }

    def _ready(self, block: bytes) -> tuple[bytes, tuple[bytes, ...]]:
        """Give a block as it is compared, and the forms that it may hold; most blocks hold no escaped letters."""
        if b"\\u" in block:
            return block.lower(), (*self._forms, *self._escaped)
        return block.lower() if self._has_case else block, self._forms

    def _may_hold_cased(self, block: bytes) -> Iterator[int]:
        at = 0
        for line in block.split(b"\n"):
            text = line.decode("utf-8", "replace").lower()
            if b"\\u" in line or any(form.decode("utf-8", "replace") in text for form in self._forms):
                yield at
            at += len(line) + 1

    def holds(self, line: bytes) -> bool:
        """Whether a line holds the text."""
        if len(line) > WHOLE_BYTES:
            return self.in_piece(line[max(0, line.find(b'"payload":')) :])
        try:
            found = decode(line)
        except ValueError:
            return self._in_text(line.decode("utf-8", "replace"))
        payload = found.get("payload") if isinstance(found, dict) else None
        return any(self._in_text(text) for text in _texts(payload))

    def in_piece(self, piece: bytes) -> bool:
        """Whether a part of a line holds the text, judged by its bytes alone."""
        if self._cased:
            return self._in_text(piece.decode("utf-8", "replace"))
        low, forms = self._ready(piece)
        if not any(form in low for form in forms):
            return False
        return any(not _is_name(low, *match.span()) for match in self._long.finditer(low))

    def _in_text(self, text: str) -> bool:
        low = text.lower()
        if " " in self.text:
            low = _BLANKS.sub(" ", low)
        return any(variant in low for variant in self._variants)


def search_lines(
    file: BinaryIO, needle: Needle, start: int, end: int, backwards: bool
) -> Iterator[tuple[int, int, bool]]:
    """Search the lines between two offsets.

    Args:
        file: Open for reading.
        needle: What is looked for.
        start: Where a line begins.
        end: Offset behind a line end.
        backwards: From the end to the start.

    Yields:
        After each block: how far the search is (an offset), 0, False. For each match: where the line begins, the
        offset behind its line end, True.
    """
    done = end if backwards else start
    while start < done if backwards else done < end:
        low, high = _block(file, start, end, done, backwards)
        if high - low > 2 * SEARCH_BYTES:  # one line longer than a block
            if _in_long(file, needle, low, high):
                yield low, high, True
        else:
            file.seek(low)
            block = file.read(high - low)
            places = needle.may_hold(block)
            for at in reversed(list(places)) if backwards else places:
                first = block.rfind(b"\n", 0, at) + 1
                last = block.find(b"\n", at)
                last = len(block) if last < 0 else last
                if needle.holds(block[first:last]):
                    yield low + first, low + last + 1, True
        done = low if backwards else high
        yield done, 0, False


def _block(file: BinaryIO, start: int, end: int, done: int, backwards: bool) -> tuple[int, int]:
    """Give the next block of whole lines, at least one."""
    if backwards:
        low = max(start, done - SEARCH_BYTES)
        return (low if low == start else _line_start(file, start, low, done)), done
    high = min(end, done + SEARCH_BYTES)
    if high == end:
        return done, end
    file.seek(done)
    found = file.read(high - done).rfind(b"\n")
    return done, done + found + 1 if found >= 0 else _line_end(file, high, end)


def _line_end(file: BinaryIO, at: int, end: int) -> int:
    file.seek(at - 1)
    at -= 1
    while at < end and (data := file.read(min(SEARCH_BYTES, end - at))):
        found = data.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(data)
    return end


def _line_start(file: BinaryIO, start: int, low: int, done: int) -> int:
    """Give the first line start at or behind `low`, or, if the line before `done` is longer, its start."""
    file.seek(max(start, low - 1))
    found = file.read(done - 1 - max(start, low - 1)).find(b"\n")
    if found >= 0:
        return max(start, low - 1) + found + 1
    while low > start:
        stop, low = low, max(start, low - SEARCH_BYTES)
        file.seek(low)
        found = file.read(stop - low).rfind(b"\n")
        if found >= 0:
            return low + found + 1
    return start


def _in_long(file: BinaryIO, needle: Needle, low: int, high: int) -> bool:
    """Search a line piece by piece; pieces overlap, so that no match is cut."""
    overlap = 64 * len(needle.text) + 1_024
    file.seek(low)
    at, kept = low, b""
    while at < high and (data := file.read(min(SEARCH_BYTES, high - at))):
        if at == low:
            data = data[max(0, data.find(b'"payload":')) :]
        if needle.in_piece(kept + data):
            return True
        kept = (kept + data)[-overlap:]
        at = file.tell()
    return False


def _is_name(piece: bytes, start: int, end: int) -> bool:
    """Whether a part of a line is, or belongs to, the name of a field: quotes inside a text stand escaped."""
    before, after = _NAME_BEFORE.search(piece, max(0, start - 64), start), _NAME_AFTER.match(piece, end)
    return before is not None and after is not None


def _variants(text: str) -> tuple[str, ...]:
    """Give the forms a text may have in a text: as it is, and as JSON inside it, as arguments of calls are."""
    return tuple(dict.fromkeys((text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1].lower())))


def _utf8(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")


def _ascii(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode("ascii")


def _texts(value: Any) -> Iterator[str]:
    """Walk through the texts in a payload."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
