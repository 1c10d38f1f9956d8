"""The one account of how full the context is. The manager decides by it, the gauge draws it."""

from dataclasses import dataclass
from typing import Literal

from paitui.context.trend import Forecast, TrendPoint
from paitui.messages.message import BodyState, Origin, Role

Part = Literal[
    "system",
    "schemas",
    "instructions",
    "memories",
    "summary",
    "user",
    "assistant",
    "reasoning",
    "arguments",
    "results_live",
    "results_cleared",
    "results_offloaded",
    "images",
]

PARTS: tuple[Part, ...] = (
    "system",
    "schemas",
    "instructions",
    "memories",
    "summary",
    "user",
    "assistant",
    "reasoning",
    "arguments",
    "results_live",
    "results_cleared",
    "results_offloaded",
    "images",
)

NextStep = Literal["none", "clear", "summary"]
Paused = Literal["", "undone", "breaker"]
"""``undone``: a step was taken back, and none is repeated before the user's next message. ``breaker``: summaries
failed, and none is made by itself any more."""


@dataclass(frozen=True, slots=True)
class ContextReport:
    """How full the context is, in tokens, as the manager sees it."""

    used: int
    """What the next request is estimated at. The number that thresholds are compared with."""
    window: int
    """Context size of the model."""
    clear_at: int
    """From here on old tool results are cleared."""
    summary_at: int
    """From here on, after clearing, the older part is summarised."""
    reserve: int
    """Kept free for the answer."""
    buffer: int
    """Kept free against errors of the estimate."""
    measured: bool
    """Whether `used` rests on a provider's report for this very history, or on the estimate alone."""
    parts: tuple[tuple[Part, int], ...]
    """Tokens by part, in the order of `PARTS`; they add up to `used`."""
    offload_chars: int
    """A tool result longer than this many characters goes to a file, at the current window."""
    newest_results: tuple[int, ...] = ()
    """Characters of the newest tool results as they arrived, newest first."""
    next_step: NextStep = "none"
    """What the next check would do as things stand."""
    paused: Paused = ""
    """Why less happens by itself than the thresholds say."""
    freeable: int = 0
    """Tokens that clearing everything eligible would free now."""
    trend: tuple[TrendPoint, ...] = ()
    """The last checks and what happened at them, oldest first."""
    forecast: tuple[Forecast, ...] = ()
    """When the thresholds ahead come, the next one first; none while nothing grows."""

    @property
    def free(self) -> int:
        """Tokens left before the summary threshold."""
        return max(0, self.summary_at - self.used)

    @property
    def share(self) -> float:
        """Used share of the window, 0 to 1 (above 1 if overfull)."""
        return self.used / self.window


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One message of the history."""

    number: int
    """Its place in the request, from 1."""
    uid: int
    role: Role
    origin: Origin
    tokens: int
    """Its part of the number that the manager decides by; all rows and the tool schemas add up to that."""
    state: BodyState
    """How much of a result still stands; ``cleared`` also for a message whose calls' arguments were shortened."""
    pinned: bool
    stored: str
    """The file with the whole text of a result, relative to the project."""
    chars: int
    """Characters: of a result those of the whole."""
    name: str
    """Of a result the tool, of an assistant message the tools that it calls."""
    text: str
    """Its first words, on one line."""
