"""Which stored memories disagree with one another, found without comparing each with each."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from paitui.memory.conflict import SIMILAR, Conflict, Subject, compare, prepare
from paitui.memory.entry import Entry
from paitui.memory.normal import masked
from paitui.memory.slots import GIST_ALIKE, Statement, clash

_T = TypeVar("_T")

MOST = 20
"""Entries that are named against one."""
_COMPARED = 200
"""Others that an entry is compared with at most because of like letters, and a claim because of its slot; reached
only by masses of near copies."""


class Stopped(Exception):
    """Nobody waits for the answer any more."""


def disagreeing(
    entries: Iterable[Entry], unwanted: Callable[[], bool] = lambda: False
) -> dict[str, list[tuple[Entry, Conflict]]]:
    """Say for every entry which others disagree with it.

    Args:
        entries: All entries; only those of the same type, scope and project are held against each other.
        unwanted: Asked again and again whether the answer is not wanted any more.

    Returns:
        By id, in the order of the file; entries without a conflict are left out. At most 20 for one entry.

    Raises:
        Stopped: The answer is not wanted any more.
    """

    def going(things: Iterable[_T]) -> Iterator[_T]:
        for thing in things:
            if unwanted():
                raise Stopped
            yield thing

    groups: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.type, entry.scope, entry.project].append(entry)
    found: dict[str, list[tuple[Entry, Conflict]]] = defaultdict(list)
    for group in groups.values():
        subjects = [prepare(entry.content) for entry in going(group)]
        for one, other in going(sorted(set(going(_candidates(subjects))))):
            if min(len(found[group[one].id]), len(found[group[other].id])) >= MOST:
                continue
            if conflict := compare(subjects[one], subjects[other]):
                found[group[one].id].append((group[other], conflict))
                found[group[other].id].append((group[one], conflict))
    return {name: against[:MOST] for name, against in found.items() if against}


def _candidates(subjects: Sequence[Subject]) -> Iterator[tuple[int, int]]:
    """Pairs that may be in conflict; all that are, but for the limits above. One may come more than once."""
    by_mask: dict[str, list[int]] = defaultdict(list)
    for number, subject in enumerate(subjects):
        if subject.normalised:
            by_mask[masked(subject.normalised)].append(number)
    for alike in by_mask.values():
        for one in range(len(alike)):
            yield from ((alike[one], other) for other in alike[one + 1 : one + 1 + MOST])
    # Pairs by their letters: their sets are those of the literal rule.
    yield from alike_pairs([_marked_bigrams(subject.normalised) for subject in subjects], SIMILAR)
    yield from _by_slots([subject.statement for subject in subjects])
    gists = [subject.statement.gist for subject in subjects]
    for one, other in alike_pairs(gists, GIST_ALIKE):
        if subjects[one].statement.negative != subjects[other].statement.negative:
            yield one, other


def _marked_bigrams(text: str) -> frozenset[tuple[str, int]]:
    """The bigrams of a text as a set: the second of a kind is told apart from the first."""
    seen: Counter[str] = Counter()
    marked = set()
    for at in range(len(text) - 1):
        pair = text[at : at + 2]
        marked.add((pair, seen[pair]))
        seen[pair] += 1
    return frozenset(marked)


def _by_slots(statements: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """Pairs that say different things about one slot; what says the same of it is compared once for all."""
    slots: dict[tuple[str, str], dict[Statement, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, statement in enumerate(statements):
        for slot in {(claim.kind, claim.slot) for claim in statement.claims}:
            claims = tuple(claim for claim in statement.claims if (claim.kind, claim.slot) == slot)
            slots[slot][Statement(claims, frozenset(), False, frozenset())].append(number)
    for sayings in slots.values():
        row = list(sayings.items())
        for at, (one, ones) in enumerate(row):
            clashing = 0
            for other, others in islice(row, at + 1, at + 1 + _COMPARED):
                if clash(one, other):
                    for a in ones[:MOST]:
                        yield from ((min(a, b), max(a, b)) for b in others[:MOST])
                    clashing += 1
                    if clashing == MOST:
                        break


def alike_pairs(sets: Sequence[frozenset[Hashable]], threshold: float) -> Iterator[tuple[int, int]]:
    """Find pairs of sets whose Dice coefficient reaches a threshold.

    Two sets that share so much share one of their rarest members; only those are looked up.

    Args:
        sets: The sets.
        threshold: Dice coefficient, over 0.

    Yields:
        Pairs of numbers, the smaller first; at most 20 for a set and those before it.
    """
    frequency = Counter(member for members in sets for member in members)
    order = {member: place for place, (member, _) in enumerate(reversed(frequency.most_common()))}
    holders: dict[Hashable, list[int]] = defaultdict(list)
    for number in sorted(range(len(sets)), key=lambda number: len(sets[number])):
        members = sorted(sets[number], key=order.__getitem__)
        size = len(members)
        smallest = size * threshold / (2 - threshold)
        filed = [holders[member] for member in members[: size - math.ceil(smallest) + 1]]
        alike = 0
        for other in _near(filed, sets, smallest - 1e-9):
            shared = len(sets[number] & sets[other])
            if 2 * shared >= threshold * (size + len(sets[other])) - 1e-9:
                yield min(number, other), max(number, other)
                alike += 1
                if alike == MOST:
                    break
        for member in members[: size - math.ceil(size * threshold) + 1]:
            holders[member].append(number)


def _near(filed: Iterable[Sequence[int]], sets: Sequence[frozenset[Hashable]], least: float) -> Iterator[int]:
    """Give those that are filed with at least so many members, each once, and no more than are compared."""
    near: set[int] = set()
    for numbers in filed:
        for other in reversed(numbers):
            if len(near) == _COMPARED or len(sets[other]) < least:
                break  # they were filed by size
            if other not in near:
                near.add(other)
                yield other
