"""Reading text that stands within JSON, once or many times over, without losing where it stands."""

import re
from bisect import bisect_right
from dataclasses import dataclass

_ESCAPE = re.compile(r"(?<!\\)\\++(?:u([0-9a-fA-F]{4})|([bfnrt\"'/]))")
_MEANS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text with its escapes resolved."""

    text: str
    _ends: tuple[int, ...]
    """Where each resolved character ends in `text`."""
    _ends_there: tuple[int, ...]
    """Where its escape ends in the text as it was."""

    def at(self, place: int) -> int:
        """Give the place in the text as it was, of the same character."""
        before = bisect_right(self._ends, place) - 1
        return place if before < 0 else self._ends_there[before] + place - self._ends[before]


def unescape(text: str) -> Unescaped | None:
    r"""Resolve ``\n``, ``\"``, ``\u5bc6`` and their like, behind any number of backslashes.

    Returns:
        The text, one character for each escape; None if there is none to resolve.
    """
    parts: list[str] = []
    ends: list[int] = []
    there: list[int] = []
    at = length = 0
    for match in _ESCAPE.finditer(text):
        kept = text[at : match.start()]
        parts += (kept, chr(int(match[1], 16)) if match[1] else _MEANS.get(match[2], match[2]))
        length += len(kept) + 1
        at = match.end()
        ends.append(length)
        there.append(at)
    if not ends:
        return None
    parts.append(text[at:])
    return Unescaped("".join(parts), tuple(ends), tuple(there))
