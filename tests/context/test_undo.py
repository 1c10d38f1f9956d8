from dataclasses import replace

import pytest
from context_builders import answer, numbered, system, tool_round, user

from paitui.context.undo import CannotUndo, fingerprint, step_from_record, step_to_record, undo_step, undone
from paitui.jsontext import decode, encode
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import violations

OLD = numbered(system(), user("go"), tool_round("a"), tool_round("b"), answer("done"))
SUMMARY = [
    replace(Message("user", "sum", origin="summary"), uid=50),
    replace(Message("assistant", "ok", origin="acknowledgement"), uid=51),
]
NEW = [OLD[0], *SUMMARY, OLD[1], *OLD[6:]]


def test_the_earlier_history_comes_back_exactly_also_from_its_record() -> None:
    step = undo_step("summary", OLD, NEW, 100, 50)
    kept = step_from_record(decode(encode(step_to_record(step))))
    assert kept == step
    later = [replace(user("later"), uid=60), replace(answer("yes"), uid=61)]
    assert undone(kept, [*NEW, *later]) == [*OLD, *later]
    assert sum(isinstance(item, int) for item in step.items) == 3  # what still stands is not kept twice


def test_what_came_since_keeps_its_answers_when_its_call_ids_are_taken() -> None:
    taken = OLD[2].tool_calls[0].id
    call = ToolCall(taken, "read_file", "{}")
    later = [
        replace(user("again"), uid=60),
        Message("assistant", "x", tool_calls=(call,), uid=61),
        Message("tool", "result", tool_call_id=taken, name="read_file", uid=62),
    ]
    restored = undone(undo_step("summary", OLD, NEW, 100, 50), [*NEW, *later])
    assert restored[: len(OLD)] == OLD and not violations(restored)
    assert [message.content for message in restored[len(OLD) :]] == ["again", "x", "result"]


def test_a_history_that_was_changed_since_is_not_touched() -> None:
    step = undo_step("summary", OLD, NEW, 100, 50)
    for other in ([*NEW[:-1], replace(NEW[-1], content="other")], NEW[:-1], [], OLD):
        with pytest.raises(CannotUndo) as caught:
            undone(step, other)
        assert caught.value.fault == "changed"


def test_a_damaged_step_fails_loudly() -> None:
    step = undo_step("summary", OLD, NEW, 100, 50)
    items = list(step.items)
    held = next(at for at, item in enumerate(items) if isinstance(item, Message))
    for damaged in (
        replace(step, items=(*items[:held], replace(items[held], content="x"), *items[held + 1 :])),  # type: ignore[type-var]
        replace(step, items=(999, *items[1:])),
        replace(step, items=tuple(items[:-1])),
    ):
        with pytest.raises(CannotUndo) as caught:
            undone(damaged, NEW)
        assert caught.value.fault == "damaged"


@pytest.mark.parametrize(
    "record", [{}, {"kind": "other"}, {"kind": "clear", "items": 3}, {"kind": "clear", "items": [None]}]
)
def test_a_record_that_is_none_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        step_from_record({"before": 1, "after": 1, "length_after": 0, "hash_before": "", "hash_after": "", **record})


def test_a_hash_covers_what_is_never_sent_too() -> None:
    assert fingerprint(OLD) != fingerprint([*OLD[:-1], replace(OLD[-1], partial=True)])
    assert fingerprint([*OLD]) == fingerprint(OLD)
