"""The host against the real child with real litellm, and against children that misbehave."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from paitui.clock import FixedClock
from paitui.model.remote.connection import ProcessDied
from paitui.model.remote.host import HostClosed, HostOptions, ModelHost, StartTimeout, TooManyStarts
from paitui.model.remote.protocol import WINDOW
from tests.model.remote.remote_tools import ROOT, WIRES, fake_python, params, read_all, text_of
from tests.provider.faults import good_steps
from tests.provider.refusals import Wire
from tests.provider.server import FOREVER, Drip, Pause, Provider, Response, Route, Seen
from tests.provider.wire import Answer, openai_chunk, openai_stream, sse

pytestmark = pytest.mark.asyncio(loop_scope="session")


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z" if Path("/proc/self").exists() else False


def pid_of(host: ModelHost) -> int:
    (connection,) = host._connections
    return connection.process.pid


async def until_asked(route: Route) -> Seen:
    async with asyncio.timeout(10):
        while not route.requests:
            await asyncio.sleep(0.005)
    return route.requests[0]


@pytest.mark.parametrize("wire", WIRES)
async def test_an_answer_streams_in_both_formats(host: ModelHost, provider: Provider, wire: Wire) -> None:
    answer = Answer("你好, hello there", "because", "SIG", [("c1", "read", '{"path":"a"}'), ("c2", "ls", "{}")],
                    cached=40, thought=7)  # fmt: skip
    chunks, error = await read_all(host, params(provider.route(Response(good_steps(answer, wire))), wire))
    assert error is None
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert text_of(chunks) == answer.text
    assert sum(bool(delta.get("content")) for delta in deltas) == 3  # as they came, not in one piece
    assert "".join(delta.get("reasoning_content") or "" for delta in deltas) == "because"
    calls = [call for delta in deltas for call in delta.get("tool_calls") or ()]
    assert [call["id"] for call in calls if call.get("id")] == ["c1", "c2"]
    usage = next(chunk["usage"] for chunk in chunks if chunk.get("usage"))
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (100, 20)
    assert usage["prompt_tokens_details"]["cached_tokens"] == 40
    if wire == "anthropic":
        blocks = [block for delta in deltas for block in delta.get("thinking_blocks") or ()]
        assert [block["signature"] for block in blocks if block.get("signature")] == ["SIG"]


@pytest.mark.parametrize("wire", WIRES)
async def test_what_the_library_makes_up_is_taken_out(host: ModelHost, provider: Provider, wire: Wire) -> None:
    good = good_steps(Answer("hello", usage=False), "openai")
    chunks, _ = await read_all(host, params(provider.route(Response(good))))
    assert text_of(chunks) == "hello" and not any(chunk.get("usage") for chunk in chunks)
    for cut in ([], good_steps(Answer("hello"), wire)[:4]):
        chunks, error = await read_all(host, params(provider.route(Response(cut)), wire))
        assert error is None
        assert not any(choice.get("finish_reason") for chunk in chunks for choice in chunk["choices"])


async def test_many_equal_events_are_not_taken_for_a_loop(host: ModelHost, provider: Provider) -> None:
    row = Answer("-" * 400, pieces=400)
    chunks, error = await read_all(host, params(provider.route(openai_stream(row))))
    assert error is None and text_of(chunks) == row.text


async def test_requests_stream_side_by_side(host: ModelHost, provider: Provider) -> None:
    def slow(name: str) -> Route:
        steps = [step for event in good_steps(Answer(name * 6, pieces=6), "openai") for step in (event, Pause(0.03))]
        return provider.route(Response(steps))

    order: list[str] = []

    async def read(name: str) -> None:
        answer = await host.request(params(slow(name)))
        async for chunk in answer:
            order.extend(name for choice in chunk["choices"] if choice["delta"].get("content"))

    await asyncio.gather(*map(read, "abc"))
    assert sorted(order) == sorted("abc" * 6)
    assert sum(a != b for a, b in pairwise(order)) > 6  # interleaved, not one after the other


@pytest.mark.parametrize("wire", WIRES)
async def test_a_cancel_at_any_event_ends_the_request_at_the_provider(
    host: ModelHost, provider: Provider, wire: Wire
) -> None:
    events = good_steps(Answer("hello", "why", "S", [("c1", "f", '{"a":1}')]), wire)

    async def cancel_after(count: int) -> None:
        route = provider.route(Response([*events[:count], Pause(FOREVER)]))
        answer = await host.request(params(route, wire))
        seen = await until_asked(route)
        try:
            async with asyncio.timeout(0.3):
                async for _ in answer:
                    pass
        except TimeoutError:
            pass
        begin = time.monotonic()
        answer.close()
        answer.close()
        await asyncio.wait_for(seen.ended.wait(), 5)
        assert seen.gone_at is not None and seen.gone_at - begin < 1
        await asyncio.wait_for(answer._exchange.over.wait(), 2)

    finish = next(at for at, event in enumerate(events) if b'_reason":"' in event)
    await asyncio.gather(*map(cancel_after, range(finish)))
    (connection,) = host._connections
    assert not connection._exchanges and connection.alive


async def test_a_cancel_before_the_first_byte_ends_the_request_too(host: ModelHost, provider: Provider) -> None:
    for wire in WIRES:
        route = provider.route(Response(before=FOREVER))
        answer = await host.request(params(route, wire))
        seen = await until_asked(route)
        answer.close()
        await asyncio.wait_for(seen.ended.wait(), 1)
        assert seen.gone_at is not None


async def test_a_cancel_that_crosses_the_start_is_obeyed(host: ModelHost, provider: Provider) -> None:
    route = provider.route(openai_stream(Answer("hello")))
    answer = await host.request(params(route))
    answer.close()
    await asyncio.wait_for(answer._exchange.over.wait(), 2)


async def test_a_reader_that_sleeps_holds_up_its_own_provider_and_nobody_else(
    host: ModelHost, provider: Provider
) -> None:
    flood = provider.route(Response([Drip(sse(openai_chunk({"content": "x" * 50_000})), 0)]))
    answer = await host.request(params(flood))
    await anext(answer)
    await asyncio.sleep(1)
    waiting = sum(size for item in answer._exchange._arrived._queue if item for _, size in [item])  # type: ignore[attr-defined]
    assert 0 < waiting < WINDOW + 200_000
    begin = time.monotonic()
    chunks, _ = await read_all(host, params(provider.route(openai_stream(Answer("hello")))))
    assert text_of(chunks) == "hello" and time.monotonic() - begin < 3
    for _ in range(3 * WINDOW // 50_000):  # and once it reads again, more comes
        await asyncio.wait_for(anext(answer), 2)
    answer.close()


async def test_one_event_beyond_all_bounds_ends_its_request_only(host: ModelHost, provider: Provider) -> None:
    huge = provider.route(Response([sse(openai_chunk({"content": "x" * 17_000_000}))]))
    _, error = await read_all(host, params(huge))
    assert error is not None and error["kind"] == "ProtocolError"
    chunks, _ = await read_all(host, params(provider.route(openai_stream(Answer("hello")))))
    assert text_of(chunks) == "hello"


async def test_a_big_request_arrives_whole(host: ModelHost, provider: Provider) -> None:
    route = provider.route(openai_stream(Answer("hello")))
    text = "长" * 3_000_000
    await read_all(host, params(route, messages=[{"role": "user", "content": text}]))
    assert route.requests[0].body["messages"][0]["content"] == text


async def test_a_killed_process_fails_its_requests_clearly_and_the_next_one_works(provider: Provider) -> None:
    host = ModelHost()
    stuck = provider.route(Response([*good_steps(Answer("hello"), "openai")[:3], Pause(FOREVER)]))
    answers = [await host.request(params(stuck)) for _ in range(3)]  # asked before the process is ready
    for answer in answers:
        await anext(answer)
    os.kill(pid_of(host), signal.SIGKILL)
    for answer in answers:
        with pytest.raises(ProcessDied):
            async for _ in answer:
                pass
        answer.close()
    assert all([await asyncio.wait_for(seen.ended.wait(), 1) for seen in stuck.requests])
    chunks, _ = await read_all(host, params(provider.route(openai_stream(Answer("again")))))
    assert text_of(chunks) == "again"
    pid = pid_of(host)
    running = await host.request(params(stuck))
    await host.close()
    assert is_gone(pid)
    with pytest.raises(ProcessDied):
        async for _ in running:
            pass
    with pytest.raises(HostClosed):
        await host.request({})


async def test_the_process_ends_with_the_program_even_while_it_imports() -> None:
    code = (
        "import asyncio, os, sys\n"
        "from paitui.model.remote.host import ModelHost\n"
        "async def main():\n"
        "    host = ModelHost(); host.start(); await asyncio.sleep(float(sys.argv[1]))\n"
        "    print(next(iter(host._connections)).process.pid, flush=True); os._exit(9)\n"
        "asyncio.run(main())\n"
    )
    for seconds in ("0.05", "0.8"):
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", code, seconds],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 9, done.stderr
        begin = time.monotonic()
        while not is_gone(int(done.stdout)):
            assert time.monotonic() - begin < 2
            await asyncio.sleep(0.02)


async def test_a_program_that_stops_without_closing_does_not_hang() -> None:
    code = (
        "import asyncio\n"
        "from paitui.model.remote.host import ModelHost\n"
        "async def main():\n"
        "    host = ModelHost(); host.start(); await asyncio.sleep(0.1); raise SystemExit(3)\n"
        "asyncio.run(main())\n"
    )
    done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], cwd=ROOT, timeout=10)
    assert done.returncode == 3


async def test_a_process_that_dies_at_once_is_not_started_for_ever(tmp_path: Path) -> None:
    clock = FixedClock(None)  # type: ignore[arg-type]
    body = "print('no module named litellm, key sk-proj-' + 'a1B2' * 10); sys.exit(1)"
    host = ModelHost(HostOptions(python=fake_python(tmp_path, body), starts=3), clock)
    for _ in range(3):
        with pytest.raises(ProcessDied, match="no module named litellm") as died:
            await host.request({})
        assert not isinstance(died.value, TooManyStarts) and "a1B2a1B2" not in died.value.log
    with pytest.raises(TooManyStarts):
        await host.request({})
    clock.seconds = 61
    with pytest.raises(ProcessDied) as again:
        await host.request({})
    assert not isinstance(again.value, TooManyStarts)
    await host.close()


async def test_no_interpreter_is_an_error_and_not_a_hang() -> None:
    host = ModelHost(HostOptions(python="/does/not/exist"))
    with pytest.raises(OSError):
        await host.request({})
    await host.close()


async def test_a_process_that_is_never_ready_is_given_up(tmp_path: Path) -> None:
    host = ModelHost(HostOptions(python=fake_python(tmp_path, "await asyncio.sleep(60)"), start_s=0.5))
    with pytest.raises(StartTimeout):
        await host.request({})
    await host.close()


@pytest.mark.parametrize("said", ["b'Give Feedback / Get Help\\n'", "encode(Chunk(77, {}))", "b'x' * 20_000_000"])
async def test_a_process_that_talks_nonsense_is_ended(tmp_path: Path, said: str) -> None:
    body = (
        f"writer.write(encode(Ready('1', 0.1)))\nwriter.write({said})\nawait writer.drain()\nawait asyncio.sleep(60)"
    )
    host = ModelHost(HostOptions(python=fake_python(tmp_path, body)))
    with pytest.raises(ProcessDied):
        async for _ in await host.request({}):
            pass
    await host.close()


_STUBBORN = """
writer.write(encode(Ready("1", 0.1)))
while line := await reader.readline():
    match decode(line):
        case Start(id, params):
            writer.write(encode(Chunk(id, {"pid": os.getpid()})))
