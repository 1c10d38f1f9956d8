"""What is asked, in full, and the answers."""

from collections.abc import Sequence

from paitui.engine.events import ApprovalRequested, AskedPart
from paitui.ui.door import line as one_line
from paitui.ui.door import own, rows
from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import BLANK, Line, Span, cells, clip, flow, gap, glyph, spread
from paitui.ui.look import Look
from paitui.ui.render.card import diff
from paitui.ui.render.chrome import Keyboard
from paitui.ui.wrap import cut, width

LONG_NAMES = 60
"""Cells of a line from which on an answer says how far it goes."""
Place = tuple[str, int, int, int]
"""Name of an answer, the row it is drawn on, and its cells from (inclusive) to (exclusive)."""


def question(
    request: ApprovalRequested,
    waiting: int,
    keyboard: Keyboard,
    keymap: Keymap,
    look: Look,
    total: int,
    asker: Line = (),
) -> list[Line]:
    """Say what kind of thing is asked; at the right how many more wait, and what else there is to know.

    That is how to get to the answers while the prompt holds the keyboard (here, where it moves nothing), else that
    no "always" is on offer. Where a unit of a plan asks, it stands on a line of its own above.
    """
    left: Line = (
        Span(look.word(f"ask_{request.access}"), "warning"),
        gap(2),
        Span(cut(one_line(request.tool), 32), "dim"),
    )
    right: list[Span] = []
    if waiting > 1:
        right.append(Span(look.word("ask_waiting", n=waiting - 1), "dim"))
    note: list[Span] = []
    if keyboard in ("prompt", "edit"):
        note = [glyph(label(keymap.keys("answer")[0]), "key"), gap(1), Span(look.word("answer_how"), "warning")]
    elif not request.always:
        note = [Span(look.word("ask_each"), "dim")]
    lines = [spread(left, [*right, *([gap(3)] if right and note else []), *note], total)]
    return [clip(asker, total), *lines] if asker else lines


def full_text(request: ApprovalRequested, look: Look, total: int) -> list[Line]:
    """Draw all of what would be done; the view scrolls.

    Nothing is left out but the head of a diff that only says once more which file it is.
    """
    lines: list[Line] = []
    for row in rows(request.subject):
        lines += flow([Span(row, "strong")], total)
    if request.parts:
        lines += [BLANK, *_parts(request.parts, look, total)]
    if request.detail:
        lines.append(BLANK)
        detail = request.detail.removeprefix(f"--- a/{request.subject}\n+++ b/{request.subject}\n")
        lines += diff(detail, look, total, len(detail) + 1, whole=True)
    return lines


def _parts(parts: Sequence[AskedPart], look: Look, total: int) -> list[Line]:
    """A chain one by one: what is allowed already, what is new, and what is asked each time."""
    lines: list[Line] = []
    for part in parts:
        sign, note = look.glyphs.bullet, one_line(part.rule) if part.text.startswith(">") else own("")
        if part.allowed:
            sign, note = look.glyphs.good, own(look.words("approval.allowed"))
        elif not part.rule:
            note = look.word("ask_each")
        text = [Span(one_line(part.text), "dim" if part.allowed else "text")]
        lines += flow(
            [*text, gap(3), Span(note, "dim")] if note else text, total, (glyph(f"{sign} ", "dim"),), (gap(2),)
        )
    return lines


def answers(
    request: ApprovalRequested, keyboard: Keyboard, keymap: Keymap, look: Look, total: int
) -> tuple[list[Line], list[Place]]:
    """Draw the answers that are on offer, and say where each one stands.

    Args:
        request: What is asked.
        keyboard: What holds it; the keys are lit while they count.
        keymap: For the keys.
        look: Words.
        total: Cells of a line.
    """
    focused = keyboard == "answers"
    names = ["once", *(["always"] if request.always else []), "no", "reason"]
    lines: list[list[Span]] = [[]]
    places: list[Place] = []
    for name in names:
        words = [glyph(label(keymap.keys(name)[0]), "key" if focused else "dim"), gap(1)]
        words.append(Span(own(look.words(f"ui.key_{name}")), "text" if focused else "dim"))
        if name == "always":
            room = max(8, total - 16 - width(words[-1].text))
            covers = one_line(request.always)
            if request.parts and width(covers) > room:
                covers = own(look.words("approval.all"))  # They stand above in full.
            words += [gap(1), Span(cut(covers, room), "accent" if focused else "dim")]
            if total >= LONG_NAMES:
                words += [gap(1), Span(look.word("always_session"), "dim")]
        if lines[-1] and cells(lines[-1]) + 3 + cells(words) > total:
            lines.append([])
        if lines[-1]:
            lines[-1].append(gap(3))
        start = cells(lines[-1])
        lines[-1] += words
        places.append((name, len(lines) - 1, start, cells(lines[-1])))
    return [clip(line, total) for line in lines], places
