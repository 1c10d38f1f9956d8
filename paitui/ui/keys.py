"""From the terminal's bytes to keys and pastes: what Textual's parser does not know or would stumble over.

Terminals report keys in three ways: the old one, xterm's modifyOtherKeys (``CSI 27 ; modifiers ; code ~``) and
kitty's protocol (``CSI code ; modifiers ; text u``). What comes in the second way is put into the third; what of the
third Textual reads wrongly is put into words it knows. A paste is taken out as one piece: Textual looks at each
character of it, which takes a second for a megabyte, in a thread that takes its time from the screen.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from time import monotonic

from textual import _ansi_sequences, constants
from textual._xterm_parser import XTermParser
from textual.events import Key, Paste
from textual.message import Message

START = "\x1b[200~"
END = "\x1b[201~"
_SEQUENCE = re.compile(r"\x1b\[(?P<private>[?>]?)(?P<fields>[\d:;]*)(?P<final>[u~A-HPQRS])")
_BEGUN = re.compile(r"\x1b(?:O|\[[?<>=]?[\d:;]*)?\Z")
_SHIFT, _ALT, _CTRL = 1, 2, 4
_LOCKS = 64 | 128
"""Caps lock and num lock are told with each key, and change nothing."""
_RELEASED = "3"
_OLD = {91: "\x1b[27u", 105: "\t", 109: "\r", 104: "\x7f", 32: "\x00"}
"""Ctrl with ``[``, ``i``, ``m``, ``h`` and space: bytes of old, which mean Escape, Tab, Enter and so on."""


class ExtraKeys(StrEnum):
    """Keys by the names that bindings use."""

    ALT_ENTER = "alt+enter"


def extend_terminal_keys() -> None:
    """Teach Textual that ESC CR is Alt+Enter.

    Terminals without the newer keyboard protocol send it so; Textual reads an Enter and would send the draft.
    """
    table = _ansi_sequences.ANSI_SEQUENCES_KEYS
    assert isinstance(table, dict)
    table["\x1b\r"] = (ExtraKeys.ALT_ENTER,)


LOST_END_S = 1.0
"""Seconds without input after which one of these keys, by itself, ends a paste whose end mark never came."""
_WAY_OUT = ("\x03", "\x11", "\x1b")
"""Ctrl+C, Ctrl+Q, Esc."""


class InputParser(XTermParser):
    """Textual's parser, given only what it reads right."""

    def __init__(self, debug: bool = False, awaited: int = 0, clock: Callable[[], float] = monotonic) -> None:
        """Set up.

        Args:
            debug: Textual's own switch.
            awaited: Reports of the cursor's place that may still come and are no keys (one looks like F3).
            clock: Monotonic seconds.
        """
        super().__init__(debug)
        self._awaited = awaited
        self._clock = clock
        self._held = ""
        """The beginning of a sequence whose end has not come yet."""
        self._held_since = 0.0
        self._pasted: list[str] | None = None
        self._tail = ""
        """The end of what was pasted so far: it may hold the beginning of the mark."""
        self._fed_at = 0.0

    @property
    def patience(self) -> float:
        """Seconds until `tick` has something to do."""
        if not self._held:
            return constants.ESCAPE_DELAY
        return max(0.0, self._held_since + constants.ESCAPE_DELAY - self._clock())

    def feed(self, data: str) -> Iterable[Message]:
        """Parse a piece of input; an empty one is the end."""
        if not data:
            yield from super().feed(data)
            return
        quiet, self._fed_at = self._clock() - self._fed_at, self._clock()
        if self._pasted is not None and data in _WAY_OUT and quiet >= LOST_END_S:
            data = END + data  # the mark was lost on the way, and somebody wants to be heard
        data, self._held = self._held + data, ""
        while data:
            if self._pasted is None:
                before, mark, data = data.partition(START)
                if mark:
                    self._pasted, self._tail = [], ""
                else:
                    before = self._hold(before)
                text = _SEQUENCE.sub(self._reword, before)
                if keys := text.rstrip("\x1b"):
                    yield from super().feed(keys)
                yield from (Key("escape", "\x1b") for _ in text[len(keys) :])  # another one follows
                continue
            inside, mark, data = (self._tail + data).partition(END)
            if mark:
                text = "".join((*self._pasted, inside)).replace("\x00", "")
                self._pasted = None
                yield Paste(text)
            else:
                self._tail = inside[-len(END) :]
                self._pasted.append(inside[: -len(END)])

    def tick(self) -> Iterable[Message]:
        """Give up waiting for the rest of a sequence: it is a key by itself."""
        if self._held and self.patience <= 0:
            held, self._held = self._held, ""
            if held == "\x1b":
                yield Key("escape", held)
            else:
                yield from super().feed(held)
        yield from super().tick()

    def _hold(self, text: str) -> str:
        begun = _BEGUN.search(text, max(0, len(text) - 64))
        if begun is None:
            return text
        self._held, self._held_since = begun[0], self._clock()
        return text[: begun.start()]

    def _reword(self, match: "re.Match[str]") -> str:
        """Give what Textual reads right in place of a sequence; nothing for what is no key."""
        if match["private"]:
            return (
                "" if match["private"] + match["final"] == "?u" else match[0]
            )  # the answer about the keyboard, late
        fields = [field.split(":") for field in match["fields"].split(";")]
        if match["final"] == "R" and self._awaited and len(fields) == 2:
            self._awaited -= 1
            return ""
        held = fields[1] if len(fields) > 1 else [""]
        if held[1:2] == [_RELEASED]:
            return ""
        if match["final"] == "u":
            return _key(fields[0][0], held[0], fields[2] if len(fields) > 2 else [])
        if match["final"] == "~" and fields[0] == ["27"] and len(fields) == 3:
            return _key(fields[2][0], held[0], [])
        return "\x1b[" + ";".join(field[0] for field in fields) + match["final"]


def _key(code: str, modifiers: str, text: list[str]) -> str:
    """Word a key of kitty's protocol.

    Args:
        code: Its code point, as digits.
        modifiers: A sum of bits, plus 1, as digits.
        text: Code points that it types; an input method may type several at once.
    """
    number, held = _number(code, 1), (_number(modifiers, 1) or 1) - 1 & ~_LOCKS
    typed = "".join(character for point in text if (character := _character(_number(point, 0))))
    if typed:
        return typed
    if held == _CTRL and number in _OLD:
        return _OLD[number]
    if held in (0, _SHIFT) and (character := _character(number)):
        return character.upper() if held else character  # no text is told along with it in modifyOtherKeys
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return ""
    return f"\x1b[{number};{held + 1}u" if held else f"\x1b[{number}u"


def _number(digits: str, missing: int) -> int:
    return int(digits[:9]) if digits else missing


def _character(number: int) -> str:
    """The character of a code point, if it is one that can be typed; kitty's other keys lie in a private area."""
    if number < 32 or number == 127 or number > 0x10FFFF or 0xD800 <= number < 0xF900:
        return ""
    character = chr(number)
    return "" if 0x80 <= number < 0xA0 else character
