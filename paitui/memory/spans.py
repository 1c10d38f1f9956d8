"""Where things stand in a JSON text, so that a change touches its own bytes and no others.

Reading and writing a file whole would lose what the reader does not know: the format of a number (``1.50``,
nanoseconds), the order of keys, the indentation of another program.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paitui.jsontext import decode, encode

_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_PART = re.compile(_STRING + rb"|[\[\]{},:]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object; offsets in bytes."""

    key: str
    """Its name, decoded."""
    start: int
    """Where the name begins, at its quotation mark."""
    value: int
    """Where the value begins."""
    end: int
    """Just behind the value."""


def elements(text: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
    """Find the elements of an array.

    Args:
        text: A valid JSON array; what stands before ``start`` is overlooked.
        start: Offset of its opening bracket, or of white space before it.

    Yields:
        Start and end of each element, without the white space around it.
    """
    for first, last, _ in _parts(text, start):
        if first < last:
            yield first, last


def members(text: bytes) -> tuple[Member, ...]:
    """Find the members of an object.

    Args:
        text: A valid JSON object.

    Returns:
        Its members in order; a name that stands there twice is given twice.
    """
    found = []
    for first, last, colon in _parts(text, 0):
        if first < last:
            name = text[first:colon].rstrip()
            value = colon + 1 + _leading(text, colon + 1)
            found.append(Member(str(decode(name)), first, value, last))
    return tuple(found)


def edit(text: bytes, changes: Mapping[str, Any]) -> bytes:
    """Change members of an object; all other bytes stay.

    Args:
        text: A valid JSON object.
        changes: New values by name. None takes the member out, bytes are put in as JSON text, a name that is
            not there is added behind the last member.

    Returns:
        The changed object.
    """
    known = members(text)
    pieces: list[bytes] = []
    at = 0
    for number, member in enumerate(known):
        if member.key not in changes:
            continue
        new = changes[member.key]
        if new is not None:
            pieces += [text[at : member.value], _text(new)]
            at = member.end
        elif number + 1 < len(known):
            pieces.append(text[at : member.start])
            at = known[number + 1].start
        else:
            before = b"".join((*pieces, text[at : member.start])).rstrip()
            pieces, at = [before.removesuffix(b",")], member.end
    result = b"".join((*pieces, text[at:]))
    names = {member.key for member in known}
    for key, new in changes.items():
        if new is not None and key not in names:
            result = _added(result, key, _text(new))
    return result


def _added(text: bytes, key: str, value: bytes) -> bytes:
    known = members(text)
    if not known:
        return b"{" + encode(key) + b": " + value + b"}"
    last = known[-1]
    colon = text[last.start : last.value].split(b'"')[-1]  # the separator as this file writes it
    gap = text[: known[0].start].rpartition(b"{")[2] if len(known) == 1 else _gap(text, known[-2], last)
    return text[: last.end] + b"," + gap + encode(key) + colon + value + text[last.end :]


def _gap(text: bytes, before: Member, last: Member) -> bytes:
    return text[before.end : last.start].replace(b",", b"", 1)


def _text(value: Any) -> bytes:
    return value if isinstance(value, bytes) else encode(value)


def _parts(text: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Give start and end of what stands between the commas of the first array or object, and its colon."""
    depth, first, colon = 0, 0, 0
    for found in _PART.finditer(text, start):
        sign = text[found.start()]
        if sign in b"[{":
            depth += 1
            if depth == 1:
                first = found.end() + _leading(text, found.end())
        elif sign in b"]}":
            depth -= 1
            if depth == 0:
                yield first, _trailing(text, first, found.start()), colon
                return
        elif depth == 1 and sign == 0x2C:
            yield first, _trailing(text, first, found.start()), colon
            first, colon = found.end() + _leading(text, found.end()), 0
        elif depth == 1 and sign == 0x3A:
            colon = found.start()


_SPACE = re.compile(rb"[ \t\r\n]*")


def _leading(text: bytes, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() - start if found else 0


def _trailing(text: bytes, first: int, end: int) -> int:
    while end > first and text[end - 1] in b" \t\r\n":
        end -= 1
    return end
