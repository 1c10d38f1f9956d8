"""When two memories say the same thing in the same words."""

import re

from paitui.memory.normal import normalise

PARTICLES = re.compile("[的地得是]")
"""Chinese function words that come and go without changing what a sentence says."""
MIN_LENGTH = 8
"""Characters of the normalised form from which on particles are overlooked; in a shorter text they may matter."""
MIN_RATIO = 0.82
"""Shorter over longer normalised length from which on particles are overlooked."""


def same(one: str, other: str) -> bool:
    """Whether two contents are duplicates.

    Args:
        one: A content.
        other: Another; the same type, scope and project are the caller's condition.

    Returns:
        True for equal normalised forms, or for longer texts of similar length that differ only in particles. Two
        empty forms are the same only if the texts are.
    """
    return same_normalised(normalise(one), normalise(other)) or one == other


def same_normalised(one: str, other: str) -> bool:
    """`same` for forms that are already normalised; empty ones are never the same."""
    if not one or not other:
        return False
    if one == other:
        return True
    shorter, longer = sorted((len(one), len(other)))
    if shorter < MIN_LENGTH or shorter / longer < MIN_RATIO:
        return False
    return PARTICLES.sub("", one) == PARTICLES.sub("", other)


def key(normalised: str) -> str:
    """What duplicates share, for finding candidates by hash; equal keys still need `same_normalised`."""
    return PARTICLES.sub("", normalised)
