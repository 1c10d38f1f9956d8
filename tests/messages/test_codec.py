import json
from typing import Any

import pytest
from hypothesis import given

from paitui.messages.codec import from_record, spec_to_wire, to_record, to_wire
from paitui.messages.message import Image, Message, ToolCall, ToolSpec
from tests.messages.strategies import messages


@given(messages)
def test_a_record_gives_the_same_message_back(message: Message) -> None:
    assert from_record(json.loads(json.dumps(to_record(message)))) == message


def test_defaults_take_no_room_in_a_record() -> None:
    assert to_record(Message("user", "hi")) == {"role": "user", "content": "hi"}


def test_a_newer_programs_fields_are_ignored() -> None:
    assert from_record({"role": "user", "content": "hi", "mood": 3}) == Message("user", "hi")


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"role": "robot"},
        {"role": "user", "content": 3},
        {"role": "user", "content": None},
        {"role": "tool", "ok": "yes"},
        {"role": "tool", "body_chars": "7"},
        {"role": "assistant", "tool_calls": 5},
        {"role": "assistant", "tool_calls": [{"id": "a"}]},
        {"role": "assistant", "tool_calls": ["a"]},
        {"role": "user", "images": [{}]},
        {"role": "assistant", "signed_reasoning": [3]},
        {"role": "user", "pasted": [3]},
        {"role": "user", "pasted": [[5, 2]]},
        {"role": "user", "pasted": [[0, "9"]]},
    ],
)
def test_a_record_of_the_wrong_shape_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        from_record(record)


def test_calls_and_results_on_the_wire() -> None:
    asks = Message("assistant", tool_calls=(ToolCall("a", "read_file", '{"path": "x"}'),), reasoning="hm")
    assert to_wire(asks) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "x"}'}}
        ],
        "reasoning_content": "hm",
    }
    answer = Message("tool", "text", tool_call_id="a", name="read_file", stored="f", body_chars=4, uid=9)
    assert to_wire(answer) == {"role": "tool", "content": "text", "tool_call_id": "a", "name": "read_file"}


def test_images_become_parts_without_an_empty_text() -> None:
    image = Image("data:image/png;base64,AA==")
    part = {"type": "image_url", "image_url": {"url": image.url}}
    assert to_wire(Message("user", images=(image,)))["content"] == [part]
    assert to_wire(Message("user", "see", images=(image,)))["content"] == [{"type": "text", "text": "see"}, part]


@given(messages)
def test_the_wire_form_carries_none_of_the_programs_own_notes(message: Message) -> None:
    known = {"role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content"}
    assert set(to_wire(message)) <= known


def test_a_schema_on_the_wire() -> None:
    spec = ToolSpec("list_dir", "Lists.", {"type": "object"})
    function = {"name": "list_dir", "description": "Lists.", "parameters": {"type": "object"}}
    assert spec_to_wire(spec) == {"type": "function", "function": function}


def test_attached_memories_are_sent_behind_the_text_and_stay_apart_from_it() -> None:
    block = "<memory_hints>\n- JDK 17\n</memory_hints>"
    message = Message("user", "build it", memories=block, remembered=("fact-1@a",))
    assert to_wire(message)["content"] == f"build it\n\n{block}"
    assert "remembered" not in to_wire(message)
    assert from_record(to_record(message)) == message
    assert message.content == "build it"
