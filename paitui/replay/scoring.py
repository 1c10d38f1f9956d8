"""How far the estimate is from what was reported, on the history as it was recorded."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paitui.context.estimate import message_tokens
from paitui.context.meter import Calibration, Meter
from paitui.replay.recording import Recording
from paitui.replay.sizes import segments

UNDER = 0.05
"""An estimate that is lower than the report by more than this share counts as too low."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Errors of the estimate, as shares of what was reported; None where nothing was reported twice."""

    p50: float | None = None
    p95: float | None = None
    worst: float | None = None
    too_low: float | None = None
    """Share of requests that the prior alone, without any report, puts too low by more than `UNDER`."""


def score(recording: Recording, prior: float, anchored: bool = True) -> Scored:
    """Compare each reported prompt with what would have been estimated just before.

    The first report of a stretch is taken as given, since it holds what the recording does not. What was learned
    goes on into the next stretch, as it would between sessions with one model.

    Args:
        recording: The session.
        prior: Factor on the estimate until something was learned.
        anchored: Whether later reports are used; else the plain estimate is all there is after the first.

    Returns:
        The errors.
    """
    steps = recording.steps
    estimates = [message_tokens(step.sent) for step in steps]
    calibration = Calibration(prior)
    errors: list[float] = []
    guesses: list[float] = []
    for segment in segments(recording):
        start = segment.reports[0]
        history = [step.sent for step in steps[: segment.reports[-1] + 1]]
        meter = Meter(calibration, 0)
        for at in segment.reports:
            usage = steps[at].usage
            assert usage is not None
            if at > start:
                counted = meter.count(history, 0, at)
                errors.append(abs(counted - usage.prompt) / usage.prompt)
                first = steps[start].usage
                assert first is not None
                guesses.append((first.prompt + prior * sum(estimates[start:at])) / usage.prompt)
            if at == start or anchored:
                meter.report(usage, history[: at + 1], 0)
    if not errors:
        return Scored()
    too_low = sum(guess < 1 - UNDER for guess in guesses) / len(guesses)
    return Scored(percentile(errors, 0.5), percentile(errors, 0.95), max(errors), too_low)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(len(ordered) * share) - 1))]
