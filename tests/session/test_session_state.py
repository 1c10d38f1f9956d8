import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.jsontext import decode, encode
from paitui.messages.message import Message
from paitui.session.codec import change_from_record, change_to_record, state_from_record, state_to_record
from paitui.session.state import Append, ReplaceAll, Replay, Rewrite, SessionState, Set, SetExtra, apply
from tests.messages.strategies import messages, spans

EMPTY = SessionState("s1", "/p", "2026-12-01T00:00:00.000Z", "offline")

units = st.sampled_from(["react", "task-1"])
texts = st.text(max_size=8)
changes = st.one_of(
    st.builds(Append, units, messages),
    st.builds(ReplaceAll, units, st.lists(messages, max_size=3).map(tuple)),
    st.builds(Rewrite, units, st.dictionaries(st.integers(0, 5), messages, max_size=2)),
    st.builds(Set, st.just("turn"), st.integers(0, 9)),
    st.builds(Set, st.just("next_uid"), st.integers(1, 9)),
    st.builds(Set, st.sampled_from(["trust", "model"]), texts),
    st.builds(Set, st.just("approvals"), st.lists(texts, max_size=3).map(tuple)),
    st.builds(Set, st.just("queue"), st.lists(st.tuples(st.integers(0, 9), texts, spans), max_size=3).map(tuple)),
    st.builds(SetExtra, texts, st.none() | st.dictionaries(texts, st.integers(0, 3))),
)


@given(st.lists(changes, max_size=8))
def test_changes_and_states_come_back_from_their_records(found):
    state = EMPTY
    for change in found:
        assert change_from_record(decode(encode(change_to_record(change)))) == change
        state = apply(state, change)
    assert state_from_record(decode(encode(state_to_record(state)))) == state


@given(st.lists(changes, max_size=8))
def test_a_replay_is_the_changes_one_by_one_and_leaves_the_start_alone(found):
    replay, state = Replay(EMPTY), EMPTY
    for change in found:
        replay.apply(change)
        state = apply(state, change)
    assert replay.state() == state
    assert SessionState("s1", "/p", "2026-12-01T00:00:00.000Z", "offline") == EMPTY


def test_a_message_is_rewritten_where_it_stands():
    replay = Replay(EMPTY)
    for uid in (1, 2, 3):
        replay.apply(Append("react", Message("user", f"m{uid}", uid=uid)))
    replay.apply(Rewrite("react", {2: Message("user", "new", uid=2)}))
    replay.apply(Append("react", Message("user", "m4", uid=4)))
    replay.apply(Rewrite("react", {4: Message("user", "newer", uid=4), 9: Message("user", "?", uid=9)}))
    assert [m.content for m in replay.state().units["react"]] == ["m1", "new", "m3", "newer"]
    assert replay.unmatched == 1


def test_a_uid_is_never_given_twice():
    state = apply(EMPTY, Append("react", Message("user", "x", uid=7)))
    state = apply(state, ReplaceAll("react", ()))
    state = apply(state, Set("next_uid", 3))
    assert state.next_uid == 8
    assert apply(state, ReplaceAll("react", (Message("user", "y", uid=20),))).next_uid == 21


def test_a_later_history_replaces_the_places_of_the_earlier_one():
    replay = Replay(EMPTY)
    replay.apply(Append("react", Message("user", "a", uid=1)))
    replay.apply(Rewrite("react", {1: Message("user", "b", uid=1)}))
    replay.apply(ReplaceAll("react", (Message("user", "s", uid=5), Message("user", "t", uid=1))))
    replay.apply(Rewrite("react", {1: Message("user", "u", uid=1)}))
    assert [m.content for m in replay.state().units["react"]] == ["s", "u"]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"op": "dance"},
        {"op": "append", "unit": "react"},
        {"op": "append", "unit": 3, "message": {"role": "user"}},
        {"op": "append", "unit": "react", "message": {"role": "robot"}},
        {"op": "append", "unit": "react", "message": {"role": "user", "content": 5}},
        {"op": "rewrite", "unit": "react", "replaced": {}},
        {"op": "rewrite", "unit": "react", "replaced": [[1]]},
        {"op": "rewrite", "unit": "react", "replaced": [["1", {"role": "user"}]]},
        {"op": "rewrite", "unit": "react", "replaced": [[1, []]]},
        {"op": "replace_all", "unit": "react", "messages": "x"},
        {"op": "set", "key": "units", "value": {}},
        {"op": "set", "key": [], "value": {}},
        {"op": "set", "key": "turn", "value": "1"},
        {"op": "set", "key": "turn", "value": True},
        {"op": "set", "key": "trust", "value": 1},
        {"op": "set", "key": "approvals", "value": [1]},
        {"op": "set", "key": "queue", "value": [[1, 2]]},
        {"op": "set", "key": "queue", "value": [["1", "x"]]},
        {"op": "set", "key": "queue", "value": [[1, "x", [[3, 1]]]]},
        {"op": "set", "key": "queue", "value": [[1, "x", [["0", "1"]]]]},
        {"op": "set_extra", "value": 1},
    ],
)
def test_a_damaged_change_is_a_value_error(record):
    with pytest.raises(ValueError):
        change_from_record(record)


@pytest.mark.parametrize("name", list(state_to_record(EMPTY)))
@pytest.mark.parametrize("value", [None, 3.5, [[]], {"a": 1}])
def test_a_damaged_state_is_a_value_error(name, value):
    if name == "extra" and isinstance(value, dict):
        value = [1]
    with pytest.raises(ValueError):
        state_from_record({**state_to_record(EMPTY), name: value})


def test_text_that_is_no_utf8_comes_back():
    change = Append("react", Message("tool", "name-\udcff", tool_call_id="c", name="list_dir", uid=1))
    assert change_from_record(decode(encode(change_to_record(change)))) == change
