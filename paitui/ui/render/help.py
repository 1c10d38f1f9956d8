"""The help: what keys do, grouped by where they count, and the slash commands."""

from collections.abc import Sequence

from paitui.engine.commands import COMMANDS
from paitui.ui.actions import ACTIONS, Scope, around, meet
from paitui.ui.door import SafeText, own
from paitui.ui.keymap import Keymap
from paitui.ui.lines import BLANK, Line, Span, cells, flow, gap
from paitui.ui.look import Look

COLUMN = 24
"""Cells of the left column where there is room."""
_INDENT = 2


def help_lines(keymap: Keymap, scope: Scope, look: Look, total: int) -> list[Line]:
    """Draw all of it: in the chat commands first, then keys; in a pane its own keys first, commands last.

    Args:
        keymap: Keys.
        scope: Where help was asked for; the keys that count there are told.
        look: Words.
        total: Cells of a line.
    """
    words = look.words
    commands = [
        ((Span(own(f"/{known.name} "), "key"), Span(own(known.argument), "text")), own(words(known.help)))
        for known in COMMANDS
    ]
    parts = [[*_heading(look, "commands", total), *_pairs(commands, total)]]
    groups = tuple(dict.fromkeys(action.scope for action in ACTIONS))
    in_chat = scope in around("prompt")
    for group in groups if in_chat else dict.fromkeys((*around(scope), *groups)):
        keys = [
            ((Span(own("  ".join(keymap.labels(action))), "key"),), own(words(action.help)))
            for action in keymap.actions
            if action.scope == group and meet(group, scope)
        ]
        if keys:
            parts.append([*_heading(look, f"scope_{group}", total), *_pairs(keys, total)])
    if not in_chat:
        parts.append(parts.pop(0))
    parts.append([*_heading(look, "copying", total), *_note(look, "copying_how", total)])
    return [line for at, part in enumerate(parts) for line in ((BLANK, *part) if at else part)]


def _heading(look: Look, name: str, total: int) -> list[Line]:
    return flow([Span(own(look.words(f"help.{name}")), "heading")], total)


def _note(look: Look, name: str, total: int) -> list[Line]:
    return flow([Span(own(look.words(f"help.{name}")), "dim")], total, (gap(_INDENT),))


def _pairs(rows: Sequence[tuple[Line, SafeText]], total: int) -> list[Line]:
    """Draw pairs in two columns; a left part that is too long for its column stands on a line of its own."""
    column = min(COLUMN, total * 2 // 5 - _INDENT)
    hang: Line = (gap(_INDENT + column),)
    lines: list[Line] = []
    for left, right in rows:
        spare = column - cells(left)
        if spare >= 2:
            lines += flow([Span(right, "dim")], total, (gap(_INDENT), *left, gap(spare)), hang)
        else:
            lines += flow(left, total, (gap(_INDENT),))
            lines += flow([Span(right, "dim")], total, hang)
    return lines
