"""Deltas are merged to about ten batches a second; everything else passes at once and in order."""

import asyncio
from datetime import UTC, datetime

import pytest

from paitui.clock import FixedClock, SystemClock
from paitui.engine import events as e
from paitui.engine.ops import Interrupt, Submit
from paitui.locale import phrase
from paitui.ui.bridge import INTERVAL_S, Link, Merger, OpenFailed
from tests.stubs.scripted_worker import ScriptedWorker


async def test_a_burst_of_deltas_becomes_few_batches():
    batches: list[tuple[e.Event, ...]] = []
    merger = Merger(batches.append, SystemClock())
    for _ in range(35):
        for _ in range(20):
            merger.take(e.TextDelta("x"))
        await asyncio.sleep(0.01)
    await asyncio.sleep(INTERVAL_S * 1.5)
    assert sum(len(event.text) for batch in batches for event in batch if isinstance(event, e.TextDelta)) == 700
    assert 2 <= len(batches) <= 8 and all(len(batch) == 1 for batch in batches)


async def test_control_events_pass_at_once_and_in_order():
    batches: list[tuple[e.Event, ...]] = []
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
    merger = Merger(batches.append, clock)
    for event in (
        e.ReasoningDelta("a"),
        e.ReasoningDelta("b"),
        e.TextDelta("c"),
        e.ToolOutput("1", "d"),
        e.ToolOutput("2", "e"),
        e.ToolOutput("2", "f"),
        end := e.TurnEnded(1, "done"),
    ):
        merger.take(event)
    assert batches == [
        (e.ReasoningDelta("ab"), e.TextDelta("c"), e.ToolOutput("1", "d"), e.ToolOutput("2", "ef"), end)
    ]


async def test_what_is_sent_before_the_worker_is_ready_is_sent_then():
    gate = asyncio.Event()
    worker = ScriptedWorker([e.SessionOpened("s", "/p", "offline")])

    async def open_worker() -> ScriptedWorker:
        await gate.wait()
        return worker

    seen: list[e.Event] = []
    link = Link(open_worker, seen.extend, SystemClock())
    link.send(Submit("early"))
    task = asyncio.create_task(link.run())
    await asyncio.sleep(0)
    assert worker.ops == [] and not link.ready and not link.close()
    gate.set()
    await asyncio.sleep(0.01)
    link.send(Interrupt())
    assert worker.ops == [Submit("early"), Interrupt()]
    assert link.close()
    await task
    assert seen == [e.SessionOpened("s", "/p", "offline"), e.SessionClosed()]


async def test_a_failure_to_open_reaches_the_caller():
    async def open_worker() -> ScriptedWorker:
        raise OpenFailed(phrase("x.y"))

    with pytest.raises(OpenFailed):
        await Link(open_worker, lambda batch: None, SystemClock()).run()
