"""How the context filled over the last checks, and when the next thresholds come."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

TREND_CHECKS = 40
"""So many checks are kept."""
_RECENT = 8
"""The forecast goes by so many of the newest growths."""

Mark = Literal["", "offload", "clear", "summary"]
"""What happened at a check: nothing, results went to files, were cleared, the older part was summarised."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The context at one check."""

    used: int
    """Tokens, after what was done."""
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a threshold comes, if things go on as they did."""

    step: Literal["clear", "summary"]
    calls: int
    """About so many model calls from now; 0 means at the next one."""


def forecast(
    trend: Sequence[TrendPoint], used: int, clear_at: int, summary_at: int, freed: int = 0
) -> tuple[Forecast, ...]:
    """Extrapolate the growth of the last checks.

    Args:
        trend: Checks, oldest first; a drop at a boundary is no growth.
        used: Tokens now.
        clear_at: The clear threshold.
        summary_at: The summary threshold.
        freed: Tokens that clearing would free; a summary comes only when that is not enough any more.

    Returns:
        The thresholds that are still ahead, the next one first; none while nothing grows.
    """
    pairs = itertools.pairwise(trend)
    growths = [new.used - old.used for old, new in pairs if new.mark in ("", "offload") and new.used > old.used]
    recent = growths[-_RECENT:]
    if not recent:
        return ()
    growth = sum(recent) / len(recent)

    def calls(left: int) -> int:
        return max(0, math.ceil(left / growth))

    summary = Forecast("summary", calls(summary_at + freed - used))
    return (Forecast("clear", calls(clear_at - used)), summary) if used < clear_at else (summary,)
