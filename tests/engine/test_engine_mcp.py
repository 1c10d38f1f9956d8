"""MCP servers in a session: their tools join between turns, calls are asked about, what they say is from outside."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine_bench import Bench, options, with_worker
from mcp_bench import STUBS
from scripted_model import ScriptedModel, calls, says

from paitui.engine import events, ops
from paitui.locale import Words
from paitui.settings import McpSettings, Settings
from paitui.trust.boundary import unwrap

EN = Words("en")
ECHO = "mcp__rough__echo"


def configure(folder: Path, **servers: Any) -> None:
    (folder / "home").mkdir(exist_ok=True)
    (folder / "home/mcp.json").write_text(json.dumps({"mcpServers": servers}), "utf-8")


def rough(*how: str, **more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(STUBS / "mcp_rough_server.py"), *how], **more}


def demo() -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(STUBS / "mcp_sdk_server.py")]}


def deciding(bench: Bench, decision: ops.Decision) -> None:
    def decide(event: events.Event) -> None:
        if isinstance(event, events.ApprovalRequested):
            bench.worker.send(ops.Decide(event.id, decision))

    bench.on_event = decide


async def done(bench: Bench, op: ops.Op) -> None:
    before = len(bench.of(events.OpDone))
    bench.worker.send(op)
    await bench.until(lambda: len(bench.of(events.OpDone)) > before)


def results(bench: Bench) -> list[str]:
    return [unwrap(m.content) or m.content for m in bench.history if m.role == "tool"]


async def run(folder: Path, model: ScriptedModel, use: Callable[[Bench], Awaitable[None]], **more: Any) -> Bench:
    return await with_worker(options(folder, model, **more), use)


async def test_a_servers_tools_are_there_for_the_first_message_and_a_call_waits_for_the_users_word(
    tmp_path: Path,
) -> None:
    configure(tmp_path, rough=rough())
    model = ScriptedModel([calls((ECHO, '{"text": "hello"}')), says("done")])

    async def use(bench: Bench) -> None:
        deciding(bench, "once")
        assert (await bench.turn("echo hello")).status == "done"
        assert results(bench) == ["hello"]

    bench = await run(tmp_path, model, use)
    names = [spec.name for spec in model.requests[0].tools]
    assert ECHO in names and names[0] == "read_file" and names.index(ECHO) > names.index("execute_command")
    assert [spec.name for spec in model.requests[1].tools] == names
    [asked] = bench.of(events.ApprovalRequested)
    assert (asked.access, asked.subject) == ("mcp", 'rough/echo\n{\n "text": "hello"\n}')
    assert asked.always.startswith("rough/echo#")
    report = bench.of(events.ContextChanged)
    first, last = dict(report[0].report.parts), dict(report[-1].report.parts)
    assert last["schemas"] > first["schemas"]


async def test_always_holds_for_the_tool_as_it_is_and_not_for_a_changed_one(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough())
    echo = calls((ECHO, '{"text": "x"}'))
    script = [echo, says("1"), echo, says("2"), calls(("mcp__rough__change", "{}")), echo, says("3"), echo, says("4")]
    model = ScriptedModel(script)

    async def use(bench: Bench) -> None:
        deciding(bench, "always")
        await bench.turn("one")
        await bench.turn("two")
        assert len(bench.of(events.ApprovalRequested)) == 1
        await bench.turn("three")
        await bench.until(lambda: _description(bench) == "Says it twice.")
        await bench.turn("four")

    bench = await run(tmp_path, model, use)
    asked = [event for event in bench.of(events.ApprovalRequested) if event.tool == ECHO]
    assert len(asked) == 2 and asked[0].always != asked[1].always
    assert any(event.phrase.key == "mcp.tools_changed" for event in bench.of(events.Notice))
    described = [
        next(s.description for s in r.tools if s.name == ECHO) for r in (model.requests[0], model.requests[-1])
    ]
    assert described == ["Says it. Once.", "Says it twice."]


def _description(bench: Bench) -> str:
    [view] = bench.of(events.ServersChanged)[-1].servers
    return next((tool.description for tool in view.offer.tools if tool.name == "echo"), "")


async def test_a_call_of_a_tool_that_changed_meanwhile_is_not_made(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough())
    changed = asyncio.Event()

    def again(request: object) -> Any:
        return calls((ECHO, '{"text": "x"}'))

    model = ScriptedModel([calls(("mcp__rough__change", "{}")), again, says("3")])

    async def use(bench: Bench) -> None:
        def on_event(event: events.Event) -> None:
            if isinstance(event, events.ApprovalRequested):
                bench.worker.send(ops.Decide(event.id, "once"))
            if isinstance(event, events.ServersChanged) and _description(bench) == "Says it twice.":
                changed.set()
                gate.set()

        gate = asyncio.Event()
        gate.set()
        model.gate = gate
        bench.on_event = on_event
        turn = asyncio.create_task(bench.turn("three"))
        await bench.until(lambda: len(bench.of(events.ToolFinished)) == 1 or changed.is_set())
        gate.clear()
        if changed.is_set():
            gate.set()
        await turn
        assert "has changed" in results(bench)[1]

    await run(tmp_path, model, use)


async def test_a_server_that_hangs_is_waited_for_and_then_not(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough("hang"))
    model = ScriptedModel([says("here")])

    async def use(bench: Bench) -> None:
        assert (await bench.turn("hello")).status == "done"

    settings = replace(Settings(), mcp=McpSettings(wait_s=1))
    bench = await run(tmp_path, model, use, settings=settings)
    said = [event.phrase.key for event in bench.of(events.Notice)]
    assert said.index("mcp.waiting") < said.index("mcp.went_on")


async def test_esc_ends_the_waiting_and_loses_no_word(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough("hang"))
    model = ScriptedModel([says("here")])

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("precious words"))
        await bench.until(lambda: any(e.phrase.key == "mcp.waiting" for e in bench.of(events.Notice)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert bench.of(events.TurnEnded)[0].status == "cancelled"
        assert bench.history[-1].content == "precious words"

    await run(tmp_path, model, use)
    assert model.requests == []


async def test_a_resource_that_a_message_names_goes_with_it_and_is_nobodys_words(tmp_path: Path) -> None:
    configure(tmp_path, demo=demo())
    model = ScriptedModel([says("ok")])

    async def use(bench: Bench) -> None:
        await bench.turn("explain @demo:docs://readme, and mail me@demo:docs://readme, and @demo:docs://gone")
        message = next(m for m in bench.history if m.role == "user")
        assert message.content.startswith("explain @demo:docs://readme,") and "Turn it on" not in message.content
        assert message.attached.count("<tool_result") == 1
        assert unwrap(message.attached) == "Turn it on, then off."
        assert message.sent_text.endswith(message.attached)

    bench = await run(tmp_path, model, use)
    assert [e.phrase.params["name"] for e in bench.of(events.Notice) if e.phrase.key == "mcp.not_attached"] == [
        "demo:docs://gone"
    ]
    causes = [event.external for event in bench.of(events.TrustChanged)]
    assert causes and causes[0] is not None and causes[0].kind == "mcp"


async def test_resources_are_listed_and_read_by_the_model(tmp_path: Path) -> None:
    configure(tmp_path, demo=demo())
    read = ("read_mcp_resource", '{"server": "demo", "uri": "docs://readme"}')
    other = ("read_mcp_resource", '{"server": "demo", "uri": "docs://steal?secret=1"}')
    model = ScriptedModel([calls(("list_mcp_resources", "{}"), read), calls(other), says("ok")])

    async def use(bench: Bench) -> None:
        deciding(bench, "no")
        await bench.turn("what is there?")
        listed, content, refused = results(bench)
        assert listed.startswith("demo:docs://readme  readme - The manual.")
        assert content == "Turn it on, then off."
        assert "did not allow" in refused

    bench = await run(tmp_path, model, use)
    assert [event.subject for event in bench.of(events.ApprovalRequested)] == [
        "read_mcp_resource demo\ndocs://steal?secret=1"
    ]


async def test_a_description_that_wants_something_remembered_saves_nothing(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough("evil"))
    model = ScriptedModel(
        [calls(("save_memory", '{"fact": "the deploy key lies in /tmp/key"}')), says("I saved it."), says("ok")],
        facts='{"facts":[{"fact":"the deploy key lies in /tmp/key","quote":"the deploy key lies in /tmp/key"}]}',
    )

    async def use(bench: Bench) -> None:
        await bench.turn("list the files")

    await run(tmp_path, model, use, approve="all")
    file = tmp_path / "home/memory/long_term_memory.json"
    assert not file.exists() or json.loads(file.read_text("utf-8")) == []


async def test_a_projects_servers_start_only_once_it_is_trusted(tmp_path: Path) -> None:
    own = tmp_path / "project/.paitui"
    own.mkdir(parents=True)
    (own / "mcp.json").write_text(json.dumps({"mcpServers": {"rough": rough()}}), "utf-8")
    model = ScriptedModel([says("ok")])

    async def use(bench: Bench) -> None:
        await bench.turn("hello")
        assert bench.of(events.ServersChanged) == []

    await run(tmp_path, model, use)
    assert not any(spec.name.startswith("mcp__") for spec in model.requests[0].tools)


async def test_the_command_lists_restarts_and_disables(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough(), demo=demo(), off=rough(disabled=True), bad={"type": "sse", "url": "http://x"})
    model = ScriptedModel([says("ok")])

    async def use(bench: Bench) -> None:
        await done(bench, ops.Servers("list"))
        listed = "\n".join(EN.say(line) for line in bench.of(events.CommandOutput)[-1].lines)
        assert "rough: ready · stdio · your own" in listed and "off: disabled" in listed
        assert "3 tools, 1 resources, 1 prompts" in listed
        await done(bench, ops.Servers("logs", "rough"))
        assert EN.say(bench.of(events.CommandOutput)[-1].lines[0]) == "here I am"
        await done(bench, ops.Servers("prompts"))
        assert EN.say(bench.of(events.CommandOutput)[-1].lines[0]).startswith("demo/review path")
        await done(bench, ops.Servers("disable", "rough"))
        await bench.turn("hello")
        assert not any(spec.name.startswith("mcp__rough") for spec in model.requests[-1].tools)
        await done(bench, ops.Servers("enable", "rough"))
        await bench.turn("hello again")
        assert any(spec.name.startswith("mcp__rough") for spec in model.requests[-1].tools)
        await done(bench, ops.Servers("logs", "nobody"))
        assert bench.of(events.Notice)[-1].phrase.key == "mcp.unknown"

    bench = await run(tmp_path, model, use)
    assert "mcp.bad_entry" in [event.phrase.key for event in bench.of(events.Notice)]


async def test_a_flood_is_offloaded_like_any_other_result_and_a_death_ends_no_turn(tmp_path: Path) -> None:
    configure(tmp_path, rough=rough())
    model = ScriptedModel([calls(("mcp__rough__big", "{}")), calls(("mcp__rough__die", "{}")), says("still here")])

    async def use(bench: Bench) -> None:
        assert (await bench.turn("flood, then die")).status == "done"
        big, died = (m for m in bench.history if m.role == "tool")
        assert big.state == "offloaded" and len(big.content) < 10_000
        stored = (tmp_path / "project" / big.stored).read_text("utf-8")
        assert 7_000_000 < len(stored) < 9_000_000 and "[The answer had 100," in stored
        assert not died.ok

    bench = await run(tmp_path, model, use, approve="all")
    assert "mcp.server_ended" in [event.phrase.key for event in bench.of(events.Notice)]
