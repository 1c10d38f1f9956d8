"""The keys that matter now, in one line; where there is no room for all, the weightier ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paitui.ui.actions import Action, Scope, When, around
from paitui.ui.door import SafeText, own
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line, Span, cells, gap, glyph
from paitui.ui.look import Look
from paitui.ui.render.chrome import Keyboard
from paitui.ui.state import ViewState

_GAP = 2
"""Cells between two keys."""


@dataclass(frozen=True, slots=True)
class Hint:
    """One key and what it does."""

    key: str
    word: SafeText
    weight: int = 50


def hints(actions: Sequence[Action], keymap: Keymap, look: Look) -> list[Hint]:
    """What is said of some actions."""
    return [
        Hint(keymap.labels(action)[0], own(look.words(action.word)), action.weight)
        for action in actions
        if action.keys
    ]


def keys_line(given: Sequence[Hint], total: int) -> Line:
    """Draw as many keys as there is room for, the weightiest, in the order given; none is cut.

    Args:
        given: The keys.
        total: Cells of the line.
    """
    items = [(glyph(hint.key, "key"), gap(1), Span(hint.word, "dim")) for hint in given]
    room = total - 2  # a cell at either edge
    kept: set[int] = set()
    for at in sorted(range(len(given)), key=lambda at: -given[at].weight):
        size = cells(items[at]) + (_GAP if kept else 0)
        if size > room:
            break
        kept.add(at)
        room -= size
    line: list[Span] = []
    for at in sorted(kept):
        line += [gap(_GAP if line else 1), *items[at]]
    return tuple(line)


def footer(state: ViewState, keyboard: Keyboard, unfolded: bool, keymap: Keymap, look: Look, total: int) -> Line:
    """Draw the keys that count now.

    Args:
        state: For what goes on.
        keyboard: What holds the keyboard.
        unfolded: Whether everything is unfolded, so that the key folds.
        keymap: The table.
        look: Words.
        total: Cells of the line.
    """
    now: set[When] = {"always", "busy" if state.busy else "idle"}
    if state.notices:
        now.add("notices")
    if (state.approvals or state.memory_asked or state.proposal) and keyboard in ("prompt", "edit"):
        now.add("approval")
    return keys_line(hints(_said(state, keyboard, unfolded, keymap, now), keymap, look), total)


def _said(state: ViewState, keyboard: Keyboard, unfolded: bool, keymap: Keymap, now: set[When]) -> list[Action]:
    """Choose the actions; the same keys say something else while the agent works, or a panel has the keyboard."""
    scopes: tuple[Scope, ...] = (*around("prompt"), "approval")
    actions = [action for action in keymap.actions if action.scope in scopes]
    moment = [action for action in actions if action.footer in now - {"always"}]
    general = [action for action in actions if action.footer == "always"]

    def other(word: str, name: str, weight: int) -> Action:
        return Action(word, keymap.keys(name), weight=weight)

    if keyboard in ("block", "folded", "unfolded", "marking"):
        leave = "unselect" if keyboard == "marking" else "back"
        return [*_of_block(keyboard, keymap), other(leave, "stop", 90)]
    if keyboard == "reason":
        moment = [action for action in moment if action.name not in ("stop", "steer")]
        moment = [other("send", "send", 99), other("back", "stop", 98), *moment]
    elif keyboard == "answers":
        moment = [action for action in moment if action.name != "steer"]
        moment.append(other("to_prompt", "answer", 90))
    elif keyboard == "selected":
        copy = Action("block_copy", keymap.keys("cancel"), weight=99, room="blocks")
        moment = [copy, other("unselect", "stop", 98), *(action for action in moment if action.name != "stop")]
    elif keyboard in ("list", "search", "edit"):
        gone = ("stop", "send", "newline", "steer") if keyboard == "search" else ("stop", "send")
        moment = [action for action in moment if action.name not in gone]
        if keyboard == "list":
            first = Action("complete", ("tab",), weight=99)
        else:
            first = other("take" if keyboard == "search" else "put_back", "send", 99)
        moment = [first, other("close" if keyboard == "list" else "back", "stop", 98), *moment]
    elif state.busy:
        moment.insert(0, other("queue", "send", 94))
    elif state.queued:
        moment.insert(0, other("run_queue", "steer", 97))
    if unfolded:
        moment = [replace(action, label="refold") if action.name == "fold" else action for action in moment]
    return [*general, *moment]


def _of_block(keyboard: Keyboard, keymap: Keymap) -> list[Action]:
    """What can be done with a block, or with the rows selected there."""
    found = {action.name: action for action in keymap.actions if action.scope == "blocks"}
    if keyboard == "marking":
        moves = [replace(found[f"block_{way}"], label=f"mark_{way}") for way in ("up", "down")]
        return [found["block_copy"], *moves]
    if keyboard == "block":
        del found["block_fold"]
    elif keyboard == "unfolded":
        found["block_fold"] = replace(found["block_fold"], label="block_refold")
    return sorted((action for action in found.values() if action.footer), key=lambda action: -action.weight)
