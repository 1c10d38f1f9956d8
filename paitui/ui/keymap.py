"""Which key does what: the table of actions with the user's changes, and what is wrong with those."""

from collections.abc import Mapping
from dataclasses import replace

from textual.binding import Binding

from paitui.locale import Phrase, phrase
from paitui.ui.actions import ACTIONS, Action, Scope, When, around, meet
from paitui.ui.keynames import EDITING, SAME_EVERYWHERE, label, parse, twin, types

__all__ = ["ACTIONS", "Action", "Keymap", "Scope", "When", "label"]


class Keymap:
    """The table with the user's changes."""

    def __init__(self, changes: Mapping[str, tuple[str, ...]] | None = None, extended: bool = False) -> None:
        """Build it.

        Args:
            changes: Keys by action name, as the user wrote them. A change that cannot be is left out and named in
                `problems`; the rest counts.
            extended: Whether the terminal tells almost all keys apart.
        """
        self.extended = extended
        problems: list[Phrase] = []
        default = {action.name: action for action in ACTIONS}
        wanted: dict[str, Action] = {}
        for name, written in (changes or {}).items():
            if name not in default:
                problems.append(_unknown(name, default))
            elif isinstance(keys := self._read(default[name], written), Phrase):
                problems.append(keys)
            else:
                wanted[name] = replace(default[name], keys=keys)
        while clash := _clash({**default, **wanted}, wanted):
            name, key, other = clash
            problems.append(phrase("keys.taken", action=name, key=label(key), other=other, kept=_kept(default[name])))
            del wanted[name]
        self.actions: tuple[Action, ...] = tuple({**default, **wanted}.values())
        self.problems: tuple[Phrase, ...] = tuple(problems)

    def _read(self, action: Action, written: tuple[str, ...]) -> tuple[str, ...] | Phrase:
        """Give Textual's names of the keys, or what is wrong with them."""
        told = {"action": action.name, "kept": _kept(action)}
        keys: list[str] = []
        for text in written:
            key = parse(text)
            if key is None:
                return phrase("keys.no_key", key=text, **told)
            if key in SAME_EVERYWHERE:
                return phrase("keys.indistinct", key=label(key), other=label(SAME_EVERYWHERE[key]), **told)
            whole = action.scope in ("app", "screen") and action.first
            if (types(key) and (whole or action.scope == "prompt")) or (whole and key in EDITING):
                return phrase("keys.typing", key=label(key), **told)
            keys.append(key)
        if not keys:
            return phrase("keys.none", **told)
        if all(twin(key, self.extended) for key in keys):
            return phrase("keys.newer", key=label(keys[0]), other=label(twin(keys[0], self.extended)), **told)
        return tuple(dict.fromkeys(keys))

    def keys(self, name: str) -> tuple[str, ...]:
        """The keys of an action."""
        return next(action.keys for action in self.actions if action.name == name)

    def name(self, key: str, scope: Scope) -> str | None:
        """The action that a key stands for."""
        for action in self.actions:
            if action.scope == scope and key in action.keys:
                return action.name
        return None

    def labels(self, action: Action) -> tuple[str, ...]:
        """The keys of an action as people read them; only those that this terminal tells from others."""
        apart = [key for key in action.keys if not twin(key, self.extended)]
        return tuple(label(key) for key in apart or action.keys[:1])

    def bindings(self, scope: Scope = "screen") -> list[Binding]:
        """Bindings of a screen: the actions of its scope, and of those around it, which the app carries out."""
        return [
            Binding(
                ",".join(action.keys),
                f"app.{action.name}" if action.scope == "app" else action.name,
                show=False,
                priority=action.first and action.scope in ("app", "screen"),
            )
            for action in self.actions
            if action.scope in around(scope)
        ]


def _kept(action: Action) -> str:
    return " ".join(label(key) for key in action.keys)


def _unknown(name: str, known: Mapping[str, Action]) -> Phrase:
    from difflib import get_close_matches  # only for a mistake

    if near := get_close_matches(name, known, 1):
        return phrase("keys.unknown_near", action=name, near=near[0])
    return phrase("keys.unknown", action=name)


def _clash(actions: Mapping[str, Action], changed: Mapping[str, Action]) -> tuple[str, str, str] | None:
    """Find a change that takes a key away from another action: its name, the key, and the other's name."""
    for name in reversed(list(changed)):
        for other in actions.values():
            if other.name == name or not meet(actions[name].scope, other.scope):
                continue
            for key in actions[name].keys:
                if key in other.keys:
                    return name, key, other.name
    return None
