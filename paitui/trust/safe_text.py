"""The one door to the terminal: text from a model, a tool or a file is made harmless and honest here."""

import functools
import re
from dataclasses import dataclass

# Controls of text direction: they can make shown text read differently from what it is.
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Characters without a glyph of their own: soft hyphen, joiners, fillers, tags, variation selectors and so on.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_SURROGATES = "\ud800-\udfff"
# What may carry a joiner or a variation selector: pictographs, arrows, skin tones, flags.
_PICTURE = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
_PICTURE += "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"

_UNSAFE = re.compile(f"[{_CONTROLS}{_BIDI}{_INVISIBLE}{_SURROGATES}\u200d\ufe0e\ufe0f]")
_LOOSE = re.compile(
    # A run is never part of a picture; a joiner stands between two, a selector after one.
    f"[\u200d\ufe0e\ufe0f]{{2,}}(?<!\ufe0f\u200d)"
    f"|(?<![{_PICTURE}])(?<![{_PICTURE}]\ufe0f)\u200d+|\u200d+(?![{_PICTURE}])"
    # U+20E3 makes a key cap of a digit.
    f"|(?<![{_PICTURE}])[\ufe0e\ufe0f]+(?!\u20e3)"
)


def safe_text(text: str, keep_newlines: bool = True) -> str:
    r"""Make text safe to show on a terminal.

    Control characters, escape sequences, direction controls, invisible characters and lone surrogates come out
    as visible glyphs (``␛``, ``\x9b``, ``\u202e``), so nothing is hidden and nothing acts. Line ends of the
    Windows kind become plain ones. Emoji with joiners, Chinese and every other script stay as they are.

    Args:
        text: Any text.
        keep_newlines: Keep line breaks and tabs; else they are shown as glyphs too, for one-line places.

    Returns:
        Text that holds no control character but, where kept, line breaks and tabs.
    """
    if text.isascii() and text.isprintable():
        return text
    if not _UNSAFE.search(text) and (keep_newlines or ("\n" not in text and "\t" not in text)):
        return text
    if "\r" in text and keep_newlines:
        text = text.replace("\r\n", "\n")
    if "\u200d" in text or "\ufe0f" in text or "\ufe0e" in text:
        text = _LOOSE.sub(lambda match: "".join(map(_escape, match[0])), text)
    return text.translate(_table() if keep_newlines else _one_line_table())


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@functools.cache
def _table() -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
    table[0x7F] = "␡"
    table |= {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
    for group in (_BIDI, _INVISIBLE, _SURROGATES):
        for first, last in re.findall("(.)(?:-(.))?", group, re.DOTALL):
            table |= {code: _escape(chr(code)) for code in range(ord(first), ord(last or first) + 1)}
    return table


@functools.cache
def _one_line_table() -> dict[int, str]:
    return {**_table(), 0x09: "␉", 0x0A: "␊"}


@dataclass(frozen=True, slots=True)
class Clip:
    """A large text, shown in part."""

    head: str
    """The beginning; the whole text if nothing is left out."""
    tail: str = ""
    """The end."""
    left_out_chars: int = 0
    """Characters between the two."""
    left_out_lines: int = 0
    """Line breaks between the two."""


def clip(text: str, chars: int) -> Clip:
    """Take beginning and end of a text that is too long to show.

    Args:
        text: Any text.
        chars: How many characters may be shown, at least 2; two thirds go to the beginning.

    Returns:
        Both parts and how much lies between them. They are cut at a line break where one is near.
    """
    if len(text) <= chars:
        return Clip(text)
    head_end = max(1, chars * 2 // 3)
    tail_start = len(text) - (chars - head_end)
    # "Near" is a quarter of the part.
    if (at := text.rfind("\n", head_end * 3 // 4, head_end)) >= 0:
        head_end = at + 1
    if (at := text.find("\n", tail_start, tail_start + (len(text) - tail_start) // 4)) >= 0:
        tail_start = at + 1
    return Clip(text[:head_end], text[tail_start:], tail_start - head_end, text.count("\n", head_end, tail_start))
