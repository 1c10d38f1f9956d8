"""Chinese words by jieba, without its start: only the parts of the dictionary that a text needs are read.

jieba builds one table of half a million entries first (0.8 s, 90 MB) and caches it as a marshalled file under a name
that anyone on the machine can guess. Here the dictionary file is divided by first character; a part is parsed when a
text holds that character. No pause is long enough to be felt while someone types, nothing is written anywhere, and
the words are the same, since jieba never looks up a word whose first character is not in the text.
"""

import re
import threading
from pathlib import Path
from typing import Any

_GROUP = re.compile(rb"([\x00-\x7f]|[\xc0-\xff][\x80-\xbf]+)[^\n]*\n(?:\1[^\n]*\n)*")
"""Neighbouring lines with the same first character."""
_COUNT = re.compile(rb" ([0-9]+)(?: [a-z]+)?\n")


class Segmenter:
    """Words of Chinese text in jieba's search mode; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: dict[str, list[tuple[int, int]]] = {}
        self._dictionary = b""
        self._tokenizer: Any = None

    @property
    def ready(self) -> bool:
        """Whether `warm` has been done, so that `words` answers at once."""
        return self._tokenizer is not None

    def warm(self) -> None:
        """Load jieba and find the parts of its dictionary: about 0.4 s, best in a thread; later calls do nothing."""
        with self._lock:
            if self._tokenizer is None:
                self._load()

    def words(self, text: str) -> list[tuple[str, int]]:
        """Cut a text into words, and long ones also into the words inside them.

        Args:
            text: Chinese text.

        Returns:
            Words with the offset of their first character; overlapping where a word holds others.
        """
        return self._cut(text, "search")

    def plain_words(self, text: str) -> list[tuple[str, int]]:
        """Cut a text into words that do not overlap, with their offsets."""
        return self._cut(text, "default")

    def _cut(self, text: str, mode: str) -> list[tuple[str, int]]:
        self.warm()
        with self._lock:
            for char in set(text):
                if pieces := self._parts.pop(char, None):
                    self._learn(pieces)
            return [(word, start) for word, start, _ in self._tokenizer.tokenize(text, mode=mode)]

    def _load(self) -> None:
        import jieba  # only here: 0.2 s

        data = Path(jieba.__file__).with_name("dict.txt").read_bytes()
        self._dictionary = data if data.endswith(b"\n") else data + b"\n"
        total = 0
        for group in _GROUP.finditer(self._dictionary):
            self._parts.setdefault(group[1].decode(), []).append(group.span())
            total += sum(map(int, _COUNT.findall(group[0])))
        tokenizer = jieba.Tokenizer()
        tokenizer.total = total
        tokenizer.initialized = True
        self._tokenizer = tokenizer

    def _learn(self, pieces: list[tuple[int, int]]) -> None:
        known = self._tokenizer.FREQ
        for start, end in pieces:
            for line in self._dictionary[start:end].decode().splitlines():
                word, count, *_ = line.split(" ")
                known[word] = int(count)
                for length in range(1, len(word)):
                    known.setdefault(word[:length], 0)
