"""What the palette offers: commands and actions that can be carried out now, and how a query finds one. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from paitui.engine.commands import COMMANDS
from paitui.locale import Words
from paitui.ui.actions import Action, Scope, around
from paitui.ui.keymap import Keymap

SAME = {"quit": "leave"}
"""Commands that an action of another name carries out too."""
_BY_HELP = 2
"""Rank of an offer of which only what it does holds a word."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be done."""

    shown: str
    """As the list names it: ``/compact``, or the short word of an action."""
    help: str
    """What it does."""
    key: str = ""
    """The key that does the same."""
    command: str = ""
    """Name of a slash command; empty for an action."""
    action: str = ""
    """Name of an action; empty for a command."""
    argument: str = ""
    """What may follow the command."""
    everywhere: bool = False
    """Whether the app carries the action out, and not the screen."""


@dataclass(frozen=True, slots=True)
class Found:
    """An offer that a query finds."""

    offer: Offer
    hits: tuple[int, ...] = ()
    """Characters of `shown` that match."""
    told: tuple[int, ...] = ()
    """Characters of `help` that match, where the name says nothing of a word."""


def offers(keymap: Keymap, words: Words, scope: Scope, notices: bool = False) -> list[Offer]:
    """Give what can be done from a screen: commands first, in the order of their table.

    Args:
        keymap: Keys.
        words: The language.
        scope: The screen's.
        notices: Whether there are any to be put away.
    """
    known = {action.name: action for action in keymap.actions}

    def key_of(action: Action | None) -> str:
        return keymap.labels(action)[0] if action is not None else ""

    found: list[Offer] = []
    for command in COMMANDS:
        key = key_of(known.get(SAME.get(command.name, command.name)))
        found.append(Offer(f"/{command.name}", words(command.help), key, command.name, argument=command.argument))
    doubled = {*SAME.values(), *(command.name for command in COMMANDS), "palette"}
    for action in keymap.actions:
        here = action.listed and action.scope in around(scope) and action.name not in doubled
        if here and (notices or action.name != "put_away"):
            found.append(
                Offer(
                    words(action.word),
                    words(action.help),
                    key_of(action),
                    action=action.name,
                    everywhere=action.scope == "app",
                )
            )
    return found


def find(query: str, given: Iterable[Offer]) -> list[Found]:
    """Give the offers that a query finds, those whose name begins so first, else in their order.

    Args:
        query: Words in any order, each a part of the name or of what it does; or letters of the name in their order.
        given: All there is.
    """
    wanted = query.lower().lstrip(" /").split()
    ranked: list[tuple[int, int, Found]] = []
    for at, offer in enumerate(given):
        ranks = [_rank(word, offer) for word in wanted]
        if None not in ranks:
            by_help = [word for word, rank in zip(wanted, ranks, strict=True) if rank == _BY_HELP]
            hits = {hit for word in wanted if word not in by_help for hit in _hits(word, offer.shown)}
            told = {hit for word in by_help for hit in _hits(word, offer.help)}
            found = Found(offer, tuple(sorted(hits)), tuple(sorted(told)))
            ranked.append((max((rank or 0 for rank in ranks), default=0), at, found))
    return [found for _, _, found in sorted(ranked, key=lambda item: item[:2])]


def _rank(word: str, offer: Offer) -> int | None:
    names = [offer.shown.lower().removeprefix("/"), offer.action.replace("_", " ")]
    if any(name.startswith(word) for name in names if name):
        return 0
    if any(word in name for name in names):
        return 1
    if word in offer.help.lower():
        return _BY_HELP
    return 3 if _follow(word, names[0]) else None


def _hits(word: str, shown: str) -> list[int]:
    lower = shown.lower()
    if len(lower) != len(shown):
        return []  # some letters are longer in lower case
    at = lower.find(word)
    return list(range(at, at + len(word))) if at >= 0 else _follow(word, lower)


def _follow(word: str, name: str) -> list[int]:
    """Where the letters of a word stand in a name, one after the other; nothing if one is missing."""
    found: list[int] = []
    at = -1
    for letter in word:
        at = name.find(letter, at + 1)
        if at < 0:
            return []
        found.append(at)
    return found
