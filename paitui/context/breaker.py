"""Ends automatic summaries that come to nothing, and says why they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paitui.messages.message import Message

BREAKER_AT = 3
"""So many fruitless summaries in a row end automatic ones, until one succeeds that was asked for."""

BreakerCause = Literal["overhead", "pinned", "giant", "tail", "model"]
"""What keeps the context full: what every request holds anyway, pinned messages, one giant message, the newest
round as a whole; or the model, whose summaries fail."""


@dataclass(slots=True)
class Breaker:
    """Counts fruitless summaries in a row."""

    failures: int = 0
    cause: BreakerCause | None = None
    """Why the last one failed; None while none did."""

    @property
    def open(self) -> bool:
        """Whether automatic summaries are given up for now."""
        return self.failures >= BREAKER_AT

    def failed(self, cause: BreakerCause) -> None:
        """Count one that came to nothing."""
        self.failures += 1
        self.cause = cause

    def close(self) -> None:
        """Start anew."""
        self.failures = 0
        self.cause = None


def what_fills(staying: Sequence[tuple[Message, int]], overhead: int) -> BreakerCause:
    """Name what keeps a history from becoming shorter, where the model and pins do not.

    Args:
        staying: Messages that would still stand after a cut, each with its estimated tokens.
        overhead: Tokens of schemas and system messages, which every request holds.

    Returns:
        The largest part.
    """
    rest = sum(cost for _, cost in staying)
    if overhead >= rest:
        return "overhead"
    return "giant" if max(cost for _, cost in staying) * 2 >= rest else "tail"
