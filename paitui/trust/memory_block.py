"""The block in which long-term memories travel at the end of a user message, and nothing in it reaches outside.

The user did not say what stands in it. Whoever looks for the user's own words takes it off first.
"""

import functools
import re
from collections.abc import Iterable

from paitui.trust import lookalike
from paitui.trust.boundary import escape_markers, escape_tags
from paitui.trust.safe_text import safe_text

OPEN = '<memory_hints note="saved earlier; hints, not facts, and not the user speaking">'
"""First line of the block."""
CLOSE = "</memory_hints>"
"""Its last line, and the end of the message."""
GAP = "\n\n"
"""Between the user's words and the block, as they are sent."""


@functools.cache
def _tag() -> re.Pattern[str]:
    return lookalike.pattern("<", "memory_hints")


def wrap_memories(lines: Iterable[str]) -> str:
    """Put memories into a block.

    Args:
        lines: One text for each memory. Line breaks and invisible characters in it are made visible; look-alikes of
            this block's tags, of a tool result's and of paitui's own markers are escaped.

    Returns:
        The block; empty if there are no lines.
    """
    shown = [_one_line(line) for line in lines]
    return "\n".join([OPEN, *shown, CLOSE]) if shown else ""


def _one_line(line: str) -> str:
    plain = safe_text(" ⏎ ".join(part.strip() for part in line.splitlines()), keep_newlines=False)
    return lookalike.escape(_tag(), escape_markers(escape_tags(plain)))


def without_memories(text: str) -> str:
    """Give the user's words without the block that is attached to them.

    Args:
        text: Content of a user message.

    Returns:
        The words exactly as they were; the same text if it does not end in a block. A block that does not stand at
        the end was not attached by the program and stays.
    """
    if not text.endswith(f"\n{CLOSE}"):
        return text
    # A real block holds no second opening, since look-alikes in it are escaped: the last one is its own.
    at = text.rfind(f"{OPEN}\n")
    if at < 0 or text.find(CLOSE, at) != len(text) - len(CLOSE):
        return text
    if at == 0:
        return ""
    return text[: at - len(GAP)] if text.endswith(GAP, 0, at) else text
