"""What a memory says about what: tools, versions, numbers, languages, places, wishes; and when two say otherwise.

No understanding, only slots: what a project normally has one of. It errs towards silence where two statements may be
about different things, since all that follows is a question to the user.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from paitui.memory import phrasing, versions
from paitui.memory.han import simplified
from paitui.memory.lexicon import Meaning, lexicon
from paitui.memory.normal import visible

Kind = Literal["choice", "version", "number", "language", "place"]

READ = 1_000
"""Characters of a memory that are read; a fact is a sentence or a few."""
GIST_ALIKE = 0.75
"""Dice coefficient of two statements without their yes and no from which on both are about one thing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One value for one slot."""

    kind: Kind
    """What sort of slot."""
    slot: str
    """What is given a value, such as ``database`` or ``java``."""
    value: str
    """The value."""
    positive: bool
    """False for what is said not to be so, or no longer."""
    parts: frozenset[str]
    """Parts of the project that it is said about; empty for the whole."""
    about: frozenset[str]
    """Other words for what it is said about."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory as far as it is understood."""

    claims: tuple[Claim, ...]
    """Its claims, in order."""
    gist: frozenset[str]
    """Its words without those of yes and no."""
    negative: bool
    """Whether it says no."""
    parts: frozenset[str]
    """Parts of the project that it names."""


@dataclass(frozen=True, slots=True)
class Clash:
    """What two memories say differently."""

    slot: str
    """The slot; empty for a plain yes against a no."""
    one: str
    """The value in the first memory."""
    other: str
    """The value in the second."""


def parse(content: str) -> Statement:
    """Find what a memory claims.

    Args:
        content: Its text.

    Returns:
        The statement; without claims if nothing was understood.
    """
    text = simplified(phrasing.plain(visible(content[:READ])))
    claims: list[Claim] = []
    for sentence in phrasing.sentences(text):
        named = frozenset(meaning.slot for _, meaning in _meanings(sentence) if meaning.kind == "name")
        before: _Clause | None = None
        for clause in phrasing.clauses(sentence):
            before = _Clause(clause, named, before)
            claims.extend(before.claims())
    parts = frozenset(meaning.slot for _, meaning in _meanings(text) if meaning.kind == "part")
    gist, negative = phrasing.gist(text)
    return Statement(tuple(dict.fromkeys(claims)), gist, negative, parts)


_Found = tuple[tuple[int, int], Meaning]


def _meanings(text: str) -> Iterator[_Found]:
    paths = phrasing.path_spans(text)
    for span, meanings in lexicon().find(text):
        # The names of folders say nothing about the project.
        if not any(start <= span[0] and span[1] <= end and span != (start, end) for start, end in paths):
            for meaning in meanings:
                yield span, meaning


class _Clause:
    """A clause with what the one before it leaves to it."""

    def __init__(self, text: str, named: frozenset[str], before: "_Clause | None") -> None:
        self._text = text
        self._found = list(_meanings(text))
        self._named = named
        self._before = before
        self._places = [(span, meaning.slot) for span, meaning in self._found if meaning.kind == "part"]
        self._parts: frozenset[str] = frozenset(slot for _, slot in self._places) or (
            before._parts if before else frozenset()
        )
        self._files = frozenset(meaning.slot for _, meaning in self._found if meaning.kind == "file_kind")
        self._values = [
            (span, meaning)
            for span, meaning in self._found
            if meaning.kind == "language"
            or (meaning.kind == "value" and (not meaning.needs_name or meaning.slot in named))
        ]

    def claims(self) -> Iterator[Claim]:
        """Find the claims of this clause."""
        marks = phrasing.polarity(self._text, [span for span, _ in self._values])
        uses = [meaning.slot for _, meaning in self._found if meaning.kind == "language_use"]
        for span, meaning in self._values:
            if meaning.kind == "language":
                if not uses and not phrasing.is_spoken(self._text, span):
                    continue
                use = uses[0] if uses else "reply"
                yield Claim("language", use, meaning.slot, marks[span], frozenset(), frozenset())
            else:
                yield self._claim("choice", meaning.slot, meaning.value, span[0], marks[span])
        for at, product, version, positive in versions.versions(self._text, self._of("product")):
            yield self._claim("version", product, version, at, positive)
        for at, slot, number in versions.numbers(self._text, self._of("number")):
            yield self._claim("number", slot, number, at, True)
        for subject, value in phrasing.places(self._text):
            yield Claim("place", " ".join(sorted(subject)), value, True, self._parts, subject)
        known = {self._text[slice(*span)] for span, meaning in self._found if meaning.kind in ("value", "language")}
        for name, positive in phrasing.named_uses(self._text):
            if name not in known:
                yield Claim("choice", name, name, positive, self._parts, frozenset())

    def _of(self, kind: str) -> list[tuple[tuple[int, int], str]]:
        return [(span, meaning.slot) for span, meaning in self._found if meaning.kind == kind]

    def _claim(self, kind: Kind, slot: str, value: str, at: int, positive: bool) -> Claim:
        parts = self._near(at) - {lexicon().tags.get(slot, ""), slot}
        if slot in lexicon().style:
            parts |= self._files
        return Claim(kind, slot, value, positive, parts, self._about(slot))

    def _near(self, at: int) -> frozenset[str]:
        """The part named last before a place, else all parts of the clause."""
        before = [slot for span, slot in self._places if span[0] <= at]
        return frozenset(before[-1:]) if before and len({slot for _, slot in self._places}) > 1 else self._parts

    def _about(self, slot: str) -> frozenset[str]:
        """What else the slot is said about; words that name the slot itself single nothing out."""
        values = {span for span, _ in self._values}
        known = [
            span
            for span, meaning in self._found
            if span in values
            or meaning.kind in ("product", "part", "file_kind", "language")
            or (meaning.kind in ("name", "number") and meaning.slot == slot)
        ]
        words = phrasing.subject(self._text, known)
        return words or (self._before._about(slot) if self._before else frozenset())


