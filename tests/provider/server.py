"""A model provider on the loopback device: real HTTP, two wire formats, and every misbehaviour on demand.

    provider = await Provider().start()
    route = provider.route(openai_stream(Answer("Hello.")))      # one base URL for each case
    ... talk to route.url ...
    assert route.count == 1

A route plays its responses in turn and goes on with the last one, or asks a function. Everything that is sent is a
`Response`: a status, headers and steps (bytes, pauses, endless drips, a reset), so a new misbehaviour is new data.
"""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from typing import Any


@dataclass(frozen=True)
class Pause:
    """Nothing for some seconds, or until the client goes."""

    seconds: float


@dataclass(frozen=True)
class Drip:
    """The same bytes again and again, until the client goes."""

    data: bytes
    every: float = 0.05


@dataclass(frozen=True)
class Slowly:
    """Bytes one by one."""

    data: bytes
    every: float = 0.001


@dataclass(frozen=True)
class Reset:
    """The connection is reset."""


@dataclass(frozen=True)
class Cut:
    """The connection is closed in the middle of the body."""


FOREVER = 3600.0
Step = bytes | Pause | Drip | Slowly | Reset | Cut


@dataclass(frozen=True)
class Response:
    """What the server says to one request."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    before: float = 0.0
    """Seconds of silence before even the status line."""


@dataclass
class Seen:
    """One request that arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)
    done_at: float | None = None
    """When the whole response was sent."""
    gone_at: float | None = None
    """When the client closed the connection before that."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)


Play = Response | Callable[[Seen], Response]


@dataclass
class Route:
    """One base URL with what it answers, and what it was asked."""

    url: str
    """Base address, without the ``/v1`` of the chat-completions format."""
    plays: Sequence[Play]
    requests: list[Seen] = field(default_factory=list)

    @property
    def openai(self) -> str:
        """Base address for the chat-completions format."""
        return f"{self.url}/v1"

    @property
    def count(self) -> int:
        """How many requests arrived."""
        return len(self.requests)

    @property
    def open_requests(self) -> list[Seen]:
        """Requests whose connection the client has not closed and whose response is not finished."""
        return [seen for seen in self.requests if not seen.ended.is_set()]

    def next_response(self, seen: Seen) -> Response:
        play = self.plays[min(len(self.requests), len(self.plays)) - 1]
        return play if isinstance(play, Response) else play(seen)


class Provider:
    """The server. Start it, ask it for routes, close it."""

    def __init__(self) -> None:
        self._routes: dict[str, Route] = {}
        self._names = count(1)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.address = ""

    async def start(self) -> "Provider":
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=64 * 1024 * 1024)
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def close(self) -> None:
        """Stop, whoever is connected."""
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def route(self, *plays: Play) -> Route:
        """Open a base URL of its own that answers with `plays` in turn, the last one for ever."""
        name = f"r{next(self._names)}"
        self._routes[name] = Route(f"{self.address}/{name}", plays)
        return self._routes[name]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went, or the test is over
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = Seen(path, headers, json.loads(body) if body else {})
        route = self._routes[path.split("/")[1]]
        route.requests.append(seen)
        sending = asyncio.create_task(_send(writer, route.next_response(seen)))
        leaving = asyncio.create_task(reader.read())  # ends when the client closes its side
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and sending.exception() is None:
                seen.done_at = time.monotonic()
            else:
                seen.gone_at = time.monotonic()
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
            seen.ended.set()


async def _send(writer: asyncio.StreamWriter, response: Response) -> None:
    await asyncio.sleep(response.before)
    headers = {"content-type": "text/event-stream", **response.headers}
    cut = any(isinstance(step, Cut | Reset | Drip) for step in response.steps)
    plain = "json" in headers["content-type"] or "html" in headers["content-type"]
    if plain and not cut:
        headers["content-length"] = str(sum(len(step) for step in response.steps if isinstance(step, bytes)))
    else:
        headers["transfer-encoding"] = "chunked"
    chunked = "transfer-encoding" in headers
    reason = {529: "Overloaded"}.get(response.status) or HTTPStatus(response.status).phrase
    lines = [f"HTTP/1.1 {response.status} {reason}", *(f"{n}: {v}" for n, v in headers.items()), "connection: close"]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    for step in response.steps:
        await writer.drain()
        match step:
            case bytes():
                _write(writer, step, chunked)
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Drip(data, every):
                while True:
                    _write(writer, data, chunked)
                    await writer.drain()
                    await asyncio.sleep(every)
            case Slowly(data, every):
                for at in range(len(data)):
                    _write(writer, data[at : at + 1], chunked)
                    await asyncio.sleep(every)
            case Reset():
                await asyncio.sleep(0.02)  # or the bytes before it are thrown away with the connection
                with suppress(OSError):
                    linger = struct.pack("ii", 1, 0)
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                writer.transport.abort()
                return
            case Cut():
                return
    if chunked:
        writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write(writer: asyncio.StreamWriter, data: bytes, chunked: bool) -> None:
    if data:
        writer.write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
