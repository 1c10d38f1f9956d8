"""Web addresses: which ones are taken at all, and which places on the network they may lead to. Pure."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from paitui.locale import Phrase, phrase

MOST_CHARS = 4_000
"""Longest address that is taken; who needs more in one is carrying something out."""
_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_OWN_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "arpa", "onion")
"""Names, or last parts of names, that are only known inside a network or a machine."""
_KEPT = "!$%&'()*+,-./:;=?@_~[]"
"""Signs of a path or query that stay as they are."""

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressError(Exception):
    """An address is not fetched.

    Attributes:
        phrase: Why, and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class Target:
    """A web address in its one form; what is shown is what is requested."""

    scheme: str
    """``http`` or ``https``."""
    host: str
    """The name in ASCII (a Chinese one as ``xn--…``, so that look-alikes show), or an IP address without brackets."""
    port: int
    resource: str
    """Path and query, percent-encoded; begins with a slash."""

    @property
    def place(self) -> str:
        """Host as it stands in an address, with the port where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.place}{self.resource}"


def parse_address(text: str) -> Target:
    """Read a web address.

    Args:
        text: As the model or a server gave it. What stands behind ``#`` is dropped: it is never sent.

    Returns:
        The address.

    Raises:
        AddressError: It is no http or https address, names a user, or writes its host in a misleading way.
    """
    text = text.strip(" ")
    if len(text) > MOST_CHARS:
        raise AddressError(phrase("web.too_long", limit=MOST_CHARS))
    if re.search(r"[\x00-\x20\x7f\\\ud800-\udfff]", text):
        raise AddressError(phrase("web.bad_address", url=text))
    try:
        parts = urlsplit(text)
        port = parts.port
        name = parts.hostname or ""
    except ValueError as error:
        raise AddressError(phrase("web.bad_address", url=text)) from error
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise AddressError(phrase("web.other_scheme", scheme=scheme or "-"))
    if "@" in parts.netloc:
        raise AddressError(phrase("web.names_user"))
    if port == 0:
        raise AddressError(phrase("web.bad_address", url=text))
    host = _host(name, bracketed="[" in parts.netloc)
    resource = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
    return Target(scheme, host, port or _PORTS[scheme], resource)


def follow(target: Target, location: str) -> Target:
    """The address that a redirect leads to.

    Args:
        target: What was asked.
        location: What the server answered; may be relative.

    Raises:
        AddressError: As `parse_address`.
    """
    try:
        joined = urljoin(target.url, location.strip())
    except ValueError as error:
        raise AddressError(phrase("web.bad_address", url=location[:MOST_CHARS])) from error
    return parse_address(joined)


def _host(name: str, bracketed: bool) -> str:
    if bracketed:
        try:
            if "%" in name:  # a zone names an interface of this machine
                raise AddressError(phrase("web.bad_host", host=name))
            return str(ipaddress.IPv6Address(name))
        except ValueError as error:
            raise AddressError(phrase("web.bad_host", host=name)) from error
    try:
        ascii_name = name.encode("idna").decode("ascii").lower() if len(name) <= 253 else ""
    except UnicodeError as error:
        raise AddressError(phrase("web.bad_host", host=name)) from error
    ascii_name = ascii_name.removesuffix(".")
    if not _NAME.fullmatch(ascii_name):
        raise AddressError(phrase("web.bad_host", host=name))
    if _NUMBER.fullmatch(ascii_name.rpartition(".")[2]):
        # Resolvers read 127.1, 0177.0.0.1, 0x7f000001 and 2130706433 as addresses, each in its own way.
        try:
            return str(ipaddress.IPv4Address(ascii_name))
        except ValueError as error:
            raise AddressError(phrase("web.odd_number", host=ascii_name)) from error
    return ascii_name


def allows(hosts: Iterable[str], target: Target) -> bool:
    """Whether the user named a host.

    Args:
        hosts: ``example.org``, ``*.example.org`` for what lies below it, ``localhost:8000`` for one port only.
        target: The address.
    """
    host = f"[{target.host}]" if ":" in target.host else target.host
    for named in hosts:
        entry = named.strip().lower()
        if ":" in entry and entry.count(":") > 1 and not entry.startswith("["):
            entry = f"[{entry}]"
        if entry in (host, f"{host}:{target.port}"):
            return True
        if entry.startswith("*.") and f"{host}:{target.port}".endswith(
            entry[1:] if ":" in entry else f"{entry[1:]}:{target.port}"
        ):
            return True
    return False


def own_name(host: str) -> bool:
    """Whether a name is one that only this machine or its network knows."""
    return host.rpartition(".")[2] in _OWN_NAMES or ("." not in host and ":" not in host)


def outside(ip: Ip) -> bool:
    """Whether an address belongs to the public internet.

    Forms that carry another address inside (IPv4-mapped, 6to4, Teredo, IPv4-compatible) are refused whatever they
    carry, since no public server is named by one; only NAT64 is looked into, for networks without IPv4 use it.
    """
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return outside(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        if any(ip in network for network in _CARRIERS):
            return False
    return ip.is_global and not (
        ip.is_private
        or ip.is_loopback
        or ip.is_link_local
        or ip.is_multicast
        or ip.is_reserved
        or ip.is_unspecified
        or any(ip.version == network.version and ip in network for network in _CLOSED)
    )


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_CARRIERS = tuple(
    map(
        ipaddress.IPv6Network,
        ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "2001::/32", "2002::/16"),
    )
)
"""IPv4-compatible, -mapped, -translated, local NAT64, Teredo, 6to4."""
_CLOSED = tuple(
    map(
        ipaddress.ip_network,
        (
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "240.0.0.0/4",
            "fec0::/10",
            "2001:db8::/32",
        ),
    )
)
"""Carriers' own, protocol assignments, old 6to4 relays, benchmarks, reserved, old site-local, examples: said here, so
that it does not depend on the version of Python."""
