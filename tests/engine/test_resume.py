import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.engine import events, ops
from paitui.engine.assembly import OpenError, open_worker
from paitui.messages.validity import violations


async def test_a_session_goes_on_where_it_was(tmp_path: Path) -> None:
    opening = options(tmp_path, ScriptedModel([calls(("list_dir", "{}")), says("first answer")]))
    seen: list[list] = []  # type: ignore[type-arg]

    async def first(bench: Bench) -> None:
        await bench.turn("look")
        seen.append(list(bench.history))

    bench = await with_worker(opening, first)
    session = bench.of(events.SessionOpened)[0].session

    async def second(bench: Bench) -> None:
        assert list(bench.history) == seen[0]
        opened = bench.of(events.SessionOpened)[0]
        assert opened.resumed and opened.session == session and len(opened.history) == 4
        assert (await bench.turn("and now")).turn == 2
        uids = [message.uid for message in bench.history]
        assert len(set(uids)) == len(uids)

    again = ScriptedModel([says("second answer")])
    await with_worker(replace(opening, model=again, continue_last=True), second)
    assert again.requests[0].messages[0] == seen[0][0]  # the system prompt, byte for byte

    async def third(bench: Bench) -> None:
        assert len(bench.history) == len(seen[0]) + 2

    await with_worker(replace(opening, resume=session[:-1]), third)


async def test_the_queue_and_the_approvals_are_kept(tmp_path: Path) -> None:
    write = ("write_file", '{"path":"a/b.txt","content":"x"}')
    opening = options(tmp_path, ScriptedModel([calls(write), says("ok")]))

    async def first(bench: Bench) -> None:
        def decide(event: events.Event) -> None:
            if isinstance(event, events.ApprovalRequested):
                bench.worker.send(ops.Decide(event.id, "always"))
                bench.worker.send(ops.Submit("queued before the end"))
                bench.worker.send(ops.Interrupt())

        bench.on_event = decide
        await bench.turn("write")

    await with_worker(opening, first)

    async def second(bench: Bench) -> None:
        assert [q.text for q in bench.of(events.QueueChanged)[-1].queued] == ["queued before the end"]
        bench.worker.send(ops.ShowApprovals())
        await bench.until(lambda: bool(bench.of(events.CommandOutput)))
        assert bench.of(events.CommandOutput)[0].lines[0].key == "engine.approval_rule"
        assert not bench.of(events.TurnStarted)  # nothing starts by itself after a restart
        bench.worker.send(ops.RunQueue())
        await bench.until(lambda: bool(bench.of(events.TurnEnded)))
        assert not violations(bench.history)

    await with_worker(replace(opening, continue_last=True), second)


async def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    opening = options(tmp_path, ScriptedModel([says("x")]))
    with pytest.raises(OpenError) as caught:
        await open_worker(replace(opening, continue_last=True))
    assert caught.value.phrase.key == "engine.no_session"
    with pytest.raises(OpenError) as caught:
        await open_worker(replace(opening, resume="nothing-like-it"))
    assert caught.value.phrase.key == "session.no_match"

    async def use(bench: Bench) -> None:
        await bench.turn("hi")
        session = bench.of(events.SessionOpened)[0].session
        with pytest.raises(OpenError) as caught:
            await open_worker(replace(opening, resume=session))
        assert caught.value.phrase.key == "session.locked"

    bench = await with_worker(opening, use)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = replace(opening, paths=replace(opening.paths, project=elsewhere))
    with pytest.raises(OpenError) as caught:
        await open_worker(replace(moved, resume=bench.of(events.SessionOpened)[0].session))
    assert caught.value.phrase.key == "engine.other_project"


async def test_a_full_disk_is_told_once_and_the_work_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel([says("one"), says("two"), says("three")])
    opening = options(tmp_path, model)

    async def use(bench: Bench) -> None:
        await bench.turn("first")
        real = os.write

        def full(fd: int, data: bytes) -> int:
            if os.path.realpath(f"/proc/self/fd/{fd}").startswith(str(opening.paths.home)):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(fd, data)

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            assert (await bench.turn("second")).status == "done"
        notices = [notice.phrase.key for notice in bench.of(events.Notice)]
        assert len(notices) == len(set(notices)) and notices
        assert (await bench.turn("third")).status == "done"

    await with_worker(opening, use)

    async def later(bench: Bench) -> None:
        said = [message.content for message in bench.history if message.role == "user"]
        assert said == ["first", "second", "third"]

    await with_worker(replace(opening, continue_last=True), later)
