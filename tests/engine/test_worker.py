import asyncio
import json
from dataclasses import replace
from pathlib import Path

from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.engine import events, ops
from paitui.locale import phrase
from paitui.messages.codec import to_wire
from paitui.messages.message import Usage
from paitui.messages.validity import CANCELLED, INTERRUPTED, violations
from paitui.model.port import ModelFault
from paitui.settings import AgentSettings, Settings


async def test_a_question_is_answered(tmp_path: Path) -> None:
    model = ScriptedModel([says("Hello there.")], usage=Usage(prompt=900, completion=12))

    async def use(bench: Bench) -> None:
        ended = await bench.turn("hi")
        assert (ended.turn, ended.status, ended.reason) == (1, "done", None)

    bench = await with_worker(options(tmp_path, model), use)
    kinds = [type(event).__name__ for event in bench.seen if not isinstance(event, events.TextDelta)]
    assert kinds == [
        "SessionOpened",
        "ContextChanged",
        "QueueChanged",
        "TurnStarted",
        "UserSaid",
        "MemoriesUsed",
        "ContextChanged",
        "ModelStarted",
        "AnswerFinished",
        "UsageReported",
        "ContextChanged",
        "ContextChanged",
        "TurnEnded",
        "SessionClosed",
    ]
    assert "".join(event.text for event in bench.of(events.TextDelta)) == "Hello there."
    assert bench.of(events.ContextChanged)[-1].report.measured
    assert bench.of(events.ContextChanged)[-1].report.used == 912
    assert model.closed


async def test_tools_run_and_their_results_are_wrapped_in_call_order(tmp_path: Path) -> None:
    model = ScriptedModel(
        [
            calls(("read_file", '{"path":"a.txt"}'), ("list_dir", '{"path":"."}'), ("read_file", '{"path":"no"}')),
            says("ok"),
        ]
    )
    opening = options(tmp_path, model)
    (opening.paths.project / "a.txt").write_text("alpha\n")

    async def use(bench: Bench) -> None:
        assert (await bench.turn("look")).status == "done"
        roles = [message.role for message in bench.history]
        assert roles == ["system", "user", "assistant", "tool", "tool", "tool", "assistant"]
        assert "alpha" in bench.history[3].content and 'trust="untrusted-data"' in bench.history[3].content
        assert "a.txt" in bench.history[4].content
        assert not bench.history[5].ok

    bench = await with_worker(opening, use)
    assert [event.ok for event in sorted(bench.of(events.ToolFinished), key=lambda e: e.id)] == [True, True, False]


async def test_broken_arguments_and_unknown_tools_come_back_as_paired_errors(tmp_path: Path) -> None:
    model = ScriptedModel(
        [calls(("read_file", '{"path":'), ("fly", "{}"), ("read_file", '{"path":3}')), says("sorry")]
    )

    async def use(bench: Bench) -> None:
        assert (await bench.turn("go")).status == "done"
        assert not violations(bench.history)
        assert [message.ok for message in bench.history if message.role == "tool"] == [False] * 3

    await with_worker(options(tmp_path, model), use)


async def test_repeated_and_missing_call_ids_are_rewritten(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("list_dir", '{"path":"."}')), calls(("list_dir", '{"path":"./"}')), says("ok")])

    async def use(bench: Bench) -> None:
        await bench.turn("go")
        ids = [message.tool_call_id for message in bench.history if message.role == "tool"]
        assert len(set(ids)) == 2 and not violations(bench.history)

    await with_worker(options(tmp_path, model), use)


async def test_every_call_of_a_round_runs_though_none_of_them_only_reads(tmp_path: Path) -> None:
    written = [("write_file", json.dumps({"path": f"{n}.txt", "content": "x"})) for n in range(3)]
    round_ = [written[0], ("list_dir", "{}"), written[1], written[2], ("read_file", '{"path":"2.txt"}')]
    opening = options(tmp_path, ScriptedModel([calls(*round_), says("ok")]), approve="all")

    async def use(bench: Bench) -> None:
        assert (await bench.turn("write them")).status == "done"
        assert [message.ok for message in bench.history if message.role == "tool"] == [True] * 5

    await with_worker(opening, use)
    assert all((opening.paths.project / f"{n}.txt").is_file() for n in range(3))


async def answer_approvals(bench: Bench, *decisions: ops.Decide) -> None:
    waiting = list(decisions)

    def decide(event: events.Event) -> None:
        if isinstance(event, events.ApprovalRequested) and waiting:
            decision = waiting.pop(0)
            bench.worker.send(ops.Decide(event.id, decision.decision, decision.reason))

    bench.on_event = decide


WRITE = ("write_file", '{"path":"out/new.txt","content":"hello\\n"}')


