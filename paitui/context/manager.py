"""The context manager of one history: decides, by one count, what goes to files, what is cleared, what is summed up.

It never changes a history. It answers what should stand there instead, and the unit that owns the history puts
it in place, records it, and tells the screen.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from paitui.context.breaker import Breaker, BreakerCause
from paitui.context.clearing import (
    NO_PINS,
    Candidates,
    Clearing,
    clear,
    clear_one,
    clearable,
    least_worth,
    stubbable,
    worthwhile,
)
from paitui.context.compaction import Compaction
from paitui.context.compaction import Fruitless as Fruitless
from paitui.context.compaction import Summarised as Summarised
from paitui.context.cut import cut_at
from paitui.context.estimate import message_tokens, text_tokens
from paitui.context.foresight import next_cut
from paitui.context.meter import Calibration, Meter
from paitui.context.offload import Admitted, Arrival, Limits, OutputFiles, RoundRoom, admit, limits, offload_one
from paitui.context.report import ContextReport, HistoryRow, NextStep
from paitui.context.rows import RowSource, history_rows
from paitui.context.session_memory import STARTS_AT, Preparation, Prepared, plan
from paitui.context.summary import Ask, SummaryLimits, SummaryPrompts, SummaryRefused, write_summary
from paitui.context.thresholds import Thresholds, summary_trigger, thresholds
from paitui.context.trend import TREND_CHECKS, Mark, TrendPoint, forecast
from paitui.messages.message import Message, Usage
from paitui.settings import ContextSettings

SMALL_PASSES = 2
"""After so many passes in a row at the summary trigger, none worthwhile, the next one is followed by a summary: each
breaks the prefix cache, and the trigger is back with the next result."""
HEADROOM = 0.2
"""A compaction that ends with less room than this share below the trigger counts as fruitless: it is back soon."""


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
        self._rows = RowSource(reasoning_sent)
        self._breaker = Breaker()
        self._candidates = Candidates(settings)
        self.pinned: frozenset[int] = NO_PINS
        """Messages that are never cleared, by `uid`; the user's choice, kept with the session."""
        self.trend: deque[TrendPoint] = deque(maxlen=TREND_CHECKS)
        """The last checks, oldest first."""
        self._offloaded = False
        self._small_passes = 0
        self.hold = False
        """An undone step is not repeated: nothing is cleared or summarised unless it is forced."""
        self.meter = Meter(calibration, schema_tokens, reasoning_sent)
        self.summary_window = 0
        """Context size of the model that writes summaries, if it is another one; 0 otherwise."""
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
        self._rows = RowSource(reasoning_sent)
        self.marks = thresholds(window, self._settings.clear_at)
        self.limits = limits(self._settings, self.marks)

    @property
    def breaker_open(self) -> bool:
        """Whether automatic summaries are given up for now."""
        return self._breaker.open

    @property
    def breaker_cause(self) -> BreakerCause | None:
        """What the last fruitless summary failed for; None while none did."""
        return self._breaker.cause

    def overhead(self, messages: Sequence[Message], rewrites: int) -> int:
        """Tokens that every request takes, whatever is summarised: tool schemas and system messages."""
        parts = dict(self.meter.parts(self.used(messages, rewrites)))
        return parts["system"] + parts["instructions"] + parts["schemas"]

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
        freed = self._freed
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
            trend=tuple(self.trend),
            forecast=forecast(tuple(self.trend), used, marks.clear_at, marks.summary_at, freed),
            next_step=self._next_step(messages, rewrites, used, freed),
            paused="undone" if self.hold else "breaker" if self.breaker_open else "",
            freeable=freed,
        )

    def new_round(self) -> RoundRoom:
        """Room for the results of one tool round."""
        return RoundRoom(self.limits.round_chars, self.limits.round_tokens)

    def admit(self, arrivals: Sequence[Arrival], room: RoundRoom) -> list[Admitted]:
        """Tier 1: bring results into the form in which they enter the history."""
        done = admit(arrivals, room, self.limits, self._files)
        self._offloaded = self._offloaded or any(one.offloaded for one in done)
        return done

    def check(self, messages: Sequence[Message], rewrites: int) -> int:
        """Note where the context stands before a request, for the trend.

        Returns:
            Tokens of the next request.
        """
        used = self.used(messages, rewrites)
        self.mark("offload" if self._offloaded else "", used)
        self._offloaded = False
        return used

    def mark(self, mark: Mark, used: int) -> None:
        """Note what shortened the history, and where it stands now."""
        self.trend.append(TrendPoint(used, mark))

    def rows(self, messages: Sequence[Message], rewrites: int) -> tuple[HistoryRow, ...]:
        """List the history as it will be sent, message by message."""
        self._rows.forget_others(messages)
        return self.rows_before(messages, self.used(messages, rewrites))

    def rows_before(self, messages: Sequence[Message], used: int) -> tuple[HistoryRow, ...]:
        """List a history as it was, by the count of that time."""
        return history_rows(messages, used, self.meter.schema_tokens, self.pinned, self._rows)

    def next_cut(self, messages: Sequence[Message], rewrites: int) -> int:
        """Position of the first message that a summary would leave as it is, if it came now by itself; 0 for none."""
        used, ratio, bounds = self.used(messages, rewrites), self.meter.calibration.ratio, self.summary_limits
        costs = [round(self._rows.of(message)[0] * ratio) for message in messages]
        target, keep = self.marks.summary_at // 2, self._settings.keep_user_messages
        return next_cut(messages, costs, used, ratio, bounds(ratio), target, keep, self.pinned)

    def clear_one(self, message: Message) -> Message:
        """Clear a message because the user wishes it; the same object if there is nothing to clear.

        Raises:
            OSError: Its text cannot be stored.
        """
        return clear_one(message, self._files, self._settings.stub_min_chars)

    def offload_one(self, message: Message) -> Message:
        """Offload a result because the user wishes it; the same object if there is nothing to offload.

        Raises:
            OSError: It cannot be stored.
        """
        return offload_one(message, self.limits, self._files)

    def clear(self, messages: Sequence[Message], rewrites: int, forced: bool = False) -> Clearing | None:
        """Tier 2: decide what to clear now, and store what is in no file yet.

        Everything eligible goes in one pass, and only if that is worth the broken prefix cache; at or over
        the summary trigger it goes in any case, since whatever it frees may save a summary.

        Args:
            messages: The history; it is not changed.
            rewrites: How often its middle was changed.
            forced: The request is too long for the provider: clear whatever the count says, where that is not
                enough the long arguments of the newest round too.

        Returns:
            What to put in place, or None if it is not time or not worth it.
        """
        used = self.used(messages, rewrites)
        if (used < self.marks.clear_at or self.hold) and not forced:
            return None
        self._candidates.update(messages, rewrites, self.pinned)
        freed = self._freed
        waits = used < self.marks.summary_at and not forced
        deep = forced and used - freed >= self.marks.summary_at
        if not deep and (freed <= 0 or (waits and not worthwhile(freed, self.marks.window, self._settings))):
            return None
        positions = clearable(messages, self._settings, self.pinned)
        calls = stubbable(messages, self._settings, self.pinned, newest_too=deep)
        done = clear(messages, positions, self._files, calls, self._settings.stub_min_chars)
        if done.replaced:
            small = not waits and not forced and freed < self._least_worth
            self._small_passes = self._small_passes + 1 if small else 0
        return done if done.replaced or done.problem else None

    @property
    def _least_worth(self) -> int:
        return least_worth(self.marks.window, self._settings)

    def must_summarise(self, messages: Sequence[Message], rewrites: int) -> bool:
        """Whether tier 3 is due.

        Clearing was not enough, or was too little again and again; no undone step is held, the breaker is closed, and
        there is something to win: what every request takes is below the trigger by itself.
        """
        return self._summary_due(messages, rewrites, self.used(messages, rewrites))

    def _summary_due(self, messages: Sequence[Message], rewrites: int, used: int) -> bool:
        at = self.marks.summary_at - (self._least_worth if self._small_passes > SMALL_PASSES else 0)
        due = used >= at and not self.breaker_open and not self.hold
        return due and self.overhead(messages, rewrites) < self.marks.summary_at

    @property
    def _freed(self) -> int:
        """Tokens that clearing everything eligible would free, as of the last look."""
        return round(self._candidates.freed * self.meter.calibration.ratio)

    def _next_step(self, messages: Sequence[Message], rewrites: int, used: int, freed: int) -> NextStep:
        """What the next check would do, by the same conditions."""
        over = used >= self.marks.summary_at
        clears = used >= self.marks.clear_at and freed > 0 and not self.hold
        clears = clears and (over or worthwhile(freed, self.marks.window, self._settings))
        if self._summary_due(messages, rewrites, used - freed if clears else used):
            return "summary"
        return "clear" if clears else "none"

    async def summarise(
        self,
        messages: Sequence[Message],
        rewrites: int,
        ask: Ask,
        prompts: SummaryPrompts,
        by_hand: bool = False,
        wish: str = "",
        forced: bool = False,
    ) -> Summarised:
        """Tier 3: have the older part summarised.

        Args:
            messages: The history; it is not changed, and must not change meanwhile.
            rewrites: How often its middle was changed.
            ask: The model.
            prompts: Instructions in the conversation's language.
            by_hand: The user asked for it: only the newest turn is kept, and pins do not hold the cut back.
            wish: The user's own instructions.
            forced: The provider found the request too long: cut deeper than half of what it was, past pins too.

        Returns:
            The history to put in place.

        Raises:
            Fruitless: Nothing to gain; counted, and three in a row open the breaker.
        """
        self._small_passes = 0
        try:
            done = await self._summarise(messages, rewrites, ask, prompts, by_hand, wish, forced)
        except Fruitless as fruitless:
            self.summary_failed(fruitless.fills)
            raise
        if by_hand or forced or done.after <= self.marks.summary_at * (1 - HEADROOM):
            self._breaker.close()
        else:
            self.summary_failed("overhead" if self.overhead(messages, rewrites) * 2 > done.after else "tail")
        return done

    def summary_failed(self, cause: BreakerCause = "model") -> None:
        """Count a summary that came to nothing; the caller says so where the model itself failed."""
        self._breaker.failed(cause)

    async def _summarise(
        self,
        messages: Sequence[Message],
        rewrites: int,
        ask: Ask,
        prompts: SummaryPrompts,
        by_hand: bool,
        wish: str,
        forced: bool,
    ) -> Summarised:
        work = self.compaction(messages, rewrites, prompts)
        target = self.marks.summary_at // 2
        if forced:
            target = min(target, work.before // 2)
        pinned = NO_PINS if by_hand or forced else self.pinned
        keep = 1 if by_hand else self._settings.keep_user_messages
        cut = work.choose(target, keep, pinned)
        work.must_help(cut, pinned)
        # Where even the newest round alone leaves less room than a summary may take, the model is told to be shorter.
        told = max(work.bounds.told_tokens * 3 // 4, min(work.bounds.told_tokens, work.room_for_summary(cut, target)))
        bounds = replace(work.bounds, told_tokens=told)
        try:
            text = await write_summary(messages[cut.start : cut.end], ask, prompts, bounds, wish)
        except SummaryRefused as refused:
            raise Fruitless("refused", str(refused)) from refused
        # Most summaries are shorter than they may be: what room is left then keeps newer rounds, though they were
        # summarised as well, as they were.
        closer = work.choose(target, keep, pinned, text_tokens(text))
        return work.finish(closer if closer.end < cut.end else cut, text, target, pinned)

    @property
    def summary_timeout_s(self) -> int:
        """Seconds that one request for a summary may take."""
        return self._settings.summary_timeout_s

    @property
    def prepares(self) -> bool:
        """Whether summaries are prepared in the background."""
        return self._settings.session_memory

    def preparation(self, messages: Sequence[Message], rewrites: int, ready: Prepared | None) -> Preparation | None:
        """Decide whether a summary is prepared now, and of what."""
        used = self.used(messages, rewrites)
        if used < self.marks.summary_at * STARTS_AT or self.hold:
            return None
        ratio = self.meter.calibration.ratio
        costs = [round(message_tokens(message, self._reasoning_sent) * ratio) for message in messages]
        return plan(messages, costs, used / self.marks.summary_at, self.marks.summary_at, rewrites, ready)

    def use_prepared(
        self, messages: Sequence[Message], rewrites: int, ready: Prepared, prompts: SummaryPrompts
    ) -> Summarised | None:
        """Rebuild the history around a prepared summary, at once.

        Returns:
            The history to put in place; None where clearing alone, which loses nothing, brings it below the
            trigger, or the summary would not help.
        """
        used = self.used(messages, rewrites)
        self._candidates.update(messages, rewrites, self.pinned)
        freed = self._freed
        covered = (message.uid for message in messages[ready.start : ready.end])
        if used - freed < self.marks.summary_at or not self.pinned.isdisjoint(covered):
            return None
        try:
            done = self.compaction(messages, rewrites, prompts).finish(
                cut_at(messages, ready.end), ready.text, self.marks.summary_at // 2
            )
        except Fruitless:
            return None
        self._breaker.close()
        return done

    def compaction(self, messages: Sequence[Message], rewrites: int, prompts: SummaryPrompts) -> Compaction:
        """Everything that a compaction of this history goes by."""
        ratio = self.meter.calibration.ratio
        used = self.used(messages, rewrites)
        bounds = self.summary_limits(ratio)
        return Compaction(messages, used, ratio, self._reasoning_sent, bounds, prompts, self._files)

    def summary_limits(self, ratio: float) -> SummaryLimits:
        """Lengths for summary requests that fit the window, by the ratio in force."""
        marks, settings = self.marks, self._settings
        window = min(marks.window, self.summary_window or marks.window)
        room = int(summary_trigger(window) * 0.9 / max(1.0, ratio)) - 600
        return SummaryLimits(
            piece_chars=settings.summary_piece_chars,
            piece_tokens=room,
            part_chars=settings.summary_part_chars,
            kept_tokens=min(8_000, marks.summary_at * 15 // 100),
            max_tokens=min(12_000, marks.summary_at // 4),
            told_tokens=min(12_000, marks.summary_at // 8),
        )