"""


async def test_a_process_that_does_not_confirm_a_cancel_is_ended(tmp_path: Path) -> None:
    host = ModelHost(HostOptions(python=fake_python(tmp_path, _STUBBORN), cancel_s=0.2))
    answer = await host.request({})
    pid = (await anext(answer))["pid"]
    begin = time.monotonic()
    answer.close()
    assert time.monotonic() - begin < 0.05  # nobody waits for it
    while not is_gone(pid):
        assert time.monotonic() - begin < 2
        await asyncio.sleep(0.02)
    assert (await anext(await host.request({})))["pid"] != pid
    await host.close()


async def test_but_not_while_another_request_is_being_read_from_it(tmp_path: Path) -> None:
    host = ModelHost(HostOptions(python=fake_python(tmp_path, _STUBBORN), cancel_s=0.2))
    read_on, dropped = await host.request({}), await host.request({})
    pid = (await anext(read_on))["pid"]
    dropped.close()
    await asyncio.sleep(0.5)
    assert not is_gone(pid)
    fresh = await host.request({})
    assert (await anext(fresh))["pid"] != pid  # nothing new goes to it
    read_on.close()
    begin = time.monotonic()
    while not is_gone(pid):
        assert time.monotonic() - begin < 2
        await asyncio.sleep(0.02)
    await host.close()


async def test_many_starts_at_once_make_one_process(tmp_path: Path) -> None:
    host = ModelHost(HostOptions(python=fake_python(tmp_path, _STUBBORN)))
    for _ in range(5):
        host.start()
    answers = await asyncio.gather(*(host.request({}) for _ in range(5)))
    assert len({(await anext(answer))["pid"] for answer in answers}) == 1
    host.start()
    assert len(host._connections) == 1
    await host.close()
