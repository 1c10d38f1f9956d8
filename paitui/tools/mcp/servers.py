"""All servers of a session, in a thread of their own: whatever one of them does, the session goes on."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from paitui.locale import phrase
from paitui.tools.mcp.config import ServerConfig
from paitui.tools.mcp.log import ServerLog
from paitui.tools.mcp.offer import CallFailed, ServerView, Surroundings

if TYPE_CHECKING:
    from paitui.tools.mcp.connection import Connection
    from paitui.tools.mcp.results import Answer

CLOSE_S = 6.0
"""How long the end of all servers is waited for; a server that ignores every request to end takes under four."""
_T = TypeVar("_T")


class Servers:
    """Starts, holds and ends servers. Used from the event loop of the engine."""

    def __init__(
        self,
        configs: Sequence[ServerConfig],
        around: Surroundings,
        on_change: Callable[[ServerView], None],
    ) -> None:
        """Set up; nothing is started and nothing slow is loaded.

        Args:
            configs: The servers.
            around: What they are started with.
            on_change: Told on the engine's loop how a server stands now.
        """
        self.configs = {config.name: config for config in configs}
        self._around = around
        self._on_change = on_change
        self._views = {
            config.name: ServerView(
                config.name, config.source, config.transport, "disabled" if config.disabled else "waiting"
            )
            for config in configs
        }
        self._logs = {config.name: ServerLog() for config in configs}
        self._home: asyncio.AbstractEventLoop | None = None
        self._thread: _Thread | None = None
        self._closed = False

    @property
    def views(self) -> tuple[ServerView, ...]:
        """How each server stands, in the order of the files."""
        return tuple(self._views.values())

    def log(self, name: str) -> list[str]:
        """The newest lines that a server wrote beside its answers, without its secrets."""
        return [self.configs[name].mask(line) for line in self._logs[name].lines()]

    def start(self) -> None:
        """Start every server that is not disabled; returns at once."""
        for view in self.views:
            if view.state == "waiting":
                self._start(view.name)

    def restart(self, name: str) -> None:
        """End a server if it runs, and start it; returns at once."""
        self._start(name)

    def disable(self, name: str) -> None:
        """End a server and leave it so; returns at once."""
        if self._thread is not None:
            self._thread.stop(name)
        self._take(replace(self._fresh(name), state="disabled"))

    async def call(
        self, server: str, tool: str, arguments: Mapping[str, Any], on_progress: Callable[[str], None]
    ) -> "Answer":
        """Call a tool; raises `CallFailed`. Cancelling it returns at once, and the server is told."""
        home = asyncio.get_running_loop()

        def progressed(text: str) -> None:
            with suppress(RuntimeError):  # the engine's loop has ended
                home.call_soon_threadsafe(on_progress, text)

        return await self._ask(server, lambda way: way.call(tool, arguments, progressed))

    async def read(self, server: str, uri: str) -> "Answer":
        """Read a resource; raises `CallFailed`."""
        return await self._ask(server, lambda way: way.read(uri))

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> "Answer":
        """Have a prompt filled in; raises `CallFailed`."""
        return await self._ask(server, lambda way: way.prompt(name, arguments))

    async def close(self) -> None:
        """End all servers; nothing of them runs afterwards."""
        self._closed = True
        if self._thread is not None:
            thread, self._thread = self._thread, None
            await asyncio.to_thread(thread.close, CLOSE_S)

    def _start(self, name: str) -> None:
        if self._closed:
            return
        if self._thread is None:
            self._home = asyncio.get_running_loop()
            self._thread = _Thread(self._around)
        self._take(replace(self._fresh(name), state="starting"))
        self._thread.start(self.configs[name], self._logs[name], self._arrived)

    def _fresh(self, name: str) -> ServerView:
        config = self.configs[name]
        return ServerView(name, config.source, config.transport)

    def _arrived(self, view: ServerView) -> None:
        """From the other thread."""
        if self._home is not None:
            with suppress(RuntimeError):  # the engine's loop has ended
                self._home.call_soon_threadsafe(self._take_live, view)

    def _take_live(self, view: ServerView) -> None:
        if self._views[view.name].state != "disabled" and not self._closed:
            self._take(view)

    def _take(self, view: ServerView) -> None:
        self._views[view.name] = view
        self._on_change(view)

    async def _ask(self, server: str, ask: Callable[["Connection"], Coroutine[Any, Any, "Answer"]]) -> "Answer":
        thread = self._thread
        if thread is None or server not in self.configs:
            raise CallFailed(phrase("mcp.not_ready", server=server))
        return await thread.ask(server, ask)


class _Thread:
    """The thread, its event loop, and one task for each server in it."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._loop = asyncio.new_event_loop()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ways: dict[str, Connection] = {}
        self._ending = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="mcp", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        for name in ("mcp", "client", "httpx2", "httpcore2"):
            # Junk of a server would fill the program's log, and each server has a log of its own.
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            self._loop.run_until_complete(self._live())
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _live(self) -> None:
        await self._ending.wait()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def start(self, config: ServerConfig, log: ServerLog, tell: Callable[[ServerView], None]) -> None:
        async def run(before: asyncio.Task[None] | None) -> None:
            if before is not None:
                before.cancel()
                await asyncio.wait({before})
            from paitui.tools.mcp.connection import Connection  # the SDK takes most of a second to load

            way = Connection(config, self._around, log, tell)
            self._ways[config.name] = way
            try:
                await way.serve()
            finally:
                if self._ways.get(config.name) is way:
                    del self._ways[config.name]

        def begin() -> None:
            if not self._ending.is_set():
                self._tasks[config.name] = self._loop.create_task(run(self._tasks.get(config.name)))

        self._loop.call_soon_threadsafe(begin)

    def stop(self, name: str) -> None:
        def end() -> None:
            if (task := self._tasks.get(name)) is not None:
                task.cancel()

        self._loop.call_soon_threadsafe(end)

    async def ask(self, server: str, ask: "Callable[[Connection], Coroutine[Any, Any, _T]]") -> _T:
        async def run() -> _T:
            if (way := self._ways.get(server)) is None:
                raise CallFailed(phrase("mcp.not_ready", server=server))
            return await ask(way)

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(run(), self._loop))

    def close(self, seconds: float) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(seconds)
