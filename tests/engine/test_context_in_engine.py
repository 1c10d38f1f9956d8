"""The three tiers at work in a running worker."""

import asyncio
import json
from pathlib import Path

from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.context.estimate import messages_tokens, schema_tokens
from paitui.engine import events, ops
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message
from paitui.messages.validity import violations
from paitui.model.port import Request

PROMPTS = summary_prompts("en")
SUMMARY = "\n".join(f"{heading}\nRead many files; f07.txt says 42." for heading in PROMPTS.headings)


class Reader:
    """Reads numbered files one after another until there are no more, then answers."""

    def __init__(self, files: int, at_once: int = 1) -> None:
        self.files = files
        self.at_once = at_once
        self.next = 0

    def __call__(self, request: Request) -> Message:
        if request.purpose == "summary":
            return says(SUMMARY)
        if self.next >= self.files:
            return says("I have read everything.")
        batch = range(self.next, min(self.files, self.next + self.at_once))
        self.next += self.at_once
        return calls(*[("read_file", json.dumps({"path": f"f{n:02d}.txt"})) for n in batch])


def fill(project: Path, files: int, chars: int) -> None:
    for n in range(files):
        (project / f"f{n:02d}.txt").write_text((f"file {n} line\n" * chars)[:chars])


async def test_a_long_task_passes_all_three_tiers_and_stays_valid(tmp_path: Path) -> None:
    model = ScriptedModel([Reader(70)])
    opening = options(tmp_path, model, window=16_000)
    fill(opening.paths.project, 70, 4_000)
    (opening.paths.project / "f03.txt").write_text("big\n" * 5_000)

    async def use(bench: Bench) -> None:
        assert (await bench.turn("read them all; never touch migrations/")).status == "done"
        assert not violations(bench.history)
        assert "read them all; never touch migrations/" in [message.content for message in bench.history]

    bench = await with_worker(opening, use)
    kinds = [event.kind for event in bench.of(events.Boundary)]
    assert kinds.index("offload") < kinds.index("clear") < kinds.index("summary")
    for boundary in bench.of(events.Boundary):
        assert boundary.after < boundary.before
    schemas = schema_tokens(model.requests[0].tools)
    assert max(messages_tokens(request.messages) + schemas for request in model.requests) < 16_000
    # Every body that is not in the history any more lies in the file that its placeholder named.
    stored = [m for request in model.requests for m in request.messages if m.state in ("cleared", "offloaded")]
    assert stored
    for message in stored:
        assert message.stored in message.content
        assert len((opening.paths.project / message.stored).read_text()) == message.body_chars
    assert (opening.paths.tool_outputs / ".gitignore").read_text() == "*\n"


async def test_results_that_are_too_large_together_are_offloaded(tmp_path: Path) -> None:
    model = ScriptedModel([Reader(16, at_once=16)])
    opening = options(tmp_path, model, window=128_000)
    fill(opening.paths.project, 16, 30_000)

    async def use(bench: Bench) -> None:
        await bench.turn("read")
        results = [message for message in bench.history if message.role == "tool"]
        assert len(results) == 16 and sum(len(message.content) for message in results) < 110_000

    bench = await with_worker(opening, use)
    assert len(bench.of(events.Boundary)) >= 14


async def test_the_placeholder_leads_back_to_the_bytes_slice_by_slice(tmp_path: Path) -> None:
    text = "".join(f"{n:05d} 数据 data\r\n" for n in range(6_000)) + "no line end"

    def read_back(request: Request) -> Message:
        stored = next(m.stored for m in request.messages if m.stored)
        return calls(("read_file", json.dumps({"path": stored, "offset": 5_990, "limit": 20})))

    model = ScriptedModel([calls(("read_file", '{"path":"big.txt"}')), read_back, says("found")])
    opening = options(tmp_path, model, window=128_000)
    (opening.paths.project / "big.txt").write_bytes(text.encode())

    async def use(bench: Bench) -> None:
        await bench.turn("read big.txt")
        results = [message for message in bench.history if message.role == "tool"]
        assert results[0].state == "offloaded" and results[1].state == "live"
        assert "05998 数据 data" in results[1].content and "no line end" in results[1].content
        assert (opening.paths.project / results[0].stored).read_bytes() == text.encode()

    await with_worker(opening, use)


