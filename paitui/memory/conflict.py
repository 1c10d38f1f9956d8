"""When a memory would contradict another: by its letters here, by what it says in `slots`."""

from typing import Literal

from paitui.memory import dedupe
from paitui.memory.normal import bigrams, dice, masked

Reason = Literal["numbers", "similar", "possible"]
"""``numbers``: the same but for numbers or versions; ``similar``: nearly the same letters; ``possible``: two values
for what can have one."""
SIMILAR = 0.8
"""Dice coefficient of the bigrams from which on two texts are similar."""


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
