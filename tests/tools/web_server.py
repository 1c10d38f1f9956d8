"""A web server on the loopback, answering by path with exactly the bytes that a test gives; and a client for it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import httpcore

from paitui.tools.web.client import Client, Limits
from paitui.tools.web.rate import RateLimit

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
PUBLIC = "93.184.216.34"
OTHER = "8.8.8.8"


def answer(body: bytes | str, kind: str = "text/html; charset=utf-8", status: int = 200, *headers: str) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + data


def redirect(to: str, status: int = 302) -> bytes:
    return answer("", "text/plain", status, f"Location: {to}")


@dataclass
class Served:
    port: int
    requests: list[bytes] = field(default_factory=list)
    """What came, head and body."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """A client has closed its connection while it was being answered."""

    @property
    def paths(self) -> list[str]:
        return [request.split(b" ")[1].decode() for request in self.requests]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def serving(
    pages: dict[str, Answer], secure: ssl.SSLContext | None = None, greeting: bytes = b""
) -> AsyncIterator[Served]:
    answering: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(task := asyncio.current_task())
        try:
            await reply(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client, or the test, has enough
        finally:
            served.gone.set()
            writer.close()
            answering.discard(task)

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        head = await reader.readuntil(b"\r\n\r\n")
        lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        body = await reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
        served.requests.append(head + body)
        page = pages.get(head.split(b" ")[1].decode().partition("?")[0], answer("", "text/plain", 404))
        if isinstance(page, bytes):
            writer.write(page)
            await writer.drain()
        else:
            await page(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=secure)
    served = Served(server.sockets[0].getsockname()[1])
    try:
        yield served
    finally:
        server.close()
        for task in list(answering):
            if task is not None:
                task.cancel()
        while answering:
            await asyncio.sleep(0)


@dataclass
class Net:
    """Names that answer what a test says, and connections that end at the test's server and are noted."""

    names: dict[str, list[list[str]]] = field(default_factory=dict)
    """Answers of each name, one list a look-up; the last one stays."""
    looked_up: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    port: int = 0
    """Where connections to public addresses really go."""

    async def resolve(self, host: str) -> Iterable[str]:
        self.looked_up.append(host)
        answers = self.names.get(host)
        if not answers:
            raise OSError(f"no such name: {host}")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def dial(self, ip: str, port: int, timeout: float) -> httpcore.AsyncNetworkStream:
        self.dialled.append((ip, port))
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", self.port or port, timeout=timeout)


class Ticks:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def client(*hosts: str, net: Net | None = None, most: int = 30, **limits: float) -> Client:
    made = Client(RateLimit(most, Ticks()), hosts, Limits(**{"bytes": 100_000, "seconds": 10, **limits}))  # type: ignore[arg-type]
    return made if net is None else replace(made, resolve=net.resolve, dial=net.dial)
