"""An execution unit: one history, one context manager, one model, and the steps of its loop."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from paitui.context.manager import ContextManager
from paitui.engine.calls import CallRunner
from paitui.engine.events import (
    AnswerFinished,
    ContextChanged,
    Event,
    ModelStarted,
    Notice,
    ReasoningDelta,
    TextDelta,
    UsageReported,
    UserSaid,
)
from paitui.engine.history import History
from paitui.engine.recorder import SessionRecorder
from paitui.engine.shortener import Shortener
from paitui.locale import Language, phrase
from paitui.memory.attached import NOTHING, Attached
from paitui.messages.message import Message, Origin, Spans, ToolSpec, Usage
from paitui.messages.validity import guard, is_empty, with_unique_ids
from paitui.model import port
from paitui.model.port import Model, ModelFault, Purpose, Reply, Request

ANSWER_ROOM = 500
"""Tokens that must be left for an answer, or the request is not made."""
_FULL = "engine.context_full"
"""Why a request is not even made."""


@dataclass(slots=True)
class Unit:
    """What owns one history, and the steps that its loop is made of."""

    history: History
    manager: ContextManager
    model: Model
    calls: CallRunner
    recorder: SessionRecorder
    language: Language
    emit: Callable[[Event], None]
    background: Model | None = None
    """Writes summaries, where a small model is set for such work."""
    spend: Callable[[Usage], None] = lambda usage: None
    """Counts what requests take, for the task's budget."""
    shortener: Shortener = field(init=False)
    """Keeps the history inside the window."""

    def __post_init__(self) -> None:
        """Give the shortener its way to the model."""

        async def quietly(instruction: str, text: str) -> str:
            return await self._ask_for_summary(instruction, text, quiet=True)

        ask = self._ask_for_summary
        self.shortener = Shortener(self.history, self.manager, self.recorder, self.language, self.emit, ask, quietly)

    def say(
        self, text: str, origin: Origin, pasted: Spans = (), attached: Attached = NOTHING, brought: str = ""
    ) -> None:
        """Append a user message; memories and what it brought along stand behind the user's words."""
        self.history.append(
            Message(
                "user",
                text,
                memories=attached.block,
                attached=brought,
                remembered=attached.marks,
                origin=origin,
                pasted=pasted,
            )
        )
        self.manager.hold = self.manager.hold and origin not in ("typed", "steered")
        if origin == "steered":
            self.emit(UserSaid(text, True, pasted))

    @property
    def remembered(self) -> set[str]:
        """Marks of the memories that stand in the history."""
        return {mark for message in self.history.messages for mark in message.remembered}

    def report(self) -> None:
        """Tell how full the context is."""
        self.emit(ContextChanged(self.manager.report(self.history.messages, self.history.rewrites)))

    async def make_room(self) -> None:
        """Let the context manager shorten the history, before every request."""
        await self.shortener.make_room()
        self.report()

    async def ask(self, purpose: Purpose) -> Message:
        """Send the history, and append the answer.

        Args:
            purpose: ``turn`` for the next step of a task, ``plan`` and ``review`` likewise; ``final`` for last words
                and ``report`` for an answer, both without tools.

        Returns:
            The answer as it stands in the history; an empty one is not appended.

        Raises:
            ModelFault: The request failed; what was shown of the answer is kept, marked as partial. One that the
                model found too long was made shorter and sent once more before.
            InvalidRequest: The history breaks a rule, which is a fault of the program.
        """
        length = len(self.history.messages)
        try:
            return await self._ask(purpose)
        except ModelFault as fault:
            if fault.kind != "overflow" or len(self.history.messages) != length:
                raise
            unsent = fault.phrase.key == _FULL
            if not await self.shortener.after_overflow(lambda: unsent and self._fits()):
                if unsent:
                    raise
                raise ModelFault("overflow", phrase("engine.overflow_stuck", why=fault.phrase)) from fault
        self.report()
        try:
            return await self._ask(purpose)
        except ModelFault as fault:
            if fault.kind != "overflow" or fault.phrase.key == _FULL:
                raise
            raise ModelFault("overflow", phrase("engine.overflow_again", why=fault.phrase)) from fault

    async def _ask(self, purpose: Purpose) -> Message:
        history = self.history
        tools = self.calls.toolbox.specs if purpose in port.WITH_TOOLS else ()
        if not self._fits():
            used = self.manager.used(history.messages, history.rewrites)
            why = phrase(_FULL, used=used, window=self.manager.marks.window)
            raise ModelFault("overflow", why)
        shown = _Shown()
        try:
            reply = await self._stream(tuple(history.messages), tools, purpose, shown)
        except BaseException:  # whatever cut the stream, also a cancel: what the user saw stays
            if shown.text.strip():
                history.append(Message("assistant", shown.text, partial=True))
                self.emit(AnswerFinished(shown.text, shown.reasoning, partial=True))
            raise
        used_ids = {call.id for message in history.messages for call in message.tool_calls}
        message = with_unique_ids(reply.message, used_ids)
        if purpose not in port.WITH_TOOLS:
            message = replace(message, tool_calls=())
        if not is_empty(message):
            message = history.append(message, reply.usage)
            self.emit(AnswerFinished(message.content, message.reasoning, final=not message.tool_calls))
        if reply.usage is not None:
            if history.messages[-1] is message:
                self.manager.reported(reply.usage, history.messages, history.rewrites)
            self.spend(reply.usage)
            self.emit(UsageReported(reply.usage))
        self.report()
        return message

    def _fits(self) -> bool:
        used = self.manager.used(self.history.messages, self.history.rewrites)
        return used + ANSWER_ROOM <= self.manager.marks.window

    async def run_calls(self, reply: Message) -> None:
        """Run the calls of an answer and append their results."""
        await self.calls.run_round(reply.tool_calls, self.history)
        self.report()

    async def _ask_for_summary(self, instruction: str, text: str, quiet: bool = False) -> str:
        messages = (Message("system", instruction), Message("user", text, origin="program"))
        seconds = self.manager.summary_timeout_s
        try:
            async with asyncio.timeout(seconds):
                reply = await self._stream(messages, (), "summary", None, quiet)
        except TimeoutError as error:
            raise ModelFault("timeout", phrase("engine.summary_timeout", seconds=seconds)) from error
        if reply.usage is not None:
            self.spend(reply.usage)
            self.emit(UsageReported(reply.usage))
        # An answer that was cut off, or that calls tools, is no summary, however much of one it holds.
        return "" if reply.message.partial or reply.message.tool_calls else reply.message.content

    async def _stream(
        self,
        messages: tuple[Message, ...],
        tools: tuple[ToolSpec, ...],
        purpose: Purpose,
        shown: "_Shown | None",
        quiet: bool = False,
    ) -> Reply:
        guard(messages)
        estimate = self.manager.used(self.history.messages, self.history.rewrites) if purpose != "summary" else 0
        if not quiet:
            self.emit(ModelStarted(len(messages), purpose))
        reply: Reply | None = None
        model = self.background if purpose == "summary" and self.background is not None else self.model
        async with aclosing(model.stream(Request(messages, tools, purpose, self.language, estimate))) as events:  # type: ignore[type-var]
            async for event in events:
                match event:
                    case port.TextDelta(text) if shown is not None:
                        shown.text += text
                        self.emit(TextDelta(text))
                    case port.ReasoningDelta(text) if shown is not None:
                        shown.reasoning += text
                        self.emit(ReasoningDelta(text))
                    case port.Waiting(seconds, attempt, why):
                        wait = phrase("engine.waiting", seconds=seconds, attempt=attempt, why=why)
                        self.emit(Notice("info", wait))
                    case Reply():
                        reply = event
        if reply is None:
            raise ModelFault("malformed", phrase("engine.no_reply"))
        return reply


@dataclass(slots=True)
class _Shown:
    """What the user saw of an answer so far."""

    text: str = ""
    reasoning: str = ""
