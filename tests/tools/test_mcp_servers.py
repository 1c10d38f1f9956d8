"""Servers that work, and servers that hang, die, flood and do not end."""

import asyncio
import resource
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from mcp_bench import STUBS, by_sdk, quiet, rough, runs, started

from paitui.locale import Words
from paitui.tools.mcp.config import ServerConfig
from paitui.tools.mcp.offer import CallFailed
from paitui.tools.mcp.stdio import Lines

EN = Words("en")


async def failure(call: object) -> str:
    with pytest.raises(CallFailed) as caught:
        await call  # type: ignore[misc]
    return EN.say(caught.value.phrase)


async def test_a_server_of_the_sdk_offers_tools_resources_and_prompts(tmp_path: Path) -> None:
    async with started(by_sdk(), project=tmp_path) as bench:
        view = await bench.settled()
        assert (view.state, view.said) == ("ready", "demo 1.2.3")
        assert [tool.name for tool in view.offer.tools] == ["add", "shout", "fail"]
        assert view.offer.tools[0].schema["properties"]["a"]["type"] == "integer"
        assert [r.uri for r in view.offer.resources] == ["docs://readme"]
        assert view.offer.prompts[0].arguments == (("path", True),)
        servers = bench.servers
        assert (await servers.call("demo", "add", {"a": 2, "b": 3}, quiet)).text == "5"
        broken = await servers.call("demo", "fail", {}, quiet)
        assert not broken.ok and "fail" in broken.text
        assert (await servers.read("demo", "docs://readme")).text == "Turn it on, then off."
        assert (await servers.prompt("demo", "review", {"path": "x.py"})).text == "Please review x.py."
        assert "nothing.txt" in await failure(servers.read("demo", "docs://nothing.txt"))


