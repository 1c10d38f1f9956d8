"""What the program and its model process say to each other: JSON lines over one socket, many requests at once.

The program sends `Start`, `Cancel` and `Credit`; the child sends `Ready` once, and for each request `Chunk`s and
then one `Done` or `Failed`. Credit bounds memory: the child may be ahead of the reader of a request by `WINDOW`
bytes and no more, then it stops reading from the provider; other requests are not held up by that.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

WINDOW = 1_000_000
"""Bytes of chunks that may be under way for one request."""
MAX_CHUNK_LINE = 16_000_000
"""Longest line the child may send, in bytes."""
MAX_START_LINE = 512_000_000
"""Longest line the program may send, in bytes; a request can hold many inline images."""


class ProtocolError(Exception):
    """The other side sent what is no message."""


@dataclass(frozen=True, slots=True)
class Start:
    """Send a request to a provider."""

    id: int
    params: Mapping[str, Any]
    """Arguments of the completion call, JSON-ready."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Give a request up; answered with `Done`, unless the request is over already."""

    id: int


@dataclass(frozen=True, slots=True)
class Credit:
    """So many bytes of chunks were taken by their reader."""

    id: int
    size: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The child can take requests."""

    version: str
    """Version of litellm."""
    seconds: float
    """How long it took to import."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an answer, as the library gave it."""

    id: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """No more chunks: the stream ended, or was cancelled."""

    id: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The request ended with an error."""

    id: int
    error: Mapping[str, Any]
    """What is known of it; see `paitui.model.remote.raw`."""


Message = Start | Cancel | Credit | Ready | Chunk | Done | Failed

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__.lower(): kind for kind in (Start, Cancel, Credit, Ready, Chunk, Done, Failed)
}


def encode(message: Message) -> bytes:
    """Write a message as one line.

    Half characters (lone surrogates, from file names that were no UTF-8) become ``?``: no provider takes them.
    """
    if isinstance(message, Start):  # asdict would copy a whole history
        value: dict[str, Any] = {"is": "start", "id": message.id, "params": message.params}
    elif isinstance(message, Chunk):
        value = {"is": "chunk", "id": message.id, "data": message.data}
    else:
        value = {"is": type(message).__name__.lower(), **asdict(message)}
    try:
        return orjson.dumps(value) + b"\n"
    except TypeError:  # orjson's refusal of lone surrogates and of integers over 64 bits
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def decode(line: bytes) -> Message:
    """Read one line.

    Raises:
        ProtocolError: It is no message.
    """
    try:
        value = json.loads(line) if b"\\ud" in line else orjson.loads(line)
        kind = _KINDS[value.pop("is")]
        message: Message = kind(**value)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ProtocolError(f"{len(line)} bytes that are no message") from None  # they may hold a key
    return message


async def read_line(reader: asyncio.StreamReader) -> bytes:
    """Read one line, empty at the end.

    Raises:
        ProtocolError: The line is longer than the reader's limit.
    """
    try:
        return await reader.readline()
    except ValueError as error:
        raise ProtocolError("a line is too long") from error


class Window:
    """How far a sender may be ahead of the reader; over-drawn by one line at most."""

    def __init__(self, size: int = WINDOW) -> None:
        self._left = size
        self._open = asyncio.Event()
        self._open.set()

    async def take(self, size: int) -> None:
        """Wait until something may be sent, and count it."""
        await self._open.wait()
        self._left -= size
        self._update()

    def give(self, size: int) -> None:
        """Count what the reader took."""
        self._left += size
        self._update()

    def _update(self) -> None:
        if self._left > 0:
            self._open.set()
        else:
            self._open.clear()
