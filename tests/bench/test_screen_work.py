"""The short form of the screen's bench: the work done, counted, is the same for few blocks and for many."""

from collections import Counter

import pytest

from paitui.engine import events as e
from paitui.ui.widgets.transcript import Transcript
from tests.bench.screen import FEW, MANY, history
from tests.ui.conftest import short_pauses
from tests.ui.scenes import EMPTY
from tests.ui.test_ui_app import Driven

__all__ = ["short_pauses"]


async def work(blocks: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int]]:
    """Blocks wrapped and rows drawn by each thing a user does."""
    drawn: Counter[str] = Counter()
    original = Transcript.render_line

    def counted(self, y):
        drawn["rows"] += 1
        return original(self, y)

    monkeypatch.setattr(Transcript, "render_line", counted)
    found: dict[str, tuple[int, int]] = {}
    start = [e.SessionOpened("s", "/p", "offline", history(blocks), True), e.ContextChanged(EMPTY)]
    async with Driven(start, size=(120, 40)) as d:
        transcript = d.app.chat.transcript

        def done(what: str) -> None:
            measured = transcript.measured - sum(m for m, _ in found.values())
            found[what] = measured, drawn.pop("rows", 0)

        done("open")
        await d.press(*"ten letters")
        done("type")
        await d.emit(e.TurnStarted(1), e.ModelStarted(1))
        for _ in range(10):
            await d.emit(e.TextDelta("some words "))
            d.app._link._merger.flush()
            await d.pilot.pause()
        done("stream")
        await d.press("pageup", "pageup")
        done("page")
        await d.press("ctrl+t", "up", "up", "escape")
        done("walk")
        await d.pilot.resize_terminal(100, 40)
        await d.pilot.pause()
        done("resize")
        assert len(list(d.app.chat.walk_children())) < 150
    return found


async def test_the_work_does_not_grow_with_the_session(monkeypatch):
    few, many = await work(FEW, monkeypatch), await work(MANY, monkeypatch)
    # How many frames are drawn depends on time; each draws at most what is in view, some 30 rows.
    assert all(many[what][0] <= few[what][0] + 8 and many[what][1] <= 2 * few[what][1] + 100 for what in few), (
        few,
        many,
    )
    assert many["type"][0] == 0 and many["type"][1] <= 40
    assert many["stream"][0] <= 14


async def test_nothing_wakes_while_nothing_goes_on(monkeypatch):
    from textual.timer import Timer

    ticks: list[str] = []
    original = Timer._tick

    async def counted(self, *args, **kwargs):
        ticks.append(self.name)
        await original(self, *args, **kwargs)

    async with Driven([e.SessionOpened("s", "/p", "offline", history(FEW), True), e.ContextChanged(EMPTY)]) as d:
        await d.pilot.pause(0.3)
        monkeypatch.setattr(Timer, "_tick", counted)
        await d.pilot.pause(0.6)
        assert ticks == []
        await d.emit(e.TurnStarted(1), e.ModelStarted(1))
        await d.pilot.pause(0.4)
        assert ticks
        await d.emit(e.TurnEnded(1, "done"))
        await d.pilot.pause(0.3)
        ticks.clear()
        await d.pilot.pause(0.6)
        assert ticks == []
