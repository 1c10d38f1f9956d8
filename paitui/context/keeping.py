"""Fits facts and the user's own texts into their cap, the most needed first."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from paitui.context.estimate import text_tokens
from paitui.context.facts import Facts, without
from paitui.context.factsheet import FactWords, path_line, ran_line, read_line, stored_line, text_lines

Shorten = Callable[[str, int], str]
"""Gives head and tail of a text within so many tokens, and names the file with the whole of it."""

_LEAST = 120
"""Tokens below which head and tail of a text are not worth their place."""
_USERS_SHARE = 4
"""One part in so many of the cap is left for the user's words, however many files and failures there are."""

_Item = TypeVar("_Item")


@dataclass(slots=True)
class _Room:
    tokens: int

    def take(self, text: str) -> bool:
        """Take the room of one or more lines, if they fit."""
        cost = text_tokens(text + "\n")
        if cost > self.tokens:
            return False
        self.tokens -= cost
        return True

    def newest(self, items: Sequence[_Item], line: Callable[[_Item], str], label: str) -> tuple[_Item, ...]:
        """Keep the newest items that fit with their label."""
        if not items or not self.take(label):
            return ()
        kept: list[_Item] = []
        for item in reversed(items):
            if not self.take(line(item)):
                break
            kept.insert(0, item)
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class Kept:
    """What stands beside a summary."""

    facts: Facts
    """As they fit."""
    carried: tuple[str, ...]
    """Texts of the turn that was cut, each whole or shortened."""


def fit(facts: Facts, carried: Sequence[str], cap: int, words: FactWords, shorten: Shorten) -> Kept:
    """Choose what is kept.

    In this order: changed paths, failing commands with their lines, the running turn's texts, the first request, the
    user's newest messages, other commands, files read, files with whole texts.

    Args:
        facts: Everything that is known.
        carried: The user's texts of the turn that is cut; they stand in a message of their own, never in both.
        cap: Estimated tokens of all of it together.
        words: The words around it.
        shorten: For texts that are too long.

    Returns:
        What fits; texts of the running turn are always there, shortened if they must be.
    """
    facts = without(facts, carried)
    texts = [*carried, *filter(None, [facts.first]), *facts.said]
    aside = cap // _USERS_SHARE if texts else 0
    room = _Room(cap - aside - text_tokens(f"{words.heading}\n{words.note}\n"))
    changed = room.newest(facts.changed, path_line, words.changed)
    failed = room.newest(facts.failed, ran_line, words.failed)
    room.tokens += aside
    everything = sum(text_tokens(text) + text_tokens(words.first) + 4 for text in texts)
    users = _Users(room, cap, shorten, all_fits=everything <= room.tokens)
    own = tuple(map(users.must_keep, carried))
    first = users.keep(facts.first, words.first) if facts.first else ""
    said: list[str] = []
    for text in reversed(facts.said):
        if not (kept := users.keep(text, words.said)):
            break
        said.insert(0, kept)
    ran = room.newest(facts.ran, ran_line, words.ran)
    read = _paths(facts.read, room, words)
    stored = room.newest(facts.stored, lambda item: stored_line(*item), words.stored)
    chosen = Facts(changed, failed, first, tuple(said), ran, read, stored)
    return Kept(chosen, own)


@dataclass(frozen=True, slots=True)
class _Users:
    """Places the user's texts, each whole or shortened."""

    room: _Room
    cap: int
    shorten: Shorten
    all_fits: bool

    @property
    def most(self) -> int:
        """What one text may take, so that a long one does not crowd out the others."""
        return self.cap if self.all_fits else max(_LEAST, self.cap // _USERS_SHARE)

    def keep(self, text: str, label: str) -> str:
        """Place a text; empty if not even its shortened form fits."""
        if text_tokens(text) <= self.most and self.room.take(text_lines(text, label)):
            return text
        limit = min(self.most, self.room.tokens - text_tokens(label) - 4)
        if limit < _LEAST or text_tokens(text) <= limit:
            return ""
        short = self.shorten(text, limit)
        return short if self.room.take(text_lines(short, label)) else ""

    def must_keep(self, text: str) -> str:
        """Place a text of the running turn; where not all fits, it may take half of what is left."""
        limit = max(_LEAST, self.room.tokens if self.all_fits else self.room.tokens // 2)
        if text_tokens(text) > limit:
            text = self.shorten(text, limit)
        self.room.tokens -= text_tokens(text)
        return text


def _paths(paths: Iterable[str], room: _Room, words: FactWords) -> tuple[str, ...]:
    kept: list[str] = []
    empty = text_tokens(read_line((), words))
    left = room.tokens - empty
    for path in reversed(tuple(paths)):
        cost = text_tokens(f"`{path}`, ")
        if cost > left:
            break
        left -= cost
        kept.insert(0, path)
    if not kept:
        return ()
    room.tokens = left
    return tuple(kept)
