"""The whole engine on a remote model: real HTTP on loopback, the real model process, real tools."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine_bench import Bench, options, with_worker

from paitui.engine import events, ops
from paitui.engine.prompts import summary_prompts
from paitui.messages.validity import violations
from paitui.settings import ContextSettings, ProviderSettings, Settings
from tests.provider.server import Provider, Response, Route
from tests.provider.wire import Answer, agent, openai_stream

FILES = 140
WINDOW = 16_000
SUMMARY = "\n".join(f"{heading}\nRead many files, all of them short." for heading in summary_prompts("en").headings)


class Reader:
    """The model behind the provider: reads files two at a time, sums up when asked, answers at the end."""

    def __init__(self) -> None:
        self.next = 0
        self.largest = 0

    def __call__(self, messages: list[Any], tools: list[Any]) -> Answer:
        sent = json.dumps([messages, tools], ensure_ascii=False)
        prompt = int(len(sent) / 3.2)  # this provider counts a quarter more than the estimate
        self.largest = max(self.largest, prompt)
        if not tools:  # a summary is asked for
            return Answer(SUMMARY, prompt=prompt, completion=80)
        if self.next >= FILES:
            return Answer("I have read them all.", prompt=prompt, completion=8)
        batch = [self.next, self.next + 1]
        self.next += 2
        calls = [(f"call_{n}", "read_file", json.dumps({"path": f"f{n:03d}.txt"})) for n in batch]
        return Answer(
            f"Reading {batch}.", "Two more.", "sig", calls, prompt=prompt, completion=60, cached=prompt // 2
        )


def settings(route: Route, wire: str) -> Settings:
    own = ProviderSettings(
        base_url=route.openai if wire == "openai" else route.url,
        api_key="k",
        like=wire,
        models=("reader",),
        input_price=1.0,
        output_price=2.0,
    )
    return Settings(model="house/reader", providers={"house": own}, context=ContextSettings(window=WINDOW))


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_long_task_over_http_passes_all_three_tiers_and_is_measured(tmp_path: Path, wire: str) -> None:
    provider = await Provider().start()
    reader = Reader()
    try:
        route = provider.route(agent(reader))
        opening = options(tmp_path, settings=settings(route, wire))
        for n in range(FILES):
            (opening.paths.project / f"f{n:03d}.txt").write_text(
                (f"file {n} line\n" * 600)[: 6_000 if n == 4 else 2_400]
            )

        async def use(bench: Bench) -> None:
            bench.worker.send(ops.Submit("read them all"))
            await bench.until(lambda: bool(bench.of(events.TurnEnded)), seconds=60)
            assert bench.of(events.TurnEnded)[0].status == "done", bench.of(events.TurnEnded, events.Notice)
            assert not violations(bench.history)

        bench = await with_worker(opening, use)
    finally:
        await provider.close()
    assert {"offload", "clear", "summary"} <= {event.kind for event in bench.of(events.Boundary)}
    assert bench.of(events.ContextChanged)[-1].report.measured
    assert reader.largest < WINDOW  # as the provider counts
    assert len(bench.of(events.ToolFinished)) == FILES and all(event.ok for event in bench.of(events.ToolFinished))
    spent = [event.usage for event in bench.of(events.UsageReported)]
    assert spent[0].cost and spent[1].cached
    assert len(bench.of(events.TextDelta)) > FILES // 2
    assert bench.of(events.ReasoningDelta) or wire == "openai"


async def test_switching_models_rebudgets_and_is_remembered(tmp_path: Path) -> None:
    provider = await Provider().start()
    try:
        route = provider.route(agent(lambda messages, tools: Answer("Hello from afar.", prompt=900, completion=9)))
        given = settings(route, "openai")
        opening = options(tmp_path, settings=Settings(providers=given.providers))

        async def use(bench: Bench) -> None:
            assert bench.of(events.ContextChanged)[-1].report.window == 32_000
            bench.worker.send(ops.SwitchModel("nonsense"))
            await bench.until(lambda: bool(bench.of(events.Notice)))
            bench.worker.send(ops.SwitchModel("house/reader"))
            await bench.until(lambda: bool(bench.of(events.ModelChanged)))
            bench.worker.send(ops.ShowModels())
            bench.worker.send(ops.Submit("hi"))
            await bench.until(lambda: bool(bench.of(events.TurnEnded)), seconds=30)
            assert bench.history[-1].content == "Hello from afar."

        bench = await with_worker(opening, use)
        report = bench.of(events.ContextChanged)[-1].report
        assert (report.window, report.used) == (128_000, 909)
        [listing] = bench.of(events.CommandOutput)
        assert any(line.params.get("name") == "house/reader" for line in listing.lines)

        async def later(bench: Bench) -> None:
            assert bench.of(events.SessionOpened)[0].model == "house/reader"

        await with_worker(replace(opening, continue_last=True), later)
    finally:
        await provider.close()


async def test_a_refused_key_ends_the_turn_with_what_to_do(tmp_path: Path) -> None:
    provider = await Provider().start()
    body = (
        b'{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}'
    )
    try:
        route = provider.route(lambda seen: Response((body,), status=401))
        opening = options(tmp_path, settings=settings(route, "openai"))

        async def use(bench: Bench) -> None:
            bench.worker.send(ops.Submit("hi"))
            await bench.until(lambda: bool(bench.of(events.TurnEnded)), seconds=30)

        bench = await with_worker(opening, use)
    finally:
        await provider.close()
    [ended] = bench.of(events.TurnEnded)
    assert ended.status == "failed" and ended.reason is not None and ended.reason.key.startswith("model.")
    assert route.count == 1


async def test_interrupting_a_remote_answer_ends_it_at_the_provider(tmp_path: Path) -> None:
    provider = await Provider().start()
    try:

        def slow(seen):  # type: ignore[no-untyped-def]
            return openai_stream(Answer("word " * 200, pieces=200))

        route = provider.route(slow)
        opening = options(tmp_path, settings=settings(route, "openai"))

        async def use(bench: Bench) -> None:
            bench.worker.send(ops.Submit("talk"))
            await bench.until(lambda: bool(bench.of(events.TextDelta)), seconds=30)
            begin = asyncio.get_running_loop().time()
            bench.worker.send(ops.Interrupt())
            await bench.until(lambda: bool(bench.of(events.TurnEnded)))
            assert asyncio.get_running_loop().time() - begin < 0.5
            assert not violations(bench.history)

        await with_worker(opening, use)
    finally:
        await provider.close()


async def test_summaries_go_to_the_small_model_within_its_window(tmp_path: Path) -> None:
    provider = await Provider().start()
    try:
        large = provider.route(
            agent(lambda messages, tools: Answer("A long answer. " * 400, prompt=900, completion=9))
        )
        small = provider.route(agent(lambda messages, tools: Answer(SUMMARY, prompt=500, completion=80)))
        house = settings(large, "openai")
        little = replace(house.providers["house"], base_url=small.openai, window=8_000)
        both = replace(
            house,
            small_model="little/one",
            providers={**house.providers, "little": little},
            context=ContextSettings(),
        )

        async def use(bench: Bench) -> None:
            for number in range(8):
                bench.worker.send(ops.Submit(f"question {number}"))
                await bench.until(lambda n=number: len(bench.of(events.TurnEnded)) > n, seconds=30)
            bench.worker.send(ops.Compact())
            await bench.until(lambda: bool(bench.of(events.Boundary)), seconds=30)

        await with_worker(options(tmp_path, settings=both), use)
    finally:
        await provider.close()
    assert large.count == 8 and small.count >= 3
    assert max(len(json.dumps(seen.body)) for seen in small.requests) < 8_000 * 4
