"""The quiet lines around the conversation: header, activity, notices, queue."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from paitui.locale import phrase
from paitui.messages.message import Usage
from paitui.ui.door import joined, own
from paitui.ui.door import line as one_line
from paitui.ui.lines import Ink, Line, Span, cells, clip, flow, gap, glyph, spread
from paitui.ui.look import Look
from paitui.ui.render.numbers import percent, seconds
from paitui.ui.render.welcome import OFFLINE
from paitui.ui.state import ViewState
from paitui.ui.wrap import cut, cut_middle

SHOWN_NOTICES = 3
"""Notices shown at once, the newest."""
TRUST_FROM = 80
"""Cells from which on the header says whether the session is clean."""
SHORTEST_PATH = 10
"""Cells that the project's path keeps."""
_SPINS_PER_S = 8


def tilde(path: str, home: str) -> str:
    """Write a path below the user's home with ``~``."""
    try:
        inside = PurePath(path).relative_to(home)
    except ValueError:
        return path
    return str(PurePath("~") / inside)


def header(state: ViewState, project: str, look: Look, total: int) -> Line:
    """Draw where one is at the left, and with what and for how much at the right.

    Args:
        state: For the model.
        project: The project folder as it is to be shown.
        look: Words.
        total: Cells of the line.
    """
    name: Line = (gap(1), glyph("paitui", "strong"))
    model = one_line(state.model or "…")
    right: list[Span] = [Span(cut(model, 28 if total >= 60 else max(8, total // 3)), "text")]
    if state.model == OFFLINE and total >= 44:
        right.append(Span(joined([own(" "), look.word("offline_short")]), "accent"))
    mode: list[Span] = [gap(2), _mode(state, look)] if total >= 60 or state.mode != "react" else []
    stands: list[Span] = [gap(2), trust(state, look, max(28, total // 4))] if total >= TRUST_FROM else []
    cost = spent(state.spent, look) if total >= 60 else []
    while cells((*name, *right, *mode, *stands, *cost)) + SHORTEST_PATH + 5 > total and (cost or mode):
        cost, mode = (cost[:-2], mode) if cost else (cost, [])  # where all has no room, this counts least
    right += [*mode, *stands, *cost, gap(1)]
    room = total - cells(name) - cells(right) - 4
    path = cut_middle(one_line(project), max(4, room))
    return spread((*name, gap(2), Span(path, "dim")), right, total)


def _mode(state: ViewState, look: Look) -> Span:
    if state.mode == state.next_mode == "react":
        return Span(look.word("mode_react"), "dim")
    from paitui.ui.render.plan import mode  # not needed for the first frame

    return mode(state, look)


def trust(state: ViewState, look: Look, room: int) -> Span:
    """Say whether content from outside is in the session, and where it came from.

    Args:
        state: For the cause.
        look: Words.
        room: Cells that it may take.
    """
    if state.external is None:
        return Span(own(look.words("external.header_clean")), "dim")
    said = phrase(f"external.header_{state.external.kind}", source=state.external.short)
    return Span(cut(look.say(said), room), "warning")


def spent(usage: Usage, look: Look) -> list[Span]:
    """Say what the session cost and how much of it came from the provider's cache, where that is reported."""
    found: list[Span] = []
    if usage.cost is not None:
        found += [gap(2), Span(own(f"${usage.cost:.2f}"), "text")]
    if usage.cached:
        share = own(percent(usage.cached, usage.prompt))
        found += [gap(2), Span(joined([look.word("cache"), own(" "), share]), "dim")]
    return found


def activity(state: ViewState, elapsed: float, clock: float, look: Look) -> list[Span]:
    """Say in a few words what goes on; nothing while nothing does.

    Args:
        state: For the phase.
        elapsed: Seconds since it began.
        clock: Monotonic seconds, for the spinner.
        look: Words and signs.
    """
    if state.phase in ("idle", "closed"):
        return []
    frames = look.glyphs.spinner
    sign = glyph(f"{frames[int(clock * _SPINS_PER_S) % len(frames)]} ", "accent")
    if state.phase == "approval":
        return [glyph("? ", "warning"), Span(look.word("phase_approval"), "warning")]
    words: list[Span] = [Span(look.word(f"phase_{state.phase}"), "dim")]
    if state.mode != "react":
        from paitui.ui.render.plan import at_work  # not needed for the first frame

        working = at_work(state, look)
        words = words if working is None else [Span(working, "dim")]
    elif state.phase == "tool" and state.tool:
        words += [gap(1), Span(cut(one_line(state.tool), 24), "text")]
    if state.busy:
        words += [glyph(f"  {seconds(elapsed) if elapsed >= 100 else f'{elapsed:.0f} s'}", "dim")]
    return [sign, *words]


def rule(left: Sequence[Span], right: Sequence[Span], look: Look, total: int, tees: bool, ink: Ink) -> Line:
    """Draw the line between conversation and prompt, with something said at either end of it.

    Args:
        left: What goes on.
        right: What is out of sight.
        look: Signs.
        total: Cells of the line.
        tees: Join it to a border on both sides.
        ink: Of the line itself.
    """
    glyphs = look.glyphs
    start = glyph((glyphs.tee_left if tees else glyphs.rule) + glyphs.rule, ink)
    end = glyph(glyphs.rule + (glyphs.tee_right if tees else glyphs.rule), ink)
    head: Line = (start, gap(1), *left, gap(1)) if left else (start,)
    tail: Line = (gap(1), *right, gap(1), end) if right else (end,)
    head = clip(head, max(0, total - cells(tail)))
    return (*head, glyph(glyphs.rule * max(0, total - cells(head) - cells(tail)), ink), *tail)


def notices(state: ViewState, look: Look, total: int) -> list[Line]:
    """Draw what the user has not dismissed yet, the newest last."""
    lines: list[Line] = []
    hidden = len(state.notices) - SHOWN_NOTICES
    if hidden > 0:
        lines.append((gap(2), Span(look.word("notices_more", n=hidden), "dim")))
    for notice in state.notices[-SHOWN_NOTICES:]:
        ink: Ink = "danger" if notice.level == "error" else "warning"
        sign = look.glyphs.bad if notice.level == "error" else "!"
        lines += flow([Span(look.say(notice.phrase), ink)], total, (glyph(f"{sign} ", ink),), (gap(2),))
    return lines


PromptUse = Literal["prompt", "list", "search", "edit"]
"""What the prompt is for: a new message, one with a list of completions open, the search in earlier input, a message
of the queue."""
Keyboard = Literal[PromptUse, "selected", "answers", "reason", "block", "folded", "unfolded", "marking"]
"""What holds the keyboard: the prompt, also while something above it is selected; the answers of the approval panel
(whose own line names their keys), or the field for a reason; a block of the conversation, which folds or does not, or
the rows that are selected there."""
