"""What a replay found, and how it is told."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paitui.locale import Words
from paitui.replay.cost import Costs
from paitui.replay.retention import Retained
from paitui.replay.run import Tally
from paitui.replay.scoring import Scored, percentile


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that a replay reports."""

    file: str
    policy: str
    window: int
    """Tokens."""
    tally: Tally
    costs: Costs
    scored: Scored
    lost: int
    """Messages that were taken out and are neither in a summary nor whole in the file that is named for them."""
    unread: int
    """Lines of the recording that are no message."""
    partly: int
    """Results of a ledger whose file is gone."""

    @property
    def retention(self) -> Retained:
        """Means over all summaries."""
        found = self.tally.retained
        return Retained(
            _mean([one.requests for one in found]),
            _mean([one.paths for one in found]),
            _mean([one.commands for one in found]),
            _mean([one.numbers for one in found]),
        )

    def as_json(self) -> str:
        """One JSON object; shares and errors are fractions, costs and sizes tokens, times milliseconds."""
        tally, costs, scored, retention = self.tally, self.costs, self.scored, self.retention
        p50, p99 = _times(tally.checks)
        found = {
            "requests": costs.requests,
            "invalid": tally.invalid,
            "over_window": tally.over_window,
            "clears": tally.clears,
            "summaries": tally.summaries,
            "prefix_breaks": costs.breaks,
            "prefix_reuse": round(costs.reuse, 4),
            "clear_breaks": costs.clear_breaks,
            "tokens_cleared": round(tally.cleared_tokens),
            "tokens_sent": round(costs.sent),
            "cost": round(costs.cost),
            "estimator": {"p50": _rounded(scored.p50), "p95": _rounded(scored.p95), "worst": _rounded(scored.worst)},
            "lost": self.lost,
            "retention": {
                "requests": round(retention.requests, 4),
                "paths": round(retention.paths, 4),
                "commands": round(retention.commands, 4),
                "numbers": round(retention.numbers, 4),
            },
            "check_ms": {"p50": p50, "p99": p99},
        }
        return json.dumps(found, indent=2)

    def as_text(self, words: Words) -> str:
        """Lines for a reader."""
        return "\n".join(self._lines(words))

    def _lines(self, words: Words) -> Iterator[str]:
        tally, costs, scored, retention = self.tally, self.costs, self.scored, self.retention
        policy = words(f"replay.policy_{self.policy}")
        yield words("replay.title", file=self.file, window=self.window, policy=policy)
        if self.unread:
            yield words("replay.unread", n=self.unread)
        if self.partly:
            yield words("replay.partly", n=self.partly)
        yield ""
        yield words("replay.requests", n=costs.requests, invalid=tally.invalid, over=tally.over_window)
        yield words("replay.tiers", offloads=tally.offloads, clears=tally.clears, summaries=tally.summaries)
        if tally.fruitless:
            yield words("replay.fruitless", n=tally.fruitless)
        freed, late = round(tally.cleared_tokens), round(tally.late_tokens)
        yield words("replay.cleared", tokens=freed, late=tally.late_clears, part=late)
        yield words("replay.prefix", breaks=costs.breaks, clears=costs.clear_breaks, share=costs.reuse)
        yield words("replay.cost", sent=round(costs.sent), cost=round(costs.cost))
        if costs.resends:
            yield words("replay.resends", tokens=round(costs.resends))
        yield words("replay.lost", n=self.lost)
        if tally.retained:
            yield words(
                "replay.retention",
                requests=retention.requests,
                paths=retention.paths,
                commands=retention.commands,
                numbers=retention.numbers,
            )
        if scored.p95 is None:
            yield words("replay.not_scored")
        else:
            yield words("replay.estimator", p50=scored.p50, p95=scored.p95, worst=scored.worst, low=scored.too_low)
        p50, p99 = _times(tally.checks)
        yield words("replay.checks", p50=p50, p99=p99)


def _times(seconds: Sequence[float]) -> tuple[float, float]:
    if not seconds:
        return 0.0, 0.0
    return round(percentile(seconds, 0.5) * 1_000, 3), round(percentile(seconds, 0.99) * 1_000, 3)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 1.0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)
