"""Whole plans over a real folder: on the offline engine, and on a model over HTTP."""

import asyncio
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine_bench import Bench, options, with_worker
from plan_bench import FIVE, Units, assert_valid, carried_out, histories

import paitui
from paitui.engine import events, ops
from paitui.engine.prompts import summary_prompts
from paitui.settings import ContextSettings, ProviderSettings, Settings
from tests.provider.server import Provider
from tests.provider.wire import Answer, agent

FILES = 60
WINDOW = 16_000
SUMMARY = "\n".join(f"{heading}\nRead many files, all of them short." for heading in summary_prompts("en").headings)


def repository(project: Path) -> None:
    """A real repository to work on: this program's own engine."""
    shutil.copytree(Path(paitui.__file__).parent / "engine", project / "engine", dirs_exist_ok=True)
    (project / "README.md").write_text("# Engine\n\nTurns ops into events.\n")


async def test_a_five_task_plan_on_the_offline_engine(tmp_path: Path) -> None:
    request = (
        "1. read README.md\n"
        "2. list engine\n"
        '3. write "seen" to notes/a.txt (after 1)\n'
        "4. search for `class Worker` (after 2)\n"
        "5. then run `cat notes/a.txt`"
    )
    opening = options(tmp_path, approve="all")
    repository(opening.paths.project)

    async def use(bench: Bench) -> None:
        ended = await carried_out(bench, ops.StartPlan(request), 30)
        assert ended.status == "done", (ended, Units(bench.seen).last)
        assert "5 of 5" in bench.history[-1].content and "exit status 0" in bench.history[-1].content

    bench = await with_worker(opening, use)
    units = Units(bench.seen)
    assert set(units.statuses().values()) == {"done"} and units.together() == 2
    order = units.order()
    assert order.index("t1") < order.index("t3") and order.index("t2") < order.index("t4") and order[-1] == "t5"
    assert (opening.paths.project / "notes/a.txt").read_text() == "seen\n"
    assert "worker.py" in units.last["t4"].answer


async def test_a_long_task_of_the_offline_engine_passes_all_three_tiers(tmp_path: Path) -> None:
    opening = options(tmp_path, window=16_000)
    repository(opening.paths.project)

    async def use(bench: Bench) -> None:
        ended = await carried_out(bench, ops.StartPlan("read README.md; then survey the project"), 30)
        assert ended.status == "done", (ended, Units(bench.seen).last)

    bench = await with_worker(opening, use)
    kinds = {e.event.kind for e in bench.of(events.UnitEvent) if isinstance(e.event, events.Boundary)}
    assert kinds == {"offload", "clear", "summary"}


async def test_a_team_of_the_offline_engine_judges_by_exit_codes_and_files(tmp_path: Path) -> None:
    request = '1. 把 "好" 写入 a.txt\n2. 运行 `ls no-such-file`\n3. 然后列出 engine'
    opening = options(tmp_path, approve="all")
    repository(opening.paths.project)

    async def use(bench: Bench) -> None:
        ended = await carried_out(bench, ops.StartTeam(request), 30)
        assert ended.status == "partial", ended

    bench = await with_worker(opening, use)
    assert Units(bench.seen).statuses("worker") == {"t1": "done", "t2": "failed", "t3": "skipped"}
    assert Units(bench.seen).last["t2"].tries == 3
    looked = [e for e in bench.of(events.UnitEvent) if e.unit == "team1.t1.review"]
    assert any(isinstance(e.event, events.ToolFinished) and e.event.ok for e in looked)  # it really looked
    assert (opening.paths.project / "a.txt").read_text() == "好\n"


class Mind:
    """The model behind the provider: a planner, five tasks of which one is long, and the answer."""

    def __init__(self) -> None:
        self.next = 0
        self.open: set[str] = set()
        self.met = asyncio.Event()

    def __call__(self, messages: list[Any], tools: list[Any]) -> Answer:
        sent = json.dumps([messages, tools], ensure_ascii=False)
        prompt = int(len(sent) / 3.2)
        texts = [_text(message) for message in messages]
        if not tools:
            if "Answer the user now" in texts[-1]:
                return Answer("All five are done.", prompt=prompt)
            return Answer(SUMMARY, prompt=prompt, completion=80)
        if '"write_file"' not in json.dumps(tools):  # who may only look is the planner
            return Answer(FIVE, prompt=prompt)
        task = re.findall(r"\bdo ([a-e])\b", " ".join(texts))[-1] if "do " in " ".join(texts) else "a"
        if task != "a" or self.next >= FILES:
            return Answer(f"did {task}", prompt=prompt)
        batch = [self.next, self.next + 1]
        self.next += 2
        made = [(f"call_{n}", "read_file", json.dumps({"path": f"f{n:03d}.txt"})) for n in batch]
        return Answer("Reading.", "Two more.", "sig", made, prompt=prompt, completion=60)


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_a_five_task_plan_over_http(tmp_path: Path, wire: str) -> None:
    provider = await Provider().start()
    try:
        route = provider.route(agent(Mind()))
        own = ProviderSettings(
            base_url=route.openai if wire == "openai" else route.url, api_key="k", like=wire, models=("m",)
        )
        given = Settings(model="house/m", providers={"house": own}, context=ContextSettings(window=WINDOW))
        opening = options(tmp_path, settings=given)
        repository(opening.paths.project)
        for n in range(FILES):
            text = f"file {n} line\n" * 600
            (opening.paths.project / f"f{n:03d}.txt").write_text(text[: 6_000 if n == 4 else 2_400])

        async def use(bench: Bench) -> None:
            ended = await carried_out(bench, ops.StartPlan("read them all"), 60)
            assert ended.status == "done", (ended, Units(bench.seen).last, bench.of(events.Notice))
            assert len(histories(bench)) == 7

        bench = await with_worker(opening, use)
    finally:
        await provider.close()
    units = Units(bench.seen)
    assert set(units.statuses().values()) == {"done"} and units.order()[-1] == "e" and units.together() == 2
    kinds = {e.event.kind for e in bench.of(events.UnitEvent) if isinstance(e.event, events.Boundary)}
    assert kinds == {"offload", "clear", "summary"}
    measured = {e.unit for e in bench.of(events.UnitEvent) if isinstance(e.event, events.UsageReported)}
    assert measured == {f"plan1.{name}" for name in ("planner", *"abcde")}


async def test_it_is_resumed_offline_too(tmp_path: Path) -> None:
    opening = options(tmp_path, approve="ask")
    repository(opening.paths.project)

    async def stop(bench: Bench) -> None:
        bench.worker.send(ops.StartPlan('read README.md; then write "x" to b.txt; then run `cat b.txt`'))
        await bench.until(lambda: bool(bench.of(events.ApprovalRequested)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert_valid(bench)

    await with_worker(opening, stop)

    async def go_on(bench: Bench) -> None:
        assert (await carried_out(bench, ops.ContinuePlan(), 30)).status == "done"

    bench = await with_worker(replace(opening, continue_last=True, approve="all"), go_on)
    assert Units(bench.seen).last["t1"].tries == 1 and Units(bench.seen).last["t2"].tries == 2
