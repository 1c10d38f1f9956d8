"""Compaction under faults, undo, pins and single messages, in a running worker."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.context.undo import fingerprint
from paitui.engine import events, ops
from paitui.engine.commands import parse
from paitui.engine.prompts import summary_prompts
from paitui.locale import phrase
from paitui.messages.message import Message
from paitui.messages.validity import violations
from paitui.model.port import ModelFault, Request
from paitui.settings import ContextSettings, Settings

PROMPTS = summary_prompts("en")
SUMMARY = "\n".join(f"{heading}\nRead many files; f07.txt says 42." for heading in PROMPTS.headings)
LONG = "An answer with details. " * 150
OVERFLOW = ModelFault("overflow", phrase("engine.no_reply"))


def talk(request: Request) -> Message:
    return says(SUMMARY if request.purpose == "summary" else LONG)


def notices(bench: Bench) -> list[str]:
    return [notice.phrase.key for notice in bench.of(events.Notice)]


async def noticed(bench: Bench, key: str) -> None:
    await bench.until(lambda: key in notices(bench))


async def compacted(bench: Bench, instructions: str = "") -> None:
    before = len(bench.of(events.Boundary))
    bench.worker.send(ops.Compact(instructions))
    await bench.until(lambda: len(bench.of(events.Boundary)) > before)


def context(**values: object) -> Settings:
    return Settings(context=ContextSettings(**values))  # type: ignore[arg-type]


# -- a request that is too long -----------------------------------------------------------------------------------


class TooLong:
    """Refuses so many requests of the turn as too long, then answers."""

    def __init__(self, times: int, after: int) -> None:
        self.times = times
        self.after = after

    def __call__(self, request: Request) -> Message:
        if request.purpose == "summary":
            return says(SUMMARY)
        self.after -= 1
        if self.after < 0 and self.times > 0:
            self.times -= 1
            raise OVERFLOW
        return says(LONG)


async def test_a_request_that_the_model_finds_too_long_is_shortened_and_sent_once_more(tmp_path: Path) -> None:
    model = ScriptedModel([TooLong(1, after=5)])

    async def use(bench: Bench) -> None:
        for n in range(6):
            assert (await bench.turn(f"question {n}")).status == "done"
        assert not violations(bench.history)
        assert bench.history[1].origin == "summary" and "question 0" in bench.history[1].content

    bench = await with_worker(options(tmp_path, model), use)
    assert [boundary.kind for boundary in bench.of(events.Boundary)] == ["summary"]
    assert notices(bench) == ["engine.overflow_recovering"]
    turns = [request for request in model.requests if request.purpose == "turn"]
    assert len(turns) == 7 and len(turns[6].messages) < len(turns[5].messages)


async def test_too_long_twice_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    model = ScriptedModel([TooLong(2, after=5)])

    async def use(bench: Bench) -> None:
        for n in range(5):
            await bench.turn(f"question {n}")
        ended = await bench.turn("question 5")
        assert ended.status == "failed" and ended.reason is not None
        assert ended.reason.key == "engine.overflow_again"
        assert not violations(bench.history)
        assert (await bench.turn("question 6")).status == "done"

    await with_worker(options(tmp_path, model), use)
    assert sum(request.purpose == "turn" for request in model.requests) == 8


async def test_too_long_with_nothing_to_take_out_is_told_and_not_sent_again(tmp_path: Path) -> None:
    model = ScriptedModel([TooLong(9, after=0)])

    async def use(bench: Bench) -> None:
        ended = await bench.turn("hello")
        assert ended.reason is not None and ended.reason.key == "engine.overflow_stuck"
        assert [message.content for message in bench.history if message.role == "user"] == ["hello"]

    await with_worker(options(tmp_path, model), use)
    assert len(model.requests) == 1


@pytest.mark.parametrize("kind", ["rate_limit", "timeout", "server"])
async def test_other_faults_shorten_nothing(tmp_path: Path, kind: str) -> None:
    model = ScriptedModel([says(LONG), says(LONG), ModelFault(kind, phrase("engine.no_reply"))])  # type: ignore[arg-type]

    async def use(bench: Bench) -> None:
        for n in range(3):
            await bench.turn(f"question {n}")

    bench = await with_worker(options(tmp_path, model), use)
    assert bench.of(events.Boundary) == [] and len(model.requests) == 3


# -- summaries that fail ------------------------------------------------------------------------------------------

BAD: dict[str, Callable[[Request], Message]] = {
    "empty": lambda r: says(""),
    "bare headings": lambda r: says("\n".join(PROMPTS.headings)),
    "a tool call": lambda r: calls(("read_file", "{}"), text=SUMMARY),
    "cut off": lambda r: replace(says(SUMMARY), partial=True),
    "longer than what it replaces": lambda r: says(SUMMARY + "word " * 3_000),
}


@pytest.mark.parametrize("bad", BAD)
async def test_an_unusable_summary_changes_nothing(tmp_path: Path, bad: str) -> None:
    model = ScriptedModel([lambda r: BAD[bad](r) if r.purpose == "summary" else says(LONG)])

    async def use(bench: Bench) -> None:
        await bench.turn("one")
        await bench.turn("two")
        before = fingerprint(bench.history)
        bench.worker.send(ops.Compact())
        await bench.until(lambda: bool(notices(bench)))
        assert notices(bench)[0] in ("engine.summary_refused", "engine.summary_gain")
        assert fingerprint(bench.history) == before

    await with_worker(options(tmp_path, model), use)


@pytest.mark.parametrize("fault", ["cancel", "server", "time"])
async def test_a_summary_that_does_not_come_changes_nothing(
    tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: Request) -> Message:
        if request.purpose == "summary" and fault == "server":
            raise ModelFault("server", phrase("engine.no_reply"))
        return talk(request)

    model = ScriptedModel([answer])

    async def use(bench: Bench) -> None:
        await bench.turn("one")
        await bench.turn("two")
        before = fingerprint(bench.history)
        if fault != "server":
            model.gate = asyncio.Event()
        if fault == "time":
            manager = type(bench.worker._unit.manager)
            monkeypatch.setattr(manager, "summary_timeout_s", property(lambda self: 0.05))
        bench.worker.send(ops.Compact())
        await bench.until(lambda: any(e.purpose == "summary" for e in bench.of(events.ModelStarted)))
        bench.worker.send(ops.Submit("typed meanwhile"))
        if fault == "cancel":
            begin = asyncio.get_running_loop().time()
            bench.worker.send(ops.Interrupt())
            await noticed(bench, "engine.compaction_cancelled")
            assert asyncio.get_running_loop().time() - begin < 0.2
        else:
            await noticed(bench, "engine.summary_failed")
        assert fingerprint(bench.history[: len(bench.history)][:5]) == before
        if model.gate:
            model.gate.set()

    await with_worker(options(tmp_path, model), use)


async def test_three_failures_open_the_breaker_with_its_cause_and_compact_closes_it(tmp_path: Path) -> None:
    good = False

    def answer(request: Request) -> Message:
        return says(SUMMARY if good else "no") if request.purpose == "summary" else says(LONG)

    model = ScriptedModel([answer])

    async def use(bench: Bench) -> None:
        nonlocal good
        while "engine.breaker_model" not in notices(bench):
            assert (await bench.turn("question")).status == "done"
        assert bench.worker._unit.manager.breaker_open
        assert sum(request.purpose == "summary" for request in model.requests) == 6
        good = True
        await compacted(bench)
        assert not bench.worker._unit.manager.breaker_open

    await with_worker(options(tmp_path, model, window=11_000), use)


async def test_a_fixed_overhead_above_the_trigger_is_said_once_and_not_looped_on(tmp_path: Path) -> None:
    model = ScriptedModel([talk])
    opening = options(tmp_path, model, window=8_000)
    (opening.paths.project / "PAI.md").write_text("Rule: keep it simple and small.\n" * 380)

    async def use(bench: Bench) -> None:
        for n in range(3):
            await bench.turn(f"question {n}")

    bench = await with_worker(opening, use)
    assert notices(bench).count("engine.overhead") == 1
    assert sum(request.purpose == "summary" for request in model.requests) <= 1


# -- undo ---------------------------------------------------------------------------------------------------------


def reader(files: int) -> Callable[[Request], Message]:
    left = list(range(files))

    def answer(request: Request) -> Message:
        if request.purpose == "summary":
            return says(SUMMARY)
        if not left:
            return says("Read them all.")
        return calls(("read_file", json.dumps({"path": f"f{left.pop(0):02d}.txt"})))

    return answer


def fill(project: Path, files: int) -> None:
    for n in range(files):
        (project / f"f{n:02d}.txt").write_text((f"file {n} line\n" * 4_000)[:4_000])


async def test_undo_gives_the_exact_history_back_with_what_came_since(tmp_path: Path) -> None:
    model = ScriptedModel([talk])
    opening = options(tmp_path, model)
    kept: list[str] = []

    async def first(bench: Bench) -> None:
        for n in range(3):
            await bench.turn(f"question {n}")
        kept.append(fingerprint(bench.history))
        await compacted(bench)
        await bench.turn("afterwards")

    async def after_a_restart(bench: Bench) -> None:
        bench.worker.send(ops.Undo())
        await noticed(bench, "engine.undone_summary")
        assert fingerprint(bench.history[:7]) == kept[0]
        assert [message.content for message in bench.history[7:]] == ["afterwards", LONG]
        assert not violations(bench.history)
        [undone] = bench.of(events.Undone)
        assert undone.kind == "summary" and undone.after > undone.before
        bench.worker.send(ops.Undo())
        await noticed(bench, "engine.undo_nothing")

    async def again(bench: Bench) -> None:
        assert fingerprint(bench.history[:7]) == kept[0] and len(bench.history) == 9

    await with_worker(opening, first)
    await with_worker(replace(opening, continue_last=True), after_a_restart)
    await with_worker(replace(opening, continue_last=True), again)


async def test_clears_are_taken_back_one_after_the_other_and_not_repeated_by_themselves(tmp_path: Path) -> None:
    model = ScriptedModel([reader(16)])
    opening = options(tmp_path, model, window=16_000)
    fill(opening.paths.project, 16)

    async def use(bench: Bench) -> None:
        await bench.turn("read them")
        kinds = [boundary.kind for boundary in bench.of(events.Boundary)]
        assert kinds == ["clear"] * len(kinds) and kinds
        cleared = sum(message.state == "cleared" for message in bench.history)
        bench.worker.send(ops.Undo())
        await noticed(bench, "engine.undone_clear")
        assert sum(message.state == "cleared" for message in bench.history) < cleared
        assert bench.worker._unit.manager.hold
        await bench.turn("and now")
        assert not bench.worker._unit.manager.hold
        assert len(bench.of(events.Boundary)) > len(kinds)

    await with_worker(opening, use)


async def test_a_step_undone_while_the_turn_runs_is_not_repeated_in_it(tmp_path: Path) -> None:
    model = ScriptedModel([reader(9)])
    opening = options(tmp_path, model, window=20_000)
    fill(opening.paths.project, 9)

    async def use(bench: Bench) -> None:
        def undo(event: events.Event) -> None:
            if isinstance(event, events.Boundary):
                bench.worker.send(ops.Undo())

        bench.on_event = undo
        await bench.turn("read them")
        assert len(bench.of(events.Boundary)) == len(bench.of(events.Undone)) == 1
        assert all(message.state == "live" for message in bench.history)
        assert not violations(bench.history)

    await with_worker(opening, use)


async def test_an_undo_that_would_not_be_exact_says_so(tmp_path: Path) -> None:
    model = ScriptedModel([talk])

    async def use(bench: Bench) -> None:
        await bench.turn("one")
        await bench.turn("two")
        await compacted(bench)
        history = bench.worker._unit.history
        history.rewrite({history.messages[1].uid: replace(history.messages[1], content="changed behind its back")})
        now = fingerprint(bench.history)
        bench.worker.send(ops.Undo())
        await noticed(bench, "engine.undo_changed")
        assert fingerprint(bench.history) == now
        bench.worker.send(ops.Clear())
        await bench.until(lambda: bool(bench.of(events.HistoryCleared)))
        bench.worker.send(ops.Undo())
        await noticed(bench, "engine.undo_nothing")

    await with_worker(options(tmp_path, model), use)


def test_compact_undo_is_a_command() -> None:
    command, text = parse("/compact undo") or (None, "")
    assert command is not None and command.make is not None
    assert command.make(text) == ops.Undo()
    assert command.make("undo nothing, keep numbers") == ops.Compact("undo nothing, keep numbers")


# -- one message by hand ------------------------------------------------------------------------------------------


async def test_pins_outlive_a_restart_and_hold_a_clear_off(tmp_path: Path) -> None:
    model = ScriptedModel([reader(2)])
    opening = options(tmp_path, model, window=16_000)
    fill(opening.paths.project, 16)

    async def first(bench: Bench) -> None:
        await bench.turn("read two")
        result = next(message for message in bench.history if message.role == "tool")
        bench.worker.send(ops.Pin(result.uid))
        await bench.until(lambda: bool(bench.of(events.HistoryShown)))
        assert [row.uid for row in bench.of(events.HistoryShown)[-1].rows if row.pinned] == [result.uid]

    async def second(bench: Bench) -> None:
        result = next(message for message in bench.history if message.role == "tool")
        assert bench.worker._unit.manager.pinned == {result.uid}
        await bench.turn("read more")
        states = {message.uid: message.state for message in bench.history}
        assert "cleared" in states.values() and states[result.uid] == "live"
        bench.worker.send(ops.Unpin(result.uid))
        await bench.until(lambda: bool(bench.of(events.HistoryShown)))
        assert bench.worker._unit.manager.pinned == frozenset()

    await with_worker(opening, first)
    again = ScriptedModel([reader(14)])
    await with_worker(replace(opening, model=again, continue_last=True), second)


async def test_one_message_is_offloaded_cleared_and_taken_back_by_hand(tmp_path: Path) -> None:
    model = ScriptedModel([reader(1)])
    opening = options(tmp_path, model, window=128_000)
    fill(opening.paths.project, 1)

    async def use(bench: Bench) -> None:
        await bench.turn("read")
        before = fingerprint(bench.history)
        uid = next(message.uid for message in bench.history if message.role == "tool")
        bench.worker.send(ops.ShowHistory())
        await bench.until(lambda: bool(bench.of(events.HistoryShown)))
        shown = bench.of(events.HistoryShown)[-1]
        used = bench.worker._unit.shortener.used()
        assert 0 < used - sum(row.tokens for row in shown.rows) < used  # the rest are the tool schemas
        assert [row.number for row in shown.rows] == list(range(1, len(bench.history) + 1))
        assert shown.undo is None and shown.rows[3].text.startswith("file 0 line")

        bench.worker.send(ops.OffloadOne(uid))
        await bench.until(lambda: len(bench.of(events.Boundary)) == 1)
        assert bench.history[3].state == "offloaded" and bench.of(events.Boundary)[0].by_hand
        bench.worker.send(ops.ClearOne(uid))
        await bench.until(lambda: len(bench.of(events.Boundary)) == 2)
        assert bench.history[3].state == "cleared" and not violations(bench.history)
        stored = opening.paths.project / bench.history[3].stored
        assert stored.read_bytes() == (opening.paths.project / "f00.txt").read_bytes()
        await bench.until(lambda: bench.of(events.HistoryShown)[-1].undo == "clear")
        shown = bench.of(events.HistoryShown)[-1]
        assert (shown.rows[3].state, shown.before[3].state) == ("cleared", "offloaded")
        bench.worker.send(ops.ShowMessage(uid))
        await bench.until(lambda: bool(bench.of(events.MessageShown)))
        [looked] = bench.of(events.MessageShown)
        assert looked.message.state == "cleared" and looked.before is not None
        bench.worker.send(ops.ClearOne(uid))
        await noticed(bench, "engine.nothing_to_clear")
        bench.worker.send(ops.Undo())
        bench.worker.send(ops.Undo())
        await noticed(bench, "engine.undone_offload")
        assert fingerprint(bench.history) == before

    await with_worker(opening, use)


# -- the trend ----------------------------------------------------------------------------------------------------


async def test_the_report_tells_the_trend_and_the_next_threshold(tmp_path: Path) -> None:
    model = ScriptedModel([reader(16)])
    opening = options(tmp_path, model, window=16_000)
    fill(opening.paths.project, 16)

    async def use(bench: Bench) -> None:
        await bench.turn("read them")

    bench = await with_worker(opening, use)
    reports = [event.report for event in bench.of(events.ContextChanged)]
    assert [point.mark for point in reports[-1].trend].count("clear") == len(bench.of(events.Boundary))
    assert len(reports[-1].trend) <= 40
    foreseen = [report.forecast for report in reports if report.forecast]
    assert foreseen and [one.step for one in foreseen[0]] == ["clear", "summary"]
    assert 0 < foreseen[0][0].calls < min(16, foreseen[0][1].calls)
    assert reports[0].forecast == ()


# -- the prepared summary -----------------------------------------------------------------------------------------


async def test_a_prepared_summary_is_used_at_once(tmp_path: Path) -> None:
    model = ScriptedModel([talk])
    settings = context(session_memory=True)

    async def use(bench: Bench) -> None:
        while not bench.of(events.Boundary):
            await bench.turn(f"question {len(bench.history)}")
            await asyncio.sleep(0.01)
        assert not violations(bench.history)
        assert len(bench.of(events.Boundary)) == 1

    bench = await with_worker(options(tmp_path, model, settings=settings, window=20_000), use)
    # Nobody waited: no request for a summary was seen on screen, though one was made.
    assert not any(event.purpose == "summary" for event in bench.of(events.ModelStarted))
    assert any(request.purpose == "summary" for request in model.requests)


async def test_compact_by_hand_never_uses_a_prepared_summary(tmp_path: Path) -> None:
    model = ScriptedModel([talk])

    async def use(bench: Bench) -> None:
        while bench.worker._unit.shortener._ready is None:
            await bench.turn(f"question {len(bench.history)}")
            await asyncio.sleep(0.01)
        await compacted(bench)
        assert any(event.purpose == "summary" for event in bench.of(events.ModelStarted))

    opening = options(tmp_path, model, settings=context(session_memory=True), window=20_000)
    await with_worker(opening, use)


async def test_one_call_larger_than_the_window_goes_to_its_file_and_needs_no_summary(tmp_path: Path) -> None:
    written = "配置项与说明，" * 4_000
    writing = calls(("write_file", json.dumps({"path": "a.txt", "content": written}, ensure_ascii=False)))
    model = ScriptedModel([writing, lambda r: says("done" if r.purpose == "turn" else SUMMARY)])
    opening = options(tmp_path, model, window=16_000, approve="all")

    async def use(bench: Bench) -> None:
        assert (await bench.turn("write it")).status == "done"
        [boundary] = bench.of(events.Boundary)
        assert (boundary.kind, boundary.count, boundary.arguments) == ("clear", 1, 1)
        assert [request.purpose for request in model.requests] == ["turn", "turn"]

    await with_worker(opening, use)
    assert (opening.paths.project / "a.txt").read_text("utf-8") == written
    [stored] = (opening.paths.project / ".paitui/tool-outputs").glob("*/*.txt")
    assert stored.read_text("utf-8") == written
