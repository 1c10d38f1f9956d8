"""Feeds a recording through history and policy, as if each recorded answer had been a model call."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import count

from paitui.context.manager import ContextManager
from paitui.context.offload import Arrival
from paitui.engine.history import History
from paitui.engine.prompts import language_of, summary_prompts
from paitui.engine.unit import ANSWER_ROOM
from paitui.locale import Language
from paitui.messages.message import Message, ToolCall, Usage
from paitui.messages.validity import INTERRUPTED, is_empty, violations, with_unique_ids
from paitui.model.port import Model, ModelFault, Reply, Request
from paitui.replay.audit import Audit
from paitui.replay.cost import Cause, Costs
from paitui.replay.policy import Policy
from paitui.replay.recording import Recording, as_paitui
from paitui.replay.retention import Cutoff, Retained, retained
from paitui.replay.sizes import Sizes

_GO_ON = "[...]"


class _Unrecorded:
    """Writes nothing down."""

    def appended(self, unit: str, message: Message, usage: Usage | None = None) -> None:
        """Nothing to do."""

    def rewritten(self, unit: str, replaced: Mapping[int, Message]) -> None:
        """Nothing to do."""

    def rebuilt(self, unit: str, messages: Sequence[Message]) -> None:
        """Nothing to do."""


@dataclass(slots=True)
class Tally:
    """What a run counts."""

    invalid: int = 0
    """Requests that a provider would refuse for their form."""
    over_window: int = 0
    """Requests that are larger than the window, those for summaries included."""
    clears: int = 0
    """Passes of clearing."""
    cleared_tokens: float = 0.0
    """What they freed."""
    late_clears: int = 0
    """Passes at or over the summary trigger, which clear whatever it frees."""
    late_tokens: float = 0.0
    """The part of `cleared_tokens` that they freed."""
    offloads: int = 0
    """Results that went to a file as they entered."""
    summaries: int = 0
    fruitless: int = 0
    """Summaries that were due and came to nothing."""
    checks: list[float] = field(default_factory=list)
    """Seconds that each check took that decided to do nothing."""
    retained: list[Retained] = field(default_factory=list)
    """After each summary."""


class Run:
    """One recording under one policy.

    Args:
        recording: The session.
        policy: Who decides.
        sizes: How large messages really are.
        model: Writes the summaries.
        load: Gives the text of a stored file; empty if there is none.
        timer: Seconds that this thread has worked, so that a busy machine does not count as a slow check.
        language: Of summaries, where the user's words leave it open.
    """

    def __init__(
        self,
        recording: Recording,
        policy: Policy,
        sizes: Sizes,
        model: Model,
        load: Callable[[str], str],
        timer: Callable[[], float],
        language: Language = "en",
    ) -> None:
        self.tally = Tally()
        self.audit = Audit()
        self.costs = Costs(sizes.fixed)
        self._steps = recording.steps
        self._restarts = recording.restarts
        self._raw = [as_paitui(step.message) for step in recording.steps]
        self._policy = policy
        self._sizes = sizes
        self._model = model
        self._load = load
        self._timer = timer
        self._language = language
        uids = count(1)
        self._history = History("replay", _Unrecorded(), lambda: next(uids))
        self._origin: dict[int, int] = {}
        self._open: dict[str, ToolCall] = {}
        self._arrived: dict[str, int] = {}
        self._renamed: dict[str, str] = {}
        self._causes: set[Cause] = set()
        self._cutoff = Cutoff()
        self._last_summary = ""
        self._asked: list[str] = []
        self._last_asked = ("", "")

    @property
    def _manager(self) -> ContextManager:
        return self._policy.manager

    def _fits(self) -> bool:
        used = self._manager.used(self._history.messages, self._history.rewrites)
        return used + ANSWER_ROOM <= self._manager.marks.window

    async def go(self) -> None:
        """Replay everything."""
        for at, message in enumerate(self._raw):
            if at in self._restarts:
                self._restart()
            match message.role:
                case "tool":
                    self._take_result(at, message)
                case "assistant":
                    self._close_round()
                    await self._request(at, message)
                case _:
                    self._close_round()
                    self._say(at, message)

    def _restart(self) -> None:
        self._close_round()
        self._history.rebuild([m for m in self._history.messages if m.role == "system"])
        self._causes.add("other")
        self._cutoff = Cutoff()
        self._last_summary = ""

    def _say(self, at: int, message: Message) -> None:
        if is_empty(message):
            return
        if message.role == "system" and any(m.role != "system" for m in self._history.messages):
            # Where an agent adds to its instructions midway, the text is kept, in a place that every provider takes.
            message = replace(message, role="user", origin="program")
        self._append(message, at)

    def _append(self, message: Message, at: int | None) -> Message:
        message = self._history.append(message)
        if at is not None:
            self._origin[message.uid] = at
        return message

    def _take_result(self, at: int, message: Message) -> None:
        call_id = self._renamed.get(message.tool_call_id, message.tool_call_id)
        if call_id in self._open and call_id not in self._arrived:
            self._arrived[call_id] = at

    def _close_round(self) -> None:
        """Admit the results of a round together, in call order, and answer calls that have none."""
        calls, self._open = self._open, {}
        if not calls:
            return
        arrivals = [self._arrival(call) for call in calls.values()]
        for call, one in zip(calls.values(), self._manager.admit(arrivals, self._manager.new_round()), strict=True):
            at = self._arrived.get(call.id)
            message = self._append(one.message, at)
            if one.offloaded and at is not None:
                self.tally.offloads += 1
                self.audit.replaced(self._raw[at], message, at)
        self._arrived.clear()

    def _arrival(self, call: ToolCall) -> Arrival:
        at = self._arrived.get(call.id)
        if at is None:
            return Arrival(call, INTERRUPTED, ok=False)
        result = self._raw[at]
        limits = self._manager.limits
        # A slice that paitui's own tool would have made no longer than this.
        sliced = call.name == "read_file" and ('"offset"' in call.arguments or '"limit"' in call.arguments)
        return Arrival(call, result.content, result.ok, sliced and len(result.content) <= limits.slice_chars)

    async def _request(self, at: int, answer: Message) -> None:
        history = self._history
        if history.messages and history.messages[-1].role == "assistant":
            # Another agent went on from its own answer; paitui never does, and providers want a user's message there.
            self._append(Message("user", _GO_ON, origin="program"), None)
        await self._make_room()
        if self._policy.recovers and not self._fits():
            await self._recover(sent=False)  # as the agent does with a request that it knows to be too long
        self.tally.invalid += bool(violations(history.messages))
        sizes = self._real_sizes()
        total = self.costs.turn(history.messages, sizes, self._causes)
        self._causes = set()
        if total > self._manager.marks.window:
            self.tally.over_window += 1
            self.costs.resent(total)
            if self._policy.recovers:
                await self._recover(sent=True)
            total = self._sizes.fixed + sum(self._real_sizes())
        used_ids = {call.id for message in history.messages for call in message.tool_calls}
        named = with_unique_ids(answer, used_ids)
        if not is_empty(named):
            self._renamed = {old.id: new.id for old, new in zip(answer.tool_calls, named.tool_calls, strict=True)}
            self._open = {call.id: call for call in named.tool_calls}
            named = self._append(named, at)
            reported = self._steps[at].usage
            if reported is None or reported.prompt > 0:  # a report of 0 belongs to a request that was cut off
                usage = Usage(round(total), round(self._sizes.of(named, at)))
                self._policy.reported(usage, history.messages, history.rewrites)

    def _real_sizes(self) -> list[float]:
        return [self._sizes.of(message, self._origin.get(message.uid)) for message in self._history.messages]

    async def _make_room(self) -> None:
        """Let the policy shorten the history, in the order in which the agent does."""
        history, policy = self._history, self._policy
        begin = self._timer()
        replaced = policy.clear(history.messages, history.rewrites)
        due = policy.must_summarise(history.messages, history.rewrites)
        if not replaced:
            self.tally.checks.append(self._timer() - begin)
        else:
            self._put_in_place(replaced)
            due = policy.must_summarise(history.messages, history.rewrites)
        if due:
            await self._summarise(forced=False)

    async def _recover(self, sent: bool) -> None:
        """Shorten a history that is too long; where a provider found it so, whatever the count says."""
        history = self._history
        if replaced := self._policy.clear(history.messages, history.rewrites, forced=True):
            self._put_in_place(replaced)
            if not sent and self._fits():
                return
        await self._summarise(forced=True)

    def _put_in_place(self, replaced: Mapping[int, Message]) -> None:
        history = self._history
        late = self._manager.used(history.messages, history.rewrites) >= self._manager.marks.summary_at
        freed = 0.0
        for message in history.messages:
            if (now := replaced.get(message.uid)) is None:
                continue
            at = self._origin.get(message.uid)
            freed += self._sizes.of(message, at) - self._sizes.of(now, at)
            if at is not None:
                self.audit.replaced(self._raw[at], now, at)
        self.tally.clears += 1
        self.tally.late_clears += late
        self.tally.cleared_tokens += freed
        self.tally.late_tokens += freed if late else 0.0
        self._causes.add("late_clear" if late else "clear")
        history.rewrite(replaced)
        # The agent shows the account after every pass; counting all anew is part of the pass, not of the next check.
        self._manager.report(history.messages, history.rewrites)

    async def _summarise(self, forced: bool) -> None:
        history = self._history
        before = list(history.messages)
        said = [message.content for message in before if message.is_users_words]
        self._asked, self._last_asked = [], ("", "")
        prompts = summary_prompts(language_of(said, self._language))
        try:
            done = await self._policy.summarise(before, history.rewrites, self._ask, prompts, forced)
        except ModelFault:
            self._manager.summary_failed()
            done = None
        if done is None:
            self.tally.fruitless += 1
            return
        history.rebuild(done.messages)
        self._manager.report(history.messages, history.rewrites)
        self.tally.summaries += 1
        self._causes.add("summary")
        kept = {message.uid for message in history.messages}
        gone = [message for message in before if message.uid not in kept]
        self.audit.removed(gone, history.messages, self._asked, self._last_summary)
        self._last_summary = done.text
        self._note_gone(gone)
        cap = min(8_000, self._manager.marks.summary_at * 15 // 100)
        self.tally.retained.append(retained(self._cutoff, before, history.messages, cap, self._load))

    def _note_gone(self, gone: Sequence[Message]) -> None:
        steps = [self._origin[message.uid] for message in gone if message.uid in self._origin]
        answers = {self._raw[at].tool_call_id: self._raw[at] for at in steps if self._raw[at].role == "tool"}
        for at in steps:
            self._cutoff.take(self._raw[at], answers)

    async def _ask(self, instruction: str, text: str) -> str:
        messages = (Message("system", instruction), Message("user", text, origin="program"))
        last_instruction, last_text = self._last_asked
        if text != last_text or not instruction.startswith(f"{last_instruction}\n"):
            self._asked.append(text)  # else the same is asked once more, since the answer could not be used
        self._last_asked = (instruction, text)
        sent = sum(self._sizes.of(message, None) for message in messages)
        self.tally.over_window += sent > self._manager.marks.window
        answer = ""
        async with aclosing(self._model.stream(Request(messages, (), "summary", self._language))) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Reply):
                    answer = event.message.content
        self.costs.summary(sent, self._sizes.of(Message("assistant", answer), None))
        return answer
