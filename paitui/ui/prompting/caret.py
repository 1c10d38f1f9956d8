"""Where a caret may stand in a line: never inside what the eye sees as one character. Pure."""

from paitui.ui.wrap import clusters

LONGEST = 2_000
"""Code points of a line that is taken apart at each move of the caret; in a longer one it stands anywhere."""


def snapped(line: str, column: int, forward: bool) -> int:
    """Move a caret out of a character that is made of several.

    Args:
        line: The line.
        column: Code points before the caret.
        forward: Whether it goes to the end of the character, else to its beginning.
    """
    for start, end in _joined(line):
        if start < column < end:
            return end if forward else start
    return column


def widened(line: str, start: int, end: int) -> tuple[int, int]:
    """Widen what is removed so that no such character is cut."""
    for first, last in _joined(line):
        if start < last and first < end:
            start, end = min(start, first), max(end, last)
    return start, end


def _joined(line: str) -> list[tuple[int, int]]:
    if line.isascii() or len(line) > LONGEST:
        return []
    return [(start, end) for start, end, _ in clusters(line) if end - start > 1]
