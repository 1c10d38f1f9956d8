"""Commands that cannot be carried out: everybody hears of it, nobody waits for ever, the session goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker

from paitui.engine import events, ops

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        ("/model nosuch", 1, "nosuch"),
        ("/model offline", 0, "offline"),
        ("/model", 0, "offline"),
        ("/compact undo", 0, ""),
        ("/compact", 1, "summarised"),
        ("/approvals revoke x", 0, ""),
        ("/clear", 0, "empty"),
    ],
)
def test_every_command_ends_without_a_screen(tmp_path: Path, command: str, code: int, says: str) -> None:
    environment = {**os.environ, "PAITUI_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-m", "paitui", "--lang", "en", "-p", command, "--output", "json"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert done.returncode == code and found["status"] == ("failed" if code else "done")
    said = found["error"] if code else found["answer"]
    assert said and says in said


async def test_a_list_that_cannot_be_read_ends_no_session(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        sessions = tmp_path / "home/sessions"
        sessions.rename(tmp_path / "elsewhere")
        sessions.write_text("in the way")
        bench.worker.send(ops.ShowSessions())
        await bench.until(lambda: bool(bench.of(events.OpDone)))
        sessions.unlink()
        (tmp_path / "elsewhere").rename(sessions)
        assert (await bench.turn("hello")).status == "done"

    seen = (await with_worker(options(tmp_path), use)).of(events.Notice)
    assert [event.phrase.key for event in seen if event.level == "error"] == ["session.unreadable"]


@pytest.mark.parametrize("op", [ops.ShowContext(), ops.Clear(), ops.Undo(), ops.Compact("")])
async def test_a_fault_of_the_program_ends_the_op_and_is_told(
    tmp_path: Path, op: ops.Op, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(bench: Bench) -> None:
        await bench.turn("hello")
        unit = bench.worker._unit

        def broken(*given: object, **more: object) -> object:
            raise KeyError("lamp")

        with monkeypatch.context() as patch:
            patch.setattr("paitui.engine.overview.context", broken)
            patch.setattr(type(unit.history), "rebuild", broken)
            patch.setattr(type(unit.shortener), "undo", broken)
            patch.setattr(type(unit.shortener), "summarise", broken)
            bench.worker.send(op)
            await bench.until(lambda: bool(bench.of(events.OpDone)))
        assert (await bench.turn("hello again")).status == "done"

    bench = await with_worker(options(tmp_path), use)
    assert "engine.internal_op" in [event.phrase.key for event in bench.of(events.Notice)]
    assert "KeyError" in "".join(file.read_text() for file in (tmp_path / "home/history/raw").iterdir())
