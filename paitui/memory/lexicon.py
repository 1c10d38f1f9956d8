"""The words by which statements are understood: read once from `slots.toml`, found in a text in one pass."""

import functools
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

Kind = Literal["value", "name", "language", "language_use", "number", "product", "part", "file_kind"]

Span = tuple[int, int]

_ASCII = frozenset(map(chr, range(33, 127)))
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_AFTER = _LETTERS | frozenset("+#")
"""What may not follow a Latin word: C is not found in C++."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word can mean."""

    kind: Kind
    """Which table it is from."""
    slot: str
    """The slot, or the entry of a table without slots."""
    value: str = ""
    """For a value: which."""
    needs_name: bool = False
    """Whether it counts only beside a name of its slot."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words and one pattern that finds them."""

    meanings: dict[str, tuple[Meaning, ...]]
    """By the word, in lower case and simplified."""
    lengths: dict[str, tuple[int, ...]]
    """Lengths of the words that begin with a character, longest first."""
    tags: dict[str, str]
    """The part of a project that a slot is about anyway."""
    style: frozenset[str]
    """Slots of style, which can differ by kind of file."""
    peripheral: frozenset[str]
    """Parts that go their own way where the rest of the project is meant."""

    def find(self, text: str) -> Iterator[tuple[Span, tuple[Meaning, ...]]]:
        """Find the words of a text, the longest at each place; a Latin word stands by itself, Chinese anywhere.

        Args:
            text: Lower-case, simplified text.

        Yields:
            Place and meanings, in order, none overlapping.
        """
        at, size = 0, len(text)
        while at < size:
            end = self._match(text, at)
            if end:
                yield (at, end), self.meanings[text[at:end]]
            at = end or at + 1

    def _match(self, text: str, at: int) -> int:
        lengths = self.lengths.get(text[at])
        if lengths is None or (text[at].isascii() and at and text[at - 1] in _LETTERS):
            return 0
        for length in lengths:
            end = at + length
            if (
                end <= len(text)
                and text[at:end] in self.meanings
                and (text[end - 1 : end] not in _ASCII or text[end : end + 1] not in _AFTER)
            ):
                return end
        return 0


@functools.cache
def lexicon() -> Lexicon:
    """Read the lexicon (about 10 ms, once)."""
    data = tomllib.loads(files("paitui.memory").joinpath("slots.toml").read_text("utf-8"))
    meanings: dict[str, list[Meaning]] = {}

    def add(words: Iterable[str], kind: Kind, slot: str, value: str = "") -> None:
        for word in words:
            meaning = Meaning(kind, slot, value, word.startswith("~"))
            word = word.lstrip("~")
            for form in _forms(word) if kind in ("name", "number") else (word,):
                if meaning not in (known := meanings.setdefault(form, [])):
                    known.append(meaning)

    tags = {"coverage": "tests"}
    style = {"line_length", "indent_width"}
    for slot, table in data["slots"].items():
        add(table["names"], "name", slot)
        tags[slot] = table.get("tag", "")
        if table.get("style"):
            style.add(slot)
        for value, words in table["values"].items():
            add(words, "value", slot, value)
    tables: tuple[tuple[str, Kind], ...] = (
        ("languages", "language"),
        ("language_uses", "language_use"),
        ("numbers", "number"),
        ("products", "product"),
        ("parts", "part"),
        ("file_kinds", "file_kind"),
    )
    for table_name, kind in tables:
        for entry, words in data[table_name].items():
            add(words, kind, entry)
    lengths: dict[str, set[int]] = {}
    for word in meanings:
        lengths.setdefault(word[0], set()).add(len(word))
    return Lexicon(
        {word: tuple(found) for word, found in meanings.items()},
        {char: tuple(sorted(found, reverse=True)) for char, found in lengths.items()},
        tags,
        frozenset(style),
        frozenset(data["peripheral"]["parts"]),
    )


def _forms(word: str) -> tuple[str, ...]:
    """An English cue with its endings: ``format`` is also found in ``formatted``."""
    if not (word.isascii() and word.isalpha() and len(word) > 3):
        return (word,)
    base = word.removesuffix("e")
    return (word, f"{word}s", f"{base}ed", f"{base}ing", f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")
