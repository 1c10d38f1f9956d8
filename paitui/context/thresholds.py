"""Where the tiers begin, as functions of the window. All numbers are tokens."""

from dataclasses import dataclass

MIN_WINDOW = 8_000
"""The smallest window that leaves room for prompt, tools, answer and a history."""
DEFAULT_WINDOW = 128_000
"""Assumed of a model of which nothing is known."""
OFFLINE_WINDOW = 32_000
"""Window of the offline engine unless set, so that the thresholds can be seen at work."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The marks on the scale of one window."""

    window: int
    """Context size of the model, at least `MIN_WINDOW`."""
    reserve: int
    """Kept free for the answer."""
    buffer: int
    """Kept free against errors of the estimate."""
    summary_at: int
    """From here on the older part is summarised."""
    clear_at: int
    """From here on old tool results are cleared."""


def reserve(window: int) -> int:
    """Tokens kept free for the answer: a quarter of the window, within 1,000 and 20,000."""
    return min(20_000, max(1_000, window // 4))


def buffer(window: int) -> int:
    """Tokens kept free against errors of the estimate: an eighth of the window, within 1,000 and 13,000."""
    return min(13_000, max(1_000, window // 8))


def summary_trigger(window: int) -> int:
    """Tokens from which the history is summarised.

    Args:
        window: Context size of the model; less than `MIN_WINDOW` counts as that.

    Returns:
        The window less reserve and buffer: 5,000 at 8,000; 95,000 at 128,000; 167,000 at 200,000.
    """
    window = max(MIN_WINDOW, window)
    return min(window - 1, max(1_000, window - reserve(window) - buffer(window)))


def clear_trigger(summary_at: int, override: int = 0) -> int:
    """Tokens from which old tool results are cleared.

    Args:
        summary_at: The summary trigger.
        override: A setting; 0 derives the trigger.

    Returns:
        60 % of the summary trigger, at most 100,000 (a long history costs attention even in a huge window);
        always below the summary trigger.
    """
    wanted = override or min(100_000, summary_at * 6 // 10)
    return min(summary_at - 1, max(1, wanted))


def thresholds(window: int, clear_override: int = 0) -> Thresholds:
    """All marks of a window."""
    window = max(MIN_WINDOW, window)
    summary_at = summary_trigger(window)
    return Thresholds(window, reserve(window), buffer(window), summary_at, clear_trigger(summary_at, clear_override))
