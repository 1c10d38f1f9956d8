"""How many requests a session makes in a minute."""

from collections import deque
from collections.abc import Callable

WINDOW_S = 60.0
"""Length of the window in seconds."""


class RateLimit:
    """Counts requests in a sliding minute.

    Args:
        most: Requests in a minute.
        now: Monotonic seconds.
    """

    def __init__(self, most: int, now: Callable[[], float]) -> None:
        self.most = most
        self._now = now
        self._taken: deque[float] = deque()

    def take(self) -> float:
        """Take one request.

        Returns:
            0 if it may be made now; else the seconds until the next one may, and nothing is taken.
        """
        now = self._now()
        while self._taken and self._taken[0] <= now - WINDOW_S:
            self._taken.popleft()
        if len(self._taken) >= self.most:
            return self._taken[0] + WINDOW_S - now
        self._taken.append(now)
        return 0.0
