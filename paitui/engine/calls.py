"""Running the calls of one round: reading ones side by side, the others one by one, every call answered."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import orjson

from paitui.clock import Clock
from paitui.context.manager import ContextManager
from paitui.context.offload import Admitted, Arrival, count_lines
from paitui.context.serialise import longest_prefix
from paitui.engine.desk import ApprovalDesk
from paitui.engine.events import Boundary, Event, Notice, ToolFinished, ToolOutput, ToolStarted
from paitui.engine.history import History
from paitui.engine.recorder import MAIN_UNIT, SessionRecorder
from paitui.locale import phrase
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import CANCELLED, INTERRUPTED
from paitui.settings import AgentSettings
from paitui.tools.base import Toolbox, ToolContext, ToolError, ToolOutcome
from paitui.tools.registry import parse_arguments, subject_line
from paitui.trust.boundary import MARKERS
from paitui.trust.safe_text import clip

SHOWN_CHARS = 4_000
"""How much of a result its event carries."""


@dataclass(frozen=True, slots=True)
class CallRunner:
    """Runs calls for one unit."""

    toolbox: Toolbox
    context: ToolContext
    manager: ContextManager
    desk: ApprovalDesk
    recorder: SessionRecorder
    settings: AgentSettings
    clock: Clock
    emit: Callable[[Event], None]
    unit: str = ""
    """Name of the unit; empty for the main agent."""

    async def run_round(self, calls: Sequence[ToolCall], history: History) -> None:
        """Run the calls of one assistant message and append an answer to each.

        Whatever happens, each call has its answer afterwards: one that was cut off says that its effect is
        unknown, one that never ran says so.

        Args:
            calls: In call order; results enter the history in this order.
            history: Ends with the message that made the calls.
        """
        room = self.manager.new_round()
        finished: dict[str, ToolOutcome] = {}
        started: set[str] = set()
        waiting = list(calls)

        def append_finished() -> None:
            ready: list[ToolCall] = []
            while waiting and waiting[0].id in finished:
                ready.append(waiting.pop(0))
            arrivals = [self._arrival(call, finished[call.id]) for call in ready]
            for admitted in self.manager.admit(arrivals, room):
                self._tell_offload(admitted, history.append(admitted.message))

        broken = [call for call in calls if not is_object(call.arguments)]
        try:
            for call in calls if broken else ():
                # One unreadable call makes the whole message doubtful: nothing of it runs.
                finished[call.id] = self._unreadable(call, call in broken)
            append_finished()
            for batch in self._batches(tuple(waiting)):  # what is finished leaves the list meanwhile
                await self._run_batch(batch, started, finished)
                append_finished()
        finally:
            for call in waiting:
                if call.id not in finished:
                    text = INTERRUPTED if call.id in started else CANCELLED
                    finished[call.id] = ToolOutcome(text, ok=False)
                    self.emit(ToolFinished(call.id, call.name, False, text, phrase("engine.call_cancelled")))
            append_finished()

    def _batches(self, calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
        """Neighbouring calls that only read go together; every other call goes alone."""
        reads: list[ToolCall] = []
        for call in calls:
            tool = self.toolbox.tools.get(call.name)
            if tool is None or tool.access == "read":
                reads.append(call)
                continue
            if reads:
                yield reads
                reads = []
            yield [call]
        if reads:
            yield reads

    async def _run_batch(
        self, batch: Sequence[ToolCall], started: set[str], finished: dict[str, ToolOutcome]
    ) -> None:
        places = asyncio.Semaphore(self.settings.parallel_reads)

        async def run(call: ToolCall) -> None:
            async with places:
                started.add(call.id)
                finished[call.id] = await self._run_one(call)

        async with asyncio.TaskGroup() as group:
            for call in batch:
                group.create_task(run(call))

    async def _run_one(self, call: ToolCall) -> ToolOutcome:
        begin = self.clock.monotonic()
        self.emit(ToolStarted(call.id, call.name, call.arguments, subject_line(call.name, call.arguments)))
        outcome = await self._outcome(call)
        if outcome.external is not None:
            self.recorder.touched(outcome.external)
        chars = outcome.total_chars or len(outcome.text)
        self.emit(
            ToolFinished(
                id=call.id,
                name=call.name,
                ok=outcome.ok,
                text=shown(outcome.text),
                headline=outcome.headline,
                chars=chars,
                lines=outcome.total_lines or count_lines(outcome.text),
                seconds=self.clock.monotonic() - begin,
                stored=outcome.stored,
                diff=outcome.diff,
                external=outcome.external is not None,
            )
        )
        return outcome

    def _unreadable(self, call: ToolCall, broken: bool) -> ToolOutcome:
        text = self.context.words("engine.call_unreadable" if broken else "engine.call_beside_unreadable")
        subject = subject_line(call.name, call.arguments)
        self.emit(ToolStarted(call.id, call.name, call.arguments, subject))
        self.emit(ToolFinished(call.id, call.name, False, text, phrase("engine.call_failed")))
        return ToolOutcome(text, ok=False)

    async def _outcome(self, call: ToolCall) -> ToolOutcome:
        tool = self.toolbox.tools.get(call.name)
        words = self.context.words
        try:
            if tool is None:
                known = ", ".join(self.toolbox.tools)
                raise ToolError(phrase("engine.unknown_tool", name=call.name, known=known))
            arguments = parse_arguments(tool.spec, call.arguments)
            if tool.access != "read" and any(map(_is_placeholder, arguments.values())):
                raise ToolError(phrase("engine.placeholder_argument"))
            effect = tool.effect(arguments, self.context)
            if effect is not None:
                answer = await self.desk.ask(call, effect, self.unit)
                self.recorder.approval(call, effect, answer.decision, answer.allowed, self.unit or MAIN_UNIT)
                if not answer.allowed and answer.reason is not None:
                    raise ToolError(answer.reason)
            bounds = self.manager.limits
            context = replace(
                self.context,
                slice_chars=bounds.slice_chars,
                command_chars=bounds.command_chars,
                fits=lambda text: longest_prefix(text, bounds.result_tokens),
                on_output=lambda text: self.emit(ToolOutput(call.id, text)),
            )
            return await tool.run(arguments, context)
        except ToolError as error:
            text = words.say(error.phrase)
            return ToolOutcome(text, ok=False, headline=phrase("engine.call_failed"))
        except Exception as error:  # a fault in a tool must not leave the call without an answer
            self.recorder.fault(f"tool {call.name}", error)
            why = f"{type(error).__name__}: {error}"
            self.emit(Notice("error", phrase("engine.tool_fault", name=call.name, why=why)))
            return ToolOutcome(words("engine.tool_fault", name=call.name, why=why), ok=False)

    def _arrival(self, call: ToolCall, outcome: ToolOutcome) -> Arrival:
        return Arrival(
            call,
            outcome.text,
            ok=outcome.ok,
            bounded=outcome.bounded,
            stored=outcome.stored,
            chars=outcome.total_chars,
            lines=outcome.total_lines,
            lost=self.context.words.say(outcome.lost) if outcome.lost else "",
            external=outcome.external is not None,
        )

    def _tell_offload(self, admitted: Admitted, message: Message) -> None:
        if not admitted.offloaded:
            return
        boundary = Boundary(
            "offload",
            before=admitted.chars,
            after=admitted.kept_chars,
            stored=message.stored,
            call_id=message.tool_call_id,
        )
        self.recorder.boundary(boundary, {message.uid: message}, self.unit or MAIN_UNIT)
        self.emit(boundary)
        if admitted.lost:
            self.emit(Notice("warning", phrase("engine.offload_lost", tool=message.name, why=admitted.lost)))


def is_object(arguments: str) -> bool:
    """Whether the arguments of a call are a JSON object."""
    try:
        return isinstance(orjson.loads(arguments or "{}"), dict)
    except orjson.JSONDecodeError:
        return False


def _is_placeholder(value: object) -> bool:
    """Whether the model copied paitui's own notice where the text itself belongs."""
    return isinstance(value, str) and value.startswith(MARKERS)


def shown(text: str) -> str:
    """Head and tail of a result, for its event."""
    part = clip(text, SHOWN_CHARS)
    return f"{part.head}\n[... {part.left_out_chars:,} ...]\n{part.tail}" if part.left_out_chars else part.head