async def test_a_write_waits_for_the_users_word(tmp_path: Path) -> None:
    model = ScriptedModel([calls(WRITE), says("done")])
    opening = options(tmp_path, model)

    async def use(bench: Bench) -> None:
        await answer_approvals(bench, ops.Decide("", "once"))
        assert (await bench.turn("write it")).status == "done"
        assert (opening.paths.project / "out/new.txt").read_text() == "hello\n"

    bench = await with_worker(opening, use)
    [request] = bench.of(events.ApprovalRequested)
    assert request.subject.startswith("out/new.txt") and "+hello" in request.detail


async def test_no_with_a_reason_reaches_the_model_and_nothing_is_written(tmp_path: Path) -> None:
    model = ScriptedModel([calls(WRITE), says("I see")])
    opening = options(tmp_path, model)

    async def use(bench: Bench) -> None:
        await answer_approvals(bench, ops.Decide("", "no", "put it under docs/"))
        await bench.turn("write it")
        assert "put it under docs/" in bench.history[3].content
        assert not (opening.paths.project / "out").exists()

    await with_worker(opening, use)


async def test_always_holds_for_this_folder_until_it_is_revoked(tmp_path: Path) -> None:
    second = ("write_file", '{"path":"out/second.txt","content":"2"}')
    third = ("write_file", '{"path":"out/third.txt","content":"3"}')
    model = ScriptedModel([calls(WRITE), calls(second), says("ok"), calls(third), says("ok")])
    opening = options(tmp_path, model)

    async def use(bench: Bench) -> None:
        await answer_approvals(bench, ops.Decide("", "always"), ops.Decide("", "no"))
        await bench.turn("write both")
        assert len(bench.of(events.ApprovalRequested)) == 1
        assert (opening.paths.project / "out/second.txt").exists()
        bench.worker.send(ops.RevokeApproval())
        await bench.turn("and the third")
        assert len(bench.of(events.ApprovalRequested)) == 2
        assert not (opening.paths.project / "out/third.txt").exists()

    await with_worker(opening, use)


async def test_reads_mode_refuses_without_asking_and_all_mode_allows(tmp_path: Path) -> None:
    for mode, written in (("reads", False), ("all", True)):
        opening = options(tmp_path, ScriptedModel([calls(WRITE), says("ok")]), approve=mode)

        async def use(bench: Bench) -> None:
            await bench.turn("write")

        bench = await with_worker(opening, use)
        assert not bench.of(events.ApprovalRequested)
        assert (opening.paths.project / "out/new.txt").exists() is written


async def test_interrupting_an_approval_leaves_a_valid_history(tmp_path: Path) -> None:
    model = ScriptedModel([calls(WRITE, ("list_dir", "{}")), says("never")])

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("write"))
        await bench.until(lambda: bool(bench.of(events.ApprovalRequested)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert bench.of(events.TurnEnded)[0].status == "cancelled"
        assert not violations(bench.history)
        assert [INTERRUPTED in m.content or CANCELLED in m.content for m in bench.history if m.role == "tool"] == [
            True
        ] * 2
        bench.worker.send(ops.Decide(bench.of(events.ApprovalRequested)[0].id, "once"))
        assert (await bench.turn("go on")).status == "done"

    opening = options(tmp_path, model)
    await with_worker(opening, use)
    assert not (opening.paths.project / "out").exists()


async def test_interrupting_a_stream_keeps_what_was_shown(tmp_path: Path) -> None:
    model = ScriptedModel([says("One two three four"), says("again")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("count"))
        await bench.until(lambda: bool(bench.of(events.TextDelta)))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert bench.history[-1].partial and bench.history[-1].content == "One two t"
        assert model.gate is not None
        model.gate.set()
        assert (await bench.turn("go on")).status == "done"
        assert not violations(bench.history)

    await with_worker(options(tmp_path, model), use)


async def test_a_turn_interrupted_before_it_began_keeps_the_message(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("hello"))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert [message.content for message in bench.history if message.role == "user"] == ["hello"]

    await with_worker(options(tmp_path, ScriptedModel([says("x")], gate=asyncio.Event())), use)


async def test_interrupting_a_command_stops_it_at_once(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("execute_command", '{"command":"sleep 30; touch late.txt"}')), says("ok")])
    opening = options(tmp_path, model, approve="all")

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("run"))
        await bench.until(lambda: bool(bench.of(events.ToolStarted)))
        await asyncio.sleep(0.2)
        begin = asyncio.get_running_loop().time()
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert asyncio.get_running_loop().time() - begin < 1
        assert INTERRUPTED in bench.history[-1].content and not violations(bench.history)

    await with_worker(opening, use)


