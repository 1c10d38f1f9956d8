"""The browser and the question with a real engine and a real memory file."""

import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from engine_bench import options

from paitui.clock import SystemClock, iso
from paitui.engine.assembly import open_worker
from paitui.memory.entry import new_entry, render
from paitui.ui.modals.conflict import MemoryQuestion
from paitui.ui.screens.memory import MemoryBrowser
from tests.ui.scenes import opened
from tests.ui.test_ui_app import Driven

OLD = datetime.now(UTC) - timedelta(days=60)


def stale(count, project):
    facts = [f"module {n} of the shop is called {word * 3}" for n, word in enumerate(WORDS[:count])]
    return [new_entry(fact, {"scope": "project", "project": str(project), "source": "typed"}, OLD) for fact in facts]


WORDS = [a + b for a in "bdfgklmnpr" for b in "aeiou"]


@asynccontextmanager
async def real(tmp_path, entries=(), size=(120, 36)):
    """Drive an app whose worker is the engine's own."""
    file = tmp_path / "home/memory/long_term_memory.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps([json.loads(render(entry)) for entry in entries]), "utf-8")
    d = Driven(opened(), size=size)

    async def opening():
        return await open_worker(options(tmp_path, asks_about_memory=True))

    d.app._link._open = opening
    async with d:
        d.file = file
        await until(d, lambda: d.app.state.phase == "idle" and d.app._link.ready)
        yield d


def kept(d):
    return {entry["id"]: entry for entry in json.loads(d.file.read_text("utf-8"))}


async def until(d, ready):
    for _ in range(1_000):
        await d.pilot.pause(0.01)
        if ready():
            return
    raise AssertionError(d.screen_text())


async def browse(d, count):
    await d.press("f3")
    assert isinstance(d.app.screen, MemoryBrowser)
    await until(d, lambda: len(d.app.screen.rows.rows) == count)
    return d.app.screen


async def question(d):
    await until(d, lambda: bool(d.app.state.memory_asked))
    d.clock.seconds += 1.0
    await until(d, lambda: isinstance(d.app.screen, MemoryQuestion) and d.app.screen.is_mounted)
    await d.pilot.pause()
    d.clock.seconds += 1.0


async def test_fifty_entries_are_reviewed_with_fifty_keys_and_taken_back_one_by_one(tmp_path):
    project = (tmp_path / "project").resolve()
    async with real(tmp_path, stale(50, project), (60, 14)) as d:
        pane = await browse(d, 50)
        before = kept(d)
        await d.press("R")
        assert "1 of 50" in d.screen_text()
        keys = ["v", "d", "space", "v", "d"] * 10
        await d.press(*keys)
        assert "all 50 done" in d.screen_text()
        await until(d, lambda: len(kept(d)) == 30)
        deleted = before.keys() - kept(d).keys()
        now = iso(SystemClock().now())[:13]
        await until(d, lambda: sum(str(one["lastVerifiedAt"])[:13] == now for one in kept(d).values()) == 20)
        await d.press(*["u"] * 50)
        assert "1 of 50" in d.screen_text()
        await until(d, lambda: kept(d) == before)
        assert len(deleted) == 20
        await d.press("escape")
        await until(d, lambda: pane._feed.to_review == 50)


async def test_a_memory_that_disagrees_is_asked_about_and_replaced_and_brought_back(tmp_path):
    async with real(tmp_path) as d:
        d.prompt.insert("/save 项目用 Java 17")
        await d.press("enter")
        await until(d, lambda: "remembered: 项目用 Java 17 · undo: /memory undo" in d.screen_text())
        d.prompt.insert("/save 项目用 Java 21")
        await d.press("enter")
        await question(d)
        assert "fact-" in d.screen_text() and "only in numbers" in d.screen_text()
        await d.press("enter")
        d.clock.seconds += 1.0
        await d.press("r")
        await until(d, lambda: [one["content"] for one in kept(d).values()] == ["项目用 Java 21"])
        await until(d, lambda: "replaced, now: 项目用 Java 21" in d.screen_text())
        d.prompt.insert("/memory undo")
        await d.press("enter")
        await until(d, lambda: [one["content"] for one in kept(d).values()] == ["项目用 Java 17"])


async def test_the_browser_searches_edits_moves_and_tells_the_past(tmp_path):
    async with real(tmp_path) as d:
        for fact in ("the web client uses pnpm", "amounts are in cents", "回复一律用中文"):
            d.prompt.insert(f"/save {fact}")
            await d.press("enter")
            await until(d, lambda fact=fact: f"remembered: {fact}" in d.screen_text())
        pane = await browse(d, 3)
        await d.press("slash", *"pnpm")
        await until(d, lambda: len(pane.rows.rows) == 1)
        view = pane.current
        start, end = view.matched[0]
        assert view.content[start:end] == "pnpm"
        await d.press("enter", "e", *"; CI too", "enter")
        await until(d, lambda: kept(d)[view.id]["content"] == "the web client uses pnpm; CI too")
        await d.press("g")
        await until(d, lambda: kept(d)[view.id]["metadata"]["scope"] == "global")
        await d.press("escape")
        await until(d, lambda: len(pane.rows.rows) == 3)
        pane.rows.move_to(pane.rows.rows.find(view.id))
        await d.press("L")
        await until(d, lambda: d.app.state.memory_log is not None)
        assert len(d.app.state.memory_log.lines) >= 2 and "what became of it" in d.screen_text()


async def test_what_another_process_writes_shows_up_by_itself(tmp_path):
    project = (tmp_path / "project").resolve()
    async with real(tmp_path, stale(2, project)) as d:
        pane = await browse(d, 2)
        raw = [json.loads(render(entry)) for entry in stale(3, project)]
        other = d.file.with_name("other")
        other.write_text(json.dumps(raw), "utf-8")
        other.rename(d.file)
        pane._look_at_file()
        await until(d, lambda: len(pane.rows.rows) == 3)
        await until(d, lambda: "Changed by another program" in d.screen_text())
