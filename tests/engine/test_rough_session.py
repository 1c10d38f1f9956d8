"""A session in which whatever may fail does: requests stay valid, and nothing that was typed is lost."""

import errno
import json
import random
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.context.outputs import OutputFolder
from paitui.engine import events, ops
from paitui.engine.prompts import summary_prompts
from paitui.locale import phrase
from paitui.messages.message import Message
from paitui.messages.validity import violations
from paitui.model.port import ModelFault, Request

PROMPTS = summary_prompts("en")
SUMMARY = "\n".join(f"{heading}\nRead many files; f07.txt says 42." for heading in PROMPTS.headings)


TOLD = (events.Boundary, events.Undone, events.Notice)


def ended(bench: Bench) -> int:
    return len(bench.of(events.TurnEnded))


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_fails_requests_stay_valid_and_nothing_typed_is_lost(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)
    save = OutputFolder.save

    def flaky(self: OutputFolder, tool: str, text: str) -> str:
        if dice.random() < 0.15:
            raise OSError(errno.ENOSPC, "No space left on device")
        return save(self, tool, text)

    monkeypatch.setattr(OutputFolder, "save", flaky)

    def summary() -> Message:
        match dice.randrange(8):
            case 0:
                raise ModelFault("server", phrase("engine.no_reply"))
            case 1:
                return says("")
            case 2:
                return Message("assistant", SUMMARY, partial=True)
            case 3:
                return calls(("read_file", '{"path":"f01.txt"}'), text=SUMMARY)
            case _:
                return says(SUMMARY)

    def work(request: Request) -> Message:
        if request.purpose == "summary":
            return summary()
        match dice.randrange(10):
            case 0:
                raise ModelFault("server", phrase("engine.no_reply"), partial=dice.choice(["", "Half an ans"]))
            case 1:
                return says("")
            case 2 | 3:
                return says("That is it. " * dice.randrange(1, 200))
            case _:
                paths = [f"f{dice.randrange(12):02d}.txt" for _ in range(dice.choice((1, 1, 2, 5)))]
                return calls(*[("read_file", json.dumps({"path": path})) for path in paths])

    model = ScriptedModel([work])  # it refuses a request that breaks a rule
    opening = options(tmp_path, model, window=16_000)
    for n in range(12):
        lines = dice.choice((20, 200, 600, 9_000))
        (opening.paths.project / f"f{n:02d}.txt").write_text(f"第 {n} 个文件，line {n * 37}\n" * lines)
    typed = [f"request {n}: never touch migrations_{n}" for n in range(12)]

    async def use(bench: Bench) -> None:
        for text in typed:
            ends = ended(bench) + 1
            bench.worker.send(ops.Submit(text))
            if dice.random() < 0.3:
                steps = len(bench.seen) + dice.randrange(2, 30)
                await bench.until(lambda n=steps, e=ends: len(bench.seen) >= n or ended(bench) >= e)
                bench.worker.send(ops.Interrupt())
            await bench.until(lambda e=ends: ended(bench) >= e, seconds=30)
            if dice.random() < 0.4:
                told = len(bench.of(*TOLD))
                bench.worker.send(dice.choice([ops.Compact(), ops.Undo()]))
                await bench.until(lambda n=told: len(bench.of(*TOLD)) > n)
            assert not violations(bench.history)

    bench = await with_worker(opening, use)
    assert bench.of(events.Boundary)
    whole = "\n".join(message.content for message in bench.history)
    assert [text for text in typed if text not in whole] == []
    assert [message.origin for message in bench.history].count("summary") <= 1
