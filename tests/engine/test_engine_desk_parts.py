"""The desk says of a chain what is allowed already, and an "always" counts for each part of it."""

import asyncio
from pathlib import Path

from paitui.engine.desk import ApprovalDesk
from paitui.engine.events import ApprovalRequested, AskedPart, Event
from paitui.engine.ops import Decide
from paitui.locale import Words
from paitui.messages.message import ToolCall
from paitui.settings import CommandSettings
from paitui.tools.approval import Approvals
from paitui.tools.base import Effect, Spool, ToolContext
from paitui.tools.shell import ExecuteCommand


def effect_of(project: Path, line: str) -> Effect:
    def no_spool(tool: str) -> Spool:
        raise OSError

    context = ToolContext(project, project.parent / "home", Words("en"), 1, CommandSettings(), no_spool)
    effect = ExecuteCommand().effect({"command": line}, context)
    assert effect is not None
    return effect


async def test_a_chain_is_asked_part_by_part_and_always_covers_all(tmp_path: Path) -> None:
    told: list[Event] = []
    kept: list[Approvals] = []
    desk = ApprovalDesk("ask", Approvals.restore(["command:pytest"]), told.append, kept.append)
    line = "pytest -q && git log > out/x"
    asking = asyncio.create_task(desk.ask(ToolCall("c", "execute_command", "{}"), effect_of(tmp_path, line)))
    await asyncio.sleep(0)
    (request,) = told
    assert isinstance(request, ApprovalRequested)
    assert request.subject == line and request.always == "pytest, git, out/"
    assert request.parts == (
        AskedPart("pytest -q", "pytest", True),
        AskedPart("git log", "git"),
        AskedPart("> out/x", "out/"),
    )
    desk.answer(Decide(request.id, "always"))
    assert (await asking).allowed
    assert kept[-1].export() == ["command:git", "command:pytest", "write:out/"]
    for again in (line, "git status", "pytest | git log >> out/y"):
        answer = await desk.ask(ToolCall("c", "execute_command", "{}"), effect_of(tmp_path, again))
        assert (answer.allowed, answer.decision) == (True, "policy")


async def test_one_command_and_an_unclear_line_have_no_parts(tmp_path: Path) -> None:
    told: list[Event] = []
    desk = ApprovalDesk("ask", Approvals(), told.append, lambda rules: None)
    for line in ("git status", "git status && echo $(ls)", "git status\nls"):
        asking = asyncio.create_task(desk.ask(ToolCall("c", "execute_command", "{}"), effect_of(tmp_path, line)))
        await asyncio.sleep(0)
        request = told[-1]
        assert isinstance(request, ApprovalRequested) and request.parts == ()
        assert bool(request.always) == (line == "git status")
        desk.answer(Decide(request.id, "no"))
        assert not (await asking).allowed