async def test_messages_sent_meanwhile_are_queued_and_run_in_order(tmp_path: Path) -> None:
    model = ScriptedModel([says("first answer"), says("second"), says("third")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        for text in ("one", "two", "three", "four"):
            bench.worker.send(ops.Submit(text))
        await bench.until(lambda: len(bench.of(events.QueueChanged)) == 4)
        queued = bench.of(events.QueueChanged)[-1].queued
        assert [message.text for message in queued] == ["two", "three", "four"]
        bench.worker.send(ops.EditQueued(queued[0].id, "TWO"))
        bench.worker.send(ops.EditQueued(queued[1].id, ""))
        assert model.gate is not None
        model.gate.set()
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 3)
        assert [event.text for event in bench.of(events.UserSaid)] == ["one", "TWO", "four"]
        assert bench.of(events.QueueChanged)[-1].queued == ()

    await with_worker(options(tmp_path, model), use)


async def test_a_message_that_is_edited_waits_for_its_new_text(tmp_path: Path) -> None:
    model = ScriptedModel([says("first"), says("second"), says("third")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        for text in ("one", "two", "three"):
            bench.worker.send(ops.Submit(text))
        await bench.until(lambda: len(bench.of(events.QueueChanged)) == 3)
        two = bench.of(events.QueueChanged)[-1].queued[0]
        bench.worker.send(ops.HoldQueued(two.id))
        assert model.gate is not None
        model.gate.set()
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 1)
        bench.worker.send(ops.ShowApprovals())
        await bench.until(lambda: bool(bench.of(events.CommandOutput)))
        assert len(bench.of(events.TurnStarted)) == 1
        bench.worker.send(ops.EditQueued(two.id, "two, as pasted", ((5, 14),)))
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 3)
        said = bench.of(events.UserSaid)
        assert [event.text for event in said] == ["one", "two, as pasted", "three"]
        assert said[1].pasted == ((5, 14),)

    await with_worker(options(tmp_path, model), use)


async def test_what_was_pasted_is_known_in_history_queue_and_after_a_restart_but_never_sent(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("list_dir", "{}")), says("ok")], gate=asyncio.Event())
    opening = options(tmp_path, model)

    async def first(bench: Bench) -> None:
        bench.worker.send(ops.Submit("see: pasted", ((5, 11),)))
        await bench.until(lambda: bool(bench.of(events.TextDelta)))
        bench.worker.send(ops.Steer("now: that", ((5, 9),)))
        bench.worker.send(ops.Submit("later: this", ((7, 11),)))
        await bench.until(lambda: len(bench.of(events.QueueChanged)) == 3)
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))

    await with_worker(opening, first)
    assert not any("pasted" in to_wire(message) for request in model.requests for message in request.messages)

    async def second(bench: Bench) -> None:
        [said] = [message for message in bench.history if message.role == "user"]
        assert said.pasted == ((5, 11),)
        queued = bench.of(events.QueueChanged)[-1].queued
        assert [(message.text, message.pasted) for message in queued] == [
            ("now: that", ((5, 9),)),
            ("later: this", ((7, 11),)),
        ]

    await with_worker(replace(opening, continue_last=True), second)


async def test_steering_enters_after_the_results_of_the_round(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("list_dir", "{}")), says("as you wish")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("look around"))
        await bench.until(lambda: bool(bench.of(events.TextDelta)))
        bench.worker.send(ops.Steer("only the tests"))
        await bench.until(lambda: bool(bench.of(events.QueueChanged)[-1].steering))
        assert model.gate is not None
        model.gate.set()
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert [message.role for message in bench.history] == [
            "system",
            "user",
            "assistant",
            "tool",
            "user",
            "assistant",
        ]
        assert bench.history[4].origin == "steered"
        assert bench.of(events.QueueChanged)[-1].steering == ()

    await with_worker(options(tmp_path, model), use)


