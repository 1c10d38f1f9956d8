"""One compaction, from the choice of the cut to the rebuilt history. The model's part is asked for in between."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from paitui.context.breaker import BreakerCause, what_fills
from paitui.context.cut import Cut, choose_cut
from paitui.context.estimate import message_tokens, text_tokens
from paitui.context.facts import Facts, gather
from paitui.context.factsheet import reader, render
from paitui.context.keeping import Kept, fit
from paitui.context.keylines import ROUNDS, numbers_in
from paitui.context.offload import OutputFiles, ReadableFiles
from paitui.context.summary import SummaryLimits, SummaryPrompts, rebuild, saved_and_shortened, shortened
from paitui.messages.message import Message

LEAST_GAIN = 0.1
"""A rebuilt request that is not smaller by this share is not worth the loss."""
_ROUNDS = 4
"""The cut decides what is kept beside the summary, whose size moves the cut; so often it is chosen anew at most."""


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
    facts: Facts = field(default_factory=Facts)
    """What the program keeps beside the summary."""


class Fruitless(Exception):
    """A summary was not made or would not help; the history is as it was.

    Attributes:
        cause: ``nothing`` to summarise, ``refused`` (twice an unusable answer), ``gain`` too small.
        detail: More, for the record.
        fills: What keeps the context full.
    """

    def __init__(self, cause: str, detail: str = "", fills: BreakerCause = "model") -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause = cause
        self.detail = detail
        self.fills: BreakerCause = fills


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a compaction goes by."""

    messages: Sequence[Message]
    before: int
    """Tokens of the next request as things stand."""
    ratio: float
    """What estimates are multiplied by."""
    reasoning_sent: bool
    bounds: SummaryLimits
    prompts: SummaryPrompts
    files: OutputFiles

    def cost(self, message: Message) -> int:
        """Tokens of a message, by the ratio in force."""
        return round(message_tokens(message, self.reasoning_sent) * self.ratio)

    def choose(
        self, target: int, keep_users: int, pinned: Collection[int] = (), summary_tokens: int | None = None
    ) -> Cut:
        """Choose the cut so that the rebuilt request fits a target.

        Args:
            target: Tokens that the rebuilt request should not exceed.
            keep_users: From which user message, counted back from the newest, the tail is kept if it fits.
            pinned: Messages that the cut does not pass, by `uid`.
            summary_tokens: Estimated tokens of the summary, once it is written; else the length that the model is
                told is reckoned with.

        Raises:
            Fruitless: There is nothing that could be summarised.
        """
        tokens = [self.cost(message) for message in self.messages]
        system = sum(cost for cost, m in zip(tokens, self.messages, strict=True) if m.role == "system")
        overhead = max(0, self.before - sum(tokens)) + system
        most = round(self.bounds.kept_tokens * self.ratio)
        summary = self.bounds.told_tokens if summary_tokens is None else summary_tokens
        beside = 0
        found: Cut | None = None
        for _ in range(_ROUNDS):
            fixed = overhead + round((summary + beside) * self.ratio)
            found = choose_cut(self.messages, tokens, fixed, target, keep_users, most, pinned)
            if found is None:
                break
            size = text_tokens(render(self.kept(found, trial=True).facts, self.prompts.facts))
            if size <= beside:
                break
            beside = size
        if found is None:
            raise Fruitless("nothing", fills=self._fills(self.messages, overhead, pinned, keep_users))
        return found

    def kept(self, cut: Cut, trial: bool = False, text: str = "", limit: int | None = None) -> Kept:
        """What the program keeps beside the summary of a cut.

        Args:
            cut: What is cut.
            trial: For measuring: no file is written.
            text: The summary, once it is written.
            limit: Estimated tokens that it should not exceed, where that is less than the cap.
        """
        load = self.files.load if isinstance(self.files, ReadableFiles) else lambda path: ""
        parse = reader(self.prompts.known_facts)
        tail = self.messages[cut.end :]
        rounds = max(1, ROUNDS - sum(bool(message.tool_calls) for message in tail))
        facts = gather(self.messages[cut.start : cut.end], parse, load, rounds)
        known = numbers_in("\n".join([text, *(message.content for message in tail)]))
        note = self.prompts.shortened.format(path=".paitui/tool-outputs/20250101-000000-ab/000-user-message.txt")

        def shorten(text: str, limit: int) -> str:
            if trial:
                return shortened(text, limit, note)
            return saved_and_shortened(text, limit, self.prompts, self.files)

        texts = [self.messages[at].content for at in cut.carried]
        return fit(facts, texts, self.bounds.kept_tokens, self.prompts.facts, shorten, known, limit)

    def room_for_summary(self, cut: Cut, target: int) -> int:
        """Estimated tokens that a summary may take beside what does not yield to a target; it may be negative."""
        kept = self.kept(cut, trial=True, limit=0)
        return int((target - self._after(cut, self._rebuilt(cut, "", kept))) / self.ratio)

    def finish(self, cut: Cut, text: str, target: int, pinned: Collection[int] = ()) -> Summarised:
        """Rebuild the history around a summary.

        Args:
            cut: What is cut.
            text: The summary.
            target: Tokens that the rebuilt request should not exceed; lists that are kept yield to it.
            pinned: Messages that the user pinned, by `uid`.

        Raises:
            Fruitless: It would not be noticeably shorter.
        """
        tried = self.kept(cut, trial=True, text=text)
        over = self._after(cut, self._rebuilt(cut, text, tried)) - target
        size = text_tokens(render(tried.facts, self.prompts.facts)) + sum(map(text_tokens, tried.carried))
        kept = self.kept(cut, text=text, limit=size - math.ceil(over / self.ratio) if over > 0 else None)
        rebuilt = self._rebuilt(cut, text, kept)
        after = self._after(cut, rebuilt)
        self._must_gain(cut, rebuilt, after, pinned)
        return Summarised(rebuilt, text, cut, self.before, after, kept.facts)

    def must_help(self, cut: Cut, pinned: Collection[int] = ()) -> None:
        """Find out before a model is asked whether any summary could help.

        Raises:
            Fruitless: Not even the shortest one would make the history noticeably shorter.
        """
        rebuilt = self._rebuilt(cut, "", self.kept(cut, trial=True, limit=0))
        self._must_gain(cut, rebuilt, self._after(cut, rebuilt), pinned)

    def _must_gain(self, cut: Cut, rebuilt: Sequence[Message], after: int, pinned: Collection[int]) -> None:
        if after > self.before * (1 - LEAST_GAIN):
            new = self._new(cut, rebuilt)
            tail = self.messages[cut.end :]
            overhead = after - sum(map(self.cost, [*new, *tail]))
            fills = self._fills(tail, overhead, pinned, 1)
            raise Fruitless("gain", f"{self.before} -> {after}", fills)

    def _rebuilt(self, cut: Cut, text: str, kept: Kept) -> list[Message]:
        return rebuild(self.messages, cut, text, self.prompts, kept)

    def _new(self, cut: Cut, rebuilt: Sequence[Message]) -> Sequence[Message]:
        """What stands in place of what was cut."""
        return rebuilt[cut.start : len(rebuilt) - (len(self.messages) - cut.end)]

    def _after(self, cut: Cut, rebuilt: Sequence[Message]) -> int:
        gone = sum(map(self.cost, self.messages[cut.start : cut.end]))
        return self.before - gone + sum(map(self.cost, self._new(cut, rebuilt)))

    def _fills(
        self, staying: Sequence[Message], overhead: int, pinned: Collection[int], keep_users: int
    ) -> BreakerCause:
        held = [message for message in staying if message.role != "system"]
        if any(message.uid in pinned for message in held):
            tokens = [self.cost(message) for message in self.messages]
            if choose_cut(self.messages, tokens, 0, 0, keep_users) is not None:
                return "pinned"
        return what_fills([(message, self.cost(message)) for message in held], overhead)
