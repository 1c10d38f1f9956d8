"""A text of any size, a page at a time: none is read or made drawable before it is wanted."""

import os
from typing import BinaryIO, Protocol

PAGE = 8_000
"""Characters of a page, or bytes of a file; a screenful is far less, and drawing one takes a few milliseconds."""
REACH = 2_000
"""How far after that a page may go on to end with a line."""


class Pages(Protocol):
    """Pages in order; put together they are the text."""

    size: int
    """Characters of a text, bytes of a file."""

    def __len__(self) -> int:
        """How many pages there are."""
        ...

    def page(self, at: int) -> str:
        """Give one page.

        Raises:
            OSError: It cannot be read.
        """
        ...

    def goes_on(self, at: int) -> bool:
        """Whether a page begins in the middle of a line.

        Raises:
            OSError: It cannot be read.
        """
        ...


class TextPages:
    """Pages of a text in memory.

    Args:
        text: The text.
        page: Characters of a page.
    """

    def __init__(self, text: str, page: int = PAGE) -> None:
        self._text = text
        self._page = max(1, page)
        self.size = len(text)

    def __len__(self) -> int:
        return max(1, -(-self.size // self._page))

    def page(self, at: int) -> str:
        """Give one page."""
        return self._text[self._start(at) : self._start(at + 1)]

    def goes_on(self, at: int) -> bool:
        """Whether a page begins in the middle of a line."""
        begin = self._start(at)
        return begin > 0 and self._text[begin - 1] != "\n"

    def _start(self, at: int) -> int:
        if at <= 0 or at >= len(self):
            return 0 if at <= 0 else self.size
        begin = at * self._page
        end = self._text.find("\n", begin - 1, begin + REACH)
        return begin if end < 0 else end + 1


class FilePages:
    """Pages of an open UTF-8 file; where each begins is found in the bytes around it, so any page can be read first.

    Args:
        file: The file; it is closed with `close`.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, os.SEEK_END)

    def __len__(self) -> int:
        return max(1, -(-self.size // PAGE))

    def page(self, at: int) -> str:
        """Give one page; bytes that are no UTF-8 show as replacement characters.

        Raises:
            OSError: It cannot be read.
        """
        begin, end = self._start(at), self._start(at + 1)
        self._file.seek(begin)
        return self._file.read(max(0, end - begin)).decode("utf-8", "replace")

    def goes_on(self, at: int) -> bool:
        """Whether a page begins in the middle of a line.

        Raises:
            OSError: It cannot be read.
        """
        begin = self._start(at)
        self._file.seek(max(0, begin - 1))
        return begin > 0 and self._file.read(1) != b"\n"

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _start(self, at: int) -> int:
        if at <= 0 or at >= len(self):
            return 0 if at <= 0 else self.size
        begin = at * PAGE
        self._file.seek(begin - 1)
        around = self._file.read(REACH + 1)
        if (end := around.find(b"\n")) >= 0:
            return begin + end
        step = 1
        while step < len(around) and around[step] & 0xC0 == 0x80:  # in the middle of a character
            step += 1
        return begin - 1 + step
