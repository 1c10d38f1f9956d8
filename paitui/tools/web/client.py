"""One request to the web: resolved once, the connection tied to the addresses that were judged, all of it bounded."""

import asyncio
import contextlib
import ipaddress
import math
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from paitui import __version__
from paitui.locale import phrase
from paitui.tools.base import ToolError
from paitui.tools.web.address import AddressError, Ip, Target, allows, follow, outside, own_name
from paitui.tools.web.body import PackingError, Unpacker
from paitui.tools.web.rate import RateLimit

if TYPE_CHECKING:
    import httpcore

MOST_REDIRECTS = 5
"""Redirects that are followed for one address."""
_CONNECT_S = 8.0
"""Seconds for one of several addresses, so that the next one has its turn."""
_REDIRECTS = frozenset((301, 302, 303, 307, 308))

Resolve = Callable[[str], Awaitable[Iterable[str]]]
"""From a host's name to its IP addresses; raises OSError if there are none."""


class Dial(Protocol):
    """Opens a connection to an IP address."""

    def __call__(self, ip: str, port: int, timeout: float) -> "Awaitable[httpcore.AsyncNetworkStream]":
        """Connect."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a request, redirects included."""

    bytes: int = 5_000_000
    """Of a body, as it comes and unpacked; the rest is not read."""
    seconds: float = 30.0
    """From the look-up of the name to the last byte."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered."""

    target: Target
    """The address that answered, after redirects."""
    status: int
    type: str
    """`Content-Type` as it was sent."""
    body: bytes = field(default=b"", repr=False)
    """Unpacked."""
    cut: bool = False
    """There was more than the limit."""
    length: int = -1
    """Bytes that the server announced; -1 if it did not."""
    elsewhere: Target | None = None
    """Where it leads, if a redirect was not followed."""


