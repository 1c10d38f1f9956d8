"""What is asked of the terminal before the screen starts: how wide it draws signs, and how well it tells keys apart.

The answers come over the keyboard's line, among what the user types. So the line is put into raw mode first, and what
is no answer is kept for the screen, byte for byte. Asking costs no time: Textual is loaded meanwhile. This module
loads nothing of it.
"""

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

PATIENCE_S = 0.15
"""Seconds from the question on, in which an answer counts; a terminal across the world is taken for a usual one."""
PROBE = "─█→…✓·▪"
"""A sign of each kind that some terminals draw two cells wide."""
QUESTION = f"\x1b7\x1b[?u\x1b[6n{PROBE}\x1b[6n\x1b8\x1b[K".encode()
"""Kitty's keyboard protocol, and the cursor's place before and after the signs, which are then wiped out. Terminals
that know nothing of the first leave it unanswered."""
_PLACE = re.compile(rb"\x1b\[(\d+);(\d+)R")
_KITTY = re.compile(rb"\x1b\[\?\d+u")


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of the terminal when the screen starts."""

    wide: bool = False
    """Whether it draws signs wider than one cell."""
    extended: bool = False
    """Whether it knows kitty's keyboard protocol, which tells almost all keys apart."""
    typed: bytes = b""
    """What came that was no answer."""
    awaited: int = 0
    """Reports of the cursor's place that may come yet, and are no keys."""
    attributes: list[Any] | None = None
    """The line's settings as they were before, to be given back at the end."""


def understand(data: bytes) -> Heard:
    """Sort out the answers from what was typed.

    Args:
        data: All that came so far.
    """
    places = [match.groups() for match in _PLACE.finditer(data)][:2]
    wide = False
    if len(places) == 2:
        (row, start), (end_row, end) = ((int(a), int(b)) for a, b in places)
        wide = row == end_row and end - start > len(PROBE)
    typed = _KITTY.sub(b"", _PLACE.sub(b"", data, count=2))
    return Heard(wide, bool(_KITTY.search(data)), typed, 2 - len(places))


class Contact:
    """A question under way."""

    def __init__(self, source: int, attributes: list[Any], asked: float, clock: Callable[[], float]) -> None:
        self._source = source
        self._attributes = attributes
        self._asked = asked
        self._clock = clock

    def hear(self) -> Heard:
        """Take the answers; wait for them until `PATIENCE_S` after the question."""
        data = b""
        while understand(data).awaited:
            left = self._asked + PATIENCE_S - self._clock()
            if not select.select([self._source], [], [], max(0.0, left))[0]:
                break
            more = os.read(self._source, 4096)
            if not more:
                break  # the terminal is gone; whoever reads next finds out
            data += more
        return replace(understand(data), attributes=self._attributes)


@contextmanager
def contact(environment: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> Iterator[Contact | None]:
    """Ask the terminal, and give its line back as it was at the end.

    Args:
        environment: The process environment.
        clock: Monotonic seconds.

    Yields:
        The question under way; None if there is no terminal to be asked.
    """
    source, target = sys.__stdin__, sys.__stdout__
    if (
        sys.platform == "win32"
        or not (source is not None and source.isatty() and target is not None and target.isatty())
        or environment.get("TERM") in ("linux", "dumb")  # these answer nothing of it
    ):
        yield None
        return
    import termios  # not everywhere

    number = source.fileno()
    before = termios.tcgetattr(number)
    quiet = termios.tcgetattr(number)
    quiet[0] &= ~(termios.ICRNL | termios.IXON)
    quiet[3] &= ~(termios.ICANON | termios.ECHO)
    try:
        termios.tcsetattr(number, termios.TCSANOW, quiet)
        asked = clock()
        os.write(target.fileno(), QUESTION)
        yield Contact(number, before, asked, clock)
    finally:
        with suppress(termios.error):  # the terminal is gone: nothing is left to be given back
            termios.tcsetattr(number, termios.TCSANOW, before)
