"""A memory that another program takes out while the user is asked about it."""

from pathlib import Path

from engine_bench import Bench, options, with_worker
from test_engine_memory import done, memory_file

from paitui.engine import events, ops


def emptied(tmp_path: Path) -> None:
    (tmp_path / "home/memory/long_term_memory.json").write_text("[]")


async def test_the_new_fact_is_saved_although_there_is_nothing_left_to_replace(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        await done(bench, ops.Memory("save", text="the project uses Java 17"))
        bench.worker.send(ops.Memory("save", text="the project uses Java 21"))
        await bench.until(lambda: bool(bench.of(events.MemoryAsked)))
        emptied(tmp_path)
        bench.worker.send(ops.DecideMemory(bench.of(events.MemoryAsked)[0].id, "replace"))
        await bench.until(lambda: len(bench.of(events.MemoryChanged)) == 2)

    await with_worker(options(tmp_path, asks_about_memory=True), use)
    assert [entry["content"] for entry in memory_file(tmp_path)] == ["the project uses Java 21"]


async def test_a_replacement_goes_on_although_what_else_it_was_to_replace_is_gone(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        await done(bench, ops.Memory("save", text="the office is in Berlin"))
        [office] = memory_file(tmp_path)
        kept = (tmp_path / "home/memory/long_term_memory.json").read_text()
        await done(bench, ops.Memory("save", text="the project uses Java 17"))
        bench.worker.send(ops.Memory("replace", id=str(office["id"]), text="the project uses Java 21"))
        await bench.until(lambda: bool(bench.of(events.MemoryAsked)))
        (tmp_path / "home/memory/long_term_memory.json").write_text(kept)
        bench.worker.send(ops.DecideMemory(bench.of(events.MemoryAsked)[0].id, "replace"))
        await bench.until(lambda: len(bench.of(events.MemoryChanged)) == 3)

    await with_worker(options(tmp_path, asks_about_memory=True), use)
    assert [entry["content"] for entry in memory_file(tmp_path)] == ["the project uses Java 21"]
