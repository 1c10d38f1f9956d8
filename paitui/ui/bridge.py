"""Between the worker and the screen: ops that wait until it is ready, events in batches the eye can follow."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Protocol

from paitui.clock import Clock
from paitui.engine.events import Event, Notice, ReasoningDelta, TextDelta, ToolOutput, UnitEvent
from paitui.engine.ops import Close, Op
from paitui.locale import Phrase

INTERVAL_S = 0.1
"""Ten updates a second read as smooth; more only cost time that typing needs."""


class Worker(Protocol):
    """The engine as a face sees it; lives in the same event loop."""

    def send(self, op: Op) -> None:
        """Ask for something; never blocks."""
        ...

    def subscribe(self, on_event: Callable[[Event], None]) -> None:
        """Have every event from now on; called on the loop, in order."""
        ...

    async def run(self) -> None:
        """Serve until `Close` was asked for and `SessionClosed` was told."""
        ...


class OpenWorker(Protocol):
    """Opens the session. May take its time; the screen is already there."""

    def __call__(self, resume: str = "") -> Awaitable[Worker]:
        """Open another one than was asked for at the start, if one is named."""
        ...


class OpenFailed(Exception):
    """The session cannot be opened.

    Attributes:
        phrase: What is wrong and what to do.
    """

    def __init__(self, phrase: Phrase) -> None:
        super().__init__(phrase.key)
        self.phrase = phrase


class Merger:
    """Merges pieces of text to a few batches a second; lets everything else through at once, in order."""

    def __init__(self, deliver: Callable[[tuple[Event, ...]], None], clock: Clock) -> None:
        """Set up.

        Args:
            deliver: Given each batch; called on the loop.
            clock: For the time between batches.
        """
        self._deliver = deliver
        self._clock = clock
        self._pending: list[Event] = []
        self._timer: asyncio.TimerHandle | None = None
        self._last = -INTERVAL_S

    def take(self, event: Event) -> None:
        """Accept an event of the worker."""
        inner = event.event if isinstance(event, UnitEvent) else event
        if not isinstance(inner, TextDelta | ReasoningDelta | ToolOutput):
            self._pending.append(event)
            self.flush()
            return
        # Units that work side by side speak in turns; the last piece of the same one is what this one goes on with.
        at = next((at for at in range(len(self._pending) - 1, -1, -1) if _same_unit(self._pending[at], event)), None)
        merged = merge(self._pending[at], event) if at is not None else None
        if at is None or merged is None:
            self._pending.append(event)
        else:
            self._pending[at] = merged
        if self._timer is None:
            wait = max(0.0, self._last + INTERVAL_S - self._clock.monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait, self.flush)

    def flush(self) -> None:
        """Deliver what is there."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pending:
            batch, self._pending = tuple(self._pending), []
            self._last = self._clock.monotonic()
            self._deliver(batch)


def merge(old: Event, new: Event) -> Event | None:
    """Join two pieces of the same text.

    Returns:
        One event that says both, or None if they do not belong together.
    """
    match old, new:
        case TextDelta(), TextDelta():
            return TextDelta(old.text + new.text)
        case ReasoningDelta(), ReasoningDelta():
            return ReasoningDelta(old.text + new.text)
        case ToolOutput(), ToolOutput() if old.id == new.id:
            return ToolOutput(old.id, old.text + new.text)
        case UnitEvent(), UnitEvent() if old.unit == new.unit:
            merged = merge(old.event, new.event)
            return UnitEvent(old.unit, merged) if merged is not None else None
    return None


def _same_unit(old: Event, new: Event) -> bool:
    return (old.unit if isinstance(old, UnitEvent) else "") == (new.unit if isinstance(new, UnitEvent) else "")


class Link:
    """The screen's end of the worker: it can be spoken to before the worker is there."""

    def __init__(self, open_worker: OpenWorker, deliver: Callable[[tuple[Event, ...]], None], clock: Clock) -> None:
        self._open = open_worker
        self._merger = Merger(deliver, clock)
        self._worker: Worker | None = None
        self._next: Worker | None = None
        self._waiting: list[Op] = []

    @property
    def ready(self) -> bool:
        """Whether ops reach the worker at once."""
        return self._worker is not None

    def send(self, op: Op) -> None:
        """Ask for something, now or as soon as the worker is there."""
        if self._worker is None:
            self._waiting.append(op)
        else:
            self._worker.send(op)

    async def run(self) -> None:
        """Open the worker and serve until it ends.

        Raises:
            OpenFailed: It cannot be opened; what was sent is kept for another try.
        """
        worker: Worker | None = await self._open()
        while worker is not None:
            self._next = None
            worker.subscribe(functools.partial(self._take, worker))
            self._worker = worker
            waiting, self._waiting = self._waiting, []
            for op in waiting:
                worker.send(op)
            try:
                await worker.run()
            finally:
                self._merger.flush()
                self._worker = None
            worker = self._next

    async def switch(self, session: str) -> bool:
        """Go on with another session: it is opened first, so that a failure changes nothing; then this one is closed.

        Ops that are sent meanwhile wait for the other one.

        Args:
            session: Its id.

        Returns:
            False if there is nothing to switch from: no session is open yet, or another switch is under way.

        Raises:
            OpenFailed: It cannot be opened.
        """
        if self._worker is None:
            return False
        other = await self._open(session)
        if self._worker is None:  # the user left meanwhile
            return False
        self._next = other
        self._worker.send(Close())
        self._worker = None
        return True

    def _take(self, worker: Worker, event: Event) -> None:
        """Take an event; of a session that is being left only what went wrong matters."""
        if self._next is None or isinstance(event, Notice):
            self._merger.take(event)

    def close(self) -> bool:
        """Ask the worker to end.

        Returns:
            False if there is none to wait for.
        """
        if self._worker is None:
            return False
        self._worker.send(Close())
        return True