async def test_a_planted_link_in_place_of_the_offload_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    model = ScriptedModel([calls(("read_file", '{"path":"f00.txt"}')), says("ok")])
    opening = options(tmp_path, model)
    fill(opening.paths.project, 1, 50_000)
    (opening.paths.project / ".paitui").mkdir()
    (opening.paths.project / ".paitui/tool-outputs").symlink_to(outside)

    async def use(bench: Bench) -> None:
        assert (await bench.turn("read")).status == "done"
        result = next(message for message in bench.history if message.role == "tool")
        assert "the middle is lost" in result.content and result.stored == ""

    bench = await with_worker(opening, use)
    assert list(outside.iterdir()) == []
    assert bench.of(events.Notice)[0].phrase.key == "engine.offload_lost"


async def test_compact_by_hand_and_its_wish(tmp_path: Path) -> None:
    model = ScriptedModel([lambda r: says(SUMMARY if r.purpose == "summary" else "An answer. " * 200)])

    async def use(bench: Bench) -> None:
        for n in range(3):
            await bench.turn(f"question {n}")
        bench.worker.send(ops.Compact("keep the numbers"))
        await bench.until(lambda: bool(bench.of(events.Boundary)))
        assert [message.origin for message in bench.history][1:3] == ["summary", "acknowledgement"]
        assert bench.history[3].content == "question 2"
        assert (await bench.turn("go on")).status == "done"
        assert not violations(bench.history)

    await with_worker(options(tmp_path, model), use)
    asked = next(request for request in model.requests if request.purpose == "summary")
    assert "keep the numbers" in asked.messages[0].content


async def test_a_compaction_can_be_stopped_and_changes_nothing(tmp_path: Path) -> None:
    model = ScriptedModel([lambda r: says(SUMMARY if r.purpose == "summary" else "An answer. " * 200)])

    async def use(bench: Bench) -> None:
        await bench.turn("one")
        await bench.turn("two")
        before = list(bench.history)
        model.gate = asyncio.Event()
        bench.worker.send(ops.Compact())
        bench.worker.send(ops.Submit("typed meanwhile"))
        await bench.until(lambda: any(e.purpose == "summary" for e in bench.of(events.ModelStarted)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.Notice)))
        assert list(bench.history) == before
        assert [q.text for q in bench.of(events.QueueChanged)[-1].queued] == ["typed meanwhile"]
        model.gate.set()

    await with_worker(options(tmp_path, model), use)


async def test_an_unusable_summary_leaves_the_history_as_it_was(tmp_path: Path) -> None:
    model = ScriptedModel([lambda r: says("no" if r.purpose == "summary" else "An answer. " * 200)])

    async def use(bench: Bench) -> None:
        await bench.turn("one")
        await bench.turn("two")
        before = list(bench.history)
        bench.worker.send(ops.Compact())
        await bench.until(lambda: bool(bench.of(events.Notice)))
        assert bench.of(events.Notice)[0].phrase.key == "engine.summary_refused"
        assert list(bench.history) == before

    await with_worker(options(tmp_path, model), use)


async def test_a_request_over_the_window_is_never_sent(tmp_path: Path) -> None:
    model = ScriptedModel([says("never")])
    opening = options(tmp_path, model, window=8_000)

    async def use(bench: Bench) -> None:
        ended = await bench.turn("字" * 20_000)
        assert ended.status == "failed" and ended.reason is not None
        assert ended.reason.key == "engine.context_full"

    await with_worker(opening, use)
    assert all(messages_tokens(request.messages) < 8_000 for request in model.requests)


async def test_context_shows_parts_and_thresholds(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        bench.worker.send(ops.ShowContext())
        await bench.until(lambda: bool(bench.of(events.CommandOutput)))
        keys = [line.key for line in bench.of(events.CommandOutput)[0].lines]
        assert "engine.context_clear_at" in keys and "engine.context_part" in keys

    await with_worker(options(tmp_path, ScriptedModel([says("x")])), use)
