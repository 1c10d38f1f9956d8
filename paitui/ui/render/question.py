"""What the user has to decide before something is remembered: both texts, what differs in them, the answers."""

import re
from collections.abc import Mapping
from datetime import datetime
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from paitui.engine.events import MemoryAsked
from paitui.ui.door import SafeText, joined, own
from paitui.ui.door import line as one_line
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, flow, gap, glyph, pad_right, spread
from paitui.ui.look import Look
from paitui.ui.render.memory import age
from paitui.ui.wrap import cut, width

if TYPE_CHECKING:
    from paitui.memory.view import MemoryView

_PIECES = re.compile(r"\d+(?:\.\d+)*|[^\W\d_\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7ff]+|\s+|.", re.DOTALL)
"""Words and whole numbers; of scripts without spaces, characters."""
MOST = 4_000
"""Characters of a text that are compared; beyond this it is shown as it is."""
_WORDS = {
    ("secret", "edit_new"): "memory_edit",
    ("secret", "leave_it"): "do_not_save",
    ("permission", "leave_it"): "do_not_save",
    ("clear", "leave_it"): "do_not_delete",
}
"""Answers that have another word where nothing old stands beside the new."""
Place = tuple[str, int, int, int]
"""Name of an answer, the row it is drawn on, and its cells from (inclusive) to (exclusive)."""


def difference(old: str, new: str, look: Look) -> tuple[list[Span], list[Span]]:
    """Mark in two texts what one has and the other has not.

    Args:
        old: One line.
        new: One line.
        look: Whether there is colour; without it the parts stand in brackets.

    Returns:
        Both texts in pieces.
    """
    if max(len(old), len(new)) > MOST:
        return [Span(one_line(old))], [Span(one_line(new))]
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    lines: tuple[list[Span], list[Span]] = ([], [])
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        inks: tuple[Ink, Ink] = ("strong", "strong") if kind == "equal" else ("was", "becomes")
        for spans, pieces, ink in zip(lines, (before[a:b], after[c:d]), inks, strict=True):
            if pieces:
                spans.append(_piece("".join(pieces), ink, look))
    return lines


def _piece(text: str, ink: Ink, look: Look) -> Span:
    safe = one_line(text)
    if ink != "strong" and not look.color:
        safe = joined([own("["), safe, own("]")])
    return Span(safe, ink)


def names(asked: MemoryAsked) -> tuple[str, ...]:
    """The answers that can be given, as names of actions."""
    match asked.why:
        case "conflict":
            return ("replace_old", "keep_both", "edit_new", "leave_it")
        case "secret":
            return ("save_anyway", "edit_new", "leave_it")
        case "permission":
            return ("save_anyway", "leave_it")
        case "clear":
            return ("clear_all", "leave_it")


def title(asked: MemoryAsked, look: Look) -> SafeText:
    """What the box is called."""
    if len(asked.against) > 1:
        return own(look.words("memories.ask_several", n=len(asked.against)))
    return own(look.words(f"memories.ask_{asked.why}"))


def body(asked: MemoryAsked, chosen: int, look: Look, now: datetime, total: int) -> list[Line]:
    """Draw what there is to know; nothing is left out, the box scrolls.

    Args:
        asked: What is asked.
        chosen: Which of the older entries is the one at hand.
        look: Words and signs.
        now: For ages.
        total: Cells of a line.
    """
    if asked.why == "clear":
        return flow([Span(own(look.words("memories.ask_clear_text", n=asked.count)), "text")], total)
    if asked.why != "conflict" or not asked.against:
        lines = flow([Span(own(look.words(f"memories.ask_{asked.why}_text")), "text")], total)
        lines += [BLANK, *flow([Span(one_line(asked.fact), "strong")], total), BLANK]
        return [*lines, *_said(asked, look, total)]
    old = asked.against[min(chosen, len(asked.against) - 1)]
    lines = _choice(asked, chosen, look, total) if len(asked.against) > 1 else []
    was, becomes = difference(old.content, asked.fact, look)
    lines += [_head("ask_saved", _dates(old, look, now), one_line(old.id), look, total), *flow(was, total), BLANK]
    lines += [_head("ask_new", [Span(own(look.words("memories.just_now")), "dim")], own(""), look, total)]
    lines += [*flow(becomes, total), BLANK]
    rows: list[tuple[SafeText, list[Span]]] = []
    if asked.quote not in ("", asked.fact):
        rows.append((own(look.words("memories.label_you_said")), [_quoted(asked.quote)]))
    if old.quote not in ("", old.content):
        rows.append((own(look.words("memories.label_said_then")), [_quoted(old.quote)]))
    rows.append((own(look.words("memories.label_why")), [Span(own(look.words(f"memories.differ_{_reason(old)}")))]))
    for item in old.evidence:
        place = one_line(f"{item.file}:{item.line}" if item.line else item.file)
        says = own(look.words("memories.file_agrees" if item.agrees else "memories.file_says"))
        mark = glyph(f"{look.glyphs.good if item.agrees else look.glyphs.bad} ", "good" if item.agrees else "warning")
        spans = [mark, Span(place), gap(1), Span(says, "dim"), gap(1), Span(one_line(item.says), "strong")]
        rows.append((own(look.words("memories.label_file")), spans))
    column = max(width(label) for label, _ in rows) + 2
    for label, spans in rows:
        lines += flow(spans, total, (pad_right(label, column, "dim"),), (gap(column),))
    return lines


