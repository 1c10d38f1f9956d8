import asyncio
import json
import os
import pty
import signal
from typing import Any

import pytest

from paitui.engine import events, ops
from paitui.engine.assembly import OpenError
from paitui.headless import task
from paitui.headless.asking import GRACE_S
from paitui.headless.jsonlines import dump, event_object
from paitui.locale import Words, phrase
from paitui.messages.message import Message, Usage
from tests.stubs.played_worker import REPORT, Play, PlayedWorker, turn

WORDS = Words("en")


def go(play: Play, output: Any = "text", prompt: str = "hello", **more: Any) -> tuple[int, PlayedWorker]:
    made: list[PlayedWorker] = []

    async def open_worker() -> PlayedWorker:
        made.append(PlayedWorker(play))
        return made[0]

    options: dict[str, Any] = {"approve": "reads", "words": WORDS, **more}
    code = task.run(open_worker, prompt=prompt, output=output, **options)
    return code, made[0]


async def answers(worker: PlayedWorker, op: ops.Op) -> None:
    worker.emit(*turn())


def test_with_a_terminal_the_user_is_asked_there() -> None:
    master, slave = pty.openpty()

    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.TurnStarted(1), events.ApprovalRequested("1", "a", "write_file", "write", "x"))
        await asyncio.sleep(GRACE_S + 0.1)
        os.write(master, b"n other folder\n")
        decided = await worker.next(ops.Decide)
        worker.emit(events.ApprovalResolved("1", decided.decision, decided.reason), *turn()[1:])

    code, worker = go(play, approve="ask", find_terminal=lambda: slave)
    assert code == 0
    assert worker.sent[1:] == [ops.Decide("1", "no", "other folder"), ops.Close(task.LEARNING_S)]
    os.close(master)


async def uses_tools(worker: PlayedWorker, op: ops.Op) -> None:
    worker.emit(
        events.TurnStarted(1),
        events.UserSaid("hello"),
        events.ModelStarted(2),
        events.AnswerFinished("Let me look."),
        events.UsageReported(Usage(prompt=100, completion=10)),
        events.ToolStarted("a", "read_file", '{"path": "x"}', "x"),
        events.ToolStarted("b", "list_dir", "{broken", ""),
        events.ToolFinished("b", "list_dir", False, "no"),
        events.ToolFinished("a", "read_file", True, "text", headline=phrase("headless.stopped")),
        events.Boundary("offload", 41_230, 2_800, stored=".paitui/x.txt", call_id="a"),
        events.ModelStarted(5),
        events.TextDelta("It is "),
        events.TextDelta("read."),
        events.AnswerFinished("It is read.", final=True),
        events.UsageReported(Usage(prompt=150, completion=20)),
        events.ContextChanged(REPORT),
        events.TurnEnded(1, "done"),
    )


def test_text_is_the_answer_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, worker = go(uses_tools)
    assert (code, *capsys.readouterr()) == (0, "It is read.\n", "")
    assert worker.sent == [ops.Submit("hello"), ops.Close(task.LEARNING_S)]


