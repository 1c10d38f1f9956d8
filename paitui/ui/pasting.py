"""Reads a bracketed paste from the terminal as one piece.

Textual's parser looks at each character of it, which takes a second for a paste of a megabyte, in a thread that takes
its time from the screen.
"""

from collections.abc import Iterable

from textual._xterm_parser import XTermParser
from textual.events import Paste
from textual.message import Message

START = "\x1b[200~"
END = "\x1b[201~"


class PasteParser(XTermParser):
    """Textual's parser, which sees of a paste only its two marks; so it always knows what state it is in."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasted: list[str] | None = None
        self._tail = ""
        """The end of what was pasted so far: it may hold the beginning of the mark."""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse a piece of input."""
        if not data:
            yield from super().feed(data)
        while data:
            if self._pasted is None:
                before, mark, data = data.partition(START)
                yield from super().feed(before + mark)
                if mark:
                    self._pasted, self._tail = [], ""
                continue
            inside, mark, data = (self._tail + data).partition(END)
            if mark:
                text = "".join((*self._pasted, inside)).replace("\x00", "")
                self._pasted = None
                for event in super().feed(END):
                    yield Paste(event.text + text) if isinstance(event, Paste) else event
            else:
                self._tail = inside[-len(END) :]
                self._pasted.append(inside[: -len(END)])
