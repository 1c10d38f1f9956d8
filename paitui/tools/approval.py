"""Approvals: what needs the user's word, what a word given once covers. Pure; nobody is asked here."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from paitui.locale import Phrase, phrase
from paitui.tools.base import Effect, Piece

Mode = Literal["ask", "reads", "all"]
"""Without a rule: ask the user; allow reading only; allow everything but the never-allowed."""


@dataclass(frozen=True, slots=True)
class Allow:
    """It may run."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The user decides."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """It may not run, and nobody is asked."""

    why: Phrase


Verdict = Allow | Ask | Refuse


@dataclass(frozen=True, slots=True)
class Approvals:
    """What the user always allows in this session: ``command:<program>``, ``write:<folder>/``, ``network:<host>``."""

    rules: frozenset[str] = field(default_factory=frozenset)

    def allow(self, effect: Effect) -> "Approvals":
        """With the rules that an effect offers; the same if it offers none."""
        return Approvals(self.rules | rules_of(effect))

    def without(self, rule: str) -> "Approvals":
        """Without one rule; its kind may be left out if that is plain (``pytest``)."""
        gone = {known for known in self.rules if rule in (known, known.partition(":")[2])}
        return Approvals(self.rules - gone)

    def covers(self, effect: Effect) -> bool:
        """Whether rules allow all of the effect."""
        needed = rules_of(effect)
        return bool(needed) and needed <= self.rules

    def export(self) -> list[str]:
        """The rules, sorted, for saving and showing."""
        return sorted(self.rules)

    @staticmethod
    def restore(rules: Iterable[str]) -> "Approvals":
        """Rules that `export` gave; anything else is left out."""
        return Approvals(frozenset(r for r in rules if re.match(r"(?:command|write|mcp|network):.", r)))


def rules_of(effect: Effect) -> frozenset[str]:
    """The rules that "always" would make of an effect, which all must hold for it; none if it is not on offer."""
    if not effect.always or effect.access == "read":
        return frozenset()
    return frozenset(piece.rule for piece in effect.pieces) or frozenset((f"{effect.access}:{effect.always}",))


def always_of(pieces: Sequence[Piece]) -> str:
    """What "always" would cover for a command line, in words: programs and folders, each once, in order.

    Args:
        pieces: What the line does.

    Returns:
        ``git, tee, out/``; empty if one of them is asked each time, for then a rule for the others says nothing.
    """
    if not all(piece.rule for piece in pieces):
        return ""
    return ", ".join(dict.fromkeys(piece.rule.partition(":")[2] for piece in pieces))


def judge(effect: Effect | None, rules: Approvals, mode: Mode) -> Verdict:
    """Decide on one call.

    Args:
        effect: What it would do; None for reading.
        rules: What is always allowed.
        mode: What happens without a rule.

    Returns:
        Whether it runs, is asked for or is refused. The never-allowed stays refused in every mode.
    """
    if effect is None or (effect.access == "read" and effect.refused is None):
        return Allow()
    if effect.refused is not None:
        return Refuse(effect.refused)
    if mode == "all":
        return Allow()
    if mode == "reads":
        key, host = ("web.only_reads", effect.always) if effect.access == "network" else ("tools.reads_only", "")
        return Refuse(phrase(key, host=host))
    return Allow() if rules.covers(effect) else Ask()
