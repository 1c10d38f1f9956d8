from pathlib import Path

import pytest
from replay_builders import Session, listing

from paitui.context.estimate import message_tokens
from paitui.messages.message import Message
from paitui.replay.sizes import FACTOR, measure, segments


def test_reports_are_shared_out_among_what_came_in_between(tmp_path: Path) -> None:
    session = Session(rate=1.7, fixed=3_000).user("Do it")
    session.round("read", {"path": "a"}, listing(1, 50)).user("And that")
    session.answer("Done.")
    recording = session.recording(tmp_path)
    sizes = measure(recording, 900)
    second = recording.steps[-1].usage
    assert second is not None
    assert sizes.fixed + sum(sizes.recorded[:-1]) == pytest.approx(second.prompt, abs=1)
    assert sizes.recorded[2] == pytest.approx(message_tokens(recording.steps[2].message) * 1.7, rel=0.01)
    assert sizes.recorded[1] == recording.steps[1].usage.completion  # type: ignore[union-attr]


def test_without_reports_the_estimate_counts_times_a_factor(tmp_path: Path) -> None:
    session = Session(usage=False).user("Do it").round("read", {"path": "a"}, listing(1, 50))
    recording = session.recording(tmp_path)
    sizes = measure(recording, 900)
    assert sizes.fixed == 900 * FACTOR
    assert list(sizes.recorded) == [message_tokens(step.message) * FACTOR for step in recording.steps]


def test_what_was_shortened_counts_at_the_rate_of_the_whole_and_what_was_wrapped_more(tmp_path: Path) -> None:
    session = Session(rate=2.0).user("Do it").round("read", {"path": "a"}, listing(1, 50))
    session.answer("Done.")
    recording = session.recording(tmp_path)
    sizes = measure(recording, 0)
    raw = recording.steps[2].message
    half = Message("tool", raw.content[: len(raw.content) // 2], name="read", uid=1)
    assert sizes.of(half, 2) == pytest.approx(message_tokens(half) * 2.0, rel=0.02)
    more = Message("tool", f"<{'w' * 78}>{raw.content}", name="read", uid=2)
    assert sizes.of(more, 2) == pytest.approx(sizes.recorded[2] + 20 * sizes.factor, abs=sizes.factor)
    own = Message("user", "x" * 400, uid=3)
    assert sizes.of(own, None) == 104 * sizes.factor


def test_a_recording_is_divided_where_the_prompt_gets_smaller_and_zeros_are_left_out(tmp_path: Path) -> None:
    session = Session()
    for number in range(6):
        session.user(f"{number}").answer("ok")
    for line, prompt in zip(session.lines[1::2], (100, 200, 0, 300, 50, 60), strict=True):
        line["usage"]["prompt"] = prompt
    recording = session.recording(tmp_path)
    assert [segment.reports for segment in segments(recording)] == [(1, 3, 7), (9, 11)]


def test_an_answer_that_is_not_sent_back_whole_takes_no_more_than_the_growth(tmp_path: Path) -> None:
    session = Session().user("x")
    session.answer("short")
    session.lines[-1]["usage"]["completion"] = 5_000  # reasoning that the next request does not hold
    session.user("y").answer("z")
    recording = session.recording(tmp_path)
    sizes = measure(recording, 0)
    first, last = recording.steps[1].usage, recording.steps[3].usage
    assert first is not None and last is not None
    assert sum(sizes.recorded[1:3]) == pytest.approx(last.prompt - first.prompt)
    assert all(size >= 0 for size in sizes.recorded)