async def test_a_server_over_http_works_and_its_end_is_the_end_of_a_call(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = str(STUBS / "mcp_sdk_server.py")
    process = subprocess.Popen(
        [sys.executable, script, "--http", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(20):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                except ConnectionRefusedError:
                    await asyncio.sleep(0.05)
        config = ServerConfig(
            "web", "home", "http", url=f"http://127.0.0.1:{port}/mcp", headers={"X-Key": "s3cr3t-x"}
        )
        async with started(config, project=tmp_path) as bench:
            view = await bench.settled()
            assert view.state == "ready", view.why
            assert (await bench.servers.call("web", "shout", {"text": "hi"}, quiet)).text == "HI"
            process.kill()
            process.wait()
            assert await failure(bench.servers.call("web", "shout", {"text": "hi"}, quiet))
    finally:
        process.kill()
        process.wait()


async def test_nobody_listens_at_the_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = ServerConfig("web", "home", "http", url=f"http://127.0.0.1:{port}/mcp")
    async with started(config, project=tmp_path) as bench:
        view = await bench.settled()
        assert view.state == "failed" and view.why is not None and "connect" in EN.say(view.why).lower()


async def test_an_answer_over_http_without_end_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    """It announces JSON and never stops; eight megabytes are read of it."""
    sent = 0
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        nonlocal sent
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900000000\r\n\r\n"
                )
                try:
                    while sent < 900_000_000:
                        sent += connection.send(b" " * 1_000_000)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        config = ServerConfig("web", "home", "http", url=f"http://127.0.0.1:{listener.getsockname()[1]}/mcp")
        async with started(config, project=tmp_path) as bench:
            view = await bench.settled()
        assert view.state == "failed"
        assert sent < 100_000_000
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        await asyncio.to_thread(thread.join, 5)


async def test_one_that_hangs_or_is_not_there_costs_no_other(tmp_path: Path) -> None:
    missing = ServerConfig("missing", "home", "stdio", "/nowhere/at/all")
    async with started(rough("hang", name="slow"), missing, rough(), project=tmp_path, start_s=2) as bench:
        await bench.settled()
        slow, gone, good = bench.servers.views
        assert slow.state == "failed" and slow.why is not None and "2 s" in EN.say(slow.why)
        assert gone.state == "failed" and gone.why is not None and "No such file" in EN.say(gone.why)
        assert good.state == "ready"
        assert (await bench.servers.call("rough", "echo", {"text": "still here"}, quiet)).text == "still here"
        assert "slow" in await failure(bench.servers.call("slow", "echo", {}, quiet))


async def test_one_that_dies_says_why_and_hides_its_secret(tmp_path: Path) -> None:
    config = rough("die", env={"T": "tok-12345678"}, secrets=("tok-12345678",))
    async with started(config, project=tmp_path) as bench:
        view = await bench.settled()
        assert view.why is not None
        assert "cannot find the token ‹secret›" in EN.say(view.why)
        assert "tok-12345678" not in str(bench.servers.log("rough"))


async def test_a_call_that_hangs_ends_in_time_and_can_be_stopped_at_once(tmp_path: Path) -> None:
    async with started(rough(), project=tmp_path, call_s=0.5) as bench:
        await bench.settled()
        assert "0.5 s" in await failure(bench.servers.call("rough", "hang", {}, quiet))
        waiting = asyncio.create_task(bench.servers.call("rough", "hang", {}, quiet))
        await asyncio.sleep(0)
        begin = time.monotonic()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert time.monotonic() - begin < 0.3
        assert (await bench.servers.call("rough", "echo", {"text": "on"}, quiet)).text == "on"


async def test_one_that_dies_in_a_call_is_told_and_comes_back(tmp_path: Path) -> None:
    async with started(rough(), project=tmp_path) as bench:
        await bench.settled()
        assert await failure(bench.servers.call("rough", "die", {}, quiet))
        await bench.until(lambda: bench.servers.views[0].state == "ended")
        bench.servers.restart("rough")
        await bench.settled()
        assert (await bench.servers.call("rough", "echo", {"text": "back"}, quiet)).text == "back"
        bench.servers.disable("rough")
        assert bench.servers.views[0].state == "disabled"
        assert await failure(bench.servers.call("rough", "echo", {}, quiet))


async def test_an_answer_of_a_hundred_megabytes_is_cut_in_bounded_memory(tmp_path: Path) -> None:
    async with started(rough(), project=tmp_path) as bench:
        await bench.settled()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer = await bench.servers.call("rough", "big", {}, quiet)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        assert answer.text.startswith("begin é\nmmm") and 7_000_000 < len(answer.text) <= 8_400_000
        assert answer.cut_bytes > 100_000_000
        assert grown < 90, f"{grown:.0f} MB"
        assert (await bench.servers.call("rough", "echo", {"text": "on"}, quiet)).text == "on"


async def test_a_line_without_an_end_ends_with_the_time_of_the_call(tmp_path: Path) -> None:
    async with started(rough(), project=tmp_path, call_s=1) as bench:
        await bench.settled()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert await failure(bench.servers.call("rough", "endless", {}, quiet))
        assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 60


async def test_notifications_without_end_and_a_flooded_log_slow_nobody_down(tmp_path: Path) -> None:
    async with started(rough("flood", "noisy", "junk"), project=tmp_path) as bench:
        view = await bench.settled()
        assert view.state == "ready", view.why
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        late = 0.0
        for n in range(40):
            begin = time.monotonic()
            await asyncio.sleep(0.01)
            late = max(late, time.monotonic() - begin - 0.01)
            if n % 10 == 0:
                assert (await bench.servers.call("rough", "echo", {"text": str(n)}, quiet)).text == str(n)
        assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 40
        assert len(bench.servers.log("rough")) <= 501
        assert late < 0.5


async def test_nothing_outlives_the_end_of_a_stubborn_server(tmp_path: Path) -> None:
    async with started(rough("stubborn"), project=tmp_path) as bench:
        await bench.settled()
        line = next(line for line in bench.servers.log("rough") if line.startswith("pids"))
        pids = [int(number) for number in line.split()[1:]]
        assert all(map(runs, pids))
        begin = time.monotonic()
        await bench.servers.close()
        assert time.monotonic() - begin < 5
        assert not any(map(runs, pids))


async def test_parts_of_an_answer_progress_and_what_is_refused(tmp_path: Path) -> None:
    async with started(rough(), project=tmp_path) as bench:
        await bench.settled()
        answer = await bench.servers.call("rough", "two_parts", {}, quiet)
        assert answer.text == "one\n[image: image/png, 3 bytes, not shown]\n[resource: a:b]\ninside"
        told: list[str] = []
        assert (await bench.servers.call("rough", "progress", {}, told.append)).text == "done"
        assert told == ["1/2\n", "2/2\n"]
        assert "Sampling not supported" in (await bench.servers.call("rough", "ask", {}, quiet)).text


async def test_a_server_knows_what_commands_know_and_its_own_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-else")
    async with started(rough(env={"MINE": "yes"}), project=tmp_path) as bench:
        await bench.settled()
        answer = await bench.servers.call("rough", "environment", {}, quiet)
        assert '"MINE": "yes"' in answer.text and "OPENAI_API_KEY" not in answer.text


async def test_a_tool_that_changes_is_another_tool(tmp_path: Path) -> None:
    async with started(rough(), project=tmp_path) as bench:
        view = await bench.settled()
        marks = {tool.name: tool.mark for tool in view.offer.tools}
        assert (await bench.servers.call("rough", "change", {}, quiet)).text == "changed"
        await bench.until(lambda: bench.servers.views[0].offer != view.offer)
        now = {tool.name: tool.mark for tool in bench.servers.views[0].offer.tools}
        assert [name for name in marks if now[name] != marks[name]] == ["echo"]


async def test_what_an_evil_server_says_of_its_tools_is_bounded_and_plain(tmp_path: Path) -> None:
    async with started(rough("evil"), project=tmp_path) as bench:
        view = await bench.settled()
        assert view.state == "ready", view.why
        offer = view.offer
        assert len(offer.tools) <= 128
        assert all(len(tool.description) <= 2_000 for tool in offer.tools)
        texts = "".join(tool.description for tool in offer.tools)
        assert "\u202e" not in texts and "</tool_result>" not in texts and "[paitui:cleared" not in texts
        odd = next(tool for tool in offer.tools if tool.name == "odd")
        assert odd.schema["type"] == "object" and odd.schema["properties"] == {"a": {}}
        assert next(tool for tool in offer.tools if tool.name == "huge").schema["properties"] == {}
        said = " ".join(EN.say(note) for note in offer.notes)
        assert "128" in said and "huge" in said


def test_lines_are_cut_at_their_limit_whatever_the_pieces() -> None:
    lines = Lines(most=5)
    assert lines.feed(b"ab") == []
    assert lines.feed(b"c\nlonger than five\nx") == [(b"abc", 3), (b"longe", 16)]
    assert lines.feed(b"\n") == [(b"x", 1)]
