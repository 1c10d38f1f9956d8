"""A worker on a scripted model, real tools and real files, with everything that it says written down."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from scripted_model import ScriptedModel

from paitui.engine import events, ops
from paitui.engine.assembly import OpenOptions, open_worker
from paitui.engine.worker import Worker
from paitui.locale import Words
from paitui.paths import Paths
from paitui.settings import Settings


@dataclass
class Bench:
    """A running worker and what it said."""

    worker: Worker
    seen: list[events.Event] = field(default_factory=list)
    on_event: Callable[[events.Event], None] = lambda event: None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, event: events.Event) -> None:
        self.seen.append(event)
        self._news.set()
        self.on_event(event)

    def of(self, *kinds: type) -> list:  # type: ignore[type-arg]
        return [event for event in self.seen if isinstance(event, kinds)]

    async def until(self, done: Callable[[], bool], seconds: float = 10) -> None:
        async with asyncio.timeout(seconds):
            while not done():
                self._news.clear()
                await self._news.wait()

    async def turn(self, text: str) -> events.TurnEnded:
        before = len(self.of(events.TurnEnded))
        self.worker.send(ops.Submit(text))
        await self.until(lambda: len(self.of(events.TurnEnded)) > before)
        return self.of(events.TurnEnded)[-1]

    @property
    def history(self):  # type: ignore[no-untyped-def]
        return self.worker._unit.history.messages


def options(folder: Path, model: ScriptedModel | None = None, **more) -> OpenOptions:  # type: ignore[no-untyped-def]
    project = folder / "project"
    project.mkdir(exist_ok=True)
    settings = more.pop("settings", Settings())
    if "window" in more:
        settings = replace(settings, context=replace(settings.context, window=more.pop("window")))
    paths = Paths(home=folder / "home", project=project.resolve())
    return OpenOptions(settings, paths, more.pop("words", None) or Words("en"), model=model, **more)


async def with_worker(opening: OpenOptions, use: Callable[[Bench], Awaitable[None]]) -> Bench:
    """Open, use, close; the bench afterwards, for looking at what was said."""
    bench = Bench(await open_worker(opening))
    bench.worker.subscribe(bench.take)
    running = asyncio.create_task(bench.worker.run())
    try:
        await bench.until(lambda: bool(bench.of(events.QueueChanged)))
        await use(bench)
    finally:
        bench.worker.send(ops.Close())
        await asyncio.wait_for(running, 10)
    return bench