def test_json_is_one_object_with_everything(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = go(uses_tools, "json")
    out = capsys.readouterr().out
    assert code == 0 and out.count("\n") == 1
    assert json.loads(out) == {
        "session": "s-1",
        "status": "done",
        "answer": "It is read.",
        "tool_calls": [
            {"name": "read_file", "arguments": {"path": "x"}, "ok": True},
            {"name": "list_dir", "arguments": "{broken", "ok": False},
        ],
        "usage": {"prompt": 250, "completion": 30},
        "context": {"used": 1_234, "window": 32_000, "clear_at": 12_000, "summary_at": 20_000},
        "boundaries": [{"kind": "offload", "before": 41_230, "after": 2_800}],
        "units": [],
    }


def test_stream_json_is_one_event_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = go(uses_tools, "stream-json")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert [line["event"] for line in lines[:4]] == [
        "session_opened",
        "context_changed",
        "queue_changed",
        "turn_started",
    ]
    assert lines[-1] == {"event": "session_closed"}
    assert lines[1]["report"]["parts"] == {"system": 1_000, "user": 234}
    finished = next(line for line in lines if line["event"] == "tool_finished" and line["id"] == "a")
    assert finished["headline"] == "Cancelled." and finished["ok"] is True


def test_every_kind_of_event_has_a_json_form() -> None:
    samples: list[events.Event] = [
        events.SessionOpened("s", "/p", "offline", (Message("user", "hi"),), True),
        events.QueueChanged((events.QueuedMessage(1, "later"),), ("now",)),
        events.UsageReported(Usage(1, 2, cost=0.5)),
        events.CommandOutput(phrase("headless.commands"), (phrase("headless.stopped"),)),
        events.Notice("warning", phrase("headless.stopped")),
        events.ApprovalRequested("1", "a", "write_file", "write", "x", "+y", "x/"),
        events.ApprovalResolved("1", "no", "why"),
        events.TurnEnded(1, "failed", phrase("headless.stopped"), 1.5),
        events.ContextChanged(REPORT),
    ]
    for event in samples:
        shown = json.loads(dump(event_object(event, WORDS)))
        assert set(shown) == {"event", *event.__struct_fields__}
    opened = event_object(samples[0], WORDS)
    assert opened["history"] == [{"role": "user", "content": "hi"}]


def test_text_that_utf8_cannot_carry_still_makes_a_line() -> None:
    line = dump({"text": "a\udcff中"})
    assert json.loads(line.encode("utf-8")) == {"text": "a\udcff中"}


@pytest.mark.parametrize(("status", "code"), [("done", 0), ("failed", 1), ("partial", 3), ("cancelled", 130)])
def test_the_exit_code_says_how_it_ended(
    status: events.TurnStatus, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        reason = None if status == "done" else phrase("headless.empty_task")
        worker.emit(*turn()[:-1], events.TurnEnded(1, status, reason))

    assert go(play, "json")[0] == code
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == status
    assert ("The task is empty" in err) == ("error" in json.loads(out)) == (status != "done")


def test_what_was_streamed_of_a_cut_answer_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(*turn("Half a ")[:-2], events.TurnEnded(1, "failed", phrase("headless.empty_task")))

    assert go(play)[0] == 1
    assert capsys.readouterr().out == "Half a \n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_and_ends_validly(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(number)

    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(*turn()[:4])
        os.kill(os.getpid(), number)
        await worker.next(ops.Interrupt)
        worker.emit(events.TurnEnded(1, "cancelled"))

    code, worker = go(play, "json")
    assert code == 130 and worker.sent[1:] == [ops.Interrupt(), ops.Close(task.LEARNING_S)]
    assert json.loads(capsys.readouterr().out)["status"] == "cancelled"
    assert signal.getsignal(number) is before


def test_a_signal_before_the_turn_began_is_not_lost() -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await worker.next(ops.Interrupt)  # comes to nothing: there is no turn yet
        worker.emit(events.TurnStarted(1))
        await worker.next(ops.Interrupt)
        worker.emit(events.TurnEnded(1, "cancelled"))

    assert go(play)[0] == 130


def test_a_second_signal_closes_a_session_that_does_not_react() -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.TurnStarted(1))
        os.kill(os.getpid(), signal.SIGINT)
        await worker.next(ops.Interrupt)
        os.kill(os.getpid(), signal.SIGINT)
        await worker.next(ops.Close)

    assert go(play)[0] == 130


def test_a_session_that_cannot_be_opened_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    async def open_worker() -> PlayedWorker:
        raise OpenError(phrase("headless.empty_task"))

    code = task.run(open_worker, prompt="hello", output="json", approve="reads", words=WORDS)
    out, err = capsys.readouterr()
    assert code == 1 and "The task is empty" in err
    assert json.loads(out)["status"] == "failed" and "The task is empty" in json.loads(out)["error"]


def test_warnings_go_to_standard_error_once_and_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        notice = events.Notice("warning", phrase("headless.cannot_print", why="\x1b]52;c;eA==\x07"))
        worker.emit(notice, notice, events.Notice("info", phrase("headless.commands")), *turn())

    assert go(play)[0] == 0
    out, err = capsys.readouterr()
    assert out == "Done.\n"
    assert err.count("cannot be written") == 1 and "Commands" not in err
    assert "\x1b" not in err and "\x07" not in err


def test_an_answer_for_a_pipe_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(*turn("a\x1b[31m\ttab 中文\n"))

    go(play)
    assert capsys.readouterr().out == "a\x1b[31m\ttab 中文\n"


def test_an_answer_for_a_terminal_is_safe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        worker.emit(*turn("a\x1b]8;;http://x\x07b\u202ec\n\n中文"))

    go(play)
    out = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\u202e"} & set(out) and out.endswith("\n\n中文\n")


def test_a_command_prints_its_output(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.CommandOutput(phrase("headless.commands"), (phrase("headless.stopped"),)), events.OpDone())

    code, worker = go(play, prompt="/context")
    assert (code, worker.sent) == (0, [ops.ShowContext(), ops.Close(task.LEARNING_S)])
    assert capsys.readouterr().out == "Commands\nCancelled.\n"


def test_clear_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.HistoryCleared(), events.OpDone())

    code, worker = go(play, prompt="/clear")
    assert (code, worker.sent) == (0, [ops.Clear(), ops.Close(task.LEARNING_S)])
    assert "history is empty" in capsys.readouterr().out


