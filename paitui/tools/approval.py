"""Approvals: what needs the user's word, what a word given once covers. Pure; nobody is asked here."""

import functools
import re
import shlex
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from paitui.locale import Phrase, phrase
from paitui.tools.base import Effect
from paitui.tools.shell_words import INTERPRETERS, SHELLS
from paitui.trust.safe_text import safe_text

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
    """What the user always allows in this session: ``command:<program>``, ``write:<folder>/``."""

    rules: frozenset[str] = field(default_factory=frozenset)

    def allow(self, effect: Effect) -> "Approvals":
        """With the rule that an effect offers; the same if it offers none."""
        rule = rule_of(effect)
        return Approvals(self.rules | {rule}) if rule else self

    def without(self, rule: str) -> "Approvals":
        """Without one rule; its kind may be left out if that is plain (``pytest``)."""
        gone = {known for known in self.rules if rule in (known, known.partition(":")[2])}
        return Approvals(self.rules - gone)

    def covers(self, effect: Effect) -> bool:
        """Whether a rule allows the effect."""
        rule = rule_of(effect)
        return bool(rule) and rule in self.rules

    def export(self) -> list[str]:
        """The rules, sorted, for saving and showing."""
        return sorted(self.rules)

    @staticmethod
    def restore(rules: Iterable[str]) -> "Approvals":
        """Rules that `export` gave; anything else is left out."""
        return Approvals(frozenset(r for r in rules if re.match(r"(?:command|write|mcp|network):.", r)))


def rule_of(effect: Effect) -> str:
    """The rule that "always" would make of an effect; empty if it is not on offer."""
    return f"{effect.access}:{effect.always}" if effect.always and effect.access != "read" else ""


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
        return Refuse(phrase("tools.reads_only"))
    return Allow() if rules.covers(effect) else Ask()


# "Always" for a program. Only what is read the same by everyone is on offer: one simple command, no substitution, no
# operator, no escape. Programs that run whatever they are given would turn it into "everything".

_PLAIN = re.compile(r"[^\x00-\x1f\x7f;&|<>`$(){}\\!#\n\r]+")
_PROGRAM = re.compile(r"[A-Za-z0-9_.+/-]*[A-Za-z0-9_+]")


@functools.cache
def _without_always() -> frozenset[str]:
    data = tomllib.loads((Path(__file__).parent / "command_words.toml").read_text("utf-8"))
    return frozenset(word for group in data["no_always"].values() for word in group)


def always_program(command: str) -> str:
    """The program that "always" would cover for a command line.

    Args:
        command: The command line.

    Returns:
        The program as it is written; empty if this one line can only be approved by itself: it is not one plain
        simple command, or its program runs others, runs code or destroys.
    """
    command = command.strip(" ")
    if not _PLAIN.fullmatch(command) or safe_text(command, keep_newlines=False) != command:
        return ""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    # Written without quotes, so that it is shown as it runs; `=` would make it an assignment.
    if not words or words[0] != command.split(" ")[0] or not _PROGRAM.fullmatch(words[0]):
        return ""
    name = words[0].rpartition("/")[2]
    if name in _without_always() or name in SHELLS or INTERPRETERS.fullmatch(name):
        return ""
    return words[0]
