"""One server from start to end, in the event loop of the servers. The only place that speaks to the SDK."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import mcp_types as types
from mcp.client import Client, ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from paitui import __version__
from paitui.locale import Phrase, phrase
from paitui.tools.mcp import shape
from paitui.tools.mcp.child import ServerProcess
from paitui.tools.mcp.config import ServerConfig, folder
from paitui.tools.mcp.gate import Gate
from paitui.tools.mcp.http import http_streams
from paitui.tools.mcp.log import ServerLog
from paitui.tools.mcp.offer import CallFailed, Offer, ServerView, Surroundings
from paitui.tools.mcp.results import Answer, answer_of, contents_of, prompt_of
from paitui.tools.mcp.stdio import stdio_streams
from paitui.tools.process import NotStarted

_SETTLE_S = 0.3
"""Changes that a server tells within this time are looked up together."""
_PAGES = 20
"""Pages of one listing that are asked for."""


class Connection:
    """A server and the way to it."""

    def __init__(
        self, config: ServerConfig, around: Surroundings, log: ServerLog, tell: Callable[[ServerView], None]
    ) -> None:
        self._config = config
        self._around = around
        self._log = log
        self._tell = tell
        self._client: Client | None = None
        self._view = ServerView(config.name, config.source, config.transport, "starting")

    async def serve(self) -> None:
        """Start the server and keep it until it ends or this is cancelled; never raises anything else."""
        begin = time.monotonic()
        self._put(self._view)
        try:
            gate = Gate(self._log, time.monotonic)
            try:
                async with asyncio.timeout(self._around.start_s) as limit, self._streams(gate) as streams:
                    client = self._new_client(streams)
                    async with client:
                        offer = await self._look(client)
                        limit.reschedule(None)
                        self._client = client
                        info = client.server_info
                        said = shape.plain(f"{info.name} {info.version}", 80) if info else ""
                        seconds = time.monotonic() - begin
                        self._put(replace(self._view, state="ready", offer=offer, seconds=seconds, said=said))
                        await self._watch(client, gate)
            finally:
                self._client = None
            self._ended(phrase("mcp.closed"))
        except TimeoutError as error:
            starting = self._view.state == "starting"
            self._ended(
                phrase("mcp.start_timeout", seconds=self._around.start_s) if starting else self._reason(error)
            )
        except NotStarted as error:
            self._ended(phrase("mcp.not_started", why=self._masked(str(error))))
        except Exception as error:  # whatever a server or the way to it does, it costs this server alone
            self._ended(self._reason(error))

    async def call(self, tool: str, arguments: Mapping[str, Any], on_progress: Callable[[str], None]) -> Answer:
        """Call a tool.

        Raises:
            CallFailed: The server did not answer, or not in time, or with an error of the protocol.
        """

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g}/{total:g}" if total else f"{progress:g}"
            on_progress(f"{share} {shape.plain(message, 300)}".strip() + "\n")

        async def send(client: Client) -> Answer:
            sent = dict(arguments)
            return answer_of(await client.call_tool(tool, sent, self._limit, progress_callback=progressed))

        return await self._request(send)

    async def read(self, uri: str) -> Answer:
        """Read a resource; raises as `call` does."""

        async def send(client: Client) -> Answer:
            return contents_of(await client.read_resource(uri))

        return await self._request(send)

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Answer:
        """Have a prompt filled in; raises as `call` does."""

        async def send(client: Client) -> Answer:
            return prompt_of(await client.get_prompt(name, dict(arguments)))

        return await self._request(send)

    @property
    def _limit(self) -> float:
        return self._config.timeout_s or self._around.call_s

    async def _request(self, send: Callable[[Client], Awaitable[Answer]]) -> Answer:
        client = self._client
        if client is None:
            raise CallFailed(phrase("mcp.not_ready", server=self._config.name))
        try:
            # The SDK's own limit begins anew with each round of a request; this one holds for all of it.
            async with asyncio.timeout(self._limit):
                return await send(client)
        except TimeoutError as error:
            raise CallFailed(phrase("mcp.call_timeout", server=self._config.name, seconds=self._limit)) from error
        except Exception as error:  # anything that a server makes the SDK raise is the server's failure
            raise CallFailed(self._reason(error)) from error

    # -- what the server offers

    async def _look(self, client: Client) -> Offer:
        can = client.server_capabilities
        tools, notes = shape.tools_of(self._config, await self._all(client, "tools") if can.tools else [])
        listed, patterns, prompts = [], [], []
        if can.resources:
            listed = await self._all(client, "resources")
            with suppress(MCPError):  # many servers have resources and no patterns, and answer with an error
                patterns = await self._all(client, "patterns")
        if can.prompts:
            prompts = await self._all(client, "prompts")
        resources = shape.resources_of(self._config.name, listed, patterns)
        return Offer(tools, resources, shape.prompts_of(self._config.name, prompts), tuple(notes))

    async def _all(self, client: Client, what: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            page: Any
            match what:
                case "tools":
                    page = await client.list_tools(cursor=cursor)
                    items = page.tools
                case "resources":
                    page = await client.list_resources(cursor=cursor)
                    items = page.resources
                case "patterns":
                    page = await client.list_resource_templates(cursor=cursor)
                    items = page.resource_templates
                case _:
                    page = await client.list_prompts(cursor=cursor)
                    items = page.prompts
            found += [item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in items]
            cursor = page.next_cursor
            if not cursor or len(found) > shape.MAX_LISTED:
                break
        return found

    async def _watch(self, client: Client, gate: Gate) -> None:
        """Wait for the end; look again when the server says that something changed."""
        waits = [asyncio.create_task(gate.gone.wait()), asyncio.create_task(self._listen(client))]
        try:
            while not gate.gone.is_set():
                changed = asyncio.create_task(gate.changed.wait())
                waits.append(changed)
                await asyncio.wait({waits[0], changed}, return_when=asyncio.FIRST_COMPLETED)
                waits.remove(changed)
                changed.cancel()
                if gate.gone.is_set():
                    return
                await asyncio.sleep(_SETTLE_S)
                gate.changed.clear()
                try:
                    async with asyncio.timeout(self._around.start_s):
                        offer = await self._look(client)
                except (TimeoutError, MCPError, ValueError) as error:
                    self._log.say(f"! {self._masked(str(error))[:300]}")
                    continue
                if offer != self._view.offer:
                    self._put(replace(self._view, offer=offer))
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _listen(self, client: Client) -> None:
        """Have newer servers tell of changes; older ones do so unasked. What they tell comes in by the gate."""
        can = client.server_capabilities
        tools = bool(can.tools and can.tools.list_changed)
        resources = bool(can.resources and can.resources.list_changed)
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (tools or resources):
            return
        try:
            async with client.listen(tools_list_changed=tools, resources_list_changed=resources) as told:
                async for _ in told:
                    pass
        except Exception as error:  # without it, a change is seen at the next restart
            self._log.say(f"! {self._masked(str(error))[:300]}")

    # -- the way

    @asynccontextmanager
    async def _streams(self, gate: Gate) -> AsyncIterator[Any]:
        config = self._config
        if config.transport == "http":
            async with http_streams(config.url, config.headers, gate) as streams:
                yield streams
            return
        process = await ServerProcess.start(
            [config.command, *config.args],
            folder(config, self._around.project),
            {**self._around.environment, **config.env},
            lambda data: self._log.feed(data),
        )
        async with stdio_streams(process, gate) as pair:
            yield pair

    def _new_client(self, streams: Any) -> Client:
        root = types.Root(uri=self._around.project.as_uri(), name=self._around.project.name)  # type: ignore[arg-type]

        async def roots(context: ClientRequestContext) -> types.ListRootsResult:
            return types.ListRootsResult(roots=[root])

        @asynccontextmanager
        async def transport() -> AsyncIterator[Any]:
            yield streams

        return Client(
            transport(),
            cache=None,
            read_timeout_seconds=max(self._around.start_s, self._limit),
            list_roots_callback=roots,
            client_info=types.Implementation(name="paitui", version=__version__),
        )

    # -- telling

    def _put(self, view: ServerView) -> None:
        self._view = view
        self._tell(view)

    def _ended(self, why: Phrase) -> None:
        if last := self._log.lines()[-1:]:
            why = phrase("mcp.said_last", why=why, line=shape.plain(self._masked(last[0]), 200))
        self._put(replace(self._view, state="ended" if self._view.state == "ready" else "failed", why=why))

    def _reason(self, error: BaseException) -> Phrase:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, CallFailed):
            return error.phrase
        text = self._masked(f"{error}" or type(error).__name__)
        kind = "" if isinstance(error, MCPError) else f"{type(error).__name__}: "
        return phrase("mcp.failed_because", why=shape.plain(f"{kind}{text}", 500))

    def _masked(self, text: str) -> str:
        return self._config.mask(text)