def _head(key: str, spans: list[Span], right: SafeText, look: Look, total: int) -> Line:
    label = Span(own(look.words(f"memories.{key}")), "title")
    return spread((label, gap(2), *spans), (Span(right, "dim"),) if right else (), total)


def _dates(view: "MemoryView", look: Look, now: datetime) -> list[Span]:
    spans: list[Span] = []
    if view.written is not None:
        spans += [glyph(f"{view.written.astimezone():%Y-%m-%d}", "dim"), gap(2)]
    verified = look.words("memories.not_verified")
    if view.verified is not None:
        verified = look.words("memories.verified_ago", age=age(view.verified, now, look))
    return [*spans, Span(own(verified), "dim")]


def _reason(view: "MemoryView") -> str:
    return view.against[0].reason if view.against else "possible"


def _quoted(text: str) -> Span:
    return Span(joined([own("“"), one_line(text), own("”")]), "text")


def _said(asked: MemoryAsked, look: Look, total: int) -> list[Line]:
    lines: list[Line] = []
    label = own(look.words("memories.label_you_said"))
    if asked.quote and asked.quote != asked.fact:
        lines += flow([_quoted(asked.quote)], total, (Span(label, "dim"), gap(2)), (gap(width(label) + 2),))
    scope = own(look.words(f"memories.would_count_{asked.scope}"))
    return [*lines, *flow([Span(scope, "dim")], total)]


def _choice(asked: MemoryAsked, chosen: int, look: Look, total: int) -> list[Line]:
    lines: list[Line] = []
    for at, view in enumerate(asked.against):
        here = at == chosen
        left = (
            glyph(f"{look.glyphs.bar if here else ' '} ", "accent"),
            Span(one_line(view.content), "text" if here else "dim"),
        )
        lines.append(clip(left, total))
    return [*lines, BLANK]


def answers(
    asked: MemoryAsked, keys: dict[str, str], lit: bool, look: Look, total: int
) -> tuple[list[Line], list[Place]]:
    """Draw the answers that can be given, and say where each one stands.

    Args:
        asked: What is asked.
        keys: The key of each answer.
        lit: Whether keys count already.
        look: Words.
        total: Cells of a line.
    """
    words = {name: own(look.words(f"memories.key_{_WORDS.get((asked.why, name), name)}")) for name in names(asked)}
    return choices(words, keys, lit, total)


def choices(
    words: Mapping[str, SafeText], keys: Mapping[str, str], lit: bool, total: int
) -> tuple[list[Line], list[Place]]:
    """Draw answers side by side, and say where each one stands.

    Args:
        words: What each answer is called, by name.
        keys: The key of each.
        lit: Whether keys count already.
        total: Cells of a line.
    """
    lines: list[list[Span]] = [[]]
    places: list[Place] = []
    for name, word in words.items():
        spans = [
            glyph(keys[name], "key" if lit else "dim"),
            gap(1),
            Span(cut(word, max(4, total - 8)), "text" if lit else "dim"),
        ]
        if lines[-1] and cells(lines[-1]) + 3 + cells(spans) > total:
            lines.append([])
        if lines[-1]:
            lines[-1].append(gap(3))
        start = cells(lines[-1])
        lines[-1] += spans
        places.append((name, len(lines) - 1, start, cells(lines[-1])))
    return [clip(line, total) for line in lines], places
