"""Messages over streamable HTTP, with a bound on each answer."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import anyio
import httpx2
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from paitui.tools.mcp.gate import MAX_MESSAGE_BYTES, Gate, tidy

_CONNECT_S = 15.0
_READ_S = 3_600.0
"""A stream may be silent for long; each call has its own limit."""


class TooLarge(httpx2.StreamError):
    """An answer was longer than any may be."""

    def __init__(self) -> None:
        super().__init__(f"the answer is compressed, or larger than {MAX_MESSAGE_BYTES:,} bytes")


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for data in self._stream:
            size += len(data)
            if size > self._most:
                raise TooLarge
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    """Bound what is read at once; a stream of events is bounded event by event instead."""
    packed = response.headers.get("content-encoding", "identity").lower() != "identity"
    streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    if isinstance(response.stream, httpx2.AsyncByteStream) and (packed or not streamed):
        # What is packed was not asked for, and a few bytes of it can become any number.
        response.stream = _Bounded(response.stream, 0 if packed else MAX_MESSAGE_BYTES)


@asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], gate: Gate
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[SessionMessage | Exception], WriteStream[SessionMessage]]]:
    """Connect to a server.

    Args:
        url: Its address.
        headers: Sent with each request.
        gate: What may pass.
    """
    client = httpx2.AsyncClient(
        headers={**headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(_CONNECT_S, read=_READ_S),
        event_hooks={"response": [_bound]},
    )
    to, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def pump(of: ReadStream[SessionMessage | Exception]) -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for item in of:
                if _passes(item, gate):
                    await to.send(item)
                else:
                    await asyncio.sleep(0.002)
        gate.gone.set()
        to.close()

    async with (
        client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES) as (read, write),
    ):
        task = asyncio.create_task(pump(read))
        try:
            yield incoming, write
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            to.close()
            incoming.close()


def _passes(item: SessionMessage | Exception, gate: Gate) -> bool:
    if isinstance(item, Exception):
        if gate.has_room():
            gate.log.say(f"! {str(item)[:300]}")
        return False
    match item.message:
        case types.JSONRPCNotification() as sent:
            if sent.method.endswith("/list_changed"):
                gate.changed.set()
                return False
            return gate.has_room() and gate.notification(sent.method, sent.params)
        case types.JSONRPCRequest():
            return gate.has_room()
        case types.JSONRPCResponse() as answer:
            tidy(answer.result)
    return True
