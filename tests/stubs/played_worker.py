"""A worker without an engine: it plays events that a test wrote, in answer to the first op."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from paitui.context.report import ContextReport
from paitui.engine import events, ops

Kind = TypeVar("Kind", bound=ops.Op)
Play = Callable[["PlayedWorker", ops.Op], Awaitable[None]]

REPORT = ContextReport(
    used=1_234,
    window=32_000,
    clear_at=12_000,
    summary_at=20_000,
    reserve=8_000,
    buffer=4_000,
    measured=False,
    parts=(("system", 1_000), ("user", 234)),
    offload_chars=10_000,
)


class PlayedWorker:
    """Keeps what was sent; `play` says what happens."""

    def __init__(self, play: Play) -> None:
        self.sent: list[ops.Op] = []
        self._play = play
        self._waiting: asyncio.Queue[ops.Op] = asyncio.Queue()
        self._callbacks: list[Callable[[events.Event], None]] = []

    def send(self, op: ops.Op) -> None:
        self.sent.append(op)
        self._waiting.put_nowait(op)

    def subscribe(self, callback: Callable[[events.Event], None]) -> None:
        self._callbacks.append(callback)

    def emit(self, *happened: events.Event) -> None:
        for event in happened:
            for callback in self._callbacks:
                callback(event)

    async def next(self, kind: type[Kind]) -> Kind:
        """Wait for an op of one kind; others before it are dropped."""
        while True:
            op = await asyncio.wait_for(self._waiting.get(), 5)
            if isinstance(op, kind):
                return op

    async def run(self) -> None:
        self.emit(
            events.SessionOpened("s-1", "/project", "offline"),
            events.ContextChanged(REPORT),
            events.QueueChanged(),
        )
        await self._play(self, await self._waiting.get())
        if ops.Close() not in self.sent or not self._waiting.empty():
            await self.next(ops.Close)
        self.emit(events.SessionClosed())


def turn(answer: str = "Done.", status: events.TurnStatus = "done") -> tuple[events.Event, ...]:
    """Give the events of a turn that answers at once."""
    return (
        events.TurnStarted(1),
        events.UserSaid("hello"),
        events.ModelStarted(2),
        events.TextDelta(answer),
        events.AnswerFinished(answer, final=True),
        events.TurnEnded(1, status),
    )
