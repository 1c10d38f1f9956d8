"""The engine's words in both languages, and reading back what it wrote itself in either."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paitui.locale import Language, Words
from paitui.model.offline.masks import mask

_CJK = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]{2}")
NOTE_KINDS = ("kind", "layout", "plan", "read", "deps", "entry", "tests", "todo", "unread")
"""Kinds of the one-line notes by which the engine keeps what it saw, in the order of a report."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line in which the engine says what it saw, to be found again when the result itself is gone."""

    kind: str
    text: str


class Speech:
    """Says and recognises the phrases of ``offline``.

    Args:
        languages: The words of each language.
        language: In which to speak.
    """

    def __init__(self, languages: Mapping[Language, Words], language: Language) -> None:
        self.language: Language = language
        self._words = languages[language]
        self._all = languages
        labels = {words(f"offline.label_{kind}"): kind for words in languages.values() for kind in NOTE_KINDS}
        self._kinds = labels
        self._line = re.compile(rf"^[·•] ({'|'.join(map(re.escape, labels))})[:：] ?(.+)$", re.MULTILINE)

    def __call__(self, key: str, /, **params: Any) -> str:
        """Render a phrase of this room."""
        return self._words(f"offline.{key}", **params)

    def variants(self, key: str) -> list[str]:
        """A phrase without parameters, in every language."""
        return [words(f"offline.{key}") for words in self._all.values()]

    def note(self, kind: str, text: str) -> str:
        """Write a note as a line."""
        return self("note", label=self(f"label_{kind}"), text=text.replace("\n", " "))

    def notes(self, text: str) -> Iterator[Note]:
        """Find the notes in a text, whichever language they were written in."""
        for match in self._line.finditer(text):
            yield Note(self._kinds[match[1]], match[2].strip())


def language_of(text: str, default: Language) -> Language:
    """The language in which a user speaks; quoted text, code and paths do not count.

    Args:
        text: The user's words.
        default: Where they show no language.
    """
    words = re.sub("[\ue000-\uf8ff]", " ", mask(text).text)
    if _CJK.search(words):
        return "zh"
    return "en" if _LATIN.search(words) else default
