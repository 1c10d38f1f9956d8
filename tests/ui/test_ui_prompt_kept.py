"""The files behind the prompt: what was sent, and what was not."""

import json
import multiprocessing
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paitui.clock import FixedClock
from paitui.ui.prompting import history_file
from paitui.ui.prompting.drafts import DraftFile
from paitui.ui.prompting.history import Entry, Recall, ordered, search
from paitui.ui.prompting.history_file import HistoryFile
from paitui.ui.prompting.marks import Draft

CLOCK = FixedClock(datetime(2026, 12, 1, tzinfo=UTC))


def history(folder: Path) -> HistoryFile:
    return HistoryFile(folder / "history" / "prompts.jsonl", CLOCK)


def test_what_was_sent_comes_back_newest_first_and_the_file_is_private(tmp_path: Path) -> None:
    file = history(tmp_path)
    assert file.load() == []
    file.add(Entry("first\nline", (), "/p"))
    file.add(Entry("第二条：粘贴", ((4, 6),), "/q"))
    assert file.load() == [Entry("第二条：粘贴", ((4, 6),), "/q"), Entry("first\nline", (), "/p")]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert len(file.path.read_text("utf-8").splitlines()) == 2


def test_broken_lines_are_skipped_and_a_torn_end_swallows_nothing(tmp_path: Path) -> None:
    file = history(tmp_path)
    file.add(Entry("one", (), "/p"))
    with file.path.open("ab") as out:
        out.write(b'{"text": 3, "project": "/p"}\n[]\n\xff\xfe\n{"text": "torn, "proj')
    file.add(Entry("two", (), "/p"))
    assert [entry.text for entry in file.load()] == ["two", "one"]


def test_a_secret_is_not_kept(tmp_path: Path) -> None:
    file = history(tmp_path)
    file.add(Entry("the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789", (), "/p"))
    assert "ghp_" not in file.path.read_text() and "the token is" in file.load()[0].text


def test_the_file_stays_bounded_and_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_file, "MAX_BYTES", 4_000)
    file = history(tmp_path)
    for number in range(200):
        file.add(Entry(f"message {number}", (), "/p"))
    assert file.path.stat().st_size <= 4_000
    texts = [entry.text for entry in file.load()]
    assert texts == [f"message {number}" for number in range(199, 199 - len(texts), -1)] and len(texts) > 10


def _add(path: Path, name: str) -> None:
    for number in range(40):
        HistoryFile(path, CLOCK).add(Entry(f"{name} {number}", (), "/p"))


def test_several_processes_append_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    spawn = multiprocessing.get_context("fork")
    processes = [spawn.Process(target=_add, args=(path, name)) for name in "abc"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    texts = [entry.text for entry in HistoryFile(path, CLOCK).load()]
    assert sorted(texts) == sorted(f"{name} {number}" for name in "abc" for number in range(40))


def test_this_project_comes_first_and_each_text_once() -> None:
    entries = [
        Entry("b", (), "/q"),
        Entry("a", (), "/p"),
        Entry("b", (), "/p"),
        Entry("a", (), "/p"),
        Entry("c", (), "/q"),
    ]
    assert [entry.text for entry in ordered(entries, "/p")] == ["a", "b", "c"]


def test_a_search_wants_all_words_and_marks_them() -> None:
    entries = [Entry("run the Tests"), Entry("跑一下测试\n再 RUN"), Entry("walk")]
    found = search(entries, "run te")
    assert [hit.shown for hit in found] == ["run the Tests"] and found[0].hits == (0, 1, 2, 8, 9)
    assert [hit.shown for hit in search(entries, "测试")] == ["跑一下测试 再 RUN"]
    assert len(search(entries, "")) == 3 and search(entries, "nope") == []


def test_going_back_and_forth_keeps_what_was_typed_on_the_way() -> None:
    recall = Recall("/p", [Entry("new"), Entry("old")])
    assert recall.move(1, Draft("draft")) == Entry("new")
    assert recall.move(1, Draft("new, changed")) == Entry("old")
    assert recall.move(1, Draft("old")) is None
    assert recall.move(-1, Draft("old")) == Draft("new, changed")
    assert recall.move(-1, Draft("new, changed")) == Draft("draft")
    assert recall.move(-1, Draft("draft")) is None


def dead_process() -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def test_a_draft_is_taken_up_once_its_process_is_gone(tmp_path: Path) -> None:
    crashed = DraftFile(tmp_path, "/p", dead_process())
    crashed.save([("put aside", ()), ("写到一半：粘贴", ((5, 7),))])
    assert stat.S_IMODE(crashed.path.stat().st_mode) == 0o600
    assert DraftFile(tmp_path, "/other").take_up() == []
    here = DraftFile(tmp_path, "/p")
    assert here.take_up() == [("put aside", ()), ("写到一半：粘贴", ((5, 7),))]
    assert not crashed.path.exists() and here.path.exists()  # this process answers for it now
    here.save([])
    assert list(tmp_path.iterdir()) == []


def test_the_draft_of_a_running_process_is_left_alone(tmp_path: Path) -> None:
    running = DraftFile(tmp_path, "/p", os.getppid())
    running.save([("mine", ())])
    assert DraftFile(tmp_path, "/p").take_up() == [] and running.path.exists()


def test_a_file_that_is_no_draft_is_no_obstacle(tmp_path: Path) -> None:
    broken = DraftFile(tmp_path, "/p", dead_process())
    broken.path.write_text(json.dumps({"drafts": [{"text": "x", "pasted": "?"}]}))
    assert DraftFile(tmp_path, "/p").take_up() == []
