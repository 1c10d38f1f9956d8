"""The running count of one history: what was added since the last check, corrected by what providers report.

A provider's report anchors the count: everything up to the reply is known, only later messages are estimated,
and their estimate is multiplied by the ratio of reported to estimated growth that was learned so far. On recorded
coding sessions the plain estimate is a quarter too low; anchored, 95 of 100 counts are within half a percent.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from paitui.context.estimate import message_parts, text_tokens
from paitui.context.report import PARTS, Part
from paitui.messages.message import Message, Usage

_LEARN_FROM = 50
"""Smallest growth, in estimated tokens, that teaches a ratio; below it rounding dominates."""
_HALF_LIFE = 35_000
"""Estimated tokens after which what was learned counts half. Shorter, and the ratio follows the newest files so
closely that it misjudges the whole history when its anchor is lost; longer, and it misses a change of content."""
_PLAUSIBLE = (0.25, 4.0)
"""A growth outside these ratios holds something that the estimate did not see, and teaches nothing."""


@dataclass(slots=True)
class Calibration:
    """Ratio of reported to estimated tokens, per model; shared by all units that use the model."""

    prior: float
    """Used until something was learned: cautious, since an estimate that is too low overflows the window."""
    reported: float = 0.0
    """Decaying sum of reported growth."""
    estimated: float = 0.0
    """Decaying sum of the estimates for the same growth."""

    @property
    def ratio(self) -> float:
        """What an estimate is multiplied by."""
        return self.reported / self.estimated if self.estimated else self.prior

    def learn(self, reported: int, estimated: int) -> None:
        """Take in one growth: what the provider counted, and what was estimated for the same messages."""
        if estimated < _LEARN_FROM or not _PLAUSIBLE[0] <= reported / estimated <= _PLAUSIBLE[1]:
            return
        kept = 0.5 ** (estimated / _HALF_LIFE)
        self.reported = self.reported * kept + reported
        self.estimated = self.estimated * kept + estimated


@dataclass(frozen=True, slots=True)
class _Anchor:
    tokens: int
    """Reported tokens of the first `messages` messages, with the schemas."""
    messages: int
    base: int
    """The estimate of the same, when the report came."""


class Meter:
    """Counts one history.

    Args:
        calibration: The model's ratio; shared.
        schema_tokens: Estimated tokens of the tool schemas in every request of this unit.
        reasoning_sent: Whether earlier reasoning is part of a request.
    """

    def __init__(self, calibration: Calibration, schema_tokens: int, reasoning_sent: bool = True) -> None:
        self.calibration = calibration
        self.schema_tokens = schema_tokens
        """Estimated tokens of the tool schemas."""
        self._reasoning_sent = reasoning_sent
        self._parts: Counter[Part] = Counter({"schemas": schema_tokens})
        self._base = schema_tokens
        self._counted = 0
        self._rewrites = 0
        self._anchor: _Anchor | None = None
        self.instructions_tokens = 0
        """Of the system prompt, the tokens that are project instructions; shown as a part of their own."""

    def change_schemas(self, tokens: int) -> None:
        """Take note of other tool schemas; what a provider counted with the old ones no longer holds."""
        if tokens != self.schema_tokens:
            self.schema_tokens = tokens
            self._rewrites = -1  # no history has this many: all is counted anew

    @property
    def measured(self) -> bool:
        """Whether the count rests on a report for this very history."""
        return self._anchor is not None

    def count(self, messages: Sequence[Message], rewrites: int, upto: int | None = None) -> int:
        """Count a history.

        Costs what was added since the last call, or everything once after a rewrite.

        Args:
            messages: The history.
            rewrites: How often its middle was changed so far; another number than last time drops the anchor.
            upto: Count only this many messages; never fewer than were counted before.

        Returns:
            Tokens of the next request.
        """
        if rewrites != self._rewrites or len(messages) < self._counted:
            self._rewrites = rewrites
            self._parts = Counter({"schemas": self.schema_tokens})
            self._base = self.schema_tokens
            self._counted = 0
            self._anchor = None
        end = max(self._counted, len(messages) if upto is None else upto)
        for at in range(self._counted, end):
            for part, tokens in message_parts(messages[at], self._reasoning_sent):
                self._parts[part] += tokens
                self._base += tokens
        self._counted = end
        ratio = self.calibration.ratio
        if self._anchor is None:
            return round(self._base * ratio)
        return self._anchor.tokens + round((self._base - self._anchor.base) * ratio)

    def report(self, usage: Usage, messages: Sequence[Message], rewrites: int) -> None:
        """Take in what the provider reported for a request whose reply was just appended.

        Only growth since the last report teaches: a whole request holds what a provider adds of its own, and that
        would pass for a ratio many times too high where the history is short.

        Args:
            usage: The report; a prompt of 0 tokens is no report.
            messages: The history, the reply being its last message.
            rewrites: As in `count`.
        """
        if usage.prompt <= 0:
            return
        before = self._anchor
        self.count(messages, rewrites, len(messages) - 1)
        base_of_prompt = self._base
        if before is not None and self._anchor is before:
            self.calibration.learn(usage.prompt - before.tokens, base_of_prompt - before.base)
        self.count(messages, rewrites)
        kept = usage.completion - (0 if self._reasoning_sent else usage.reasoning)
        self._anchor = _Anchor(usage.prompt + max(0, kept), len(messages), self._base)

    def parts(self, used: int) -> tuple[tuple[Part, int], ...]:
        """Split a count by parts, scaled so that they add up to it exactly.

        Args:
            used: The number that `count` gave.

        Returns:
            Every part in the order of `PARTS`, with its tokens.
        """
        raw = dict.fromkeys(PARTS, 0) | self._parts
        inside_system = min(self.instructions_tokens, raw["system"])
        raw["system"] -= inside_system
        raw["instructions"] = inside_system
        total = sum(raw.values()) or 1
        scaled = {part: raw[part] * used // total for part in PARTS}
        rest = used - sum(scaled.values())
        by_remainder = sorted(PARTS, key=lambda part: raw[part] * used % total, reverse=True)
        for part in by_remainder[:rest]:
            scaled[part] += 1
        return tuple((part, scaled[part]) for part in PARTS)

    def estimate_text(self, text: str) -> int:
        """Tokens of a text that is about to be added, by the ratio in force."""
        return round(text_tokens(text) * self.calibration.ratio)
