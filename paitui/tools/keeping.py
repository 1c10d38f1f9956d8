"""Keeping the output of a command in bounded memory: beginning and end here, the whole in a file."""

import codecs
from collections.abc import Callable

from paitui.locale import Phrase, phrase
from paitui.tools.base import Spool

HEAD_CHARS = 2_800
"""What is kept of the beginning; more than the longest preview of an offloaded result."""
TAIL_CHARS = 1_600
"""What is kept of the end, likewise."""


class OutputKeeper:
    """Takes output piece by piece.

    Args:
        open_spool: Opens the file for output that is too large to hold.
        most_chars: Output up to this is held whole, in characters.
        most_bytes: What the file takes at most; the rest is counted.
    """

    def __init__(self, open_spool: Callable[[], Spool], most_chars: int, most_bytes: int) -> None:
        self._open_spool = open_spool
        self._most_chars = most_chars
        self._most_bytes = most_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held: list[bytes] = []
        self._text = ""
        self._head = ""
        self._tail = ""
        self._large = False
        self._spool: Spool | None = None
        self.stored_bytes = 0
        """Bytes that the file holds."""
        self._breaks = 0
        self._ends_open = False
        self.chars = 0
        """Characters so far."""
        self.dropped_bytes = 0
        """Bytes that the file did not take."""
        self.lost: Phrase | None = None
        """Why there is no file, though there should be one."""

    def feed(self, data: bytes) -> str:
        """Take a piece of output.

        Args:
            data: Bytes as the command wrote them.

        Returns:
            The piece as text.
        """
        text = self._decoder.decode(data)
        self._count(text)
        if self._large:
            self._store(data)
            self._tail = (self._tail + text[-TAIL_CHARS:])[-TAIL_CHARS:]
            return text
        self._held.append(data)
        self._text += text
        if self.chars > self._most_chars:
            self._grow_large()
        return text

    def finish(self) -> None:
        """No more comes; the file is closed."""
        rest = self._decoder.decode(b"", True)
        self._count(rest)
        if self._large:
            self._tail = (self._tail + rest)[-TAIL_CHARS:]
        else:
            self._text += rest
        if self._spool is not None:
            try:
                self._spool.file.close()
            except OSError as error:
                self._fail(error)

    @property
    def text(self) -> str:
        """The output, or its beginning and end."""
        if not self._large:
            return self._text
        if self.chars <= len(self._head) + len(self._tail):
            return self._head + self._tail[len(self._head) + len(self._tail) - self.chars :]
        return f"{self._head}\n…\n{self._tail}"

    @property
    def is_part(self) -> bool:
        """Whether the whole was too large to hold."""
        return self._large

    @property
    def lines(self) -> int:
        """Lines so far."""
        return self._breaks + self._ends_open

    @property
    def stored(self) -> str:
        """Path of the file; empty if there is none."""
        return self._spool.path if self._spool is not None else ""

    def _count(self, text: str) -> None:
        self.chars += len(text)
        self._breaks += text.count("\n")
        if text:
            self._ends_open = not text.endswith("\n")

    def _grow_large(self) -> None:
        self._large = True
        self._head = self._text[:HEAD_CHARS]
        self._tail = self._text[-TAIL_CHARS:]
        held, self._held, self._text = b"".join(self._held), [], ""
        try:
            self._spool = self._open_spool()
        except OSError as error:
            self._fail(error)
            return
        self._store(held)

    def _store(self, data: bytes) -> None:
        if self._spool is None:
            return
        room = self._most_bytes - self.stored_bytes
        self.dropped_bytes += max(0, len(data) - room)
        if room <= 0:
            return
        try:
            self._spool.file.write(data[:room])
        except OSError as error:
            self._fail(error)
            return
        self.stored_bytes += min(room, len(data))

    def _fail(self, error: OSError) -> None:
        """A file with a hole would mislead: there is none any more, and the reason is said."""
        spool, self._spool = self._spool, None
        self.lost = phrase("tools.spool_failed", why=error.strerror or str(error))
        if spool is not None and not spool.file.closed:
            try:
                spool.file.close()
            except OSError as second:
                # Closing writes what is buffered and fails for the same reason; the descriptor is free either way.
                self.lost = phrase("tools.spool_failed", why=second.strerror or str(second))
