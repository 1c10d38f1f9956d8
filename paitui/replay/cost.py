"""What requests cost: how much of each was in the provider's cache from the one before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from paitui.messages.message import Message

READ, WRITE, FRESH = 0.1, 1.25, 1.0
"""Price of a token that was in the cache, is written into it, or has nothing to do with it."""

Cause = Literal["clear", "late_clear", "summary", "other"]
"""What changed the history since the last request; ``late_clear`` is a clearing at or over the summary trigger."""


@dataclass(slots=True)
class Costs:
    """Adds up the requests of one replay."""

    fixed: float
    """Tokens that stand before the messages of every request."""
    requests: int = 0
    breaks: int = 0
    """Requests that do not begin with the whole of the one before."""
    clear_breaks: int = 0
    """Those of them that are due to clearing alone, below the summary trigger."""
    reused: float = 0.0
    """Tokens that came from the cache."""
    turns: float = 0.0
    """Tokens of the turns' requests; their prefixes can be reused."""
    others: float = 0.0
    """Tokens of requests that share no prefix: for summaries, and sent again."""
    resends: float = 0.0
    """The part of `others` that was sent again because it had been too long."""
    answers: float = 0.0
    """Tokens of summaries as they come back; the turns' answers cost the same whoever decides."""
    _last: Sequence[Message] = field(default_factory=tuple)

    def turn(self, messages: Sequence[Message], sizes: Sequence[float], causes: set[Cause]) -> float:
        """Count a request of a turn.

        Args:
            messages: All of it.
            sizes: Tokens of each message.
            causes: What changed the history since the last one.

        Returns:
            Its tokens.
        """
        shared = 0
        for old, new in zip(self._last, messages, strict=False):
            if old is not new and old != new:
                break
            shared += 1
        total = self.fixed + sum(sizes)
        self.reused += self.fixed + sum(sizes[:shared]) if self.requests else 0.0
        if shared < len(self._last):
            self.breaks += 1
            self.clear_breaks += causes == {"clear"}
        self.turns += total
        self.requests += 1
        self._last = tuple(messages)
        return total

    def resent(self, tokens: float) -> None:
        """Count a request that was too long: it is sent in full once more."""
        self.others += tokens
        self.resends += tokens

    def summary(self, sent: float, answer: float) -> None:
        """Count a request for a summary, and the summary."""
        self.others += sent
        self.answers += answer

    @property
    def sent(self) -> float:
        """All tokens sent."""
        return self.turns + self.others

    @property
    def cost(self) -> float:
        """All of it, in tokens at the plain price."""
        return self.reused * READ + (self.turns - self.reused) * WRITE + (self.others + self.answers) * FRESH

    @property
    def reuse(self) -> float:
        """Share of the turns' tokens that came from the cache."""
        return self.reused / self.turns if self.turns else 0.0
