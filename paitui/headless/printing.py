"""Standard output and standard error of a run without a screen."""

import sys

from paitui import streams
from paitui.locale import Phrase, Words, phrase
from paitui.trust.safe_text import safe_text


class Printer:
    """Writes answers and data to standard output, and one line per warning to standard error.

    JSON, and an answer that goes to a pipe or a file, stay exact to the byte. What a person reads, an answer
    on a terminal and every warning, is made safe first.
    """

    def __init__(self, words: Words) -> None:
        self.words = words
        self.broken = False
        """Whether standard output is gone or full; nothing more is written to it then."""
        self._said: set[str] = set()

    def answer(self, text: str) -> None:
        """Print the answer as text."""
        if sys.stdout.isatty():
            text = safe_text(text, keep_newlines=True)
        self._write(text if text.endswith("\n") else f"{text}\n")

    def data(self, line: str) -> None:
        """Print one line of JSON."""
        self._write(f"{line}\n")

    def raw(self, data: bytes) -> None:
        """Print a part of a file as it is; on a terminal as safe text."""
        if sys.stdout.isatty():
            self._write(safe_text(data.decode("utf-8", "replace"), keep_newlines=True))
        else:
            self._write(data)

    def warn(self, what: Phrase) -> None:
        """Say something on standard error."""
        self.error(self.words.say(what))

    def error(self, text: str) -> None:
        """Say a text that is already in the user's language, once, on standard error."""
        if text in self._said:
            return
        self._said.add(text)
        streams.complain(f"paitui: {safe_text(text, keep_newlines=True)}")

    def _write(self, text: str | bytes) -> None:
        if self.broken:
            return
        if error := streams.put(text):
            self.broken = True
            if not isinstance(error, BrokenPipeError):  # a reader that left is no fault
                self.warn(phrase("headless.cannot_print", why=error.strerror or str(error)))
