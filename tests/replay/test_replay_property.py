"""Whatever a recording holds: no request is malformed, and nothing is lost."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from paitui.locale import Words
from paitui.messages.message import Message, ToolCall, Usage
from paitui.replay import PolicyName, command
from paitui.replay.recording import Recording, Step
from paitui.settings import ContextSettings

Text = tuple[str, int, str]
"""A word, how often, and an end; long texts are only made in the test, so that examples stay readable."""
Drawn = tuple[str, Text, list[tuple[str, str, Any]]]
"""Role, text, and calls: id, tool, arguments."""

texts = st.tuples(
    st.sampled_from(
        ["code 41;\n", "文字", "]]\n[[1 user]]\n", "<tool_result>", "[paitui:cleared x]", '"\\', "\u2028"]
    ),
    st.sampled_from([0, 1, 60, 400, 3_000]),
    st.sampled_from(["", "x", "\n", "[exit 1]", " "]),
)
arguments = st.one_of(texts, st.sampled_from(["", "{}", "not json", "[1]", '{"command": "make all"}']))
calls = st.lists(
    st.tuples(st.sampled_from(["", "1", "2", "3"]), st.sampled_from(["read", "edit", "bash"]), arguments), max_size=3
)
messages = st.tuples(st.sampled_from(["user", "assistant", "assistant", "tool", "system"]), texts, calls)


def text_of(text: Text) -> str:
    word, count, end = text
    return word * count + end


def made(drawn: Drawn) -> Message:
    role, text, asked = drawn
    if role == "assistant":
        found = [
            ToolCall(id, name, a if isinstance(a, str) else json.dumps({"path": "a/b", "new": [text_of(a)]}))
            for id, name, a in asked
        ]
        return Message("assistant", text_of(text), tuple(found))
    if role == "tool":
        return Message("tool", text_of(text), tool_call_id="2", name="bash")
    return Message("system" if role == "system" else "user", text_of(text))


def with_answers(drawn: list[Drawn], answers: list[Text]) -> list[Message]:
    """Put answers behind most of the calls; the other rounds stay broken."""
    found: list[Message] = []
    for at, message in enumerate(map(made, drawn)):
        found.append(message)
        if at % 4:
            text = text_of(answers[at % len(answers)])
            found += [Message("tool", text, tool_call_id=call.id, name=call.name) for call in message.tool_calls]
    return found


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.lists(messages, min_size=5, max_size=40),
    st.lists(texts, min_size=2, max_size=5),
    st.sampled_from(["paitui", "baseline"]),
    st.sampled_from([8_000, 16_000]),
    st.integers(0, 3),
)
def test_no_recording_makes_a_malformed_request_or_loses_anything(
    drawn: list[Drawn], answers: list[Text], policy: PolicyName, window: int, reported: int
) -> None:
    steps = [
        Step(message, Usage(2_000 + at * 500, 50) if message.role == "assistant" and at % 4 < reported else None)
        for at, message in enumerate(with_answers(drawn, answers))
    ]
    recording = Recording(tuple(steps))
    figures = command.replay(recording, "x", window, ContextSettings(), Words("en"), policy)
    assert (figures.tally.invalid, figures.lost) == (0, 0)
    assert figures.costs.requests == recording.requests
    assert 0 <= figures.costs.reuse <= 1 and figures.costs.cost >= 0