def test_compact_says_what_it_saved(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.ModelStarted(2, "summary"), events.Boundary("summary", 21_000, 6_000))
        worker.emit(events.ContextChanged(REPORT), events.OpDone())

    code, worker = go(play, prompt="/compact mind the tests")
    assert (code, worker.sent) == (0, [ops.Compact("mind the tests"), ops.Close(task.LEARNING_S)])
    assert capsys.readouterr().out == "Summarised: 21,000 tokens became 6,000.\n"


def test_compact_that_comes_to_nothing_fails_with_the_cause(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.Notice("warning", phrase("headless.empty_task")), events.ContextChanged(REPORT))
        worker.emit(events.OpDone())

    assert go(play, "json", prompt="/compact")[0] == 1
    out, err = capsys.readouterr()
    assert err.count("The task is empty") == 1 and "The task is empty" in json.loads(out)["error"]


@pytest.mark.parametrize("prompt", ["/nothing", "/quit", "  "])
def test_bad_tasks_never_open_a_session(prompt: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def open_worker() -> PlayedWorker:
        raise AssertionError("opened")

    assert task.run(open_worker, prompt=prompt, output="text", approve="reads", words=WORDS) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1


def test_help_needs_no_session(capsys: pytest.CaptureFixture[str]) -> None:
    async def open_worker() -> PlayedWorker:
        raise AssertionError("opened")

    assert task.run(open_worker, prompt="/help", output="text", approve="reads", words=WORDS) == 0
    out = capsys.readouterr().out
    assert "/compact [instructions | undo]" in out and "/quit" not in out


def test_without_a_terminal_an_approval_is_refused() -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.TurnStarted(1), events.ApprovalRequested("1", "a", "write_file", "write", "x"))
        decided = await worker.next(ops.Decide)
        worker.emit(events.ApprovalResolved("1", decided.decision, decided.reason), *turn()[1:])

    code, worker = go(play, approve="ask", find_terminal=lambda: None)
    assert code == 0
    decision = worker.sent[1]
    assert isinstance(decision, ops.Decide)
    assert decision.decision == "no" and "no terminal" in decision.reason


def test_a_session_that_ends_early_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    async def play(worker: PlayedWorker, op: ops.Op) -> None:
        worker.emit(events.TurnStarted(1))
        worker.send(ops.Close())

    assert go(play)[0] == 1
    assert "--continue" in capsys.readouterr().err
