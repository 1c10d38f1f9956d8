import errno
import json

from context_builders import MemoryFiles, answer, numbered, system, tool_round, user

from paitui.context.clearing import clear, clearable, stubbable, worthwhile
from paitui.context.offload import tool_message
from paitui.context.stubs import stub_paths
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import violations
from paitui.settings import ContextSettings
from paitui.trust.boundary import unwrap

LONG = "a line of text\n" * 100
SETTINGS = ContextSettings()


def test_what_is_protected_stays() -> None:
    history = numbered(
        system(),
        user("go"),
        tool_round(LONG),  # 3: may go
        tool_round("short"),  # 5: too short
        tool_round(LONG, LONG),  # 7, 8: may go
        tool_round(LONG, name="pinned_tool"),  # 10: excluded below
        tool_round(LONG),  # 12: may go
        tool_round(LONG),  # 14: one of the newest three
        tool_round(LONG, LONG),  # 16, 17: newest round, not seen yet
    )
    assert clearable(history, SETTINGS) == [3, 7, 8, 10, 12]
    assert clearable(history, ContextSettings(clear_exclude=("pinned_tool",))) == [3, 7, 8, 12]
    assert clearable(history, SETTINGS, pinned={history[7].uid}) == [3, 8, 10, 12]


def test_a_wide_newest_round_is_protected_as_a_whole() -> None:
    history = numbered(user("go"), tool_round(*[LONG] * 8), answer("seen"))
    assert clearable(history, SETTINGS) == []


def test_clearing_changes_content_only_and_loses_nothing() -> None:
    files = MemoryFiles()
    history = numbered(user("go"), *[tool_round(LONG + str(n)) for n in range(6)])
    positions = clearable(history, SETTINGS)
    cleared = clear(history, positions, files)
    after = [cleared.replaced.get(message.uid, message) for message in history]
    assert len(after) == len(history) and not violations(after)
    for at in positions:
        placeholder = after[at]
        assert placeholder.tool_call_id == history[at].tool_call_id
        assert placeholder.state == "cleared" and (unwrap(placeholder.content) or "").strip().count("\n") == 0
        assert files.saved[placeholder.stored] == LONG + str((at - 2) // 2)
        assert placeholder.stored in placeholder.content and "read_file" in placeholder.content
    assert clearable(after, SETTINGS) == []


def test_escaped_content_is_stored_as_it_came() -> None:
    files = MemoryFiles()
    body = "</tool_result> " * 60
    history = numbered(user("go"), tool_round(body), *[tool_round("x") for _ in range(4)])
    clear(history, clearable(history, SETTINGS), files)
    assert list(files.saved.values()) == [body]


def test_what_cannot_be_stored_stays() -> None:
    history = numbered(user("go"), *[tool_round(LONG) for _ in range(6)])
    cleared = clear(history, clearable(history, SETTINGS), MemoryFiles(broken=OSError(errno.ENOSPC, "disk full")))
    assert not cleared.replaced and cleared.problem == "disk full"


def test_a_pass_must_be_worth_the_broken_prefix() -> None:
    assert not worthwhile(9_999, 200_000, SETTINGS)
    assert worthwhile(10_000, 200_000, SETTINGS)
    assert not worthwhile(49_999, 1_000_000, SETTINGS)
    assert worthwhile(800, 16_000, SETTINGS)
    assert not worthwhile(0, 8_000, ContextSettings(clear_worth_percent=0))


def test_one_pass_takes_results_and_arguments_and_both_can_be_read_back() -> None:
    files = MemoryFiles()
    written = "text = 1\n" * 200
    call = ToolCall("w", "write_file", json.dumps({"path": "src/a.py", "content": written}))
    wrote = [Message("assistant", "Writing.", tool_calls=(call,)), tool_message(call, "+200 -0", True)]
    history = numbered(user("go"), wrote, tool_round(LONG), *[tool_round("x") for _ in range(3)])
    calls = stubbable(history, SETTINGS)
    assert calls == {1: {"w"}}
    assert (
        stubbable(history, SETTINGS, pinned={history[1].uid}) == {} == stubbable(history, SETTINGS, {history[2].uid})
    )
    done = clear(history, clearable(history, SETTINGS), files, calls)
    assert (done.results, done.arguments, set(files.saved.values())) == (1, 1, {written, LONG})
    after = [done.replaced.get(message.uid, message) for message in history]
    assert not violations(after) and json.loads(after[1].tool_calls[0].arguments)["path"] == "src/a.py"
    [path] = stub_paths(after[1].tool_calls[0])
    assert files.saved[path] == written


def test_arguments_that_cannot_be_stored_stay() -> None:
    call = ToolCall("w", "write_file", json.dumps({"path": "a", "content": "x" * 500}))
    wrote = [Message("assistant", "Writing.", tool_calls=(call,)), tool_message(call, "+1 -0", True)]
    history = numbered(user("go"), wrote, *[tool_round("x") for _ in range(3)])
    done = clear(history, [], MemoryFiles(broken=OSError(errno.ENOSPC, "disk full")), stubbable(history, SETTINGS))
    assert (dict(done.replaced), done.problem, done.arguments) == ({}, "disk full", 0)


def test_signed_reasoning_stays_untouched_beside_shortened_arguments() -> None:
    signed = ({"type": "thinking", "thinking": "x" * 600, "signature": "abc"},)
    call = ToolCall("w", "write_file", json.dumps({"path": "a", "content": "x" * 900}))
    wrote = [
        Message("assistant", "Writing.", tool_calls=(call,), signed_reasoning=signed, reasoning="why"),
        tool_message(call, "+1 -0", True),
    ]
    history = numbered(user("go"), wrote, *[tool_round("x") for _ in range(3)])
    done = clear(history, [], MemoryFiles(), stubbable(history, SETTINGS))
    after = done.replaced[history[1].uid]
    assert (after.signed_reasoning, after.reasoning, after.content) == (signed, "why", "Writing.")
    assert after.tool_calls != history[1].tool_calls
