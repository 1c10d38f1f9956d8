"""Learning from what the user said, through a running worker: after the task, beside whatever comes next."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.engine import events, ops
from paitui.locale import Words, phrase
from paitui.model.port import ModelFault
from paitui.settings import MemorySettings, Settings

SAID = "Fix the parser. Our repo uses Meson."
FOUND = '{"facts":[{"quote":"Our repo uses Meson"}]}'


def memory(tmp_path: Path) -> list[dict[str, object]]:
    file = tmp_path / "home/memory/long_term_memory.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else []  # type: ignore[no-any-return]


def contents(tmp_path: Path) -> list[object]:
    return [entry["content"] for entry in memory(tmp_path)]


async def settled(bench: Bench) -> None:
    """Until nothing is searched any more."""
    running = bench.worker._parts.extractor._running
    while running:
        await asyncio.wait(set(running))


async def test_what_the_user_stated_is_added_and_told_quietly(tmp_path: Path) -> None:
    model = ScriptedModel([says("done")], facts=FOUND)

    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        await settled(bench)

    bench = await with_worker(options(tmp_path, model), use)
    [entry] = memory(tmp_path)
    assert entry["content"] == "Our repo uses Meson"
    metadata = entry["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["source"] == "extracted" and metadata["scope"] == "project"
    assert metadata["quote"] == "Our repo uses Meson" and metadata["turn"] == "1" and metadata["session"]
    [changed] = bench.of(events.MemoryChanged)
    assert changed.result == "extracted" and changed.entry.state == "unconfirmed"
    assert bench.of(events.Notice) == [events.Notice("info", phrase("extraction.added", n=1))]
    [search] = model.searches
    assert search.messages[-1].content == SAID and search.tools == ()
    assert len(model.requests) == 1
    [ledger] = (tmp_path / "home/history/raw").iterdir()
    told = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
    assert [line["payload"]["did"] for line in told if line["event"] == "memory"] == ["extracted"]


async def test_it_can_be_taken_back(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        await settled(bench)
        bench.worker.send(ops.Memory("undo"))
        await bench.until(lambda: any(event.result == "undone" for event in bench.of(events.MemoryChanged)))

    await with_worker(options(tmp_path, ScriptedModel([says("done")], facts=FOUND)), use)
    assert memory(tmp_path) == []


async def test_the_offline_engine_finds_facts_by_rules(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        await bench.turn("你好。我们项目默认用 pnpm。")
        await settled(bench)

    await with_worker(options(tmp_path, words=Words("zh")), use)
    assert contents(tmp_path) == ["我们项目默认用 pnpm"]


async def test_the_next_message_is_not_held_up(tmp_path: Path) -> None:
    model = ScriptedModel([says("one"), says("two")], facts=FOUND, facts_gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        ended = await bench.turn("and the tests?")  # runs to its end while the search still waits
        assert (ended.turn, ended.status) == (2, "done")
        assert model.facts_gate is not None and not model.facts_gate.is_set()
        assert len(model.searches) == 1 and memory(tmp_path) == []
        model.facts_gate.set()
        await settled(bench)

    await with_worker(options(tmp_path, model), use)
    assert contents(tmp_path) == ["Our repo uses Meson"]
    assert memory(tmp_path)[0]["metadata"]["turn"] == "1"  # type: ignore[index]


async def test_closing_ends_the_search(tmp_path: Path) -> None:
    model = ScriptedModel([says("one")], facts=FOUND, facts_gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        while not model.searches:
            await asyncio.sleep(0)

    bench = await with_worker(options(tmp_path, model), use)
    assert isinstance(bench.seen[-1], events.SessionClosed)
    assert memory(tmp_path) == []


async def test_a_face_may_wait_for_the_search_when_it_closes(tmp_path: Path) -> None:
    model = ScriptedModel([says("one")], facts=FOUND)

    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        bench.worker.send(ops.Close(wait_s=10))

    await with_worker(options(tmp_path, model), use)
    assert contents(tmp_path) == ["Our repo uses Meson"]


async def test_only_a_task_that_was_completed_counts(tmp_path: Path) -> None:
    fault = ModelFault("server", phrase("engine.no_reply"))
    gate = asyncio.Event()
    model = ScriptedModel([fault, says("never told"), says("fine")], facts=FOUND)

    async def use(bench: Bench) -> None:
        assert (await bench.turn(SAID)).status == "failed"
        model.gate = gate
        bench.worker.send(ops.Submit(SAID))
        await bench.until(lambda: len(model.requests) == 2)
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 2)
        bench.worker.send(ops.Clear())
        await bench.until(lambda: bool(bench.of(events.HistoryCleared)))
        await settled(bench)

    bench = await with_worker(options(tmp_path, model), use)
    assert [event.status for event in bench.of(events.TurnEnded)] == ["failed", "cancelled"]
    assert model.searches == [] and memory(tmp_path) == []


async def test_a_task_that_ran_out_of_rounds_does_not_count(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("list_dir", "{}")), says("so far")], facts=FOUND)
    settings = Settings(agent=replace(Settings().agent, max_rounds=1))

    async def use(bench: Bench) -> None:
        assert (await bench.turn(SAID)).status == "partial"
        await settled(bench)

    await with_worker(options(tmp_path, model, settings=settings), use)
    assert model.searches == []


async def test_it_can_be_switched_off(tmp_path: Path) -> None:
    model = ScriptedModel([says("done")], facts=FOUND)
    settings = Settings(memory=MemorySettings(extraction=False))

    async def use(bench: Bench) -> None:
        await bench.turn(SAID)

    await with_worker(options(tmp_path, model, settings=settings), use)
    assert model.searches == [] and memory(tmp_path) == []


async def test_it_pauses_once_foreign_text_was_read_until_the_history_is_cleared_also_after_a_resume(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([says("one"), says("two"), says("three")], facts=FOUND)

    async def read_foreign_text(bench: Bench) -> None:
        bench.worker._parts.recorder.set("trust", "a web page")
        await bench.turn(SAID)

    await with_worker(options(tmp_path, model), read_foreign_text)
    assert model.searches == []

    async def go_on(bench: Bench) -> None:
        await bench.turn(SAID)
        assert model.searches == []
        bench.worker.send(ops.Clear())
        await bench.until(lambda: bool(bench.of(events.HistoryCleared)))
        await bench.turn(SAID)
        await settled(bench)

    await with_worker(options(tmp_path, model, continue_last=True), go_on)
    assert contents(tmp_path) == ["Our repo uses Meson"]
    assert memory(tmp_path)[0]["metadata"]["turn"] == "3"  # type: ignore[index]


async def test_foreign_text_that_is_read_while_the_search_runs_stops_it_too(tmp_path: Path) -> None:
    model = ScriptedModel([says("one")], facts=FOUND, facts_gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        bench.worker._parts.recorder.set("trust", "a web page")
        assert model.facts_gate is not None
        model.facts_gate.set()
        await settled(bench)

    await with_worker(options(tmp_path, model), use)
    assert memory(tmp_path) == []


@pytest.mark.parametrize(
    "known", ["our repo uses meson.", "Our repo uses Bazel", "We build with CMake, our repo needs it"]
)
async def test_what_is_known_or_disputed_is_left_as_it_is(tmp_path: Path, known: str) -> None:
    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Memory("save", text=known))
        await bench.until(lambda: bool(bench.of(events.OpDone)))
        before = memory(tmp_path)
        await bench.turn(SAID)
        await settled(bench)
        assert memory(tmp_path) == before

    bench = await with_worker(options(tmp_path, ScriptedModel([says("done")], facts=FOUND)), use)
    assert [event.result for event in bench.of(events.MemoryChanged)] == ["stored"]
    assert bench.of(events.MemoryAsked) == [] and bench.of(events.Notice) == []


async def test_pasted_and_private_words_reach_no_model(tmp_path: Path) -> None:
    model = ScriptedModel([says("one")], facts='{"facts":[{"quote":"we always use SVN here"}]}')
    text = "look at we always use SVN here. Our password is hunter2. Our repo uses Meson."

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit(text, ((8, 31),)))
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        await settled(bench)

    await with_worker(options(tmp_path, model), use)
    [search] = model.searches
    assert "SVN" not in search.messages[-1].content and "hunter2" not in search.messages[-1].content
    assert memory(tmp_path) == []


async def test_what_was_said_to_steer_counts_too(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("list_dir", "{}")), says("done")], facts=FOUND)

    async def use(bench: Bench) -> None:
        def steer(event: events.Event) -> None:
            if isinstance(event, events.ToolStarted):
                bench.worker.send(ops.Steer("Our repo uses Meson."))

        bench.on_event = steer
        await bench.turn("list the files")
        await settled(bench)

    await with_worker(options(tmp_path, model), use)
    assert contents(tmp_path) == ["Our repo uses Meson"]


@pytest.mark.parametrize(
    "facts",
    [
        ModelFault("network", phrase("engine.no_reply")),
        "I found: Our repo uses Meson",
        '{"facts":[{"quote":"Our repo uses Bazel"}]}',
        '{"facts":[{"quote":"Our repo uses Meson","scope":"global"}]}',
        json.dumps({"facts": [{"quote": "Our repo uses Meson"}] * 4}),
    ],
)
async def test_a_model_that_fails_or_invents_leaves_the_memory_alone(tmp_path: Path, facts: str | ModelFault) -> None:
    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        await settled(bench)
        assert (await bench.turn("go on")).status == "done"

    bench = await with_worker(options(tmp_path, ScriptedModel([says("a"), says("b")], facts=facts)), use)
    assert memory(tmp_path) == [] and bench.of(events.Notice) == []


async def test_a_memory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        await bench.turn(SAID)
        await settled(bench)

    (tmp_path / "home/memory/long_term_memory.json").mkdir(parents=True)
    bench = await with_worker(options(tmp_path, ScriptedModel([says("a")], facts=FOUND)), use)
    assert any(notice.level == "warning" for notice in bench.of(events.Notice))


async def test_searches_run_one_after_the_other_in_order(tmp_path: Path) -> None:
    model = ScriptedModel([says("a"), says("b")], facts='{"facts":[]}', facts_gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        await bench.turn("we use the first one")
        await bench.turn("we use the second one")
        assert len(model.searches) <= 1
        assert model.facts_gate is not None
        model.facts_gate.set()
        await settled(bench)

    await with_worker(options(tmp_path, model), use)
    assert [search.messages[-1].content for search in model.searches] == [
        "we use the first one",
        "we use the second one",
    ]


async def test_the_small_model_is_asked_where_there_is_one(tmp_path: Path) -> None:
    large, small = ScriptedModel([says("done")], facts=FOUND), ScriptedModel([says("?")], facts=FOUND)

    async def use(bench: Bench) -> None:
        bench.worker._unit.background = small
        await bench.turn(SAID)
        await settled(bench)

    await with_worker(options(tmp_path, large), use)
    assert (len(large.searches), len(small.searches)) == (0, 1)
