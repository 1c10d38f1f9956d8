"""Every misbehaviour of the loopback provider, through the real child and the real library."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from paitui.messages.message import Message, ToolCall, ToolSpec
from paitui.model.port import ModelEvent, ModelFault, ModelInfo, ReasoningDelta, Reply, Request, TextDelta, Waiting
from paitui.model.remote.host import ModelHost
from paitui.model.remote.remote import Patience, RemoteModel
from tests.model.remote.remote_tools import params
from tests.provider.faults import ODD_CALLS, STREAM_FAULTS, StreamFault, finish_at, good_steps, odd_calls
from tests.provider.refusals import REFUSALS, Refusal, Wire
from tests.provider.server import Pause, Provider, Response, Route
from tests.provider.wire import Answer, agent

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = Answer(
    "hello there, 世界", "let me think", "SIG", [("c1", "read", '{"path":"a"}'), ("c2", "ls", '{"x":[1]}')]
)
LIMIT_S = 20.0
"""Whatever takes longer counts as hanging."""


@dataclass
class Run:
    """What came of one request."""

    events: list[ModelEvent] = field(default_factory=list)
    fault: ModelFault | None = None
    waits: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def reply(self) -> Reply | None:
        return next((event for event in self.events if isinstance(event, Reply)), None)


async def run(host: ModelHost, route: Route, wire: Wire, patience: Patience | None = None) -> Run:
    done = Run()

    async def sleep(seconds: float) -> None:
        done.waits.append(seconds)

    model = RemoteModel(
        ModelInfo(wire, 128_000),
        host,
        lambda request: params(route, wire),
        patience=patience or Patience(),
        sleep=sleep,
        rng=random.Random(1),
    )
    async with asyncio.timeout(LIMIT_S):
        try:
            async for event in model.stream(Request((Message("user", "hi"),))):
                done.events.append(event)
        except ModelFault as fault:
            done.fault = fault
    return done


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
async def test_each_refusal_is_its_own_kind_and_asked_as_often_as_makes_sense(
    host: ModelHost, provider: Provider, refusal: Refusal
) -> None:
    route = provider.route(refusal.response)
    done = await run(host, route, refusal.wire)
    assert done.fault is not None and done.fault.kind == refusal.kind
    assert route.count == (5 if refusal.retried else 1)
    assert len(done.waits) == route.count - 1 and all(0 <= wait <= 60 for wait in done.waits)
    if refusal.after is not None:
        assert all(wait >= refusal.after for wait in done.waits)


async def test_there_are_enough_of_them() -> None:
    assert len(REFUSALS) >= 40 and len(STREAM_FAULTS) >= 20


async def check_stream_fault(host: ModelHost, provider: Provider, fault: StreamFault, wire: Wire, at: int) -> str:
    """Run one stream that goes bad; give what is wrong with what came of it, or nothing."""
    good = good_steps(ANSWER, wire)
    route = provider.route(Response(fault.spoil(good, at, wire)))
    patience = Patience(first_event_s=1.0, between_events_s=0.6, tries=1)
    try:
        done = await run(host, route, wire, patience)
        for seen in route.requests:
            await asyncio.wait_for(seen.ended.wait(), 2)
    except TimeoutError:
        return f"{fault.name}, {wire}, {at}: hangs"
    where = f"{fault.name}, {wire}, {at} of {len(good)}: {done.fault!r}, {done.text!r}"
    if not ANSWER.text.startswith(done.text) or route.count != 1:
        return f"{where}: wrong text, or asked {route.count} times"
    if at <= finish_at(ANSWER, wire):
        if done.fault is None or done.reply is not None:
            return f"{where}: taken for an answer"
        return "" if done.fault.kind in fault.kinds and done.fault.partial == done.text else f"{where}: wrong kind"
    if done.reply is not None:  # it was finished when it went bad
        return "" if done.reply.message.content == ANSWER.text and len(done.reply.message.tool_calls) == 2 else where
    return "" if done.fault is not None and done.fault.kind in fault.kinds else f"{where}: wrong kind"


async def check_stream_faults(
    host: ModelHost, provider: Provider, cases: list[tuple[StreamFault, Wire, int]], at_once: int = 12
) -> list[str]:
    """Run many, some at once; give what is wrong."""
    turns = asyncio.Semaphore(at_once)

    async def check(fault: StreamFault, wire: Wire, at: int) -> str:
        async with turns:
            return await check_stream_fault(host, provider, fault, wire, at)

    return [wrong for wrong in await asyncio.gather(*(check(*case) for case in cases)) if wrong]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_streams_that_go_bad_anywhere_never_hang_and_never_run_a_call(
    host: ModelHost, provider: Provider, wire: Wire
) -> None:
    size = len(good_steps(ANSWER, wire))
    points = sorted({0, 1, size // 3, size // 2, finish_at(ANSWER, wire), size - 1})
    cases = [(fault, wire, at) for fault in STREAM_FAULTS for at in points]
    assert await check_stream_faults(host, provider, cases) == []


@pytest.mark.parametrize("how", ODD_CALLS)
async def test_calls_that_are_streamed_in_odd_ways_are_told_apart(
    host: ModelHost, provider: Provider, how: str
) -> None:
    done = await run(host, provider.route(odd_calls(how)), "openai")
    assert done.fault is None and done.reply is not None
    calls = done.reply.message.tool_calls
    assert [call.name for call in calls] == ["read", "read"]
    assert [call.arguments.replace(" ", "") for call in calls] == ['{"path":"a"}', '{"path":"b"}']
    assert len({call.id for call in calls}) == 2 and all(call.id for call in calls)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_whole_answer_in_both_formats(host: ModelHost, provider: Provider, wire: Wire) -> None:
    answer = Answer(
        ANSWER.text, ANSWER.reasoning, "SIG", ANSWER.calls, prompt=120, cached=40, completion=33, thought=9
    )
    done = await run(host, provider.route(Response(good_steps(answer, wire))), wire)
    assert done.reply is not None and done.fault is None
    message, usage = done.reply.message, done.reply.usage
    assert message.content == answer.text and message.reasoning == answer.reasoning and not message.partial
    assert message.tool_calls == tuple(ToolCall(*call) for call in answer.calls)
    assert [dict(block)["signature"] for block in message.signed_reasoning] == (
        ["SIG"] if wire == "anthropic" else []
    )
    assert usage is not None and (usage.prompt, usage.cached, usage.completion) == (120, 40, 33)
    assert usage.reasoning == 9 or wire == "anthropic"  # that format does not report it
    assert sum(isinstance(event, TextDelta) for event in done.events) == 3
    assert sum(isinstance(event, ReasoningDelta) for event in done.events) == 3


async def test_no_usage_is_made_up(host: ModelHost, provider: Provider) -> None:
    done = await run(host, provider.route(Response(good_steps(Answer("hi", usage=False), "openai"))), "openai")
    assert done.reply is not None and done.reply.usage is None


async def test_a_try_that_works_after_two_that_did_not(host: ModelHost, provider: Provider) -> None:
    slow = next(refusal for refusal in REFUSALS if refusal.name == "rate, seconds")
    route = provider.route(slow.response, slow.response, Response(good_steps(ANSWER, "openai")))
    done = await run(host, route, "openai")
    assert done.reply is not None and route.count == 3
    assert [event.attempt for event in done.events if isinstance(event, Waiting)] == [2, 3]


async def test_a_cancel_at_every_event_leaves_nothing_running(host: ModelHost, provider: Provider) -> None:
    good = good_steps(ANSWER, "openai")
    slow = [step for event in good for step in (event, Pause(0.02))]

    async def cancel_at(count: int) -> None:
        route = provider.route(Response(slow))
        model = RemoteModel(ModelInfo("x", 1), host, lambda request: params(route))

        async def read() -> None:
            stream: AsyncIterator[ModelEvent] = model.stream(Request((Message("user", "hi"),)))
            seen = 0
            async for _ in stream:
                seen += 1
                if seen == count:
                    await asyncio.Event().wait()

        task = asyncio.create_task(read())
        while not route.requests or len(route.requests[0].body) == 0:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.03 * count)
        task.cancel()
        await asyncio.wait((task,), timeout=1)
        assert task.cancelled()
        await asyncio.wait_for(route.requests[0].ended.wait(), 1)

    await asyncio.gather(*map(cancel_at, range(8)))
    (connection,) = host._connections
    async with asyncio.timeout(2):
        while connection._exchanges:
            await asyncio.sleep(0.01)


async def test_a_whole_agent_can_be_played_by_the_provider(host: ModelHost, provider: Provider) -> None:
    def play(messages: list[dict[str, object]], tools: list[object]) -> Answer:
        assert tools
        last = messages[-1]
        if last["role"] == "tool":
            return Answer(f"It says {last['content']}.")
        return Answer("Looking.", calls=[("c1", "read", '{"path":"a"}')])

    route = provider.route(agent(play))
    tool = {
        "type": "function",
        "function": {"name": "read", "description": "Reads.", "parameters": {"type": "object"}},
    }

    def build(request: Request) -> dict[str, object]:
        from paitui.messages.codec import to_wire

        return params(route, messages=[to_wire(message) for message in request.messages], tools=[tool])

    model = RemoteModel(ModelInfo("x", 1), host, build)
    asked = Message("user", "what does a say?")
    first = [event async for event in model.stream(Request((asked,), (ToolSpec("read", "Reads."),)))]
    assert isinstance(first[-1], Reply)
    (call,) = first[-1].message.tool_calls
    result = Message("tool", "42", tool_call_id=call.id, name="read")
    second = [event async for event in model.stream(Request((asked, first[-1].message, result)))]
    assert isinstance(second[-1], Reply) and second[-1].message.content == "It says 42."
