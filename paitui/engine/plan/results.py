"""What came of a unit, handed on: within a budget, the whole in a file where it is long, marked as data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paitui.context.offload import Limits, count_lines, offload_notice, preview_of
from paitui.engine.plan.board import Entry
from paitui.tokens import text_tokens
from paitui.trust.boundary import wrap

Save = Callable[[str, str], str]
"""Writes a text into a file of the session (argument: name, text); gives its path. Raises OSError."""
NOTE_TOKENS = 120
"""What stands around one result."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it is kept with the session."""

    text: str
    """The whole, or beginning and end of a long one."""
    notice: str = ""
    """Of a long one: where the whole is."""


def kept(name: str, answer: str, bounds: Limits, save: Save) -> Kept:
    """Keep an answer; one that is longer than a tool's result may be goes to a file.

    Args:
        name: Of the unit, for the file's name.
        answer: In full.
        bounds: The limits in force.
        save: Where whole answers go.
    """
    if len(answer) <= bounds.result_chars and text_tokens(answer) <= bounds.result_tokens:
        return Kept(answer)
    return _shortened(name, answer, bounds.head_chars, bounds.tail_chars, save)


def handed_on(entries: Sequence[Entry], tokens: int, save: Save) -> str:
    """Write what came of units as blocks that say they are data.

    Args:
        entries: The units.
        tokens: Estimated tokens that all of it may take; what is longer than its share keeps beginning and end.
        save: Where whole answers go.
    """
    room = tokens - NOTE_TOKENS * len(entries)
    shares = _shares([text_tokens(entry.answer) for entry in entries], max(0, room))
    return "\n".join(_block(entry, share, save) for entry, share in zip(entries, shares, strict=True))


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Share a room: what needs less than an equal part leaves the rest to the others."""
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])
    for left, at in zip(range(len(sizes), 0, -1), order, strict=True):
        given[at] = min(sizes[at], room // left)
        room -= given[at]
    return given


def _block(entry: Entry, tokens: int, save: Save) -> str:
    answer, notice, size = entry.answer, entry.notice, text_tokens(entry.answer)
    if size > tokens:
        chars = len(answer) * tokens // size
        short = _shortened(entry.name, answer, chars - chars // 4, chars // 4, save, notice)
        answer, notice = short.text, short.notice
    reason = f" ({entry.reason})" if entry.reason else ""
    text = f"{entry.name}: {entry.status}{reason}\n{entry.title}\n\n{answer}".strip()
    return wrap(f"task {entry.name}", text, notice)


def _shortened(name: str, answer: str, head_chars: int, tail_chars: int, save: Save, notice: str = "") -> Kept:
    """Keep head and tail; the whole goes to a file, unless a notice says that it is in one already."""
    if not notice:
        stored = lost = ""
        try:
            stored = save(f"task-{name}", answer)
        except OSError as error:
            lost = error.strerror or str(error)
        notice = offload_notice(f"task {name}", len(answer), count_lines(answer), stored, lost)
    head, tail = preview_of(answer, head_chars, tail_chars)
    return Kept(f"{head}\n[...]\n{tail}", notice)
