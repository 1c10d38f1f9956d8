"""One life of the model process: started, spoken to, ended."""

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from paitui.model.remote.log import LogRing
from paitui.model.remote.protocol import (
    MAX_CHUNK_LINE,
    WINDOW,
    Cancel,
    Chunk,
    Credit,
    Done,
    Failed,
    Message,
    ProtocolError,
    Ready,
    Start,
    decode,
    encode,
    read_line,
)

_PACKAGE_PARENT = Path(__file__).parents[3]
# The folder of the program comes first on the path, the working folder (a project of whoever) is not on it.
_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from paitui.model.remote.child import main; main(int(sys.argv[2]))"
)


_LAST_WORDS_S = 0.5
"""Seconds that the output of a dead process is waited for."""


class ProviderError(Exception):
    """A provider, or the way to it, failed.

    Attributes:
        error: What is known; see `paitui.model.remote.raw`.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("message", "")))
        self.error = error


class ProcessDied(Exception):
    """The model process ended while it was needed.

    Attributes:
        log: The last that it printed, secrets masked; may be empty.
    """

    def __init__(self, log: str) -> None:
        super().__init__(log)
        self.log = log


class Exchange:
    """One request that is being answered: iterate over its chunks, then close it."""

    def __init__(self, connection: "Connection", id: int) -> None:
        self._connection = connection
        self.id = id
        self._arrived: asyncio.Queue[tuple[Mapping[str, Any], int] | Exception | None] = asyncio.Queue()
        self._taken = 0
        self.over = asyncio.Event()
        """Set when the child has said that nothing more will come."""

    def __aiter__(self) -> AsyncIterator[Mapping[str, Any]]:
        return self

    async def __anext__(self) -> Mapping[str, Any]:
        """Give the next chunk.

        Raises:
            ProviderError: The provider failed.
            ProcessDied: The model process ended.
            StopAsyncIteration: The stream ended.
        """
        item = await self._arrived.get()
        if item is None or isinstance(item, Exception):
            self._arrived.put_nowait(item)  # whoever asks again is told again
            if item is None:
                raise StopAsyncIteration
            raise item
        data, size = item
        self._taken += size
        if self._taken >= WINDOW // 2:
            self._connection.send(Credit(self.id, self._taken))
            self._taken = 0
        return data

    def arrive(self, data: Mapping[str, Any], size: int) -> None:
        """Take a chunk from the child."""
        self._arrived.put_nowait((data, size))

    def end(self, error: Exception | None = None) -> None:
        """Take the end from the child."""
        if not self.over.is_set():
            self.over.set()
            self._arrived.put_nowait(error)


_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Connection:
    """A running model process. Made by `Connection.open`."""

    def __init__(self, process: "subprocess.Popen[bytes]", spoken: _Stream, printed: _Stream, log: LogRing) -> None:
        self.process = process
        self.log = log
        self._reader, self._writer = spoken
        self._printed = printed
        self._next_id = 1
        self._exchanges: dict[int, Exchange] = {}
        self._unread: set[int] = set()
        self.idle = asyncio.Event()
        """Set while no request is being read by anyone."""
        self.idle.set()
        self.ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        """Done when the child can take requests, or has ended before it could (`ProcessDied`)."""
        self.ready.add_done_callback(lambda future: future.cancelled() or future.exception())  # it may go unasked
        self._life = asyncio.create_task(self._live())

    @classmethod
    async def open(cls, python: str, log: LogRing) -> "Connection":
        """Start a model process; it is not ready yet.

        Args:
            python: The interpreter.
            log: Takes what the process prints.

        Raises:
            OSError: No process can be started.
        """
        ours, theirs = socket.socketpair()
        printed, prints = socket.socketpair()
        try:
            # Not asyncio's own way: a cancel in the middle of that can hang. This one takes some milliseconds.
            process = subprocess.Popen(
                _command(python, theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=prints.fileno(),
                stderr=prints.fileno(),
                pass_fds=(theirs.fileno(),),
                cwd="/",  # where no project can leave files for the library to find
                start_new_session=True,  # Ctrl+C in the terminal is not meant for it
            )
        except OSError:
            ours.close()
            printed.close()
            raise
        finally:
            theirs.close()
            prints.close()
        spoken = await asyncio.open_connection(sock=ours, limit=MAX_CHUNK_LINE)
        return cls(process, spoken, await asyncio.open_connection(sock=printed), log)

    @property
    def alive(self) -> bool:
        """Whether the process can still be spoken to."""
        return not self._life.done()

    async def ended(self) -> None:
        """Wait until the process is gone and everyone has been told."""
        await asyncio.wait((self._life,))

    async def start(self, params: Mapping[str, Any]) -> Exchange:
        """Send a request. The process must be ready.

        Raises:
            ProcessDied: The process is gone.
        """
        if not self.alive:
            raise ProcessDied(self.log.tail())
        exchange = Exchange(self, self._next_id)
        self._next_id += 1
        self._exchanges[exchange.id] = exchange
        self.idle.clear()
        self.send(Start(exchange.id, params))
        with suppress(ConnectionError):  # the exchange is told by the reader of the other direction
            await self._writer.drain()
        return exchange

    def send(self, message: Message) -> None:
        """Send a message; nothing happens if the process is gone."""
        if not self._writer.is_closing():
            self._writer.write(encode(message))

    def leave(self, exchange: Exchange) -> bool:
        """Stop reading a request; if it is not over, the child is told to cancel it.

        Returns:
            Whether a confirmation must be waited for.
        """
        if exchange.id not in self._exchanges or exchange.id in self._unread:
            return False
        self._unread.add(exchange.id)
        self.send(Cancel(exchange.id))
        self._update_idle()
        return True

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()

    async def close(self, grace_s: float = 1.0) -> None:
        """End the process: by closing the socket, by force if that does not help.

        Args:
            grace_s: Seconds that it is given to end by itself.
        """
        self._writer.close()
        await asyncio.wait((self._life,), timeout=grace_s)
        self.kill()
        await self.ended()

    async def _live(self) -> None:
        log = asyncio.create_task(self._keep_log())
        try:
            await self._read()
        finally:
            self.kill()
            await asyncio.to_thread(self.process.wait)
            await asyncio.wait((log,), timeout=_LAST_WORDS_S)  # it ends by itself, unless someone holds the pipe
            log.cancel()
            self._writer.close()
            self._printed[1].close()
            died = ProcessDied(self.log.tail())
            if not self.ready.done():
                self.ready.set_exception(died)
            for id in list(self._exchanges):
                self._finish(id, died)

    async def _read(self) -> None:
        try:
            while line := await read_line(self._reader):
                self._take(decode(line), len(line))
        except (ProtocolError, ConnectionError) as error:
            self.log.feed(f"{type(error).__name__}: {error}\n".encode())
            self.kill()

    def _take(self, message: Message, size: int) -> None:
        match message:
            case Ready():
                self.ready.set_result(message)
            case Chunk(id, data) if id in self._exchanges:
                if id in self._unread:
                    self.send(Credit(id, size))  # on its way when the request was cancelled
                else:
                    self._exchanges[id].arrive(data, size)
            case Done(id) if id in self._exchanges:
                self._finish(id, None)
            case Failed(id, error) if id in self._exchanges:
                self._finish(id, ProviderError(error))
            case _:
                raise ProtocolError(f"{type(message).__name__} is not for the program, or of no request of its")

    def _finish(self, id: int, error: Exception | None) -> None:
        self._exchanges.pop(id).end(error)
        self._unread.discard(id)
        self._update_idle()

    def _update_idle(self) -> None:
        if len(self._exchanges) == len(self._unread):
            self.idle.set()

    async def _keep_log(self) -> None:
        with suppress(ConnectionError):
            while data := await self._printed[0].read(65_536):
                self.log.feed(data)


def _command(python: str, descriptor: int) -> Sequence[str]:
    return (python, "-P", "-c", _CODE, str(_PACKAGE_PARENT), str(descriptor))
