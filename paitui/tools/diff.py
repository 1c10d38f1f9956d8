"""Unified diffs for approvals and cards, complete, in bounded time."""

import difflib
from dataclasses import dataclass

_CONTEXT = 3
_COMPARED_LINES = 4_000
"""Longer texts are compared by their common beginning and end only: difflib can need quadratic time."""


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed."""

    text: str
    """Unified diff; empty if nothing changed."""
    added: int
    """Lines."""
    removed: int
    """Lines."""


def unified(path: str, old: str, new: str) -> Diff:
    """Compare two states of a file.

    Args:
        path: Shown in the head.
        old: Text before; empty for a new file.
        new: Text after.

    Returns:
        The diff with three lines of context.
    """
    if old == new:
        return Diff("", 0, 0)
    before, after = _lines(old), _lines(new)
    if max(len(before), len(after)) <= _COMPARED_LINES:
        body = list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:]
    else:
        body = _one_hunk(before, after)
    added = sum(line.startswith("+") for line in body)
    removed = sum(line.startswith("-") for line in body)
    return Diff("\n".join((f"--- a/{path}", f"+++ b/{path}", *body)) + "\n", added, removed)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return lines


def _one_hunk(before: list[str], after: list[str]) -> list[str]:
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    same = 0
    while same < most - start and before[-1 - same] == after[-1 - same]:
        same += 1
    head = before[max(0, start - _CONTEXT) : start]
    old, new = before[start : len(before) - same], after[start : len(after) - same]
    tail = before[len(before) - same : len(before) - same + _CONTEXT]
    first = start - len(head) + 1
    around = len(head) + len(tail)
    return [
        f"@@ -{first},{len(old) + around} +{first},{len(new) + around} @@",
        *(f" {line}" for line in head),
        *(f"-{line}" for line in old),
        *(f"+{line}" for line in new),
        *(f" {line}" for line in tail),
    ]
