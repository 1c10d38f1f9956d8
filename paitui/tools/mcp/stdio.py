"""Messages over the input and output of a server's process, one a line, each bounded."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
import orjson
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from paitui.tools.mcp.child import ServerProcess
from paitui.tools.mcp.gate import MAX_MESSAGE_BYTES, Gate, salvage, tidy

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]

_ANSWERING = 16
"""Requests of a server that may be open at once; one that does not read its answers gets no more of them."""
_JUNK_CHARS = 200


class Lines:
    """Cuts a stream of bytes into lines of bounded length."""

    def __init__(self, most: int = MAX_MESSAGE_BYTES) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._held = 0
        self._total = 0

    def feed(self, data: bytes) -> list[tuple[bytes, int]]:
        """Take more bytes.

        Returns:
            Each line that ended, or its beginning if it was too long, and how many bytes it had.
        """
        *ends, rest = data.split(b"\n")
        lines: list[tuple[bytes, int]] = []
        for part in ends:
            self._keep(part)
            lines.append((b"".join(self._parts), self._total))
            self._parts, self._held, self._total = [], 0, 0
        self._keep(rest)
        return lines

    def _keep(self, part: bytes) -> None:
        self._total += len(part)
        if part and self._held < self._most:
            self._parts.append(part[: self._most - self._held])
            self._held += len(self._parts[-1])


@asynccontextmanager
async def stdio_streams(process: ServerProcess, gate: Gate) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Connect a process to a session of the SDK.

    Args:
        process: A running server; it is ended on the way out.
        gate: What may pass.
    """
    incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)
    wire = _Wire(process, gate)
    tasks = [
        asyncio.create_task(wire.read(incoming_send)),
        asyncio.create_task(wire.write(outgoing_receive)),
    ]
    try:
        yield incoming, outgoing
    finally:
        for task in tasks:
            task.cancel()
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for stream in (incoming_send, incoming, outgoing, outgoing_receive):
                stream.close()
            await process.close()


class _Wire:
    def __init__(self, process: ServerProcess, gate: Gate) -> None:
        self._process = process
        self._gate = gate
        self._answering = 0

    async def read(self, to: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        lines = Lines()
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for data in self._process.output():
                found = lines.feed(data)
                passed = 0
                for line, total in found:
                    message = self._message(line, total)
                    if message is not None:
                        passed += 1
                        await to.send(SessionMessage(message))
                # Whoever floods waits in the pipe; the program has other things to do.
                await asyncio.sleep(0.005 if len(found) > 50 * (passed + 1) else 0)
        self._gate.gone.set()
        to.close()

    def _message(self, line: bytes, total: int) -> types.JSONRPCMessage | None:
        if not line.strip() or (total < 100_000 and self._gate.skips(line)):
            return None
        if total > len(line):
            value: Any = salvage(line, total)
        else:
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError:
                value = None
        if not isinstance(value, dict):
            if self._gate.has_room():
                self._gate.log.say(f"! {line[:_JUNK_CHARS].decode('utf-8', 'replace')}")
            return None
        if isinstance(result := value.get("result"), dict):
            tidy(result)
        try:
            message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValueError:
            if self._gate.has_room():
                self._gate.log.say(f"! {line[:_JUNK_CHARS].decode('utf-8', 'replace')}")
            return None
        match message:
            case types.JSONRPCNotification():
                return message if self._gate.notification(message.method, message.params) else None
            case types.JSONRPCRequest():
                if self._answering >= _ANSWERING:
                    return None
                self._answering += 1
        return message

    async def write(self, of: MemoryObjectReceiveStream[SessionMessage]) -> None:
        with suppress(BrokenPipeError, OSError):
            async for item in of:
                data = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._process.send(data.encode() + b"\n")
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._answering = max(0, self._answering - 1)
        of.close()
