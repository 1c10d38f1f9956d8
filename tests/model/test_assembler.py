"""Streams of every shape, put together."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.messages.message import Message, ToolCall, Usage
from paitui.model.assembler import NAMELESS, Assembled, Assembler, parses
from paitui.model.port import ReasoningDelta, TextDelta
from tests.model.streams import call, calls, chunk, cut_up

READ = '{"path": "a/b.txt", "limit": 10}'
LIST = '{"path": "src"}'


def assemble(*chunks: Any, cut: bool = False) -> Assembled:
    assembler = Assembler()
    for each in chunks:
        assembler.add(each)
    return assembler.finish(cut)


def made(*chunks: Any) -> list[tuple[str, str]]:
    """The calls of a stream that finishes, as name and arguments."""
    got = assemble(*chunks, chunk(finish="tool_calls"))
    ids = [each.id for each in got.message.tool_calls]
    assert len(set(ids)) == len(ids) and all(ids)
    assert got.complete == (not got.broken)
    return [(each.name, each.arguments) for each in got.message.tool_calls]


def test_text_and_reasoning_are_shown_as_they_come_and_kept() -> None:
    assembler = Assembler()
    shown = []
    for each in (
        chunk({"role": "assistant"}),
        chunk({"role": "assistant", "content": "", "reasoning_content": "hm"}),
        chunk({"reasoning": ", well"}),
        chunk({"content": "Good "}),
        chunk({"content": "day"}, finish="stop"),
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    ):
        shown += assembler.add(each)
    assert shown == [ReasoningDelta("hm"), ReasoningDelta(", well"), TextDelta("Good "), TextDelta("day")]
    assert assembler.saw_finish
    assert assembler.finish() == Assembled(
        Message("assistant", "Good day", reasoning="hm, well"), True, "stop", (), Usage(7, 2), None
    )


def test_content_in_parts_is_read() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    got = assemble(chunk({"content": [thought, {"type": "text", "text": "Yes"}]}), chunk(finish="stop"))
    assert (got.message.content, got.message.reasoning) == ("Yes", "hm")


def test_a_refusal_is_an_answer() -> None:
    got = assemble(chunk({"refusal": "I will not."}), chunk(finish="stop"))
    assert got.message.content == "I will not." and got.complete


CALLS: dict[str, tuple[list[Any], list[tuple[str, str]]]] = {
    "in one piece": ([calls(call(0, "a", "read_file", READ))], [("read_file", READ)]),
    "in hundreds": (
        [calls(call(0, "a", "read_file", "")), *(calls(call(0, arguments=char)) for char in READ)],
        [("read_file", READ)],
    ),
    "two, interleaved": (
        [
            calls(call(0, "a", "read_file", ""), call(1, "b", "list_dir", "")),
            *(calls(call(0, arguments=x), call(1, arguments=y)) for x, y in zip(READ[:15], LIST, strict=True)),
            calls(call(0, arguments=READ[15:])),
        ],
        [("read_file", READ), ("list_dir", LIST)],
    ),
    "two, index missing": (
        [
            calls(call(None, "a", "read_file", READ[:4])),
            calls(call(arguments=READ[4:])),
            calls(call(None, "b", "read_file", LIST[:4])),
            calls(call(arguments=LIST[4:])),
        ],
        [("read_file", READ), ("read_file", LIST)],
    ),
    "two, index always 0": (
        [
            calls(call(0, "a", "read_file", READ[:4])),
            calls(call(0, arguments=READ[4:])),
            calls(call(0, "b", "list_dir", LIST[:4])),
            calls(call(0, arguments=LIST[4:])),
        ],
        [("read_file", READ), ("list_dir", LIST)],
    ),
    "two, no ids": (
        [calls(call(0, None, "read_file", READ)), calls(call(1, None, "list_dir", LIST))],
        [("read_file", READ), ("list_dir", LIST)],
    ),
    "two of a name, neither ids nor index": (
        [calls(call(None, None, "read_file", READ)), calls(call(None, None, "read_file", LIST))],
        [("read_file", READ), ("read_file", LIST)],
    ),
    "two of a name in one chunk, neither ids nor index": (
        [calls(call(None, None, "read_file", READ), call(None, None, "read_file", LIST))],
        [("read_file", READ), ("read_file", LIST)],
    ),
    "two with one id": (
        [calls(call(0, "a", "read_file", READ)), calls(call(1, "a", "read_file", LIST))],
        [("read_file", READ), ("read_file", LIST)],
    ),
    "two with one id and one index": (
        [calls(call(0, "a", "read_file", READ)), calls(call(0, "a", "read_file", LIST))],
        [("read_file", READ), ("read_file", LIST)],
    ),
    "id and name in every piece": (
        [calls(call(0, "a", "read_file", part)) for part in cut_up(READ, [3, 9, 20])],
        [("read_file", READ)],
    ),
    "id in every piece, index counting up": (
        [calls(call(0, "a", "read_file")), *(calls(call(n, "a", arguments=c)) for n, c in enumerate(READ, 1))],
        [("read_file", READ)],
    ),
    "another id in every piece": (
        [calls(call(0, "x", "read_file", "")), *(calls(call(0, f"x{n}", arguments=c)) for n, c in enumerate(READ))],
        [("read_file", READ)],
    ),
    "id after the name": (
        [calls(call(0, None, "read_file")), calls(call(0, "a")), calls(call(0, arguments=READ))],
        [("read_file", READ)],
    ),
    "name after the id": (
        [calls(call(0, "a")), calls(call(0, None, "read_file")), calls(call(0, arguments=READ))],
        [("read_file", READ)],
    ),
    "the whole call twice": (
        [calls(call(0, "a", "read_file", READ)), calls(call(0, "a", "read_file", READ))],
        [("read_file", READ)],
    ),
    "arguments as an object": (
        [calls(call(0, "a", "list_dir", {"path": "src"})), calls(call(1, "b", "list_dir", {"path": "x"}))],
        [("list_dir", LIST), ("list_dir", '{"path": "x"}')],
    ),
    "an empty object before the text": (
        [calls(call(0, "a", "list_dir", {})), calls(call(0, arguments=LIST))],
        [("list_dir", LIST)],
    ),
    "no arguments": ([calls(call(0, "a", "list_dir"))], [("list_dir", "{}")]),
    "the old form": (
        [
            chunk({"function_call": {"name": "list_dir", "arguments": ""}}),
            *(chunk({"function_call": {"arguments": part}}) for part in cut_up(LIST, [4, 9])),
        ],
        [("list_dir", LIST)],
    ),
    "a whole message": (
        [{"choices": [{"message": {"tool_calls": [call(0, "a", "list_dir", LIST)]}}]}],
        [("list_dir", LIST)],
    ),
    "among rubbish": (
        [
            {},
            {"choices": None},
            {"choices": [None]},
            {"choices": [{"index": 0}]},
            {"choices": [{"index": 1, "delta": {"content": "another choice"}}]},
            chunk({"tool_calls": [None, 5, {}]}),
            chunk({"tool_calls": "none", "content": 5, "thinking_blocks": {}}),
            calls(call(0, "a", "list_dir", LIST)),
            {"choices": [], "usage": "none"},
        ],
        [("list_dir", LIST)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_told_apart_and_put_together(name: str) -> None:
    chunks, expected = CALLS[name]
    assert made(*chunks) == expected


def test_ids_are_made_and_made_unique() -> None:
    got = assemble(calls(call(0, "a", "x"), call(1, "a", "y"), call(2, None, "z")), chunk(finish="tool_calls"))
    ids = [each.id for each in got.message.tool_calls]
    assert ids[0] == "a" and len(set(ids)) == 3 and all(ids)


@pytest.mark.parametrize(
    "bad", ['{"path": "a', "[1]", '"text"', "{} {}", '{"n": NaN}', "null", "{'a': 1}", "{" * 9999]
)
def test_arguments_that_do_not_parse_are_kept_for_an_error_if_the_stream_finished(bad: str) -> None:
    chunks = [calls(call(0, "a", "read_file", bad)), calls(call(1, "b", "list_dir", LIST))]
    got = assemble(*chunks, chunk(finish="tool_calls"))
    assert not got.complete and got.finished and got.broken == ("a",)
    assert got.message.tool_calls == (ToolCall("a", "read_file", bad), ToolCall("b", "list_dir", LIST))
    assert not parses(bad)


def test_nothing_is_cut_off_to_make_arguments_parse() -> None:
    got = assemble(calls(call(0, "a", "list_dir", LIST)), calls(call(0, arguments="}")), chunk(finish="tool_calls"))
    assert got.broken == ("a",) and got.message.tool_calls[0].arguments == LIST + "}"


def test_a_call_without_a_name_can_only_be_answered_with_an_error() -> None:
    got = assemble(calls(call(0, "a", None, LIST)), chunk(finish="tool_calls"))
    assert [each.name for each in got.message.tool_calls] == [NAMELESS] and got.broken == ("a",)


@pytest.mark.parametrize("finish", ["length", "content_filter", "error", "max_tokens", "something new", None])
@pytest.mark.parametrize("arguments", [READ, READ[:9]])
def test_without_a_proper_end_no_call_is_left(finish: str | None, arguments: str) -> None:
    got = assemble(chunk({"content": "Let me"}), calls(call(0, "a", "read_file", arguments)), chunk(finish=finish))
    assert got.message == Message("assistant", "Let me", partial=True)
    assert not got.complete and not got.finished and got.finish == (finish or "")


def test_an_error_inside_the_stream_and_a_cut_leave_no_call() -> None:
    whole = [calls(call(0, "a", "read_file", READ)), chunk(finish="tool_calls")]
    failed = assemble(*whole, {"error": {"code": 502, "message": "upstream"}})
    assert failed.error == {"code": 502, "message": "upstream"} and failed.message.tool_calls == ()
    assert assemble(*whole, {"error": "upstream"}).error == {"message": "upstream"}
    assert assemble(*whole, cut=True).message.tool_calls == ()


def test_thinking_blocks_keep_their_signature_and_their_order() -> None:
    def thinking(index: int, **fields: str) -> Any:
        return chunk({"thinking_blocks": [{"type": "thinking", "index": index, **fields}]})

    got = assemble(
        chunk({"reasoning_content": "Let", "thinking_blocks": [{"type": "thinking", "thinking": "Let", "index": 0}]}),
        thinking(0, thinking=" me see"),
        thinking(0, thinking="", signature="c2ln"),
        chunk({"thinking_blocks": [{"type": "redacted_thinking", "data": "AAA", "index": 1}]}),
        thinking(2, thinking="So"),
        thinking(2, thinking="", signature="bmF0"),
        calls(call(0, "a", "list_dir", LIST)),
        chunk(finish="tool_calls"),
    )
    assert got.message.reasoning == "Let me seeSo"
    assert got.message.signed_reasoning == (
        {"type": "thinking", "thinking": "Let me see", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "AAA"},
        {"type": "thinking", "thinking": "So", "signature": "bmF0"},
    )


def test_blocks_that_were_not_signed_are_not_kept() -> None:
    block = {"type": "thinking", "thinking": "Let me"}
    assert assemble(chunk({"thinking_blocks": [block]}), chunk(finish="stop")).message.signed_reasoning == ()
    signed = {**block, "signature": "c2ln"}
    assert assemble(chunk({"thinking_blocks": [signed]}), chunk(finish="length")).message.signed_reasoning == ()


def test_reasoning_details_are_put_together() -> None:
    details = [
        {"type": "reasoning.text", "text": "Let", "index": 0, "format": "f"},
        {"type": "reasoning.text", "text": " me", "index": 0},
        {"type": "reasoning.text", "text": None, "signature": "c2ln", "index": 0},
        {"type": "reasoning.encrypted", "data": "AAA", "index": 1},
    ]
    got = assemble(
        *(chunk({"provider_specific_fields": {"reasoning_details": [each]}}) for each in details),
        chunk(finish="stop"),
    )
    assert got.message.signed_reasoning == (
        {"type": "reasoning.text", "text": "Let me", "index": 0, "format": "f", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "AAA", "index": 1},
    )


@pytest.mark.parametrize(
    ("reports", "usage"),
    [
        ([], None),
        ([{"prompt_tokens": 0, "completion_tokens": 0}], None),
        ([{"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}], Usage(9, 2, 0, 4)),
        (
            [
                {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}},
                {"prompt_tokens": 0, "completion_tokens": 6, "completion_tokens_details": {"reasoning_tokens": 5}},
            ],
            Usage(9, 6, 5, 4),
        ),
        (
            [{"input_tokens": 9, "output_tokens": 2, "cache_read_input_tokens": 3, "cost": 0.5}],
            Usage(9, 2, 0, 3, 0.5),
        ),
        ([{"prompt_tokens": "9", "completion_tokens": True, "prompt_tokens_details": None}], None),
    ],
)
def test_usage_is_found_wherever_it_stands(reports: list[Any], usage: Usage | None) -> None:
    assert assemble(*({"choices": [], "usage": each} for each in reports)).usage == usage
    assert assemble(*({"choices": [{"index": 0, "usage": each}]} for each in reports)).usage == usage


arguments = st.dictionaries(
    st.text(max_size=4), st.recursive(st.text(max_size=6), st.lists, max_leaves=3), max_size=3
)
offsets = st.lists(st.integers(0, 200), max_size=6)


@given(
    text=st.text(max_size=30),
    thought=st.text(max_size=30),
    wanted=st.lists(st.tuples(st.sampled_from(["read_file", "list_dir"]), arguments), max_size=4),
    cuts=st.lists(offsets, min_size=6, max_size=6),
    manner=st.sampled_from(["plain", "ids", "names", "no index", "no ids", "interleaved", "drift"]),
)
def test_however_a_stream_is_chopped_the_message_is_the_same(
    text: str, thought: str, wanted: list[tuple[str, Any]], cuts: list[list[int]], manner: str
) -> None:
    whole = [(name, json.dumps(value, ensure_ascii=False)) for name, value in wanted]
    chunks = [chunk({"reasoning_content": part}) for part in cut_up(thought, cuts[0])]
    chunks += [chunk({"content": part}) for part in cut_up(text, cuts[1])]
    lines = []
    for at, (name, value) in enumerate(whole):
        index, id = None if manner == "no index" else at, None if manner == "no ids" else f"c{at}"
        first, *rest = cut_up(value, cuts[2 + at])
        every_id, every_name = (id if manner in ("ids", "names") else None), (name if manner == "names" else None)
        line = [calls(call(index, id, name, first))]
        for n, part in enumerate(rest):
            line.append(calls(call(index, f"d{n}" if manner == "drift" else every_id, every_name, part)))
        lines.append(line)
    if manner == "interleaved":
        while any(lines):
            chunks += [line.pop(0) for line in lines if line]
    else:
        chunks += [each for line in lines for each in line]
    got = assemble(*chunks, chunk(finish="stop"))
    assert got.complete and (got.message.content, got.message.reasoning) == (text, thought)
    assert [(each.name, each.arguments) for each in got.message.tool_calls] == whole


def _faults() -> dict[str, list[Any]]:
    """Streams of two calls, each ill in one way, together with the well one."""
    text, read, listing = "Let me look.", cut_up(READ, [3, 8, 21]), cut_up(LIST, [5, 9])

    def two(first: list[Any], second: list[Any], end: list[Any] | None = None) -> list[Any]:
        shown = [chunk({"role": "assistant"}), *(chunk({"content": word}) for word in text.split())]
        return shown + first + second + ([chunk(finish="tool_calls")] if end is None else end)

    a = [calls(call(0, "a", "read_file", "")), *(calls(call(0, arguments=part)) for part in read)]
    b = [calls(call(1, "b", "list_dir", "")), *(calls(call(1, arguments=part)) for part in listing)]
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 5}}
    return {
        "well": two(a, b),
        "no finish": two(a, b, []),
        "finish is null": two(a, b, [chunk(finish=None)]),
        "length": two(a, b, [chunk(finish="length")]),
        "content filter": two(a, b, [chunk(finish="content_filter")]),
        "usage only at the end": two(a, b, [usage]),
        "usage after the finish": two(a, b, [chunk(finish="tool_calls"), usage]),
        "half a JSON": two(a[:-1], b),
        "half a JSON, no finish": two(a, b[:-1], []),
        "empty choices between": [each for step in two(a, b) for each in (step, {"choices": []})],
        "no choices between": [each for step in two(a, b) for each in (step, {})],
        "index missing": two([calls(call(None, "a", "read_file", READ))], [calls(call(None, "b", "list_dir", LIST))]),
        "index repeated": two(a, [calls(call(0, "b", "list_dir")), *(calls(call(0, arguments=p)) for p in listing)]),
        "ids repeated": two(a, [calls(call(1, "a", "list_dir")), *(calls(call(1, "a", None, p)) for p in listing)]),
        "ids missing": two([calls(call(0, None, "read_file", READ))], [calls(call(1, None, "list_dir", LIST))]),
        "names missing": two([calls(call(0, "a", None, READ))], b),
        "arguments as an object": two([calls(call(0, "a", "read_file", json.loads(READ)))], b),
        "error event": two(a, b, [{"error": {"message": "overloaded"}}]),
        "error event after the finish": two(a, b, [chunk(finish="stop"), {"error": {"message": "overloaded"}}]),
        "interleaved": two([each for pair in zip(a, b, strict=False) for each in pair], a[len(b) :]),
        "extra brace": two([*a, calls(call(0, arguments="}"))], b),
    }  # fmt: skip


FAULTS = _faults()


@pytest.mark.parametrize("fault", FAULTS)
def test_no_cut_makes_a_complete_message_with_a_partial_call(fault: str) -> None:
    """50 random places to cut each of 20 ill streams: nothing may run that the model did not ask for in full."""
    chunks, chance = FAULTS[fault], random.Random(fault)
    allowed = {("read_file", READ), ("list_dir", LIST), ("read_file", json.dumps(json.loads(READ)))}
    for _ in range(50):
        at = chance.randrange(len(chunks) + 1)
        whole = at == len(chunks)
        got = assemble(*chunks[:at], cut=chance.random() < 0.5 and not whole)
        good = [each for each in got.message.tool_calls if each.id not in got.broken]
        assert {(each.name, each.arguments) for each in good} <= allowed
        finished = any(c.get("choices") and c["choices"][0].get("finish_reason") for c in chunks[:at])
        assert finished or (not got.complete and not got.message.tool_calls and got.message.partial)
        if got.complete:
            assert len(good) == 2


def test_there_are_twenty_ill_streams() -> None:
    assert len(FAULTS) >= 21
