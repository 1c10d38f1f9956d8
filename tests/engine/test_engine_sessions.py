"""What the worker does with stored sessions, and what each way to the end of a session leaves behind."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel, calls, says

from paitui.clock import FixedClock
from paitui.context.outputs import FOLDER
from paitui.engine import events, ops
from paitui.engine.assembly import clean_outputs, open_worker
from paitui.engine.commands import UnknownCommand, parse
from paitui.engine.prompts import summary_prompts
from paitui.engine.session_desk import SessionDesk
from paitui.ledger.pages import LedgerPages
from paitui.locale import Words
from paitui.session.info import read_info
from paitui.session.listing import list_sessions
from paitui.session.store import SessionError
from paitui.settings import ContextSettings


def desk_of(opening) -> SessionDesk:
    return SessionDesk(opening.paths, opening.clock, opening.words)


async def one_session(opening, text: str = "look") -> str:
    async def turn(bench: Bench) -> None:
        await bench.turn(text)

    bench = await with_worker(opening, turn)
    return bench.of(events.SessionOpened)[0].session


async def asked(bench: Bench, op: ops.Op) -> list[events.Event]:
    """Send an op and give what came until it was done."""
    before = len(bench.seen)
    bench.worker.send(op)
    await bench.until(lambda: any(isinstance(event, events.OpDone) for event in bench.seen[before:]))
    return [event for event in bench.seen[before:] if not isinstance(event, events.OpDone)]


async def test_sessions_are_listed_looked_at_copied_and_deleted_beside_a_session(tmp_path: Path) -> None:
    opening = options(tmp_path, ScriptedModel([says("first answer"), says("second answer")]))
    old = await one_session(opening, "read README.md")

    async def here(bench: Bench) -> None:
        await bench.turn("and now")
        current = bench.of(events.SessionOpened)[0].session
        [shown] = await asked(bench, ops.Sessions("list"))
        assert [info.id for info in shown.sessions] == [current, old] and shown.current == current
        assert all(info.ended for info in shown.sessions)  # the one that is open is not broken off
        [seen] = await asked(bench, ops.Sessions("show", id=old))
        assert (seen.view.asked, seen.view.answer, seen.view.turns) == ("read README.md", "first answer", 1)
        assert not seen.view.open and seen.view.size > 0 and Path(seen.view.ledger).is_file()
        [copied] = await asked(bench, ops.Sessions("fork", id=old))
        assert copied.result == "forked" and copied.id != old
        [refused] = await asked(bench, ops.Sessions("delete", id=current, shown=True))
        assert refused.result == "failed" and refused.phrase.key == "session.open_elsewhere"
        [gone] = await asked(bench, ops.Sessions("delete", id=copied.id))
        assert gone.result == "deleted" and Path(gone.phrase.params["file"]).is_file()  # its ledger
        [found] = await asked(bench, ops.Sessions("resume"))
        assert found.info.id == old
        [unknown] = await asked(bench, ops.Sessions("resume", id="zz"))
        assert isinstance(unknown, events.Notice) and unknown.phrase.key == "session.no_match"

    await with_worker(opening, here)


async def test_a_copy_is_gone_on_with_and_its_ledger_begins_with_what_it_took_over(tmp_path: Path) -> None:
    opening = options(tmp_path, ScriptedModel([calls(("list_dir", "{}")), says("first answer")]))
    old = await one_session(opening)
    info, problems = desk_of(opening).fork(old)
    assert problems == ()
    records = list(LedgerPages(opening.paths.ledgers / f"{info.id}.jsonl").records())
    assert records[0].payload == {"state": "forked", "from": old, "model": "offline"}
    assert [record.role for record in records[1:]] == ["system", "user", "assistant", "tool", "assistant"]

    async def there(bench: Bench) -> None:
        assert (await bench.turn("go on")).turn == 2

    await with_worker(replace(opening, model=ScriptedModel([says("on")]), resume=info.id), there)
    assert {one.id: one.messages for one in list_sessions(opening.paths.sessions)[0]} == {old: 4, info.id: 6}


async def test_results_stay_while_a_copy_refers_to_them(tmp_path: Path) -> None:
    big = "x" * 9_000
    (tmp_path / "project").mkdir()
    (tmp_path / "project/big.txt").write_text(big)
    model = ScriptedModel([calls(("read_file", '{"path":"big.txt"}')), says("read")])
    opening = options(tmp_path, model, window=8_000)
    old = await one_session(opening)
    folder = opening.paths.project / FOLDER / old
    assert list(folder.iterdir())
    desk = desk_of(opening)
    info, _ = desk.fork(old)
    desk.delete(old)
    later = FixedClock(datetime.now(UTC) + timedelta(days=400))
    assert clean_outputs(opening.paths, ContextSettings(), later) == [] and list(folder.iterdir())
    desk.delete(info.id)
    assert clean_outputs(opening.paths, ContextSettings(), later) == [old] and not folder.exists()


async def test_an_export_tells_what_a_summary_took_out_and_masks_keys(tmp_path: Path) -> None:
    key = "sk-" + "a1B2" * 12
    summary = "\n".join(f"{heading}\nRead many files." for heading in summary_prompts("en").headings)
    replies = [says(f"answer {n} " + "word " * 200) for n in range(6)] + [says(summary)]
    opening = options(tmp_path, ScriptedModel(replies))

    async def long(bench: Bench) -> None:
        for n in range(6):
            await bench.turn(f"request {n} with {key}")
        await asked(bench, ops.Compact())
        assert bench.of(events.Boundary)
        [done] = await asked(bench, ops.Sessions("export", form="html"))
        assert done.result == "exported"
        text = Path(done.file).read_text("utf-8")
        assert (
            all(f"request {n}" in text and f"answer {n}" in text for n in range(6))
            and "messages were summarised" in text
        )
        assert key not in text
        [again] = await asked(bench, ops.Sessions("export", form="html"))
        assert again.file != done.file and Path(done.file).read_text("utf-8") == text
        [refused] = await asked(bench, ops.Sessions("export", text=done.file))
        assert refused.phrase.key == "session.export_exists" and Path(done.file).read_text("utf-8") == text
        [failed] = await asked(bench, ops.Sessions("export", text="no/such/folder/x.md", shown=True))
        assert failed.result == "failed" and "no/such/folder" in failed.phrase.params["file"]

    await with_worker(opening, long)


async def test_without_a_ledger_an_export_tells_the_history_as_it_stands(tmp_path: Path) -> None:
    opening = options(tmp_path, ScriptedModel([says("the answer")]))
    old = await one_session(opening, "the request")
    (opening.paths.ledgers / f"{old}.jsonl").unlink()
    done = desk_of(opening).export(old, "markdown", "talk.md")
    text = (opening.paths.project / "talk.md").read_text("utf-8")
    assert done.steps == 2 and text.index("the request") < text.index("the answer")


async def test_only_a_session_that_did_not_end_is_offered_and_only_to_a_new_one(tmp_path: Path) -> None:
    opening = options(tmp_path, ScriptedModel([says("one")] * 9))
    old = await one_session(opening)
    assert read_info(opening.paths.sessions / old).ended
    assert desk_of(opening).broken_off() is None

    worker = await open_worker(opening)
    bench = Bench(worker)
    worker.subscribe(bench.take)
    running = asyncio.create_task(worker.run())
    await bench.turn("half done")
    running.cancel()  # as if a fault of the screen took it along
    with pytest.raises(asyncio.CancelledError):
        await running
    broken = bench.of(events.SessionOpened)[0].session

    async def fresh(bench: Bench) -> None:
        await bench.until(lambda: bool(bench.of(events.SessionBrokenOff)))
        assert bench.of(events.SessionBrokenOff)[0].info.id == broken

    await with_worker(opening, fresh)

    async def again(bench: Bench) -> None:
        await bench.turn("on with it")
        assert not bench.of(events.SessionBrokenOff)

    await with_worker(replace(opening, resume=broken), again)
    assert desk_of(opening).broken_off() is None


def test_the_commands_are_read() -> None:
    def op(line: str) -> ops.Op | None:
        found = parse(line)
        assert found is not None and found[0].make is not None
        return found[0].make(found[1])

    assert op("/export") == ops.Sessions("export")
    assert op("/export html") == ops.Sessions("export", form="html")
    assert op("/export talk.html") == ops.Sessions("export", text="talk.html", form="html")
    assert op("/export markdown my talk.html") == ops.Sessions("export", text="my talk.html")
    assert op("/resume 2026") == ops.Sessions("resume", id="2026")
    with pytest.raises(UnknownCommand):
        parse("/resume one two")


def test_a_full_disk_while_exporting_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opening = options(tmp_path)
    old = asyncio.run(one_session(replace(opening, model=ScriptedModel([says("x")]))))

    def full(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("paitui.engine.session_desk.write_all", full)
    with pytest.raises(SessionError) as failed:
        desk_of(opening).export(old, "html", "talk.html")
    assert "No space left" in Words("en").say(failed.value.phrase)
    assert not (opening.paths.project / "talk.html").exists()
