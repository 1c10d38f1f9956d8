"""Homes and sessions that are damaged or full: the user is told, and what can be read is found again."""

import random
import shutil
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker

from paitui.engine import events
from paitui.engine.assembly import OpenError
from paitui.locale import Words
from paitui.session.listing import latest


async def talk(folder: Path, text: str, **more: object) -> list[events.Event]:
    async def use(bench: Bench) -> None:
        await bench.turn(text)

    return (await with_worker(options(folder, **more), use)).seen


async def test_a_ledger_that_cannot_be_written_is_said_even_if_it_fails_before_anyone_listens(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/history").write_text("in the way")
    seen = await talk(tmp_path, "hello")
    said = [event.phrase.key for event in seen if isinstance(event, events.Notice)]
    assert said == ["ledger.unwritten"]
    assert isinstance(seen[0], events.SessionOpened)


@pytest.mark.parametrize("damage", ["missing", "empty", "binary", "torn", "nested"])
async def test_a_session_whose_small_file_is_damaged_is_continued(tmp_path: Path, damage: str) -> None:
    await talk(tmp_path, "hello lamp")
    [meta] = (tmp_path / "home/sessions").glob("*/meta.json")
    whole = meta.read_bytes()
    ruined = {"empty": b"", "binary": b"\0\xff" * 90, "torn": whole[:50], "nested": b"[" * 100_000}
    meta.unlink() if damage == "missing" else meta.write_bytes(ruined[damage])
    project = str((tmp_path / "project").resolve())
    assert latest(tmp_path / "home/sessions", project) == meta.parent.name
    seen = await talk(tmp_path, "go on", continue_last=True)
    [opened] = (event for event in seen if isinstance(event, events.SessionOpened))
    assert opened.resumed and opened.history[0].content == "hello lamp"


async def test_any_byte_of_any_file_may_be_wrong(tmp_path: Path) -> None:
    await talk(tmp_path, "hello lamp")
    await talk(tmp_path, "what can you do", continue_last=True)
    kept = tmp_path / "kept"
    (tmp_path / "home").rename(kept)
    chance = random.Random(7)
    for _ in range(25):
        shutil.rmtree(tmp_path / "home", ignore_errors=True)
        shutil.copytree(kept, tmp_path / "home")
        file = chance.choice(sorted(f for f in (tmp_path / "home").rglob("*") if f.is_file() and f.stat().st_size))
        data = bytearray(file.read_bytes())
        at = chance.randrange(len(data))
        data[at : at + chance.choice([1, 1, 40])] = chance.randbytes(chance.choice([0, 1, 30]))
        file.write_bytes(data)
        try:
            seen = await talk(tmp_path, "go on", continue_last=True)
        except OpenError as error:
            assert Words("en").say(error.phrase)
        else:
            assert isinstance(seen[-1], events.SessionClosed)


async def test_where_the_middle_is_lost_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.paitui").write_text("in the way")
    seen = await talk(tmp_path, "run `seq 1 9000`", approve="all")
    answer = [event for event in seen if isinstance(event, events.AnswerFinished)][-1].text
    assert "``" not in answer and "could not be stored" in answer
