import pytest
from hypothesis import given

from paitui.messages.message import Image, Message, ToolCall
from paitui.messages.validity import (
    INTERRUPTED,
    InvalidRequest,
    guard,
    is_empty,
    repair,
    violations,
    with_unique_ids,
)
from tests.messages.strategies import histories

SYSTEM = Message("system", "rules")
USER = Message("user", "hello")
ANSWER = Message("assistant", "hi")


def asks(*ids: str, content: str = "") -> Message:
    return Message("assistant", content, tool_calls=tuple(ToolCall(i, "read_file", "{}") for i in ids))


def result(id: str, content: str = "text") -> Message:
    return Message("tool", content, tool_call_id=id, name="read_file")


VALID = [
    [],
    [SYSTEM, USER],
    [USER, ANSWER, USER],
    [SYSTEM, SYSTEM, USER, asks("a", "b"), result("a"), result("b"), ANSWER],
    [USER, asks("a", "b"), result("a"), result("b"), asks("c"), result("c")],
    [USER, USER, ANSWER],
    [Message("user", images=(Image("https://x/y.png"),)), ANSWER],
    [USER, Message("assistant", signed_reasoning=({"type": "thinking"},))],
]

BROKEN = {
    "call without an answer": [USER, asks("a")],
    "call answered after another role": [USER, asks("a"), USER, result("a")],
    "one of two answers missing": [USER, asks("a", "b"), result("a"), USER],
    "answer without a call": [USER, result("a")],
    "answered twice": [USER, asks("a"), result("a"), result("a")],
    "answer to another call": [USER, asks("a"), result("b")],
    "id used again": [USER, asks("a"), result("a"), USER, asks("a"), result("a")],
    "id twice in one message": [USER, asks("a", "a"), result("a"), result("a")],
    "no id": [USER, asks(""), result("")],
    "late system message": [USER, SYSTEM],
    "two assistant messages": [USER, ANSWER, ANSWER],
    "two assistant messages, the second with calls": [USER, ANSWER, asks("a"), result("a")],
    "empty user message": [Message("user", " \n")],
    "empty assistant message": [USER, Message("assistant")],
    "empty result": [USER, asks("a"), result("a", "")],
    "reasoning alone": [USER, Message("assistant", reasoning="hm")],
}


@pytest.mark.parametrize("messages", VALID)
def test_a_valid_list_passes_and_comes_back_from_repair_as_it_was(messages: list[Message]) -> None:
    assert violations(messages) == []
    guard(messages)
    assert repair(messages) == messages


@pytest.mark.parametrize("messages", BROKEN.values(), ids=BROKEN.keys())
def test_each_broken_rule_is_named_and_mended(messages: list[Message]) -> None:
    found = violations(messages)
    assert found
    with pytest.raises(InvalidRequest) as raised:
        guard(messages)
    assert str(raised.value) == found[0]
    assert violations(repair(messages)) == []


def test_a_call_that_never_finished_is_answered_in_call_order() -> None:
    mended = repair([USER, asks("a", "b", "c"), result("b", "kept"), Message("user", "and now?")])
    assert [(m.role, m.tool_call_id, m.content) for m in mended[2:]] == [
        ("tool", "a", INTERRUPTED),
        ("tool", "b", "kept"),
        ("tool", "c", INTERRUPTED),
        ("user", "", "and now?"),
    ]
    assert [m.ok for m in mended[2:5]] == [False, True, False]


def test_the_answer_for_a_missing_result_can_be_chosen() -> None:
    assert repair([USER, asks("a")], answer="stopped")[-1].content == "stopped"


def test_repeated_ids_are_renamed_together_with_their_answers() -> None:
    mended = repair([USER, asks("a"), result("a", "one"), USER, asks("a"), result("a", "two")])
    first, second = mended[1].tool_calls[0].id, mended[4].tool_calls[0].id
    assert first == "a" and second != "a"
    assert (mended[5].tool_call_id, mended[5].content) == (second, "two")


def test_neighbouring_assistant_texts_are_joined_and_none_is_lost() -> None:
    mended = repair([USER, Message("assistant", "one"), asks("a", content="two"), result("a")])
    assert [m.role for m in mended] == ["user", "assistant", "tool"]
    assert "one" in mended[1].content and "two" in mended[1].content


@given(histories)
def test_repair_gives_a_list_that_may_be_sent(messages: list[Message]) -> None:
    mended = repair(messages)
    assert violations(mended) == []
    assert repair(mended) == mended


@given(histories)
def test_repair_keeps_every_word_of_the_user_and_every_call(messages: list[Message]) -> None:
    mended = repair(messages)
    said = [m for m in messages if m.role in ("user", "system") and not is_empty(m)]
    kept = [m for m in mended if m.role in ("user", "system")]
    assert sorted(map(repr, kept)) == sorted(map(repr, said))
    asked = [(c.name, c.arguments) for m in messages for c in m.tool_calls]
    assert [(c.name, c.arguments) for m in mended for c in m.tool_calls] == asked


def test_answers_in_another_order_may_be_sent_and_come_back_in_call_order() -> None:
    swapped = [USER, asks("a", "b"), result("b"), result("a")]
    assert violations(swapped) == []
    assert repair(swapped) == [USER, asks("a", "b"), result("a"), result("b")]


@given(histories)
def test_an_arriving_reply_never_repeats_an_id(messages: list[Message]) -> None:
    used: set[str] = set()
    for message in messages:
        if message.role == "assistant":
            renamed = with_unique_ids(message, used)
            new = [call.id for call in renamed.tool_calls]
            assert all(new) and len(set(new)) == len(new) and not used & set(new)
            used.update(new)


def test_unique_ids_stay_as_the_provider_gave_them() -> None:
    reply = asks("x", "y")
    assert with_unique_ids(reply, {"a"}) is reply
