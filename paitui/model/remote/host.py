"""Keeps one model process ready: starts it, starts it again when it died, and ends it when it does not obey."""

import asyncio
import sys
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from paitui.clock import Clock, SystemClock
from paitui.model.remote.connection import Connection, Exchange, ProcessDied
from paitui.model.remote.log import LogRing
from paitui.model.remote.protocol import Ready


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Limits of the host."""

    python: str = sys.executable
    """The interpreter of the model process."""
    start_s: float = 120.0
    """Seconds that the process may take until it is ready."""
    cancel_s: float = 2.0
    """Seconds within which a cancelled request must be confirmed, or the process is ended."""
    starts: int = 4
    """So many processes are started within `starts_within_s` at most."""
    starts_within_s: float = 60.0
    """See `starts`."""
    close_s: float = 1.0
    """Seconds that the process is given to end by itself when the program ends."""


class HostClosed(Exception):
    """A request came after `ModelHost.close`."""


class TooManyStarts(ProcessDied):
    """The process died again and again, and is left alone for a while."""


class StartTimeout(ProcessDied):
    """The process was not ready in time."""


class ModelHost:
    """Runs requests in a model process of its own; several at once.

    Nothing happens before `start` or the first `request`. Importing litellm takes the process some seconds;
    requests that come before it is ready wait for it.
    """

    def __init__(self, options: HostOptions | None = None, clock: Clock | None = None) -> None:
        self._options = options or HostOptions()
        self._clock = clock or SystemClock()
        self._log = LogRing()
        self._current: asyncio.Task[Connection] | None = None
        self._connections: set[Connection] = set()
        self._starts: deque[float] = deque()
        self._chores: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self) -> None:
        """Start the process, if none is running, without waiting for it."""
        if not self._closed and not self._usable():
            self._current = asyncio.create_task(self._open())
            self._current.add_done_callback(lambda task: task.cancelled() or task.exception())  # told on request

    async def ready(self) -> Ready:
        """Wait until the process can take requests.

        Returns:
            What it says of itself.

        Raises:
            HostClosed: The host was closed.
            ProcessDied: It ended before it was ready, as a `TooManyStarts` if others did so before it.
            OSError: No process can be started.
        """
        return (await self._connection()).ready.result()

    async def request(self, params: Mapping[str, Any]) -> "Answer":
        """Send a request to a provider, as soon as the process is ready.

        Args:
            params: Arguments of the completion call, JSON-ready.

        Returns:
            Its chunks, to be iterated over and then closed.

        Raises:
            HostClosed: The host was closed.
            ProcessDied: The process ended before the request was sent.
            OSError: No process can be started.
        """
        connection = await self._connection()
        return Answer(self, connection, await connection.start(params))

    def log_tail(self, lines: int = 20) -> str:
        """Give the last that the process printed, secrets masked."""
        return self._log.tail(lines)

    async def close(self) -> None:
        """End the process and whatever runs in it."""
        self._closed = True
        if self._current is not None and not self._current.done():
            await asyncio.wait((self._current,))
        for chore in list(self._chores):
            chore.cancel()
        if self._chores:
            await asyncio.wait(self._chores)
        await asyncio.gather(*(connection.close(self._options.close_s) for connection in self._connections))
        self._connections.clear()

    def leave(self, connection: Connection, exchange: Exchange) -> None:
        """Stop reading an exchange; see that the child obeys."""
        if connection.leave(exchange):
            self._do(self._expect_end(connection, exchange))

    def _usable(self) -> bool:
        task = self._current
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            return False
        return not task.done() or task.result().alive

    async def _connection(self) -> Connection:
        if self._closed:
            raise HostClosed
        self.start()
        assert self._current is not None
        connection = await asyncio.shield(self._current)
        await asyncio.shield(connection.ready)
        return connection

    async def _open(self) -> Connection:
        now = self._clock.monotonic()
        while self._starts and self._starts[0] <= now - self._options.starts_within_s:
            self._starts.popleft()
        if len(self._starts) >= self._options.starts:
            raise TooManyStarts(self._log.tail())
        self._starts.append(now)
        connection = await Connection.open(self._options.python, self._log)
        self._connections.add(connection)
        self._do(self._attend(connection))
        return connection

    async def _attend(self, connection: Connection) -> None:
        await asyncio.wait((connection.ready,), timeout=self._options.start_s)
        if not connection.ready.done():
            connection.ready.set_exception(StartTimeout(self._log.tail()))
            connection.kill()
        await connection.ended()
        self._connections.discard(connection)

    async def _expect_end(self, connection: Connection, exchange: Exchange) -> None:
        """End a process that does not confirm a cancel, but never while others read from it.

        Until they are done it takes no new requests: those go to a fresh process.
        """
        try:
            async with asyncio.timeout(self._options.cancel_s):
                await exchange.over.wait()
        except TimeoutError:
            if self._usable() and self._current is not None and await self._current is connection:
                self._current = None
            await connection.idle.wait()
            connection.kill()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


class Answer:
    """The chunks of one request. Close it: that ends the request at the provider if it still runs."""

    def __init__(self, host: ModelHost, connection: Connection, exchange: Exchange) -> None:
        self._host = host
        self._connection = connection
        self._exchange = exchange

    def __aiter__(self) -> "Answer":
        return self

    async def __anext__(self) -> Mapping[str, Any]:
        """Give the next chunk, in the chat-completions form.

        Raises:
            ProviderError: The provider, or the way to it, failed.
            ProcessDied: The model process ended.
            StopAsyncIteration: The stream ended, properly or not: look for its finish reason.
        """
        return await self._exchange.__anext__()

    def close(self) -> None:
        """Stop reading; returns at once, the cancel is seen to in the background."""
        self._host.leave(self._connection, self._exchange)
