"""What a pass would free is counted as the history grows, and is what the pass takes."""

import json

from context_builders import answer, numbered, user
from hypothesis import given
from hypothesis import strategies as st

from paitui.context.clearing import Candidates, clearable, frontier, stubbable
from paitui.context.estimate import message_tokens
from paitui.context.offload import tool_message
from paitui.context.stubs import stub_savings
from paitui.messages.message import Message, ToolCall
from paitui.settings import ContextSettings

SETTINGS = ContextSettings(clear_exclude=("kept",))
rounds = st.lists(
    st.one_of(
        st.just("user"),
        st.just("answer"),
        st.lists(
            st.tuples(st.sampled_from(["read_file", "write_file", "kept"]), st.integers(0, 3)), min_size=1, max_size=4
        ),
    ),
    max_size=12,
)


def history_of(shape: list[object]) -> list[Message]:
    parts: list[Message | list[Message]] = []
    for n, part in enumerate(shape):
        if isinstance(part, list):
            calls = [
                ToolCall(f"c{n}_{at}", name, json.dumps({"path": "a", "content": "z" * 700 * size}))
                for at, (name, size) in enumerate(part)
            ]
            bodies = [tool_message(c, "body " * 300 * size, True) for c, (_, size) in zip(calls, part, strict=True)]
            parts.append([Message("assistant", "Looking.", tool_calls=tuple(calls)), *bodies])
        else:
            parts.append(user("go") if part == "user" else answer("yes"))
    return numbered(*parts)


@given(rounds, st.integers(0, 4), st.sets(st.integers(1, 40), max_size=3))
def test_the_running_count_is_what_the_pass_finds(shape: list[object], keep: int, pins: set[int]) -> None:
    settings = ContextSettings(clear_exclude=("kept",), keep_results=keep)
    pinned = frozenset(pins)
    history = history_of(shape)
    running = Candidates(settings)
    for end in range(len(history) + 1):
        part = history[:end]
        running.update(part, 0, pinned)
        whole = Candidates(settings)
        whole.update(part, 1, pinned)
        assert running.freed == whole.freed
        positions, calls = clearable(part, settings, pinned), stubbable(part, settings, pinned)
        assert (running.freed > 0) == bool(calls or any(message_tokens(part[at]) > 100 for at in positions))
        edge = frontier(part, keep)
        assert all(at < edge and part[at].uid not in pinned for at in positions)
        for at, ids in calls.items():
            made = {call.id: call for call in part[at].tool_calls}
            answers = [n for n, m in enumerate(part) if m.tool_call_id in ids]
            assert answers and max(answers) < edge
            assert all(stub_savings(made[name], 400) > 0 for name in ids)


def test_all_results_are_newest_while_there_are_no_more_than_that() -> None:
    history = history_of([[("read_file", 2)], [("read_file", 2)], [("read_file", 2)], "answer"])
    assert clearable(history, SETTINGS) == [] and stubbable(history, SETTINGS) == {}


class CountingList(list[Message]):
    """Counts how many of its items are looked at."""

    looked = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.looked += 1
        return super().__getitem__(at)

    def __iter__(self):  # type: ignore[no-untyped-def]
        raise AssertionError("walks the whole history")


def test_an_update_looks_at_what_was_added() -> None:
    grown = history_of([[("read_file", 1)]] * 2_000)
    history = CountingList(grown)
    running = Candidates(SETTINGS)
    running.update(history, 0, frozenset())
    history.looked = 0
    history.append(answer("one more"))
    running.update(history, 0, frozenset())
    assert history.looked == 1
