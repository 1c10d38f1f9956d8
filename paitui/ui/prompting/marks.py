"""What in a draft is not plain typing: pasted parts, and chips that stand for a long text. Pure.

Marks lie over the text as it is shown. A paste that is short stands in the text itself; a long one stands behind a
chip, a label of a few words that is kept or removed as one piece.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from paitui.messages.message import Spans
from paitui.trust.safe_text import safe_text

FOLD_LINES = 8
"""A paste of more lines than this is folded."""
FOLD_CHARS = 800
"""So is one of more characters."""
FOLD_TYPED = 20_000
"""Characters from which on even the user's own text is folded, when it comes back from elsewhere: the text area
becomes slow."""

Label = Callable[[str, bool], str]
"""Names a long text by its size; the flag says whether it was pasted."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of the shown text."""

    start: int
    """First character."""
    end: int
    """The one after the last."""
    body: str = ""
    """What a chip stands for; empty where the text stands there itself."""
    pasted: bool = True
    """Whether it is not the user's own wording."""


Marks = tuple[Mark, ...]
"""In order, none overlapping."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as it is shown, with its marks."""

    text: str = ""
    marks: Marks = ()

    def said(self) -> tuple[str, Spans]:
        """The text in full, and what of it was pasted."""
        parts: list[str] = []
        spans: list[tuple[int, int]] = []
        at = length = 0
        for mark in self.marks:
            before, inner = self.text[at : mark.start], mark.body or self.text[mark.start : mark.end]
            parts += (before, inner)
            length += len(before)
            if mark.pasted and inner:
                joins = bool(spans) and spans[-1][1] == length
                start = spans.pop()[0] if joins else length
                spans.append((start, length + len(inner)))
            length += len(inner)
            at = mark.end
        parts.append(self.text[at:])
        return "".join(parts), tuple(spans)


def folds(text: str) -> bool:
    """Whether a pasted text is too long to stand in the draft."""
    return len(text) > FOLD_CHARS or text.rstrip("\n").count("\n") >= FOLD_LINES


def folded(text: str, pasted: Spans, label: Label) -> Draft:
    """Give a text as it is shown in the prompt, what is long behind chips.

    Args:
        text: In full.
        pasted: What of it was pasted.
        label: Names what is folded.
    """
    parts: list[str] = []
    marks: list[Mark] = []
    length = at = 0
    for start, end in (*pasted, (len(text), len(text))):
        for inner, was_pasted in ((text[at:start], False), (text[start:end], True)):
            if not inner:
                continue
            folding = folds(inner) if was_pasted else len(inner) > FOLD_TYPED
            shown = label(inner, was_pasted) if folding else safe_text(inner)
            if folding or was_pasted:
                marks.append(Mark(length, length + len(shown), inner if folding else "", was_pasted))
            parts.append(shown)
            length += len(shown)
        at = end
    return Draft("".join(parts), tuple(marks))


def spliced(marks: Marks, start: int, old_end: int, new_end: int, arrived: Mark | None = None) -> Marks:
    """Carry marks over one change of the text.

    Args:
        marks: Before it.
        start: First character that was replaced.
        old_end: The one after the last, before the change.
        new_end: The one after the last of what stands there now.
        arrived: The mark of what stands there now, if it has one.

    Returns:
        What lies behind is moved, what was cut is shortened, a chip that was cut is gone, and typing inside a paste
        divides it.
    """
    moved = new_end - old_end
    found: list[Mark] = []
    for mark in marks:
        if mark.end <= start:
            found.append(mark)
            continue
        if mark.start >= old_end:
            found.append(replace(mark, start=mark.start + moved, end=mark.end + moved))
            continue
        if not mark.body:
            if mark.start < start:
                found.append(replace(mark, end=start))
            if mark.end > old_end:
                found.append(replace(mark, start=new_end, end=mark.end + moved))
    if arrived is not None and arrived.start < arrived.end:
        found.append(arrived)
    return tuple(sorted(found, key=lambda mark: mark.start))


def widened(marks: Marks, start: int, end: int) -> tuple[int, int]:
    """Widen what is to be replaced so that no chip is cut; an insertion inside one goes behind it."""
    for mark in marks:
        if mark.body and mark.start < end and start < mark.end:
            if start == end:
                return mark.end, mark.end
            start, end = min(start, mark.start), max(end, mark.end)
    return start, end


def snapped(marks: Marks, at: int, before: int) -> int:
    """Where the caret goes instead of into a chip: over it, in the direction in which it moves.

    Args:
        marks: Of the text.
        at: Where it would go.
        before: Where it was.
    """
    for mark in marks:
        if mark.body and mark.start < at < mark.end:
            return mark.start if at < before else mark.end
    return at


def difference(old: str, new: str) -> tuple[int, int, int]:
    """Find the one place in which two texts differ.

    Returns:
        First character that differs, and the one after the last in the old and in the new text.
    """
    shorter = min(len(old), len(new))
    start = _common(lambda length: old[:length] == new[:length], shorter)
    tail = _common(lambda length: old[len(old) - length :] == new[len(new) - length :], shorter - start)
    return start, len(old) - tail, len(new) - tail


def _common(same: Callable[[int], bool], most: int) -> int:
    """The greatest length, up to `most`, for which two ends are the same; found by halves, comparing whole slices."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if same(middle):
            low = middle
        else:
            high = middle - 1
    return low


def rediscovered(text: str, pieces: list[str]) -> Spans:
    """Find pasted texts again in a text that was edited elsewhere.

    Args:
        text: As it is now.
        pieces: What was pasted, in order.

    Returns:
        Where they stand unchanged; one that was changed counts as the user's own.
    """
    found: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        start = text.find(piece, at) if piece else -1
        if start >= 0:
            at = start + len(piece)
            found.append((start, at))
    return tuple(found)
