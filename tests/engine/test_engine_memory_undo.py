"""One entry's last change is taken back, whatever was changed after it."""

from pathlib import Path

from engine_bench import Bench, options, with_worker
from test_engine_memory import done, memory_file

from paitui.engine import events, ops


async def test_the_change_of_one_entry_is_taken_back_out_of_order(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        for fact in ("amounts are in cents", "the port is 8080", "tests run with -Pquick"):
            await done(bench, ops.Memory("save", text=fact))
        first, second, third = (str(entry["id"]) for entry in memory_file(tmp_path))
        await done(bench, ops.Memory("delete", id=first))
        await done(bench, ops.Memory("verify", id=second))
        await done(bench, ops.Memory("undo", id=first))
        assert {entry["id"] for entry in memory_file(tmp_path)} == {first, second, third}
        await done(bench, ops.Memory("undo", id="fact-00000000"))
        assert bench.of(events.MemoryChanged)[-1].result == "failed"
        await done(bench, ops.Memory("undo"))
        assert [one.result for one in bench.of(events.MemoryChanged)[-2:]] == ["failed", "undone"]
        assert all(entry.get("lastVerifiedAt") is None for entry in memory_file(tmp_path))

    await with_worker(options(tmp_path), use)
