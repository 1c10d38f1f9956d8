"""What stands around the body of every pane: the tabs above it, what needs the user below it, and its keys."""

from collections.abc import Sequence

from paitui.ui.actions import Action, Scope, around
from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line, Span, cells, clip, flow, gap, glyph, spread
from paitui.ui.look import Look
from paitui.ui.render.chrome import notices
from paitui.ui.render.footer import hints, keys_line
from paitui.ui.render.gauge import level
from paitui.ui.render.numbers import percent
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut


def tabs(names: Sequence[str], current: str, keymap: Keymap, look: Look, total: int) -> list[tuple[str, Line]]:
    """Draw the names of the panes, each with its key.

    Args:
        names: Actions that lead to panes, in order.
        current: The one that is open.
        keymap: Their keys and words.
        look: Words.
        total: Cells of the line; the keys give way first.

    Returns:
        Name and drawn tab of each.
    """
    by_name = {action.name: action for action in keymap.actions}
    found: list[tuple[str, Line]] = []
    for name in names:
        here = name == current
        sign = glyph(look.glyphs.closed if here else " ", "accent")
        word = Span(own(look.words(by_name[name].word)), "accent" if here else "dim")
        key = glyph(f" {keymap.labels(by_name[name])[0]}", "accent" if here else "key")
        found.append((name, (sign, word, *((key,) if total >= 50 else ()))))
    return found


def header(drawn: Sequence[tuple[str, Line]], state: ViewState, look: Look, total: int) -> Line:
    """Draw the tabs, and at the right with which model and how full the context is."""
    left: list[Span] = [gap(1), glyph("paitui", "strong"), gap(1)] if total >= 50 else []
    for _, tab in drawn:
        left += [gap(1), *tab]
    right: list[Span] = []
    model = [Span(cut(one_line(state.model), 28), "dim"), gap(2)]
    if state.model and cells((*left, *model)) + 6 <= total:  # the tabs come first
        right += model
    if state.report is not None:
        right += [glyph(percent(state.report.used, state.report.window), level(state.report)), gap(1)]
    return spread(left, right, total)


def tab_at(drawn: Sequence[tuple[str, Line]], x: int, total: int) -> str:
    """The name of the tab at a cell of the header; empty if there is none."""
    at = cells((gap(1), glyph("paitui"), gap(1))) if total >= 50 else 0
    for name, tab in drawn:
        at += 1
        if at <= x < at + cells(tab):
            return name
        at += cells(tab)
    return ""


def status(state: ViewState, said: SafeText | None, keymap: Keymap, look: Look, total: int) -> list[Line]:
    """Say what waits for the user in the chat, what went wrong, and the answer to what was just asked.

    Args:
        state: For approvals and notices.
        said: The answer; None if there is none.
        keymap: For the key that leads to the chat.
        look: Words and signs.
        total: Cells of a line.
    """
    lines: list[Line] = []
    if state.approvals:
        chat = next(action for action in keymap.actions if action.name == "chat")
        waits = look.words("pane.approval")
        head: Line = (gap(1), glyph(f"{look.glyphs.prompt} ", "warning"), Span(own(f"{waits}: "), "warning"))
        what = one_line(f"{state.approvals[0].tool}  {state.approvals[0].subject}")
        lines.append(clip((*head, glyph(f"{keymap.labels(chat)[0]}  ", "key"), Span(what, "dim")), total))
    if state.notices:
        lines += [(gap(1), *line) for line in notices(state, look, total - 1)[-2:]]
    if said is not None:
        lines += flow([Span(said, "text")], total, (glyph(f" {look.glyphs.bullet} ", "accent"),), (gap(3),))
    return lines


def footer(scope: Scope, keymap: Keymap, hidden: frozenset[str], look: Look, total: int) -> Line:
    """Draw the keys of a pane, its own first.

    Args:
        scope: Of the pane.
        keymap: The table.
        hidden: Actions that would do nothing now.
        look: Words.
        total: Cells of the line.
    """
    shown: list[Action] = []
    for inside in around(scope):
        of_scope = [action for action in keymap.actions if action.scope == inside]
        if inside == "app":
            of_scope = [action for action in of_scope if action.name == "help"]  # the tabs show the others
        shown += [action for action in of_scope if action.footer and action.name not in hidden]
    return keys_line(hints(shown, keymap, look), total)
