import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from replay_builders import Session

from paitui.clock import FixedClock
from paitui.ledger.writer import LedgerWriter
from paitui.messages.message import Message, ToolCall, Usage
from paitui.replay.recording import ReplayError, as_paitui, read_recording
from paitui.trust.boundary import wrap


def test_messages_calls_results_and_usage_are_read(tmp_path: Path) -> None:
    session = Session().user("Fix it")
    session.result(session.answer("Looking.", ("bash", {"command": "make"}))[0], "boom\nCommand exited with code 2")
    session.answer("")
    recording = session.recording(tmp_path)
    user, call, result, last = (step.message for step in recording.steps)
    assert user.is_users_words
    assert call.tool_calls == (ToolCall("call-1", "bash", '{"command": "make"}'),)
    assert (result.name, result.ok, result.content) == ("bash", False, "boom\nCommand exited with code 2")
    assert last.content == ""
    assert recording.steps[1].usage == Usage(2_008, 16)
    assert recording.requests == 2


@pytest.mark.parametrize(
    ("end", "ok"),
    [
        ("fine\n[exit 0]", True),
        ("bad\n[exit 2]", False),
        ("bad\n\nCommand exited with code 1", False),
        ("fine\n\nCommand exited with code 0", True),
        ("Command aborted", False),
        ("[exit 1] is what it said\nand then all was well", True),
    ],
)
def test_a_command_tells_by_its_end_whether_it_failed(end: str, ok: bool, tmp_path: Path) -> None:
    session = Session().user("x").round("bash", {"command": "make"}, end)
    assert session.recording(tmp_path).steps[2].message.ok is ok


def test_the_form_of_the_chat_completions_api_is_read_too(tmp_path: Path) -> None:
    lines = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "Read", "arguments": {"path": "a"}}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 3},
        },
        {"role": "tool", "tool_call_id": "1", "content": "text"},
    ]
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    user, call, result = read_recording(file, tmp_path).steps
    assert (user.message.content, user.message.images[0].url) == ("See", "u")
    assert call.message.reasoning == "hm" and call.usage == Usage(10, 3)
    assert json.loads(call.message.tool_calls[0].arguments) == {"path": "a"}
    assert result.message.name == "Read" and as_paitui(result.message).name == "read_file"


def test_lines_that_are_no_messages_are_counted(tmp_path: Path) -> None:
    file = Session().user("x").write(tmp_path)
    broken = b'{"role":"assistant","content":"ok"}\nnot json\n[1]\n{"role":"alien"}\n{"role":"user","content":[1]}\n'
    file.write_bytes(file.read_bytes() + broken)
    recording = read_recording(file, tmp_path)
    assert (len(recording.steps), recording.unread) == (2, 4)


@pytest.mark.parametrize("text", ["", "{}\n", '{"role":"user","content":"only me"}\n', "\x00\x01"])
def test_a_file_without_a_request_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    with pytest.raises(ReplayError) as caught:
        read_recording(file, tmp_path)
    assert caught.value.phrase.key == "replay.no_session"
    with pytest.raises(ReplayError) as caught:
        read_recording(tmp_path / "missing", tmp_path)
    assert caught.value.phrase.key == "replay.unreadable"


def test_a_ledger_is_read_with_its_offloaded_texts_and_restarts(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2030, 1, 1, tzinfo=UTC))
    ledger = LedgerWriter(tmp_path / "s.jsonl", "s", clock, lambda text: text)
    (tmp_path / "whole.txt").write_bytes(b"the whole \xff text")
    call = ToolCall("1", "execute_command", '{"command":"x"}')
    ledger.message("react", Message("system", "You are an agent."))
    ledger.message("react", Message("user", "run", origin="typed", uid=1))
    ledger.message("helper", Message("user", "of another unit", uid=9))
    ledger.message("react", Message("assistant", "", (call,), uid=2))
    content = wrap("execute_command", "the\n[...]\ntext", notice="[paitui:offloaded ...]")
    stored = Message("tool", content, tool_call_id="1", name="execute_command", uid=3, stored="whole.txt")
    ledger.message("react", stored)
    ledger.boundary("react", "cleared_history", "/clear", 10, 1, ids=[1], texts=[])
    ledger.message("react", Message("user", "again", origin="typed", uid=4))
    ledger.message("react", Message("user", "go on", origin="program", uid=5))
    live = Message("tool", wrap("x", "a </tool_result> b"), tool_call_id="7", name="x", uid=6)
    ledger.message("react", live)
    ledger.close()
    recording = read_recording(tmp_path / "s.jsonl", tmp_path)
    messages = [step.message for step in recording.steps]
    assert [m.role for m in messages] == ["system", "user", "assistant", "tool", "user", "user", "tool"]
    assert messages[3].content == "the whole \udcff text"
    assert messages[-1].content == "a </tool_result> b"
    assert messages[5].origin == "program"
    assert recording.restarts == {4} and recording.partly == 0
    (tmp_path / "whole.txt").unlink()
    assert read_recording(tmp_path / "s.jsonl", tmp_path).partly == 1