def clash(one: Statement, other: Statement) -> Clash | None:
    """Find what two memories say differently about the same thing.

    Args:
        one: A statement.
        other: Another, of the same scope and project.

    Returns:
        The first difference, or None. The order of the two plays no part in whether there is one.
    """
    for slot in dict.fromkeys((claim.kind, claim.slot) for claim in one.claims):
        mine = [claim for claim in one.claims if (claim.kind, claim.slot) == slot]
        theirs = [claim for claim in other.claims if (claim.kind, claim.slot) == slot]
        if theirs and (found := _differ(mine, theirs)):
            return found
    if (
        one.negative != other.negative
        and not _apart(one.parts, other.parts)
        and not _mixed(one)
        and not _mixed(other)
    ):
        shared = len(one.gist & other.gist)
        if shared >= phrasing.GIST_WORDS and 2 * shared >= GIST_ALIKE * (len(one.gist) + len(other.gist)):
            return Clash("", "no" if one.negative else "yes", "no" if other.negative else "yes")
    return None


def _mixed(statement: Statement) -> bool:
    """Whether it says yes to one value and no to another, so that its no is about that value only."""
    return len({claim.positive for claim in statement.claims}) == 2


def _differ(mine: list[Claim], theirs: list[Claim]) -> Clash | None:
    pairs = [(a, b) for a in mine for b in theirs if _same_thing(a, b)]
    for a, b in pairs:
        if a.positive != b.positive and _agree(a, b):
            return Clash(a.slot, _shown(a), _shown(b))
    positive = [(a, b) for a, b in pairs if a.positive and b.positive]
    if positive and not any(_agree(a, b) for a, b in positive):
        a, b = positive[0]
        return Clash(a.slot, _shown(a), _shown(b))
    return None


def _shown(claim: Claim) -> str:
    return claim.value if claim.positive else f"not {claim.value}"


def _agree(a: Claim, b: Claim) -> bool:
    if a.kind == "version":
        return versions.compatible(a.value, b.value)
    if a.kind == "place":
        return a.value.startswith(b.value) or b.value.startswith(a.value)
    if a.kind == "language" and {a.value, b.value} == {"chinese", "simplified"}:
        return True
    return a.value == b.value


def _same_thing(a: Claim, b: Claim) -> bool:
    strict = a.kind in ("number", "place")
    if _apart(a.parts, b.parts, strict):
        return False
    if a.kind == "place":
        return True
    if a.about and b.about:
        return bool(a.about & b.about)
    return not (strict and a.slot == "port" and (a.about or b.about))


def _apart(one: frozenset[str], other: frozenset[str], strict: bool = False) -> bool:
    """Whether two sets of parts single out different things."""
    if one and other:
        return not one & other
    alone = one | other
    return bool(alone) and (strict or alone <= lexicon().peripheral)
