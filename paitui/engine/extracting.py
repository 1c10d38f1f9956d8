"""Learning from what the user says: after a task, in the background, beside whatever the user does next."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from paitui.engine.events import Event, MemoryChanged, Notice, UsageReported
from paitui.engine.prompts import language_of
from paitui.engine.recorder import SessionRecorder
from paitui.locale import Language, Phrase, phrase
from paitui.memory.extraction.answer import accepted
from paitui.memory.extraction.asking import instruction
from paitui.memory.extraction.filters import Prepared, prepare
from paitui.memory.library import Library
from paitui.memory.service import Origin
from paitui.memory.store import MemoryFault
from paitui.memory.view import MemoryView
from paitui.messages.message import Message, Spans
from paitui.model.port import Model, ModelFault, Reply, Request

TIMEOUT_S = 60
"""Seconds that the model may take."""
Said = Sequence[tuple[str, Spans]]
"""The user's messages of a task, each with what of it was pasted."""


@dataclass(slots=True)
class Extractor:
    """Looks for lasting facts in the user's words of finished tasks, one task after the other."""

    library: Library
    recorder: SessionRecorder
    emit: Callable[[Event], None]
    session: str
    language: Language
    model: Callable[[], Model]
    """Gives the model for such work."""
    enabled: bool = True
    """Whether the user wants it at all."""
    _running: set[asyncio.Task[None]] = field(default_factory=set)
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)

    def task_done(self, turn: int, said: Said) -> None:
        """Begin to look through a task that completed normally; returns at once.

        Args:
            turn: Number of its turn.
            said: What the user said in it.
        """
        if self.enabled and not self.recorder.base.trust:
            task = asyncio.create_task(self._run(turn, tuple(said)))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def stop(self, wait_s: float = 0.0) -> None:
        """End what runs; what is being written is finished.

        Args:
            wait_s: Seconds that it may still take to come to its own end.
        """
        if self._running and wait_s:
            await asyncio.wait(self._running, timeout=wait_s)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _run(self, turn: int, said: Said) -> None:
        try:
            async with self._one:
                await self._extract(turn, said)
        except ModelFault as fault:
            self.recorder.fault("looking for lasting facts", fault)  # nobody asked for it: no message
        except MemoryFault as error:
            self.emit(Notice("warning", error.phrase))
        except Exception as error:  # a fault of the program ends this, not the session
            self.recorder.fault("looking for lasting facts", error)

    async def _extract(self, turn: int, said: Said) -> None:
        prepared = await asyncio.to_thread(prepare, said)
        if prepared is None:
            return
        answer = await self._ask(prepared)
        quotes = await asyncio.to_thread(accepted, answer, prepared.judge)
        # What foreign text was read meanwhile could not reach this; it pauses all the same, as the screen says.
        if quotes and not self.recorder.base.trust:
            saving = asyncio.ensure_future(asyncio.to_thread(self._save, turn, quotes))
            try:
                self._tell(*await asyncio.shield(saving))
            except asyncio.CancelledError:
                self._tell(*await saving)  # nothing is written unseen
                raise

    async def _ask(self, prepared: Prepared) -> str:
        language = language_of([prepared.text], self.language)
        messages = (Message("system", instruction(language)), Message("user", prepared.text, origin="program"))
        request = Request(messages, purpose="extraction", language=language)
        reply: Reply | None = None
        try:
            async with asyncio.timeout(TIMEOUT_S), aclosing(self.model().stream(request)) as events:  # type: ignore[type-var]
                async for event in events:
                    if isinstance(event, Reply):
                        reply = event
        except TimeoutError as error:
            raise ModelFault("timeout", phrase("extraction.timeout", seconds=TIMEOUT_S)) from error
        if reply is None:
            raise ModelFault("malformed", phrase("engine.no_reply"))
        if reply.usage is not None:
            self.emit(UsageReported(reply.usage))
        return "" if reply.message.partial or reply.message.tool_calls else reply.message.content

    def _save(self, turn: int, quotes: list[str]) -> tuple[list[MemoryView], list[Phrase]]:
        """Save what is new and stands against nothing; the rest is the user's to say, not this one's to decide."""
        stored: list[MemoryView] = []
        problems: list[Phrase] = []
        for quote in quotes:
            origin = Origin("extracted", self.session, turn, quote)
            attempt = self.library.service.save(quote, origin, "project", refresh=False)
            problems += attempt.problems
            if attempt.result == "stored" and attempt.entry is not None:
                stored.append(self.library.view(attempt.entry))
        return stored, problems

    def _tell(self, stored: list[MemoryView], problems: list[Phrase]) -> None:
        for problem in problems:
            self.emit(Notice("warning", problem))
        for view in stored:
            self.recorder.memory_changed("extracted", view.id)
            self.emit(MemoryChanged("extracted", view))
        if stored:
            self.emit(Notice("info", phrase("extraction.added", n=len(stored))))
