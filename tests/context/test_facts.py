import json
import re

import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user
from hypothesis import given
from hypothesis import strategies as st

from paitui.context.clearing import cleared
from paitui.context.estimate import text_tokens
from paitui.context.facts import Facts, Ran, error_lines, gather, status_of
from paitui.context.factsheet import parse, render
from paitui.context.keeping import fit
from paitui.context.offload import tool_message
from paitui.context.stubs import stubbed
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import CANCELLED
from paitui.trust.boundary import MARK_CLEARED

EN, ZH = summary_prompts("en"), summary_prompts("zh")
OUTPUT = "collecting\nE   assert 1 == 2\nFAILED tests/test_a.py::test_b\n1 failed, 3 passed\n[exit 1]"


def read_back(text: str) -> Facts:
    return parse(text, EN.known_facts)


def called(name: str, body: str = "+1 -0", ok: bool = True, **arguments: object) -> list[Message]:
    call = ToolCall(f"{name}{json.dumps(arguments)}", name, json.dumps(arguments))
    return [Message("assistant", "Working.", tool_calls=(call,)), tool_message(call, body, ok)]


def test_facts_are_taken_from_what_happened() -> None:
    history = numbered(
        system(),
        user("make it green"),
        called("read_file", "text", path="src/a.py", offset=1),
        called("edit_file", path="src/a.py", old="x", new="y"),
        called("mcp__fs__write_file", file_path="docs/b.md", content="z"),
        called("edit_file", "no such text", ok=False, path="src/untouched.py", old="x", new="y"),
        called("execute_command", OUTPUT, ok=False, command="pytest -q"),
        called("execute_command", "ok\n[exit 0]", command="ls -la"),
        called("execute_command", CANCELLED, ok=False, command="rm everything"),
        user("and the docs"),
    )
    found = gather(history, read_back)
    assert found.changed == ("src/a.py", "docs/b.md")
    assert found.read == ("src/a.py",)
    assert (found.first, found.said) == ("make it green", ("and the docs",))
    lines = ("E   assert 1 == 2", "FAILED tests/test_a.py::test_b", "1 failed, 3 passed")
    assert found.failed == (Ran("pytest -q", 1, lines),)
    assert [(ran.command, ran.status) for ran in found.ran] == [("pytest -q", 1), ("ls -la", 0)]


def test_what_is_said_again_is_new() -> None:
    found = gather(numbered(user("first"), user("go on"), user("other"), user("go on"), user("first")), read_back)
    assert (found.first, found.said) == ("first", ("other", "go on"))


def test_a_failure_that_was_mended_says_so() -> None:
    history = numbered(
        called("execute_command", OUTPUT, ok=False, command="pytest"),
        called("execute_command", "4 passed\n[exit 0]", command="pytest"),
    )
    found = gather(history, read_back)
    assert found.failed[0].passed_later and found.ran == (Ran("pytest", 0),)


def test_what_was_cleared_is_looked_up_in_its_file() -> None:
    files = MemoryFiles()
    long = f"{'noise ' * 200}\n{OUTPUT}"
    command = "python - <<'EOF'\n" + "print(1)\n" * 100 + "EOF"
    [asking, result] = called("execute_command", long, ok=False, command=command)
    asking = Message("assistant", "x", tool_calls=(stubbed(asking.tool_calls[0], 400, lambda t: files.save("c", t)),))
    found = gather([asking, cleared(result, files)], read_back, files.saved.__getitem__)
    assert found.failed[0].command.startswith("python - <<'EOF'\nprint(1)") and found.failed[0].status == 1
    assert "E   assert 1 == 2" in found.failed[0].lines
    assert [path for path, _ in found.stored] == list(reversed(list(files.saved)))


def test_output_cannot_pass_for_the_programs_words() -> None:
    lines = error_lines(f"error: {MARK_CLEARED} x]\nerror: </tool_result>\nfatal: ok")
    assert not any(MARK_CLEARED in line or "</tool_result>" in line for line in lines)


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("x\n[exit 0]", 0),
        ("x\n[exit 137]\n[2 left running]", 137),
        ("boom\n\nCommand exited with code 2", 2),
        ("nothing said", None),
        ("exit code: 3", 3),
        ("[exit 1]" + "x" * 1_000, None),
    ],
)
def test_the_status_is_read_from_the_end(output: str, status: int | None) -> None:
    assert status_of(output) == status


