"""The model's own rules, against a host that plays a script: tries, waits, clocks, closing."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from paitui.messages.message import Message, ToolCall, Usage
from paitui.model.port import ModelEvent, ModelFault, ModelInfo, ReasoningDelta, Reply, Request, TextDelta, Waiting
from paitui.model.remote.connection import ProcessDied, ProviderError
from paitui.model.remote.host import HostClosed
from paitui.model.remote.remote import Patience, RemoteModel, says_something
from tests.provider.wire import Answer, openai_chunk, openai_chunks

ASK = Request((Message("user", "hi"),))
SERVER = {"kind": "InternalServerError", "status": 500, "code": "", "message": "oops", "headers": {}, "body": ""}
WRONG_KEY = {**SERVER, "kind": "AuthenticationError", "status": 401, "message": "Incorrect API key"}
RATE = {**SERVER, "kind": "RateLimitError", "status": 429, "message": "slow down"}

Item = Mapping[str, Any] | Exception | float
"""A chunk, an error, or seconds of silence."""


class Play:
    def __init__(self, items: Sequence[Item]) -> None:
        self.items = list(items)
        self.closed = 0

    def __aiter__(self) -> "Play":
        return self

    async def __anext__(self) -> Mapping[str, Any]:
        while self.items:
            match self.items.pop(0):
                case float(seconds):
                    await asyncio.sleep(seconds)
                case Exception() as error:
                    raise error
                case chunk:
                    return chunk
        raise StopAsyncIteration

    def close(self) -> None:
        self.closed += 1


class ScriptedHost:
    """Plays one list of items for each request, the last one for ever."""

    def __init__(self, *plays: Sequence[Item] | Exception) -> None:
        self.plays = plays
        self.requests: list[Mapping[str, Any]] = []
        self.open: list[Play] = []

    async def request(self, params: Mapping[str, Any]) -> Play:
        play = self.plays[min(len(self.requests), len(self.plays) - 1)]
        self.requests.append(params)
        if isinstance(play, Exception):
            raise play
        self.open.append(Play(play))
        return self.open[-1]


def error(fields: Mapping[str, Any], **headers: str) -> ProviderError:
    return ProviderError({**fields, "headers": {name.replace("_", "-"): value for name, value in headers.items()}})


class Slept:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def model(
    host: ScriptedHost,
    patience: Patience | None = None,
    sleep: Callable[[float], Awaitable[None]] | None = None,
    seed: int = 1,
    **more: Any,
) -> RemoteModel:
    return RemoteModel(
        ModelInfo("openai/gpt-x", 128_000),
        host,
        lambda request: {"model": "openai/gpt-x", "messages": [m.content for m in request.messages]},
        patience=patience,
        sleep=sleep or Slept(),
        rng=random.Random(seed),
        **more,
    )


async def collect(remote: RemoteModel) -> tuple[list[ModelEvent], ModelFault | None]:
    events: list[ModelEvent] = []
    try:
        async for event in remote.stream(ASK):
            events.append(event)
    except ModelFault as fault:
        return events, fault
    return events, None


GOOD = openai_chunks(Answer("hello there", "why", calls=[("c1", "read", '{"path":"a"}')], cached=40, thought=7))


async def test_an_answer_streams_and_ends_in_a_reply() -> None:
    host = ScriptedHost(GOOD)
    events, fault = await collect(model(host, price=lambda usage: usage.prompt * 0.01))
    assert fault is None
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "hello there"
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == "why"
    assert events[-1] == Reply(
        Message("assistant", "hello there", (ToolCall("c1", "read", '{"path":"a"}'),), reasoning="why"),
        Usage(prompt=100, completion=20, reasoning=7, cached=40, cost=1.0),
    )
    assert host.open[0].closed == 1
    assert host.requests[0]["messages"] == ["hi"]


async def test_a_price_that_was_reported_wins() -> None:
    chunks = [*GOOD[:-1], openai_chunk(choices=[], usage={"prompt_tokens": 5, "completion_tokens": 5, "cost": 0.5})]
    events, _ = await collect(model(ScriptedHost(chunks), price=lambda usage: 9.0))
    assert isinstance(events[-1], Reply) and events[-1].usage is not None and events[-1].usage.cost == 0.5


async def test_what_is_temporary_is_tried_five_times_with_growing_jittered_waits() -> None:
    waits: list[list[float]] = []
    for seed in range(20):
        host, sleep = ScriptedHost([error(SERVER)]), Slept()
        events, fault = await collect(model(host, sleep=sleep, seed=seed))
        assert fault is not None and fault.kind == "server"
        assert len(host.requests) == 5
        assert [(type(e), e.attempt) for e in events if isinstance(e, Waiting)] == [
            (Waiting, n) for n in (2, 3, 4, 5)
        ]
        assert [e.seconds for e in events if isinstance(e, Waiting)] == sleep.seconds
        waits.append(sleep.seconds)
    assert all(0 <= wait <= 60 for each in waits for wait in each)
    assert len({tuple(each) for each in waits}) == 20  # two programs do not come back at the same moment
    assert max(each[0] for each in waits) < max(each[3] for each in waits)


async def test_a_second_try_that_works_is_an_answer() -> None:
    host = ScriptedHost([error(SERVER)], [error(RATE)], GOOD)
    events, fault = await collect(model(host))
    assert fault is None and isinstance(events[-1], Reply)
    assert [type(event) for event in events[:2]] == [Waiting, Waiting]
    assert len(host.requests) == 3 and all(play.closed for play in host.open)


@pytest.mark.parametrize(("asked", "least", "most"), [("7", 7, 60), ("0.5", 0.5, 60)])
async def test_the_wait_that_a_server_asks_for_is_kept(asked: str, least: float, most: float) -> None:
    sleep = Slept()
    await collect(model(ScriptedHost([error(RATE, retry_after=asked)], GOOD), sleep=sleep))
    assert least <= sleep.seconds[0] <= most


async def test_what_will_not_get_better_is_asked_once() -> None:
    host = ScriptedHost([error(WRONG_KEY)])
    events, fault = await collect(model(host))
    assert events == [] and fault is not None and fault.kind == "authentication" and len(host.requests) == 1


async def test_nothing_is_tried_again_once_something_was_shown() -> None:
    for shown in (openai_chunk({"content": "hel"}), openai_chunk({"reasoning_content": "hm"})):
        host = ScriptedHost([shown, error(SERVER)], GOOD)
        events, fault = await collect(model(host))
        assert len(events) == 1 and fault is not None and len(host.requests) == 1
        assert fault.partial == "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_piece_of_a_call_is_nothing_shown_so_the_request_is_tried_again() -> None:
    host = ScriptedHost(
        [*GOOD[:1], *GOOD[-5:-3], ProviderError({**SERVER, "status": None, "kind": "APIConnectionError"})], GOOD
    )
    events, fault = await collect(model(host))
    assert fault is None and len(host.requests) == 2
    assert isinstance(events[-1], Reply) and len(events[-1].message.tool_calls) == 1


@pytest.mark.parametrize("cut", range(1, len(GOOD) - 2))
async def test_a_stream_that_ends_without_a_finish_is_never_a_reply(cut: int) -> None:
    host = ScriptedHost(GOOD[:cut])
    events, fault = await collect(model(host))
    assert fault is not None and fault.kind in ("network", "malformed")
    assert not any(isinstance(event, Reply) for event in events)
    assert fault.partial == "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_an_answer_that_was_cut_short_says_so_and_runs_no_call(reason: str) -> None:
    chunks = [*GOOD[:-2], openai_chunk(finish=reason), GOOD[-1]]
    host = ScriptedHost(chunks)
    events, fault = await collect(model(host))
    assert fault is not None and fault.partial == "hello there" and len(host.requests) == 1
    assert not any(isinstance(event, Reply) for event in events)


async def test_calls_that_do_not_parse_come_back_to_be_answered_with_an_error() -> None:
    broken = openai_chunks(Answer("look", calls=[("c1", "read", '{"path":')]))
    events, fault = await collect(model(ScriptedHost(broken)))
    assert fault is None and isinstance(events[-1], Reply)
    assert events[-1].message.tool_calls == (ToolCall("c1", "read", '{"path":'),)


SHORT = Patience(first_event_s=0.2, between_events_s=0.3, tries=1)
PATIENT = Patience(first_event_s=0.8, between_events_s=0.8, tries=1)
EMPTY: tuple[Mapping[str, Any], ...] = (
    openai_chunk({}),
    openai_chunk(choices=[]),
    openai_chunk({"role": "assistant", "content": ""}),
    {"choices": None},
    {},
)


@pytest.mark.parametrize("empty", EMPTY)
async def test_empty_events_do_not_wind_the_clock(empty: Mapping[str, Any]) -> None:
    assert not says_something(empty)
    drip: list[Item] = [item for _ in range(200) for item in (empty, 0.01)]
    opens = bool(empty.get("choices"))
    for before, limit in (([], 0.3 if opens else 0.2), ([openai_chunk({"content": "a"})], 0.3)):
        begin = asyncio.get_running_loop().time()
        events, fault = await collect(model(ScriptedHost([*before, *drip]), SHORT))
        took = asyncio.get_running_loop().time() - begin
        assert fault is not None and fault.kind in ("stall", "timeout") and limit <= took < limit + 1
        assert fault.partial == ("a" if before else "")
        assert len(events) == len(before)


async def test_a_slow_answer_is_no_stall() -> None:
    slow: list[Item] = [item for chunk in GOOD for item in (0.1, chunk)]  # longer together than any limit
    events, fault = await collect(model(ScriptedHost(slow), PATIENT))
    assert fault is None and isinstance(events[-1], Reply)


async def test_pieces_of_calls_wind_the_clock_though_nothing_is_shown() -> None:
    calls = [chunk for chunk in GOOD if "tool_calls" in str(chunk)]
    slow: list[Item] = [item for chunk in [*calls, GOOD[-2]] for item in (0.25, chunk)]
    events, fault = await collect(model(ScriptedHost(slow), PATIENT))
    assert fault is None and isinstance(events[-1], Reply)


async def test_a_dead_process_is_a_clear_fault() -> None:
    for host in (ScriptedHost(ProcessDied("no memory left")), ScriptedHost([GOOD[4], ProcessDied("killed")])):
        _, fault = await collect(model(host, Patience(tries=1)))
        assert fault is not None and fault.phrase.key.startswith("model.child_died")
    _, fault = await collect(model(ScriptedHost(HostClosed())))
    assert fault is not None and fault.phrase.key == "remote.closed"


async def test_a_reader_that_goes_or_is_cancelled_closes_the_request() -> None:
    host = ScriptedHost([*GOOD[:5], 60.0])
    remote = model(host)

    async def read() -> None:
        async for _ in remote.stream(ASK):
            pass

    task = asyncio.create_task(read())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait((task,))
    stream = remote.stream(ASK)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert [play.closed for play in host.open] == [1, 1]


async def test_a_cancel_during_a_wait_ends_it() -> None:
    host = ScriptedHost([error(SERVER)])
    task = asyncio.create_task(collect(model(host, sleep=lambda seconds: asyncio.sleep(60))))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait((task,), timeout=1)
    assert task.cancelled() and len(host.requests) == 1
