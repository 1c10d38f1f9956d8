"""Fits facts and the user's own texts into their cap, the most needed first."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from paitui.context.estimate import text_tokens
from paitui.context.facts import Facts, Ran, without
from paitui.context.factsheet import (
    FactWords,
    path_line,
    ran_line,
    read_line,
    render,
    seen_line,
    stored_line,
    text_lines,
)
from paitui.context.keylines import Seen, choose_lines, numbers_in

Shorten = Callable[[str, int], str]
"""Gives head and tail of a text within so many tokens, and names the file with the whole of it."""

_LEAST = 120
"""Tokens below which head and tail of a text are not worth their place."""
_USERS_SHARE = 4
"""One part in so many of the cap is left for the user's words, however many files and failures there are."""
_FAILED_FIRST = 3
"""So many of the newest failing commands come before the user's words, older ones behind them."""
_FAILED_SHARE = 6
"""One part in so many of the cap is what a failing command may take before lines amid its output go."""
_SEEN_SHARE = 8
"""One part in so many, of what the user's words leave, is for lines with numbers, however many lists there are."""

_Item = TypeVar("_Item")


@dataclass(slots=True)
class _Room:
    tokens: int

    def take(self, text: str) -> bool:
        """Take the room of one or more lines, if they fit."""
        cost = _cost(text)
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


def fit(
    facts: Facts,
    carried: Sequence[str],
    cap: int,
    words: FactWords,
    shorten: Shorten,
    known: Collection[str] = (),
    limit: int | None = None,
) -> Kept:
    """Choose what is kept.

    In this order: changed paths, failing commands with their lines, the running turn's texts, the first request, the
    user's newest messages, other commands, files read, files with whole texts; the lines with numbers have a small
    share of their own, and what is left at the end.

    Args:
        facts: Everything that is known.
        carried: The user's texts of the turn that is cut; they stand in a message of their own, never in both.
        cap: Estimated tokens of all of it together.
        words: The words around it.
        shorten: For texts that are too long.
        known: Numbers that stand elsewhere, so that no line is needed for them.
        limit: Tokens that all of it should not exceed, where that is less than the cap; what comes behind the user's
            words yields to it.

    Returns:
        What fits; texts of the running turn are always there, shortened if they must be.
    """
    facts = without(facts, carried)
    texts = [*carried, *filter(None, [facts.first]), *facts.said]
    aside = cap // _USERS_SHARE if texts else 0
    room = _Room(cap - aside - text_tokens(f"{words.heading}\n{words.note}\n"))
    failing = [_tighter(ran, cap // _FAILED_SHARE) for ran in facts.failed]
    # However many files were changed, the newest failures are told.
    newest = (
        min(sum(map(_cost, [words.failed, *map(ran_line, failing[-_FAILED_FIRST:])])), cap // _USERS_SHARE)
        if failing
        else 0
    )
    room.tokens -= newest
    changed = room.newest(facts.changed, path_line, words.changed)
    room.tokens += newest
    failed = room.newest(failing[-_FAILED_FIRST:], ran_line, words.failed)
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
    for_lines = min(room.tokens, cap // _SEEN_SHARE)
    if limit is not None:
        room.tokens = max(0, room.tokens - max(0, cap - limit))
        # Where the limit cannot be held whatever yields, only the lists do.
        for_lines = min(for_lines, room.tokens) if room.tokens else for_lines
    chosen = Facts(changed, failed, first, tuple(said))
    have = {*known, *numbers_in("\n".join([render(chosen, words), *own]))}
    if len(failed) == _FAILED_FIRST:
        failed = (*room.newest(failing[:-_FAILED_FIRST], ran_line, ""), *failed)
    share = _lines_cost(_lines(facts.seen, have, for_lines, words), words)
    room.tokens = max(0, room.tokens - share)
    ran = room.newest(facts.ran, ran_line, words.ran)
    read = _paths(facts.read, room, words)
    stored = room.newest(facts.stored, lambda item: stored_line(*item), words.stored)
    seen = _lines(facts.seen, have, room.tokens + share, words)
    return Kept(replace(chosen, failed=failed, ran=ran, read=read, stored=stored, seen=seen), own)


def _tighter(ran: Ran, most: int) -> Ran:
    """Leave out lines from the middle until a failing command fits, the first and the last at the end."""
    while len(ran.lines) > 2 and _cost(ran_line(ran)) > most:
        middle = len(ran.lines) // 2
        ran = replace(ran, lines=(*ran.lines[:middle], *ran.lines[middle + 1 :]))
    return ran


def _lines(seen: Sequence[Seen], known: Collection[str], room: int, words: FactWords) -> tuple[Seen, ...]:
    return choose_lines(
        seen,
        known,
        room - _cost(words.seen),
        lambda what: _cost(seen_line(Seen(what, ()))),
        lambda line: _cost(f"| {line}"),
    )


def _lines_cost(seen: Sequence[Seen], words: FactWords) -> int:
    lines = [line for one in seen for line in seen_line(one).splitlines()]
    return sum(map(_cost, [words.seen, *lines])) if lines else 0


def _cost(line: str) -> int:
    return text_tokens(f"{line}\n")


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