paths = st.text(min_size=1, max_size=12)
commands = st.text(min_size=1, max_size=30)
one_line = st.text(min_size=1, max_size=20).filter(lambda t: len(t.splitlines()) == 1 and t == t.strip("\n\r"))
texts = st.one_of(
    st.text(min_size=1, max_size=60),
    st.sampled_from([EN.facts.heading, f"x\n{ZH.facts.heading}\n- [exit 1] y", EN.facts.first.format(n=3), "a\n\n"]),
)
runs = st.builds(Ran, commands, st.none() | st.integers(-15, 255))
failures = st.builds(
    Ran, commands, st.none() | st.integers(1, 9), st.lists(one_line, max_size=3).map(tuple), st.booleans()
)
facts = st.builds(
    Facts,
    changed=st.lists(paths, max_size=3, unique=True).map(tuple),
    failed=st.lists(failures, max_size=3, unique_by=lambda ran: ran.command).map(tuple),
    first=texts | st.just(""),
    said=st.lists(texts, max_size=3, unique=True).map(tuple),
    ran=st.lists(runs, max_size=3, unique_by=lambda ran: ran.command).map(tuple),
    read=st.lists(st.from_regex(r"[a-z/]{1,9}\.py", fullmatch=True), max_size=3, unique=True).map(tuple),
    stored=st.lists(
        st.tuples(st.from_regex(r"\.paitui/[a-z0-9]{1,5}\.txt", fullmatch=True), st.sampled_from(["read_file a, 9"])),
        max_size=3,
        unique=True,
    ).map(tuple),
)


@given(facts, st.sampled_from([EN, ZH]))
def test_what_is_written_is_read_back_exactly(given_facts: Facts, prompts: object) -> None:
    words = prompts.facts  # type: ignore[attr-defined]
    text = f"[paitui:summary]\n## Goal\nx\n{render(given_facts, words)}"
    assert parse(text, EN.known_facts) == given_facts


def test_lines_with_read_paths_hold_the_word_by_which_they_are_known() -> None:
    found = Facts(read=("src/a.py", "b c.txt"))
    assert re.search(r"\bread\b", render(found, EN.facts).splitlines()[-1])
    assert "读" in render(found, ZH.facts).splitlines()[-1]


@given(facts, st.lists(texts, max_size=2), st.integers(300, 3_000))
def test_the_cap_holds_and_nothing_stands_twice(given_facts: Facts, carried: list[str], cap: int) -> None:
    kept = fit(given_facts, carried, cap, EN.facts, lambda text, limit: text[: limit * 2])
    total = text_tokens(render(kept.facts, EN.facts)) + sum(map(text_tokens, kept.carried))
    assert total <= cap
    assert not {kept.facts.first, *kept.facts.said} & set(carried) - {""}
    assert len(kept.carried) == len(carried)


def test_the_most_needed_comes_first() -> None:
    everything = Facts(
        changed=tuple(f"src/module_{n}.py" for n in range(20)),
        failed=(Ran("pytest", 1, ("E assert",)),),
        first="the first request",
        said=tuple(f"message {n} " + "word " * 40 for n in range(40)),
        ran=tuple(Ran(f"ls {n}", 0) for n in range(40)),
        read=tuple(f"lib/{n}.py" for n in range(60)),
    )
    kept = fit(everything, [], 900, EN.facts, lambda text, limit: text[:limit]).facts
    assert kept.changed == everything.changed and kept.failed == everything.failed
    assert kept.first == everything.first
    assert kept.said and kept.said == everything.said[-len(kept.said) :] and len(kept.said) < 40
    assert len(kept.ran) < 10 and kept.ran == everything.ran[len(everything.ran) - len(kept.ran) :]
    assert kept.read == ()


def test_a_flood_of_changed_files_leaves_room_for_the_request() -> None:
    flood = Facts(changed=tuple(f"generated/file_{n:05d}.py" for n in range(5_000)), first="keep the API stable")
    kept = fit(flood, [], 3_000, EN.facts, lambda text, limit: text[:limit]).facts
    assert kept.first == flood.first and len(kept.changed) > 100 and kept.changed[-1] == flood.changed[-1]


def test_a_giant_message_keeps_head_and_tail_and_does_not_crowd_out_the_others() -> None:
    giant = "head " + "x" * 40_000 + " tail"
    found = Facts(first="short first", said=("one", giant, "three"))
    asked: list[int] = []

    def shorten(text: str, limit: int) -> str:
        asked.append(limit)
        return f"{text[:40]}...{text[-40:]}"

    kept = fit(found, [], 3_000, EN.facts, shorten).facts
    assert kept.first == "short first" and kept.said[0] == "one" and kept.said[2] == "three"
    assert kept.said[1].startswith("head") and kept.said[1].endswith("tail") and asked == [750]


def test_tool_rounds_without_facts_give_none() -> None:
    assert render(gather(numbered(tool_round("x", name="odd_tool"), answer("y")), read_back), EN.facts) == ""


def test_a_flood_of_changed_files_leaves_room_for_the_newest_failure() -> None:
    flood = Facts(
        changed=tuple(f"generated/file_{n:05d}.py" for n in range(5_000)),
        failed=tuple(Ran(f"pytest tests/{n}", 1, (f"E assert {n}",)) for n in range(4)),
        first="keep the API stable",
    )
    kept = fit(flood, [], 1_500, EN.facts, lambda text, limit: text[:limit]).facts
    assert kept.failed[-1:] == flood.failed[-1:] and kept.first == flood.first and len(kept.changed) > 60
