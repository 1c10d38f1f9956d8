"""What paitui writes down of a session is enough to replay it, with the provider's reports beside the estimate."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.context.estimate import message_tokens, messages_tokens, schema_tokens
from paitui.engine import events
from paitui.engine.prompts import summary_prompts
from paitui.locale import Words
from paitui.messages.message import Message, Usage
from paitui.model.port import ModelEvent, Reply, Request
from paitui.replay import command
from paitui.replay.recording import read_recording
from paitui.settings import ContextSettings

SUMMARY = "\n".join(f"{heading}\nRead many files; f07.txt says 42." for heading in summary_prompts("en").headings)
RATE = 1.27


@dataclass
class Reporting(ScriptedModel):
    """Reports what a provider would that counts `RATE` times the estimate, and 40 tokens of its own."""

    async def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        async for event in super().stream(request):
            if isinstance(event, Reply):
                prompt = messages_tokens(request.messages) + schema_tokens(request.tools)
                usage = Usage(round(prompt * RATE) + 40, round(message_tokens(event.message) * RATE))
                event = Reply(event.message, usage)
            yield event


async def test_a_session_of_ones_own_replays_with_a_score(tmp_path: Path) -> None:
    left = [f"f{n:02d}.txt" for n in range(40)]

    def work(request: Request) -> Message:
        if request.purpose == "summary":
            return says(SUMMARY)
        if not left:
            return says("all read")
        return calls(("read_file", json.dumps({"path": left.pop()})))

    opening = options(tmp_path, Reporting([work]), window=32_000)
    for n in range(40):
        # Some are so long that they are offloaded, and so is only their notice sent.
        (opening.paths.project / f"f{n:02d}.txt").write_text(
            f"file {n} line {n * 37}\n" * (4_000 if n % 9 == 0 else 90)
        )

    async def use(bench: Bench) -> None:
        assert (await bench.turn("read them all")).status == "done"

    bench = await with_worker(opening, use)
    kinds = {boundary.kind for boundary in bench.of(events.Boundary)}
    assert {"offload", "clear"} <= kinds
    [ledger] = opening.paths.ledgers.glob("*.jsonl")
    recording = read_recording(ledger, opening.paths.project)
    reported = [step.usage for step in recording.steps if step.message.role == "assistant"]
    assert len(reported) == 41 and all(usage is not None and usage.prompt > 40 for usage in reported)
    assert recording.breaks and recording.partly == 0
    replaying = partial(command.replay, recording, "x", 32_000, ContextSettings(), Words("en"), "paitui")
    figures = await asyncio.to_thread(replaying)
    score = json.loads(figures.as_json())["estimator"]
    assert score["p95"] < 0.01 and score["worst"] < 0.07
    assert (figures.tally.invalid, figures.tally.over_window, figures.lost) == (0, 0, 0)
