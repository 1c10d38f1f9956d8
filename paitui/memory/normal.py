"""The normalised form in which memories are compared: what looks the same to a reader is the same text."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, zero-width and bidi characters, fillers, variation selectors, Unicode tags."""
_KEPT = frozenset("/@%-_#&\\")
"""Punctuation that carries meaning in what developers write: paths, addresses, flags, names. (``+`` and emoji are
symbols, not punctuation, and stay by themselves.)"""
_QUOTE_SYMBOLS = frozenset("`´¨¯¸˙˚˝˜")
"""Symbols to Unicode, quotation marks and dead accents to a reader."""
_RUN = re.compile(r"[^\w/@%#&\\+-]+")
_NUMBER = re.compile(r"v?[0-9]+(?:\.[0-9]+)*(?:-?(?:alpha|beta|rc|snapshot|lts|final|ga|release)[0-9]*)?")


def visible(text: str) -> str:
    """The text without characters that no reader sees (zero-width, bidi, tags, controls)."""
    return _INVISIBLE.sub("", text)


def normalise(text: str) -> str:
    """Bring a text into the form in which duplicates and conflicts are judged.

    NFKC and lower case; white space and ordinary punctuation dropped. Kept: letters, digits, symbols such as ``+``
    and emoji, ``/ @ % - _ #`` and their kind, and a full stop between two digits.

    Args:
        text: Any text.

    Returns:
        The form; empty for a text of nothing but white space and punctuation.
    """
    folded = visible(unicodedata.normalize("NFKC", visible(text))).lower()
    return _RUN.sub(_strip_run, unicodedata.normalize("NFKC", folded))


def _strip_run(match: re.Match[str]) -> str:
    run, text = match[0], match.string
    if run == ".":
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        return "." if before.isdecimal() and after.isdecimal() else ""
    return "".join(char for char in run if _is_kept(char))


def _is_kept(char: str) -> bool:
    category = unicodedata.category(char)
    if category.startswith("S"):
        return char not in _QUOTE_SYMBOLS
    return char in _KEPT or category[0] in "LNM"


def masked(normalised: str) -> str:
    """The normalised text with every number and version string replaced by one mark."""
    return _NUMBER.sub("\0", normalised)


def bigrams(normalised: str) -> Counter[str]:
    """The pairs of neighbouring characters with how often each occurs."""
    return Counter(map("".join, pairwise(normalised)))


def dice(one: Counter[str], other: Counter[str]) -> float:
    """How alike two multisets are: twice what they share over what they hold together, 0 to 1."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
