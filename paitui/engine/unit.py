"""An execution unit: one history, one context manager, one model, and the steps of its loop."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from paitui.context.manager import ContextManager, Fruitless
from paitui.engine.calls import CallRunner
from paitui.engine.events import (
    AnswerFinished,
    Boundary,
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
from paitui.engine.prompts import language_of, summary_prompts
from paitui.engine.recorder import SessionRecorder
from paitui.locale import Language, phrase
from paitui.messages.message import Message, Origin, ToolSpec, Usage
from paitui.messages.validity import guard, is_empty, with_unique_ids
from paitui.model import port
from paitui.model.port import Model, ModelFault, Purpose, Reply, Request

_ANSWER_ROOM = 500
"""Tokens that must be left for an answer, or the request is not made."""


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
    spend: Callable[[Usage], None] = lambda usage: None
    """Counts what requests take, for the task's budget."""

    def say(self, text: str, origin: Origin) -> None:
        """Append a user message."""
        self.history.append(Message("user", text, origin=origin))
        if origin in ("typed", "steered"):
            self.emit(UserSaid(text, steered=origin == "steered"))

    def report(self) -> None:
        """Tell how full the context is."""
        self.emit(ContextChanged(self.manager.report(self.history.messages, self.history.rewrites)))

    async def make_room(self) -> None:
        """Let the context manager shorten the history, before every request."""
        self.clear_results()
        if self.manager.must_summarise(self.history.messages, self.history.rewrites):
            await self.summarise()
        self.report()

    def clear_results(self) -> None:
        """Tier 2, if it is due."""
        history = self.history
        before = self.manager.used(history.messages, history.rewrites)
        clearing = self.manager.clear(history.messages, history.rewrites)
        if clearing is None:
            return
        if clearing.problem:
            self.emit(Notice("warning", phrase("engine.clear_unstored", why=clearing.problem)))
        if clearing.replaced:
            history.rewrite(clearing.replaced)
            after = self.manager.used(history.messages, history.rewrites)
            boundary = Boundary("clear", before, after, count=len(clearing.replaced))
            self.recorder.boundary(boundary, clearing.replaced)
            self.emit(boundary)

    async def summarise(self, by_hand: bool = False, wish: str = "") -> bool:
        """Tier 3: have the older part summarised; the history changes only if that succeeds.

        Args:
            by_hand: The user asked for it.
            wish: The user's own instructions.

        Returns:
            Whether the history is shorter now.
        """
        history = self.history
        said = [message.content for message in history.messages if message.is_users_words]
        prompts = summary_prompts(language_of(said, self.language))
        try:
            done = await self.manager.summarise(
                history.messages, history.rewrites, self._ask_for_summary, prompts, by_hand, wish
            )
        except Fruitless as fruitless:
            self.recorder.fault("summary", fruitless)
            if by_hand or fruitless.cause != "nothing" or self.manager.breaker_open:
                self.emit(Notice("warning", phrase(f"engine.summary_{fruitless.cause}")))
            return False
        except ModelFault as fault:
            self.manager.summary_failed()
            self.emit(Notice("warning", phrase("engine.summary_failed", why=fault.phrase)))
            return False
        removed = {message.uid: message for message in history.messages[done.cut.start : done.cut.end]}
        history.rebuild(done.messages)
        after = self.manager.used(history.messages, history.rewrites)
        boundary = Boundary("summary", done.before, after, count=len(removed), text=done.text)
        self.recorder.boundary(boundary, removed, why="/compact" if by_hand else "")
        self.emit(boundary)
        return True

    async def ask(self, purpose: Purpose) -> Message:
        """Send the history, and append the answer.

        Args:
            purpose: ``turn`` for the next step, ``final`` for last words without tools.

        Returns:
            The answer as it stands in the history; an empty one is not appended.

        Raises:
            ModelFault: The request failed; what was shown of the answer is kept, marked as partial.
            InvalidRequest: The history breaks a rule, which is a fault of the program.
        """
        history = self.history
        tools = self.calls.toolbox.specs if purpose == "turn" else ()
        used = self.manager.used(history.messages, history.rewrites)
        if used + _ANSWER_ROOM > self.manager.marks.window:
            why = phrase("engine.context_full", used=used, window=self.manager.marks.window)
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
        if purpose != "turn":
            message = replace(message, tool_calls=())
        if not is_empty(message):
            message = history.append(message)
            self.emit(AnswerFinished(message.content, message.reasoning, final=not message.tool_calls))
        if reply.usage is not None:
            if history.messages[-1] is message:
                self.manager.reported(reply.usage, history.messages, history.rewrites)
            self.spend(reply.usage)
            self.emit(UsageReported(reply.usage))
        self.report()
        return message

    async def run_calls(self, reply: Message) -> None:
        """Run the calls of an answer and append their results."""
        await self.calls.run_round(reply.tool_calls, self.history)
        self.report()

    async def _ask_for_summary(self, instruction: str, text: str) -> str:
        messages = (Message("system", instruction), Message("user", text, origin="program"))
        reply = await self._stream(messages, (), "summary", None)
        if reply.usage is not None:
            self.spend(reply.usage)
            self.emit(UsageReported(reply.usage))
        return reply.message.content

    async def _stream(
        self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...], purpose: Purpose, shown: "_Shown | None"
    ) -> Reply:
        guard(messages)
        estimate = self.manager.used(self.history.messages, self.history.rewrites) if purpose != "summary" else 0
        self.emit(ModelStarted(len(messages), purpose))
        reply: Reply | None = None
        async with aclosing(self.model.stream(Request(messages, tools, purpose, self.language, estimate))) as events:  # type: ignore[type-var]
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
