"""A model behind the network, as the agent sees it: one stream of events, whatever the provider does."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol

from paitui.clock import Clock, SystemClock
from paitui.locale import phrase
from paitui.messages.message import Usage
from paitui.model.assembler import Assembled, Assembler
from paitui.model.faults import Asked, Fault, delay, judge
from paitui.model.port import ModelEvent, ModelFault, ModelInfo, Reply, Request, TextDelta, Waiting
from paitui.model.raw_error import RawError, Where
from paitui.model.remote.connection import ProcessDied, ProviderError
from paitui.model.remote.host import HostClosed


class Chunks(Protocol):
    """The chunks of one answer, to be closed when no more are wanted."""

    def __aiter__(self) -> "Chunks": ...

    async def __anext__(self) -> Mapping[str, Any]:
        """Give the next one; raises `ProviderError` and `ProcessDied`."""
        ...

    def close(self) -> None:
        """End the request if it still runs."""
        ...


class Host(Protocol):
    """What runs requests: a `paitui.model.remote.host.ModelHost`."""

    async def request(self, params: Mapping[str, Any]) -> Chunks:
        """Send one, as soon as that is possible."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a provider is waited for, and how often it is asked."""

    first_event_s: float = 60.0
    """Seconds until the first event that says something."""
    between_events_s: float = 120.0
    """Seconds between events that say something."""
    tries: int = 5
    """How often a request is sent at most."""

    @property
    def http_s(self) -> float:
        """Time limit for the library's own HTTP client, out of the way of the limits above."""
        return 2 * max(self.first_event_s, self.between_events_s)


class _Failed(Exception):
    """One attempt failed.

    Attributes:
        fault: What that means.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class RemoteModel:
    """A model that litellm reaches.

    It is the one owner of retries, and they end where showing begins: once an event was given out, a failure is
    final, and what was shown is all there is.
    """

    def __init__(
        self,
        info: ModelInfo,
        host: Host,
        build: Callable[[Request], Mapping[str, Any]],
        price: Callable[[Usage], float | None] = lambda usage: None,
        asked: Asked | None = None,
        patience: Patience | None = None,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        """Make a model.

        Args:
            info: What is known of it.
            host: Runs the requests; it is shared, and not closed with the model.
            build: Gives the arguments of the completion call for a request.
            price: Gives the price in US dollars where the provider or the library names none.
            asked: Names the provider and the model in messages about failures.
            patience: Time limits and tries.
            clock: Tells the time, for providers that name the date of the next try.
            sleep: Waits for so many seconds.
            rng: Source of the jitter between tries.
        """
        self._info = info
        self._host = host
        self._build = build
        self._price = price
        self._asked = asked or Asked()
        self._clock = clock or SystemClock()
        self._patience = patience or Patience()
        self._sleep = sleep
        self._rng = rng or random.Random()

    @property
    def info(self) -> ModelInfo:
        """What is known of it."""
        return self._info

    async def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        """Answer a request.

        Closing the iterator, or cancelling the task that reads it, ends the request at the provider.

        Args:
            request: The request.

        Returns:
            Text and reasoning as they come, a `Waiting` before each further try, and one `Reply` at the end.

        Raises:
            ModelFault: The request failed, after whatever retries make sense. No call of a cut stream is given out.
        """
        params = {"timeout": self._patience.http_s, **self._build(request)}
        asked = replace(self._asked, estimate=request.estimate)
        for attempt in range(1, self._patience.tries + 1):
            shown, partial = False, ""
            try:
                async with aclosing(self._attempt(params, asked)) as events:  # type: ignore[type-var]
                    async for event in events:
                        shown = True
                        partial += event.text if isinstance(event, TextDelta) else ""
                        yield event
                return
            except _Failed as failed:
                fault = failed.fault
                wait = delay(attempt, fault, self._rng)
                if shown or not fault.retry or attempt == self._patience.tries:
                    raise ModelFault(fault.kind, fault.phrase, partial) from failed
            yield Waiting(wait, attempt + 1, fault.phrase)
            await self._sleep(wait)

    async def close(self) -> None:
        """Nothing to free: the host lives on for other models."""

    async def _attempt(self, params: Mapping[str, Any], asked: Asked) -> AsyncIterator[ModelEvent]:
        try:
            chunks = await self._host.request(params)
        except (ProcessDied, OSError) as error:
            raise self._failed(RawError(message=str(error), where="child"), asked) from error
        except HostClosed as error:
            raise ModelFault("server", phrase("remote.closed")) from error
        try:
            assembler, said_something = Assembler(), False
            async with aclosing(self._parsed(chunks, asked)) as parsed:  # type: ignore[type-var]
                async for chunk in parsed:
                    said_something = said_something or says_something(chunk)
                    for event in assembler.add(chunk):
                        yield event
        finally:
            chunks.close()
        yield self._reply(assembler.finish(), said_something, asked)

    async def _parsed(self, chunks: Chunks, asked: Asked) -> AsyncIterator[Mapping[str, Any]]:
        """Give the chunks, as long as some of them say something: a provider can drip empty ones for ever."""
        loop = asyncio.get_running_loop()
        where: Where = "first_event"
        deadline = loop.time() + self._patience.first_event_s
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise self._failed(RawError(where=where), asked) from error
            except ProcessDied as error:
                raise self._failed(RawError(message=str(error), where="child"), asked) from error
            except ProviderError as error:
                failed_at: Where = "connect" if where == "first_event" else "stream"
                raise self._failed(RawError(**error.error, where=failed_at), asked) from error
            # The first event may just open the answer; after that, openings are as empty as keep-alives.
            if says_something(chunk) or (where == "first_event" and chunk.get("choices")):
                where, deadline = "idle", loop.time() + self._patience.between_events_s
            yield chunk

    def _reply(self, answer: Assembled, said_something: bool, asked: Asked) -> Reply:
        if answer.error is not None:
            raise self._failed(_inner_error(answer.error), asked)
        if not answer.finished:
            # A stream without a single event is no answer that broke off: a web page, say.
            kind = "" if said_something else "Malformed"
            raise self._failed(RawError(kind, code=answer.finish, where="stream"), asked)
        usage = answer.usage
        if usage is not None and usage.cost is None:
            usage = replace(usage, cost=self._price(usage))
        return Reply(answer.message, usage)

    def _failed(self, raw: RawError, asked: Asked) -> _Failed:
        return _Failed(judge(raw, asked, self._clock.now().timestamp()))


def says_something(chunk: Mapping[str, Any]) -> bool:
    """Whether a chunk carries anything: text, reasoning, a piece of a call, a finish, usage or an error."""
    if chunk.get("usage") or chunk.get("error"):
        return True
    for choice in chunk.get("choices") or ():
        delta = choice.get("delta") or {}
        if choice.get("finish_reason") or any(value for name, value in delta.items() if name != "role"):
            return True
    return False


def _inner_error(error: Mapping[str, Any]) -> RawError:
    """An error object that came as an event of the stream."""
    code = error.get("code") or error.get("type") or ""
    status = error.get("code")
    return RawError(
        status=status if isinstance(status, int) and 400 <= status < 600 else None,
        code=code if isinstance(code, str) else "",
        message=str(error.get("message", "")),
        where="stream",
    )
