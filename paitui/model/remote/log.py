"""The last of what the model process printed, for messages about its end."""

from collections import deque

from paitui.trust.secrets import mask

_LONGEST_LINE = 500


class LogRing:
    """Keeps the newest lines, bounded in number and length.

    Args:
        lines: How many lines are kept.
    """

    def __init__(self, lines: int = 200) -> None:
        self._lines: deque[str] = deque(maxlen=lines)
        self._open = ""

    def feed(self, data: bytes) -> None:
        """Take what was printed."""
        *whole, rest = (self._open + data.decode("utf-8", "replace")).split("\n")
        self._lines.extend(line[:_LONGEST_LINE] for line in whole if line.strip())
        self._open = rest[:_LONGEST_LINE]

    def tail(self, lines: int = 20) -> str:
        """Give the newest lines, secrets masked."""
        kept = [*self._lines, *([self._open] if self._open.strip() else [])]
        return mask("\n".join(kept[-lines:]))
