"""A worker for the screen's tests: it tells a list of events, and remembers what it was asked."""

import asyncio
from collections.abc import Callable, Iterable

from paitui.engine.events import Event, SessionClosed
from paitui.engine.ops import Close, Op


class ScriptedWorker:
    """Emits its script when run, then whatever a test tells it to, until `Close`."""

    def __init__(self, script: Iterable[Event] = ()) -> None:
        self.script = list(script)
        self.ops: list[Op] = []
        self.closed = asyncio.Event()
        self._faces: list[Callable[[Event], None]] = []

    def send(self, op: Op) -> None:
        self.ops.append(op)
        if isinstance(op, Close):
            self.closed.set()

    def subscribe(self, on_event: Callable[[Event], None]) -> None:
        self._faces.append(on_event)

    def emit(self, *events: Event) -> None:
        for event in events:
            for face in self._faces:
                face(event)

    async def run(self) -> None:
        self.emit(*self.script)
        await self.closed.wait()
        self.emit(SessionClosed())
