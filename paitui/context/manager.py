"""The context manager of one history: decides, by one count, what goes to files, what is cleared, what is summed up.

It never changes a history. It answers what should stand there instead, and the unit that owns the history puts
it in place, records it, and tells the screen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paitui.context.clearing import NO_PINS, Candidates, Clearing, clear, clearable, stubbable, worthwhile
from paitui.context.cut import Cut, choose_cut
from paitui.context.estimate import message_tokens
from paitui.context.meter import Calibration, Meter
from paitui.context.offload import Admitted, Arrival, Limits, OutputFiles, RoundRoom, admit, limits
from paitui.context.report import ContextReport
from paitui.context.summary import Ask, SummaryLimits, SummaryPrompts, SummaryRefused, rebuild, write_summary
from paitui.context.thresholds import Thresholds, thresholds
from paitui.messages.message import Message, Usage
from paitui.settings import ContextSettings

BREAKER_AT = 3
"""So many fruitless summaries in a row end automatic ones, until one asked for by hand succeeds."""
LEAST_GAIN = 0.1
"""A rebuilt request that is not smaller by this share is not worth the loss."""


@dataclass(frozen=True, slots=True)
class Summarised:
    """A history rebuilt around a summary."""

    messages: list[Message]
    """What should stand in place of the history; new messages have no `uid` yet."""
    text: str
    """The summary."""
    cut: Cut
    before: int
    """Tokens before."""
    after: int
    """Tokens afterwards, estimated."""


class Fruitless(Exception):
    """A summary was not made or would not help; the history is as it was.

    Attributes:
        cause: ``nothing`` to summarise, ``refused`` (twice an unusable answer), ``gain`` too small.
        detail: More, for the record.
    """

    def __init__(self, cause: str, detail: str = "") -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause = cause
        self.detail = detail


class ContextManager:
    """Keeps one history inside the window.

    Args:
        settings: Limits and shares.
        window: Context size of the model in tokens.
        files: Where whole results go.
        calibration: The model's ratio; shared by all histories that the model is sent.
        schema_tokens: Estimated tokens of the tool schemas.
        reasoning_sent: Whether earlier reasoning is part of a request.
    """

    def __init__(
        self,
        settings: ContextSettings,
        window: int,
        files: OutputFiles,
        calibration: Calibration,
        schema_tokens: int,
        reasoning_sent: bool = True,
    ) -> None:
        self._settings = settings
        self._files = files
        self._reasoning_sent = reasoning_sent
        self._fruitless = 0
        self._candidates = Candidates(settings)
        self.pinned: frozenset[int] = NO_PINS
        """Messages that are never cleared, by `uid`; the user's choice, kept with the session."""
        self.meter = Meter(calibration, schema_tokens, reasoning_sent)
        self.marks: Thresholds = thresholds(window, settings.clear_at)
        self.limits: Limits = limits(settings, self.marks)

    def rebudget(self, window: int, calibration: Calibration, reasoning_sent: bool) -> None:
        """Go on for another model: other thresholds and limits, and a count that is an estimate again.

        Args:
            window: Its context size in tokens.
            calibration: Its ratio.
            reasoning_sent: Whether it gets its earlier reasoning back.
        """
        old = self.meter
        self.meter = Meter(calibration, old.schema_tokens, reasoning_sent)
        self.meter.instructions_tokens = old.instructions_tokens
        self._reasoning_sent = reasoning_sent
        self.marks = thresholds(window, self._settings.clear_at)
        self.limits = limits(self._settings, self.marks)

    @property
    def breaker_open(self) -> bool:
        """Whether automatic summaries are given up for now."""
        return self._fruitless >= BREAKER_AT

    def used(self, messages: Sequence[Message], rewrites: int) -> int:
        """Tokens of the next request; the number every decision rests on."""
        return self.meter.count(messages, rewrites)

    def reported(self, usage: Usage, messages: Sequence[Message], rewrites: int) -> None:
        """Take in a provider's report for the request whose reply is the last message."""
        self.meter.report(usage, messages, rewrites)

    def report(self, messages: Sequence[Message], rewrites: int) -> ContextReport:
        """Account for the history as it stands.

        Args:
            messages: The history.
            rewrites: How often its middle was changed.

        Returns:
            The report that the gauge draws; its `used` is what `to_clear` and `must_summarise` compare.
        """
        used = self.used(messages, rewrites)
        marks = self.marks
        self._candidates.update(messages, rewrites, self.pinned)
        return ContextReport(
            used=used,
            window=marks.window,
            clear_at=marks.clear_at,
            summary_at=marks.summary_at,
            reserve=marks.reserve,
            buffer=marks.buffer,
            measured=self.meter.measured,
            parts=self.meter.parts(used),
            offload_chars=self.limits.result_chars,
            newest_results=tuple(reversed(self._candidates.newest)),
            next_step="summary" if used >= marks.summary_at else "clear" if used >= marks.clear_at else "none",
        )

    def new_round(self) -> RoundRoom:
        """Room for the results of one tool round."""
        return RoundRoom(self.limits.round_chars, self.limits.round_tokens)

    def admit(self, arrivals: Sequence[Arrival], room: RoundRoom) -> list[Admitted]:
        """Tier 1: bring results into the form in which they enter the history."""
        return admit(arrivals, room, self.limits, self._files)

    def clear(self, messages: Sequence[Message], rewrites: int, forced: bool = False) -> Clearing | None:
        """Tier 2: decide what to clear now, and store what is in no file yet.

        Everything eligible goes in one pass, and only if that is worth the broken prefix cache; at or over
        the summary trigger it goes in any case, since whatever it frees may save a summary.

        Args:
            messages: The history; it is not changed.
            rewrites: How often its middle was changed.
            forced: The provider found the request too long: clear whatever the count says.

        Returns:
            What to put in place, or None if it is not time or not worth it.
        """
        used = self.used(messages, rewrites)
        if used < self.marks.clear_at and not forced:
            return None
        self._candidates.update(messages, rewrites, self.pinned)
        freed = round(self._candidates.freed * self.meter.calibration.ratio)
        waits = used < self.marks.summary_at and not forced
        if freed <= 0 or (waits and not worthwhile(freed, self.marks.window, self._settings)):
            return None
        positions = clearable(messages, self._settings, self.pinned)
        calls = stubbable(messages, self._settings, self.pinned)
        done = clear(messages, positions, self._files, calls, self._settings.stub_min_chars)
        return done if done.replaced or done.problem else None

    def must_summarise(self, messages: Sequence[Message], rewrites: int) -> bool:
        """Whether tier 3 is due: clearing was not enough, and the breaker is closed."""
        return self.used(messages, rewrites) >= self.marks.summary_at and not self.breaker_open

    async def summarise(
        self,
        messages: Sequence[Message],
        rewrites: int,
        ask: Ask,
        prompts: SummaryPrompts,
        by_hand: bool = False,
        wish: str = "",
    ) -> Summarised:
        """Tier 3: have the older part summarised.

        Args:
            messages: The history; it is not changed, and must not change meanwhile.
            rewrites: How often its middle was changed.
            ask: The model.
            prompts: Instructions in the conversation's language.
            by_hand: The user asked for it: only the newest turn is kept.
            wish: The user's own instructions.

        Returns:
            The history to put in place.

        Raises:
            Fruitless: Nothing to gain; counted, and three in a row open the breaker.
        """
        try:
            done = await self._summarise(messages, rewrites, ask, prompts, by_hand, wish)
        except Fruitless:
            self.summary_failed()
            raise
        self._fruitless = 0
        return done

    def summary_failed(self) -> None:
        """Count a summary that came to nothing; the caller says so where the model itself failed."""
        self._fruitless += 1

    async def _summarise(
        self,
        messages: Sequence[Message],
        rewrites: int,
        ask: Ask,
        prompts: SummaryPrompts,
        by_hand: bool,
        wish: str,
    ) -> Summarised:
        before = self.used(messages, rewrites)
        ratio = self.meter.calibration.ratio
        tokens = [round(message_tokens(m, self._reasoning_sent) * ratio) for m in messages]
        fixed = max(0, before - sum(tokens)) + sum(
            cost for cost, m in zip(tokens, messages, strict=True) if m.role == "system"
        )
        bounds = self.summary_limits(ratio)
        target = self.marks.summary_at // 2
        allowance = min(self.marks.summary_at // 10, bounds.max_tokens)
        keep = 1 if by_hand else self._settings.keep_user_messages
        cut = choose_cut(messages, tokens, fixed + allowance, target, keep)
        if cut is None:
            raise Fruitless("nothing")
        try:
            text = await write_summary(messages[cut.start : cut.end], ask, prompts, bounds, wish)
        except SummaryRefused as refused:
            raise Fruitless("refused", str(refused)) from refused
        rebuilt = rebuild(messages, cut, text, prompts, bounds.kept_tokens, self._files)
        after = before - sum(tokens) + sum(round(message_tokens(m, self._reasoning_sent) * ratio) for m in rebuilt)
        if after > before * (1 - LEAST_GAIN):
            raise Fruitless("gain", f"{before} -> {after}")
        return Summarised(rebuilt, text, cut, before, after)

    def summary_limits(self, ratio: float) -> SummaryLimits:
        """Lengths for summary requests that fit the window, by the ratio in force."""
        marks, settings = self.marks, self._settings
        room = int((marks.window - marks.reserve - marks.buffer) * 0.9 / max(1.0, ratio)) - 600
        return SummaryLimits(
            piece_chars=settings.summary_piece_chars,
            piece_tokens=room,
            part_chars=min(settings.summary_part_chars, room // 2),
            kept_tokens=min(8_000, marks.summary_at * 15 // 100),
            max_tokens=min(12_000, marks.summary_at // 4),
        )
