"""Which key does what: one table of named actions. Bindings, footer and help are made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from textual.binding import Binding

from paitui.locale import Phrase, phrase

Scope = Literal["screen", "prompt", "approval"]
"""Where a key counts: everywhere in the chat, in the prompt, in the approval panel while it has the focus."""

When = Literal["", "always", "idle", "busy", "queued", "notices", "approval"]
"""When the footer shows it: `approval` while one waits and its panel does not hold the keyboard, `queued` while
messages wait and nothing runs."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does."""

    name: str
    """Name of the action; in settings, and as ``action_<name>``."""
    keys: tuple[str, ...]
    """Textual's names of the keys; the first one is shown."""
    scope: Scope = "screen"
    footer: When = ""
    """When the footer shows it; empty for only in the help."""
    label: str = ""
    """Another word for the footer than the action's own; Enter sends or queues."""

    @property
    def word(self) -> str:
        """Key of its short name."""
        return f"ui.key_{self.label or self.name}"

    @property
    def help(self) -> str:
        """Key of what it does, in a few words."""
        return f"ui.help_{self.name}"


ACTIONS: tuple[Action, ...] = (
    Action("help", ("f1",), footer="always"),
    Action("chat", ("f2",), footer="always"),
    Action("context", ("f5",), footer="always"),
    Action("stop", ("escape",), footer="busy"),
    Action("send", ("enter",), "prompt", footer="idle"),
    Action("newline", ("ctrl+j", "alt+enter", "shift+enter"), "prompt", footer="idle"),
    Action("steer", ("ctrl+s",), footer="busy"),
    Action("answer", ("tab",), "approval", footer="approval"),
    Action("once", ("y",), "approval"),
    Action("always", ("a",), "approval"),
    Action("no", ("n",), "approval"),
    Action("reason", ("r",), "approval"),
    Action("put_away", ("ctrl+l",), footer="notices"),
    Action("fold", ("ctrl+o",), footer="idle"),
    Action("page_up", ("pageup",)),
    Action("page_down", ("pagedown",)),
    Action("top", ("ctrl+home",)),
    Action("bottom", ("ctrl+end",)),
    Action("cancel", ("ctrl+c",)),
    Action("leave", ("ctrl+q",), footer="idle"),
)

INDISTINCT = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
"""Keys that a terminal cannot tell from another one; binding them would bind the other too."""

_NAMES = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "enter": "Enter",
    "tab": "Tab",
    "home": "Home",
    "end": "End",
}


class Keymap:
    """The table with the user's changes."""

    def __init__(self, changes: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """Build it.

        Args:
            changes: Keys by action name. A change that cannot be is left out and named in `problems`.
        """
        problems: list[Phrase] = []
        actions = {action.name: action for action in ACTIONS}
        for name, keys in (changes or {}).items():
            if name not in actions:
                problems.append(phrase("ui.keys_unknown", action=name))
            elif wrong := [key for key in keys if key in INDISTINCT]:
                problems.append(phrase("ui.keys_indistinct", key=wrong[0], other=INDISTINCT[wrong[0]]))
            elif taken := _taken(actions, name, keys):
                problems.append(phrase("ui.keys_taken", key=taken[0], action=taken[1]))
            elif keys:
                actions[name] = replace(actions[name], keys=keys)
        self.actions: tuple[Action, ...] = tuple(actions.values())
        self.problems: tuple[Phrase, ...] = tuple(problems)

    def keys(self, name: str) -> tuple[str, ...]:
        """The keys of an action."""
        return next(action.keys for action in self.actions if action.name == name)

    def name(self, key: str, scope: Scope) -> str | None:
        """The action that a key stands for."""
        for action in self.actions:
            if action.scope == scope and key in action.keys:
                return action.name
        return None

    def bindings(self) -> list[Binding]:
        """Bindings of the chat screen; they win over the keys of whatever has the focus."""
        return [
            Binding(",".join(action.keys), action.name, show=False, priority=True)
            for action in self.actions
            if action.scope == "screen"
        ]


def _taken(actions: Mapping[str, Action], name: str, keys: tuple[str, ...]) -> tuple[str, str] | None:
    scope = actions[name].scope
    for other in actions.values():
        if other.name == name or ("approval" in (scope, other.scope) and scope != other.scope):
            continue  # single letters of the panel count only while it holds the focus
        for key in keys:
            if key in other.keys:
                return key, other.name
    return None


def label(key: str) -> str:
    """How a key is written: ``Ctrl+S``, ``F1``, ``PgUp``, ``y``."""
    *modifiers, last = key.split("+")
    named = _NAMES.get(last) or (last.upper() if modifiers or len(last) > 1 else last)
    return "+".join([*(modifier.capitalize() for modifier in modifiers), named])
