from dataclasses import replace

import pytest

from paitui.messages.message import Message, ToolCall
from paitui.replay.retention import Cutoff, Retained, error_lines, retained

CAP = 1_000


def summary(text: str) -> list[Message]:
    return [Message("system", "s"), Message("user", text, origin="summary"), Message("assistant", "ok")]


def judged(
    cut: Cutoff, text: str, files: dict[str, str] | None = None, before: list[Message] | None = None
) -> Retained:
    return retained(cut, before or [], summary(text), CAP, lambda path: (files or {}).get(path, ""))


def test_nothing_to_keep_is_all_kept() -> None:
    assert judged(Cutoff(), "x") == Retained(1.0, 1.0, 1.0, 1.0)


def test_requests_count_if_they_stand_word_for_word_beside_the_summary() -> None:
    cut = Cutoff(said=["Never touch migrations", "Use tabs"])
    assert judged(cut, "Never touch migrations\nUse tabs").requests == 1.0
    assert judged(cut, "never touch migrations\nUse tabs").requests == 0.5
    in_tail = [*summary(""), Message("assistant", "Never touch migrations, use tabs")]
    assert retained(cut, [], in_tail, CAP, lambda path: "").requests == 0.0


def test_a_shortened_request_counts_with_head_tail_and_its_file() -> None:
    text = "Begin here. " + "word " * 3_000 + "The end of it."
    path = ".paitui/tool-outputs/s/004-user-message.txt"
    short = f"{text[:300]}\n[... the whole message is in {path} ...]\n{text[-100:]}"
    cut = Cutoff(said=[text])
    assert judged(cut, short, {path: text}).requests == 1.0
    assert judged(cut, short, {path: text[:-1]}).requests == 0.0
    assert judged(cut, short.replace("The end", "An end"), {path: text}).requests == 0.0


def test_requests_that_no_longer_fit_the_cap_are_not_asked_for() -> None:
    said = [f"Request {n}: " + f"word{n} " * 150 for n in range(10)]
    first_and_newest = [said[0], said[9], said[8], said[7]]
    assert judged(Cutoff(said=said), "\n".join(first_and_newest)).requests == 1.0
    assert judged(Cutoff(said=said), said[9]).requests < 1.0  # the first has its place before all others
    assert judged(Cutoff(said=said), said[0]).requests < 1.0


def test_paths_commands_and_error_lines() -> None:
    cut = Cutoff()
    call = ToolCall("1", "edit_file", '{"path": "src/a.py"}')
    cut.take(Message("assistant", "", (call,)), {"1": Message("tool", "ok", tool_call_id="1")})
    refused = ToolCall("2", "write_file", '{"path": "src/b.py"}')
    cut.take(Message("assistant", "", (refused,)), {"2": Message("tool", "no", ok=False)})
    run = ToolCall("3", "execute_command", '{"command": "make all"}')
    failed = Message("tool", "x\nerror: one\ny\nerror: two\nerror: one\n[exit 2]", ok=False)
    cut.take(Message("assistant", "", (run,)), {"3": failed})
    assert list(cut.changed) == ["src/a.py"]
    assert cut.failed == {"make all": ["error: one", "error: two"]}
    assert judged(cut, "src/a.py make all error: one error: two") == Retained(1.0, 1.0, 1.0, 1.0)
    assert judged(cut, "make all error: two").paths == 0.0
    assert judged(cut, "make all error: two").commands == pytest.approx(2 / 3)


def test_only_the_newest_failing_commands_are_asked_for() -> None:
    cut = Cutoff(failed={f"run {n} now": [] for n in range(9)})
    assert judged(cut, "run 6 now, run 7 now, run 8 now").commands == 1.0
    assert judged(cut, "run 0 now, run 1 now, run 8 now").commands == pytest.approx(1 / 3)


def test_numbers_of_the_last_rounds_and_no_others() -> None:
    before: list[Message] = []
    for number in range(6):
        call = ToolCall(str(number), "read_file", "{}")
        result = Message("tool", f"{number}1{number} and {number}2.5 and 7", tool_call_id=call.id)
        before += [Message("assistant", "", (call,)), result]
    known = "313 32.5 414 42.5 515"
    assert judged(Cutoff(), known, before=before).numbers == pytest.approx(5 / 6)
    before[-1] = replace(before[-1], state="cleared")
    assert judged(Cutoff(), known, before=before).numbers == 1.0


def test_error_lines_are_the_first_and_the_last_different_ones() -> None:
    assert error_lines("fine\nFAILED a\nFAILED b\nTraceback\nFAILED a\nend") == ["FAILED a", "Traceback"]
    assert error_lines("all is well") == []
    assert len(error_lines("error " + "x" * 999)[0]) == 150
