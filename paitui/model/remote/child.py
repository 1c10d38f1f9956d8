"""The model process: takes requests over an inherited descriptor, and streams what providers answer.

Run as ``python -m paitui.model.remote.child <descriptor>``. Nothing is said on standard output or standard error,
which belong to what the library prints; the program keeps the last of it for fault messages.
"""

import asyncio
import os
import select
import socket
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

from paitui.model.remote.backend import Backend, load
from paitui.model.remote.protocol import (
    MAX_CHUNK_LINE,
    MAX_START_LINE,
    Cancel,
    Chunk,
    Credit,
    Done,
    Failed,
    Message,
    ProtocolError,
    Ready,
    Start,
    Window,
    decode,
    encode,
    read_line,
)
from paitui.model.remote.raw import describe


class Server:
    """Runs requests side by side, one task each."""

    def __init__(self, backend: Backend, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._backend = backend
        self._reader = reader
        self._writer = writer
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._windows: dict[int, Window] = {}

    async def serve(self) -> None:
        """Take messages until the program is gone."""
        await self._send(Ready(self._backend.version, self._backend.seconds))
        while line := await read_line(self._reader):
            match decode(line):
                case Start(id, params):
                    self._windows[id] = Window()
                    self._tasks[id] = asyncio.create_task(self._run(id, params))
                    await asyncio.sleep(0)  # a task that is cancelled before it begins would confirm nothing
                case Cancel(id) if id in self._tasks:
                    self._tasks[id].cancel()
                case Credit(id, size) if id in self._windows:
                    self._windows[id].give(size)
                case other:
                    if not isinstance(other, Cancel | Credit):  # those may cross the end of their request
                        raise ProtocolError(f"{type(other).__name__} is not for the child")

    async def _run(self, id: int, params: Mapping[str, Any]) -> None:
        end: Message = Done(id)
        try:
            async with aclosing(self._backend.stream(params)) as chunks:  # type: ignore[type-var]
                async for data in chunks:
                    line = encode(Chunk(id, data))
                    if len(line) > MAX_CHUNK_LINE:
                        raise ProtocolError(f"one event of {len(line):,} bytes")
                    await self._windows[id].take(len(line))
                    self._writer.write(line)
                    await self._writer.drain()
        except asyncio.CancelledError:
            pass  # asked for; confirmed like any other end
        except Exception as error:  # the library raises what it likes, and the program judges it
            end = Failed(id, describe(error))
        del self._tasks[id], self._windows[id]
        await self._send(end)

    async def _send(self, message: Message) -> None:
        self._writer.write(encode(message))
        await self._writer.drain()


def die_with_parent(descriptor: int) -> None:
    """End this process at once when the other end of its socket closes, whatever it is doing then.

    A thread waits for that, since the event loop may be held up by an import or by the library.

    Args:
        descriptor: The socket; its own file descriptor, so that the event loop's watch is not disturbed.
    """

    def watch() -> None:
        poll = select.poll()
        poll.register(descriptor, 0)  # hang-up is reported without being asked for
        poll.poll()
        os._exit(0)

    threading.Thread(target=watch, name="die-with-parent", daemon=True).start()


async def run(channel: socket.socket) -> None:
    """Import the library, then serve until the program is gone."""
    reader, writer = await asyncio.open_connection(sock=channel, limit=MAX_START_LINE)
    with ThreadPoolExecutor(1, "import") as importer:
        backend = await asyncio.get_running_loop().run_in_executor(importer, load)
    await Server(backend, reader, writer).serve()


def main(descriptor: int) -> None:
    """Be the model process.

    Args:
        descriptor: The inherited end of the socket to the program.
    """
    channel = socket.socket(fileno=descriptor)
    channel.set_inheritable(False)  # or a program that the library runs could keep it open
    die_with_parent(os.dup(descriptor))
    asyncio.run(run(channel))
    os._exit(0)  # what the library left running must not keep the process


if __name__ == "__main__":
    main(int(sys.argv[1]))
