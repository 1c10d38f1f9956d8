"""When a memory would contradict another: by its letters here, by what it says in `slots`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from paitui.memory import dedupe
from paitui.memory.normal import bigrams, dice, masked, normalise
from paitui.memory.slots import Clash, Statement, clash, parse

Reason = Literal["numbers", "similar", "possible"]
"""``numbers``: the same but for numbers or versions; ``similar``: nearly the same letters; ``possible``: two values
for what can have one."""
SIMILAR = 0.8
"""Dice coefficient of the bigrams from which on two texts are similar."""
MOST_COMPARED = 4_000
"""Characters of a content that are looked at, twice what can be saved: only other programs write longer ones."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """What stands against what."""

    reason: Reason
    """Why the two are held to be in conflict."""
    clash: Clash | None = None
    """For a possible conflict: what is given two values."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A content prepared for comparisons with many others."""

    normalised: str
    """Its normalised form."""
    statement: Statement
    """What it says about what, as far as it is understood."""


@lru_cache(maxsize=12_000)
def prepare(content: str) -> Subject:
    """Do once what every comparison of a content needs; remembered, since a memory is compared again and again."""
    content = content[:MOST_COMPARED]
    return Subject(normalise(content), parse(content))


def literal(one: str, other: str) -> Reason | None:
    """Judge two normalised forms by their letters.

    Args:
        one: A normalised form.
        other: Another, of the same type, scope and project.

    Returns:
        ``numbers``, ``similar``, or None for duplicates, for empty forms and for what is merely different.
    """
    if not one or not other or dedupe.same_normalised(one, other):
        return None
    if masked(one) == masked(other):
        return "numbers"
    pairs = len(one) + len(other) - 2
    if 2 * (min(len(one), len(other)) - 1) < SIMILAR * pairs:
        return None  # too different in length to reach the threshold
    return "similar" if dice(bigrams(one), bigrams(other)) >= SIMILAR else None


def compare(one: Subject, other: Subject) -> Conflict | None:
    """Judge two contents of the same type, scope and project.

    Args:
        one: A prepared content.
        other: Another.

    Returns:
        The conflict, a literal one before a possible one; None for duplicates and for what goes together.
    """
    if reason := literal(one.normalised, other.normalised):
        return Conflict(reason)
    if dedupe.same_normalised(one.normalised, other.normalised):
        return None
    found = clash(one.statement, other.statement)
    return Conflict("possible", found) if found else None
