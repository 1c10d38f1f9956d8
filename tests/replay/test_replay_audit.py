"""The audit finds what is lost; each test breaks one promise."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from replay_builders import listing

from paitui.context.clearing import clear, stubbable
from paitui.context.manager import ContextManager
from paitui.context.meter import Calibration
from paitui.context.offload import Arrival, tool_message
from paitui.context.outputs import OutputFolder
from paitui.locale import Words
from paitui.messages.message import Message, ToolCall
from paitui.replay.audit import Audit
from paitui.settings import ContextSettings
from paitui.trust.fence import Fence


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    return Fence(tmp_path)


@pytest.fixture
def manager(fence: Fence) -> ContextManager:
    return ContextManager(ContextSettings(), 16_000, OutputFolder(fence, "s"), Calibration(1.3), 500)


def offloaded(manager: ContextManager, text: str) -> tuple[Message, Message]:
    call = ToolCall("1", "execute_command", "{}")
    admitted = manager.admit([Arrival(call, text)], manager.new_round())[0]
    assert admitted.offloaded
    return Message("tool", text, tool_call_id="1", name="execute_command"), admitted.message


async def unkept(audit: Audit, fence: Fence, manager: ContextManager) -> int:
    return await audit.unkept(fence, Words("en"), manager.limits)


ODD = (
    "line\r\nwith \u2028 and [brackets]\n[like a note]\n" + "x" * 30_000 + "\n" + listing(1, 400) + "\udcff 末 [end]"
)


@pytest.mark.parametrize("text", [listing(1, 3_000), ODD, ODD + "\n"], ids=["code", "odd", "odd with a line end"])
async def test_what_was_offloaded_is_whole_in_its_file_and_read_back_slice_by_slice(
    text: str, fence: Fence, manager: ContextManager
) -> None:
    audit = Audit()
    audit.replaced(*offloaded(manager, text), step=1)
    assert await unkept(audit, fence, manager) == 0


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
async def test_a_damaged_file_is_found(damage: str, fence: Fence, manager: ContextManager) -> None:
    audit = Audit()
    original, now = offloaded(manager, listing(1, 3_000))
    audit.replaced(original, now, step=1)
    file = fence.root / now.stored
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1] + (b"" if damage == "cut" else b"?"))
    assert await unkept(audit, fence, manager) == 1


async def test_a_placeholder_that_names_no_file_or_another_one_is_found(
    fence: Fence, manager: ContextManager
) -> None:
    original, now = offloaded(manager, listing(1, 3_000))
    _, other = offloaded(manager, listing(2, 3_000))
    for wrong in (
        replace(now, content="[paitui:cleared]"),
        replace(now, content=other.content),
        replace(now, content=other.content, stored=other.stored),
    ):
        audit = Audit()
        audit.replaced(original, wrong, step=1)
        assert await unkept(audit, fence, manager) == 1


def edit_round() -> list[Message]:
    arguments = {"path": "a.py", "edits": [{"old": "é\n" * 500, "new": "x" * 900}], "count": 3}
    messages = [Message("user", "go")]
    for number in range(6):
        call = ToolCall(f"c{number}", "edit_file", json.dumps(arguments, ensure_ascii=number % 2 == 0))
        messages += [Message("assistant", "", (call,)), tool_message(call, f"{number} " + "done. " * 100, True)]
    return [replace(message, uid=uid) for uid, message in enumerate(messages, 1)]


async def test_stubbed_arguments_are_whole_in_their_files(fence: Fence, manager: ContextManager) -> None:
    messages, settings = edit_round(), ContextSettings()
    done = clear(messages, [2], OutputFolder(fence, "s"), stubbable(messages, settings), settings.stub_min_chars)
    audit = Audit()
    for at, message in enumerate(messages):
        if message.uid in done.replaced:
            raw = replace(message, content="0 " + "done. " * 100) if message.role == "tool" else message
            audit.replaced(raw, done.replaced[message.uid], at)
    assert sum(bool(claim.path) for claim in audit.claims.values()) == len(audit.claims) >= 5
    assert await unkept(audit, fence, manager) == 0
    stubs = [claim for claim in audit.claims.values() if claim.step == 1]
    assert sorted(claim.text for claim in stubs) == sorted(["é\n" * 500, "x" * 900])
    (fence.root / stubs[0].path).write_text("something else")
    assert await unkept(audit, fence, manager) == 1


async def test_an_argument_that_changed_without_a_notice_is_found(fence: Fence, manager: ContextManager) -> None:
    before = Message("assistant", "", (ToolCall("1", "x", '{"path": "a", "text": "long"}'),))
    for arguments in ('{"path": "b", "text": "long"}', '{"path": "a", "text": "[paitui:cleared]"}', '{"path": "a"}'):
        audit = Audit()
        audit.replaced(before, replace(before, tool_calls=(ToolCall("1", "x", arguments),)), 1)
        assert await unkept(audit, fence, manager) == 1


def test_what_was_removed_must_have_been_in_a_request_or_still_stand() -> None:
    call = ToolCall("1", "read_file", '{"path": "a.py"}')
    gone = [
        Message("user", "Do it\nwell"),
        Message("assistant", "Looking.", (call,)),
        tool_message(call, "the </tool_result> text", True),
        Message("assistant", "ok", origin="acknowledgement"),
        Message("user", "[marker]\nthe old summary", origin="summary"),
    ]
    asked = ["the old summary", 'Do it\nwell\nLooking. {"path":', ' "a.py"} the </tool_result>', " text"]
    audit = Audit()
    audit.removed(gone, [], asked, "the old summary")
    assert audit.missing == 0
    audit.removed(gone, [], asked[1:], "the old summary")
    assert audit.missing == 1
    audit.removed(gone, [], asked[:-1], "the old summary")
    assert audit.missing == 2
    audit.removed([gone[0]], [Message("user", "## kept\nDo it\nwell", origin="carried")], [], "")
    assert audit.missing == 2