async def test_steering_after_the_last_answer_goes_on_in_the_same_turn(tmp_path: Path) -> None:
    model = ScriptedModel([says("done so far"), says("more")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("do it"))
        await bench.until(lambda: bool(bench.of(events.TextDelta)))
        bench.worker.send(ops.Steer("and the docs"))
        assert model.gate is not None
        model.gate.set()
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert [message.role for message in bench.history[1:]] == ["user", "assistant", "user", "assistant"]
        assert len(bench.of(events.TurnStarted)) == 1

    await with_worker(options(tmp_path, model), use)


async def test_steering_that_found_no_opening_is_next_in_line(tmp_path: Path) -> None:
    model = ScriptedModel([says("a long answer"), says("ok")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("do it"))
        await bench.until(lambda: bool(bench.of(events.TextDelta)))
        bench.worker.send(ops.Submit("later"))
        bench.worker.send(ops.Steer("sooner"))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert [q.text for q in bench.of(events.QueueChanged)[-1].queued] == ["sooner", "later"]
        assert model.gate is not None
        model.gate.set()
        bench.worker.send(ops.RunQueue())
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 3)

    await with_worker(options(tmp_path, model), use)


async def test_the_same_calls_three_times_end_with_a_partial_result(tmp_path: Path) -> None:
    model = ScriptedModel([lambda r: calls(("list_dir", "{}")) if r.tools else says("partial: I looked")])

    async def use(bench: Bench) -> None:
        ended = await bench.turn("go")
        assert ended.status == "partial" and ended.reason is not None
        assert bench.history[-1].content == "partial: I looked"
        assert sum(message.role == "tool" for message in bench.history) == 3

    await with_worker(options(tmp_path, model), use)
    assert model.requests[-1].purpose == "final" and model.requests[-1].tools == ()


async def test_rounds_and_tokens_are_limited(tmp_path: Path) -> None:
    def step(request):  # type: ignore[no-untyped-def]
        return (
            calls(("list_dir", json.dumps({"path": "./" * len(request.messages)})))
            if request.tools
            else says("so far")
        )

    for limits, rounds in ((AgentSettings(max_rounds=4), 4), (AgentSettings(token_budget=250), 3)):
        model = ScriptedModel([step], usage=Usage(prompt=90, completion=10))

        async def use(bench: Bench, rounds: int = rounds) -> None:
            assert (await bench.turn("go")).status == "partial"
            assert sum(message.role == "tool" for message in bench.history) == rounds

        await with_worker(options(tmp_path, model, settings=Settings(agent=limits)), use)


async def test_a_model_fault_ends_the_turn_and_keeps_what_was_shown(tmp_path: Path) -> None:
    fault = ModelFault("network", phrase("engine.no_reply"), partial="Half an ans")
    model = ScriptedModel([fault, says("again")])

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("hello"))
        bench.worker.send(ops.Submit("queued"))
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        ended = bench.of(events.TurnEnded)[0]
        assert ended.status == "failed" and ended.reason == fault.phrase
        assert bench.history[-1].content == "Half an ans" and bench.history[-1].partial
        await asyncio.sleep(0.05)
        assert len(bench.of(events.TurnStarted)) == 1  # a failure does not burn the queue
        assert (await bench.turn("try again")).status == "done"
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 3)
        assert not violations(bench.history)

    await with_worker(options(tmp_path, model), use)


async def test_an_empty_answer_fails_plainly(tmp_path: Path) -> None:
    async def use(bench: Bench) -> None:
        ended = await bench.turn("hello")
        assert ended.status == "failed" and ended.reason == phrase("engine.empty_reply")
        assert not violations(bench.history)

    await with_worker(options(tmp_path, ScriptedModel([says("  ")])), use)


async def test_clear_empties_the_history_and_the_approvals_but_not_the_ledger(tmp_path: Path) -> None:
    model = ScriptedModel([calls(WRITE), says("ok")])
    opening = options(tmp_path, model)

    async def use(bench: Bench) -> None:
        await answer_approvals(bench, ops.Decide("", "always"))
        await bench.turn("write")
        bench.worker.send(ops.Clear())
        await bench.until(lambda: bool(bench.of(events.HistoryCleared)))
        assert [message.role for message in bench.history] == ["system"]
        bench.worker.send(ops.ShowApprovals())
        await bench.until(lambda: bool(bench.of(events.CommandOutput)))
        assert bench.of(events.CommandOutput)[0].lines == (phrase("engine.approvals_none"),)

    await with_worker(opening, use)
    [ledger] = opening.paths.ledgers.iterdir()
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert "write" in [line["payload"].get("content") for line in lines]
    assert lines[-1]["event"] == "session" and [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert any(line["event"] == "approval" and line["payload"]["decision"] == "always" for line in lines)


async def test_after_a_stop_the_queue_waits_for_the_users_word_whatever_else_runs(tmp_path: Path) -> None:
    model = ScriptedModel([says("a long answer"), says("ok")], gate=asyncio.Event())

    async def use(bench: Bench) -> None:
        bench.worker.send(ops.Submit("first"))
        await bench.until(lambda: bool(bench.of(events.TextDelta)))
        bench.worker.send(ops.Submit("queued"))
        bench.worker.send(ops.Interrupt())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert model.gate is not None
        model.gate.set()
        bench.worker.send(ops.Compact())
        await bench.until(lambda: bool(bench.of(events.Notice)))
        bench.worker.send(ops.ShowContext())
        await bench.until(lambda: bool(bench.of(events.CommandOutput)))
        assert [q.text for q in bench.of(events.QueueChanged)[-1].queued] == ["queued"]
        assert len(bench.of(events.TurnStarted)) == 1
        bench.worker.send(ops.RunQueue())
        await bench.until(lambda: len(bench.of(events.TurnEnded)) == 2)

    await with_worker(options(tmp_path, model), use)