@dataclass(frozen=True, slots=True)
class Client:
    """Makes requests. No cookies, no credentials, no proxy from the environment.

    Args of the constructor are what it may reach and by which means.
    """

    rate: RateLimit
    """Shared by all that a session requests."""
    allow_hosts: tuple[str, ...] = ()
    """Hosts that may lie inside the user's network."""
    limits: Limits = field(default_factory=Limits)
    resolve: Resolve = field(default_factory=lambda: look_up)
    dial: Dial = field(default_factory=lambda: _dial)

    async def get(
        self,
        target: Target,
        headers: Mapping[str, str],
        *,
        follows: Callable[[Target, Target], bool],
        wants: Callable[[str], bool],
    ) -> Reply:
        """Get an address.

        Args:
            target: The address.
            headers: Sent besides the usual ones.
            follows: Whether a redirect from one address to another is followed; each is judged anew in any case.
            wants: Whether a body of a content type is read at all.

        Raises:
            ToolError: It cannot be reached, may not be, takes too long, or answers what is no HTTP.
        """
        return await self._bounded(target, lambda: self._get(target, headers, follows, wants))

    async def ask(self, target: Target, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """Ask an endpoint that the user set up, wherever it lies; no redirect is followed.

        Args:
            target: The endpoint.
            headers: Sent besides the usual ones.
            body: Posted, if there is any.

        Raises:
            ToolError: As `get`.
        """

        async def once() -> Reply:
            pins = tuple(map(str, _addresses(await self.resolve(target.host))))
            return await self._request(target, pins, headers, lambda _: True, body)

        return await self._bounded(target, once)

    async def _bounded(self, target: Target, request: Callable[[], Awaitable[Reply]]) -> Reply:
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await request()
        except TimeoutError as error:
            raise ToolError(phrase("web.timeout", host=target.place, seconds=round(self.limits.seconds))) from error
        except AddressError as error:
            raise ToolError(error.phrase) from error
        except PackingError as error:
            raise ToolError(phrase("web.packing", host=target.place, why=str(error))) from error
        except OSError as error:
            raise ToolError(phrase("web.no_name", host=target.host)) from error

    async def _get(
        self,
        target: Target,
        headers: Mapping[str, str],
        follows: Callable[[Target, Target], bool],
        wants: Callable[[str], bool],
    ) -> Reply:
        pins: dict[tuple[str, int], tuple[str, ...]] = {}
        for _ in range(MOST_REDIRECTS + 1):
            place = (target.host, target.port)
            if place not in pins:  # a name is looked up once for a call, whatever it would answer the second time
                pins[place] = await self._pins(target)
            reply = await self._request(target, pins[place], headers, wants)
            if reply.elsewhere is None:
                return reply
            self.judge(reply.elsewhere)
            if not follows(target, reply.elsewhere):
                return reply
            target = reply.elsewhere
        raise ToolError(phrase("web.redirects", most=MOST_REDIRECTS, host=target.place))

    def judge(self, target: Target) -> None:
        """Judge an address by itself, before anything is looked up.

        Raises:
            AddressError: It names a place inside the user's network that the user did not allow.
        """
        if allows(self.allow_hosts, target):
            return
        ip = _literal(target.host)
        if (ip is not None and not outside(ip)) or (ip is None and own_name(target.host)):
            raise AddressError(phrase("web.inside", host=target.host))

    async def _pins(self, target: Target) -> tuple[str, ...]:
        """The addresses that a connection may go to.

        One address inside the network among several refuses the name: an honest site has none, and a name that
        answers with both is how a page is made to reach inside.
        """
        self.judge(target)
        found = (
            _addresses(await self.resolve(target.host)) if _literal(target.host) is None else [_literal(target.host)]
        )
        if not found:
            raise OSError(target.host)
        if not allows(self.allow_hosts, target):
            for ip in found:
                if ip is not None and not outside(ip):
                    raise AddressError(phrase("web.leads_inside", host=target.host, ip=str(ip)))
        return tuple(map(str, found))

    async def _request(
        self,
        target: Target,
        pins: tuple[str, ...],
        headers: Mapping[str, str],
        wants: Callable[[str], bool],
        body: bytes = b"",
    ) -> Reply:
        if wait := self.rate.take():
            raise ToolError(phrase("web.rate", most=self.rate.most, seconds=math.ceil(wait)))
        httpcore, context = await asyncio.to_thread(_load, target.scheme == "https")
        sent = {
            "Host": target.place,
            "User-Agent": f"paitui/{__version__}",
            "Accept-Encoding": "gzip",
            "Connection": "close",
            **headers,
            **({"Content-Length": str(len(body))} if body else {}),
        }
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=target.resource.encode(),
        )
        try:
            async with (
                httpcore.AsyncConnectionPool(ssl_context=context, network_backend=_backend(pins, self.dial)) as pool,
                pool.stream(
                    "POST" if body else "GET", url, headers=list(sent.items()), content=body or None
                ) as response,
            ):
                return await self._read(target, response, wants)
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise ToolError(_trouble(target, error)) from error

    async def _read(self, target: Target, response: Any, wants: Callable[[str], bool]) -> Reply:
        named = {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
        kind, status = named.get("content-type", ""), response.status
        announced = named.get("content-length", "")
        length = int(announced) if announced.isascii() and announced.isdigit() and len(announced) < 19 else -1
        location = named.get("location", "")
        if status in _REDIRECTS and location:
            # Servers send names in UTF-8 here, which HTTP reads as Latin-1.
            with contextlib.suppress(UnicodeError):
                location = location.encode("latin-1").decode("utf-8")
            return Reply(target, status, kind, elsewhere=follow(target, location))
        if not wants(kind):
            return Reply(target, status, kind, length=length)
        unpacker = Unpacker(named.get("content-encoding", ""))
        most = self.limits.bytes
        parts: list[bytes] = []
        got = came = 0
        stream: AsyncIterator[bytes] = response.aiter_stream()
        async for data in stream:
            came += len(data)
            # One byte over the limit tells a body that fits from one that was cut.
            part = unpacker.feed(data, most + 1 - got)
            parts.append(part)
            got += len(part)
            if got > most or came > most:
                break
        body = b"".join(parts)
        return Reply(target, status, kind, body[:most], cut=got > most or came > most, length=length)


def _trouble(target: Target, error: Exception) -> Any:
    """What went wrong with a connection, in the user's words."""
    import httpcore

    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and len(causes) < 10:
        causes.append(cause)
    certificate = next((c for c in causes if isinstance(c, ssl.SSLCertVerificationError)), None)
    if certificate is not None:
        return phrase("web.certificate", host=target.place, why=certificate.verify_message or str(certificate))
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return phrase("web.tls", host=target.place, why=str(error)[:200])
    if isinstance(error, httpcore.RemoteProtocolError):
        return phrase("web.no_http", host=target.place)
    if isinstance(error, httpcore.ConnectTimeout):
        return phrase("web.silent", host=target.place)
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return phrase("web.refused", host=target.place)
    return phrase("web.broken", host=target.place, why=str(error)[:200] or type(error).__name__)


def _literal(host: str) -> Ip | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _addresses(found: Iterable[str]) -> list[Ip]:
    # A zone names one of this machine's interfaces; the address before it tells that it is local.
    return list(dict.fromkeys(ipaddress.ip_address(one.partition("%")[0]) for one in found))


async def look_up(host: str) -> list[str]:
    """Ask the system for a host's addresses.

    Raises:
        OSError: It has none, or nobody could be asked.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def settle(found: list[str], error: OSError | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(found)
        else:
            answer.set_exception(error)

    def ask() -> None:
        found: list[str] = []
        fault: OSError | None = None
        try:
            found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
        except OSError as error:
            fault = error
        except UnicodeError as error:
            fault = OSError(str(error))
        with contextlib.suppress(RuntimeError):  # the loop is gone, and nobody waits any more
            loop.call_soon_threadsafe(settle, found, fault)

    # Not a thread of the pool: a look-up cannot be stopped, and the program would wait for it when it ends.
    threading.Thread(target=ask, name="paitui-look-up", daemon=True).start()
    return await answer


def _load(secure: bool) -> tuple[Any, ssl.SSLContext | None]:
    """Load the library, off the event loop; and the certificates, if they are needed."""
    import httpcore

    if not secure:
        return httpcore, None
    import certifi

    context = ssl.create_default_context()  # what the system trusts, a company's own authority included
    context.load_verify_locations(certifi.where())  # a bare container has nothing else
    context.set_alpn_protocols(["http/1.1"])
    return httpcore, context


async def _dial(ip: str, port: int, timeout: float) -> "httpcore.AsyncNetworkStream":
    import httpcore

    return await httpcore.AnyIOBackend().connect_tcp(ip, port, timeout=timeout)


def _backend(pins: tuple[str, ...], dial: Dial) -> "httpcore.AsyncNetworkBackend":
    """A backend whose connections go to the judged addresses, whatever the name means by now."""
    import httpcore

    class Pinned(httpcore.AsyncNetworkBackend):
        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Any = None,
        ) -> httpcore.AsyncNetworkStream:
            for ip in pins[:-1]:
                with contextlib.suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                    return await dial(ip, port, _CONNECT_S)
            return await dial(pins[-1], port, _CONNECT_S)

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(seconds)

    return Pinned()
