"""The terms by which texts are compared: words with their places, and character n-grams."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paitui.memory.han import simplified
from paitui.memory.normal import visible

Segment = Callable[[str], list[tuple[str, int]]]
"""Cuts Chinese text into words with their offsets."""
Stem = Callable[[str], str]
"""Takes the endings off a lower-case English word."""

GRAMS = (2, 3, 4)
"""Lengths of the character n-grams."""

_WORD = re.compile(
    r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<latin>[A-Za-z0-9]+(?:[._+#/'’-][A-Za-z0-9]+|[+#]+)*)"
    r"|(?P<other>[^\W_A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")
_RUN = re.compile(r"\w+")
_STOP_WORDS = """
    a about all also am an and any are as at be been being but by can could did do does doing don for from had has
    have having he her hers him his how if in into is it its itself just ll me my no nor not of on or our ours re she
    should so some such than that the their theirs them then there these they this those to too us ve was we were
    what when where which who whom whose why will with would you your yours
    的 了 是 在 和 与 或 就 都 而 及 着 把 被 让 给 对 从 向 到 也 很 吗 呢 吧 啊 什么 怎么 怎样 如何 哪个 哪些 哪里
    为什么 多少 是否 我们 你们 他们 她们 这个 那个 这些 那些 一个 可以 以及 还是 或者 但是 因为 所以 如果
"""
_ALIASES = "aliases.toml"
_STOP = frozenset(_STOP_WORDS.split())
"""Words that say nothing about what a text is about."""


@cache
def _same(stem: Stem) -> dict[str, str]:
    """Give for each name that has others the first of them, all stemmed."""
    lines = tomllib.loads(Path(__file__).with_name(_ALIASES).read_text("utf-8"))["same"]
    return {stem(name): f"={stem(line.split()[0])}" for line in lines for name in line.split()}


@dataclass(frozen=True, slots=True)
class Token:
    """A term and where it stands."""

    term: str
    """Stemmed, lower case, simplified."""
    start: int
    """Offset of its first character in the text."""
    end: int
    """Offset after its last character."""


def plain(text: str) -> str:
    """Fold full-width forms, traditional characters and what is invisible; faster than `folded`, without places."""
    return text if text.isascii() else simplified(unicodedata.normalize("NFKC", visible(text)))


def folded(text: str) -> tuple[str, list[int] | None]:
    """Fold full-width forms, traditional characters and what is invisible.

    Args:
        text: Any text.

    Returns:
        The folded text, case kept, and the offset in ``text`` of each of its characters; None if they are the same.
    """
    whole = plain(text)
    if len(whole) == len(text):
        return whole, None
    pieces: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        piece = char if char.isascii() else unicodedata.normalize("NFKC", visible(char))
        pieces.append(piece)
        places.extend([place] * len(piece))
    result = simplified("".join(pieces))
    return result, None if len(result) == len(text) and places[-1] == len(text) - 1 else places


def tokens(text: str, segment: Segment, stem: Stem) -> Iterator[Token]:
    """Find the words of a text.

    Chinese is segmented; an identifier yields its pieces (``camelCase``, ``snake_case``, ``kebab-case``, paths) and
    itself in one; a name that has others (``JDK``, ``Java``) also yields what stands for all of them; single
    characters, punctuation and stop words are left out.

    Args:
        text: Any text.
        segment: Cuts Chinese.
        stem: Stems English.

    Yields:
        Tokens; not strictly in order, and overlapping where a word holds others.
    """
    plain, places = folded(text)
    same = _same(stem)
    for term, start, end in _terms(plain, segment, stem):
        first, last = (places[start], places[end - 1] + 1) if places else (start, end)
        yield Token(term, first, last)
        if term in same:
            yield Token(same[term], first, last)


def _terms(line: str, segment: Segment, stem: Stem) -> Iterator[tuple[str, int, int]]:
    for match in _WORD.finditer(line):
        if match["han"]:
            for word, offset in segment(match["han"]):
                if len(word) > 1 and word not in _STOP:
                    start = match.start() + offset
                    yield word, start, start + len(word)
        elif match["latin"]:
            yield from _identifier(match["latin"], match.start(), stem)
        elif len(match[0]) > 1:
            yield match[0].lower(), match.start(), match.end()


def _identifier(word: str, at: int, stem: Stem) -> Iterator[tuple[str, int, int]]:
    pieces = list(_PIECE.finditer(word))
    for piece in pieces:
        lower = piece[0].lower()
        if len(lower) > 1 and lower not in _STOP:
            yield stem(lower), at + piece.start(), at + piece.end()
    lower = word.lower()
    if len(pieces) > 1 and "'" not in word and "’" not in word:
        whole = lower if _VERSION.fullmatch(lower) else re.sub(r"[._/-]", "", lower)
        yield whole, at, at + len(word)
    elif word[-1] in "+#":
        yield lower, at, at + len(word)


def grams(text: str) -> Counter[str]:
    """Count the character n-grams of a text, word boundaries as one space.

    Args:
        text: Any text.

    Returns:
        Each n-gram of 2 to 4 characters with its count.
    """
    line = _line(text)
    counts: Counter[str] = Counter()
    for length in GRAMS:
        counts.update([line[at : at + length] for at in range(len(line) - length + 1)])
    return counts


def _line(text: str) -> str:
    return f" {' '.join(_RUN.findall(plain(text).lower()))} "
