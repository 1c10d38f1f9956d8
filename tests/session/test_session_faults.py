import errno
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from paitui import appendlog, atomic
from paitui.clock import FixedClock
from paitui.locale import Words
from paitui.messages.message import Message
from paitui.session.files import Part, needed, parts
from paitui.session.state import Append, SessionState, Set
from paitui.session.store import SessionError, SessionStore
from tests.stubs.faulty_disk import FaultyDisk

FAULTS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS)


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 12, 1, 4, 15, 2, tzinfo=UTC))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "sessions" / "s1"


def message(uid):
    """Messages alternate so that the history is valid wherever it ends."""
    return Message("user" if uid % 2 else "assistant", f"message {uid}", uid=uid, origin="typed" if uid % 2 else "")


class Run:
    """An engine in small: holds the history, reports every change, and goes on when saving fails."""

    def __init__(self, folder, clock):
        self.store = SessionStore(folder, clock)
        self.state: SessionState | None = None
        self.history: tuple[Message, ...] = ()
        self.errors: list[SessionError] = []

    def create(self):
        loaded = self.store.create("/project", "offline")
        self.state = loaded.state
        return loaded.problems

    def attempt(self, action, *args):
        try:
            action(*args)
        except SessionError as error:
            self.errors.append(error)
            for language in ("en", "zh"):
                assert "session." not in Words(language).say(error.phrase)
            return False
        return True

    def say(self, count=1):
        for _ in range(count):
            self.history += (message(len(self.history) + 1),)
            self.attempt(self.store.append, Append("react", self.history[-1]))

    def snapshot(self):
        return self.attempt(self.store.snapshot, replace(self.state, units={"react": self.history}))

    def sync(self):
        return self.attempt(self.store.sync)


def load(folder, clock):
    store = SessionStore(folder, clock)
    try:
        return store.load()
    finally:
        store.close()


def histories(folder, clock):
    return load(folder, clock).state.units.get("react", ())


def script(run):
    run.say(3)
    run.sync()
    run.snapshot()
    run.say(3)
    run.snapshot()
    run.say(2)
    run.sync()


def test_any_single_failing_operation_loses_nothing(tmp_path, clock, monkeypatch):
    def start(folder):
        disk = FaultyDisk()
        run = Run(folder, clock)
        run.create()
        monkeypatch.setattr(atomic, "os", disk)
        monkeypatch.setattr(appendlog, "os", disk)
        return run, disk

    run, healthy = start(tmp_path / "healthy")
    script(run)
    run.store.close()
    assert run.errors == []
    assert healthy.total > 50
    for nth in range(1, healthy.total + 1):
        folder, code = tmp_path / f"run-{nth}", FAULTS[nth % len(FAULTS)]
        run, disk = start(folder)
        disk.fail_at(nth, code)
        script(run)
        assert disk.failed == 1
        disk.mend()
        run.say()
        assert run.errors == [] or run.errors[0].first
        run.store.close()
        loaded = load(folder, clock)
        assert loaded.state.units["react"] == run.history, nth
        assert loaded.problems == (), nth


@pytest.mark.parametrize("code", FAULTS)
@pytest.mark.parametrize("operations", [("write",), ("fsync",), ("replace",), ("open",), ("write", "ftruncate")])
def test_a_disk_that_fails_for_a_while_loses_nothing_and_is_told_once(folder, clock, disk, code, operations):
    run = Run(folder, clock)
    run.create()
    run.say(4)
    before = histories_of_copy(folder, clock)
    assert before == run.history
    disk.fail_always(code, *operations)
    run.say(4)
    run.snapshot()
    run.say(2)
    run.sync()
    assert histories_of_copy(folder, clock)[:4] == before
    assert [error.first for error in run.errors].count(True) <= 2
    disk.mend()
    run.say()
    run.store.close()
    assert histories(folder, clock) == run.history


def histories_of_copy(folder, clock):
    """What a start after a crash would find now."""
    import shutil

    copy = folder.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    (copy / "lock").unlink()
    return histories(copy, clock)


@pytest.mark.parametrize("room", range(0, 400, 7))
def test_a_disk_that_fills_up_anywhere_loses_nothing(folder, clock, disk, room):
    run = Run(folder, clock)
    run.create()
    disk.room(room)
    run.say(5)
    assert run.errors
    assert run.errors[0].first
    assert run.errors[0].phrase.params["why"] == "No space left on device"
    assert not any(error.first for error in run.errors[1:])
    saved = histories_of_copy(folder, clock)
    assert saved == run.history[: len(saved)]
    disk.mend()
    run.say()
    run.store.close()
    assert histories(folder, clock) == run.history


def test_a_flush_that_failed_makes_a_snapshot_due(folder, clock, disk):
    run = Run(folder, clock)
    run.create()
    run.say(2)
    assert not run.store.wants_snapshot
    disk.fail_always(errno.EIO, "fsync")
    assert not run.sync()
    disk.mend()
    assert run.store.wants_snapshot
    assert run.sync()
    assert run.store.wants_snapshot  # a later success does not bring the bytes back
    assert run.snapshot()
    assert not run.store.wants_snapshot
    run.store.close()
    assert histories(folder, clock) == run.history


@pytest.mark.parametrize("operation", ["mkdir", "open", "write", "fsync", "replace"])
@pytest.mark.parametrize("code", FAULTS)
def test_a_session_that_cannot_be_saved_goes_on_and_is_saved_when_it_can_be(folder, clock, disk, operation, code):
    disk.fail_always(code, operation)
    run = Run(folder, clock)
    problems = run.create()
    assert [problem.key for problem in problems] == ["session.unsaved"]
    run.say(3)
    run.sync()
    assert run.errors
    assert not any(error.first for error in run.errors)
    assert run.store.wants_snapshot
    disk.mend()
    assert run.snapshot()
    run.say(2)
    assert run.sync()
    run.store.close()
    assert histories(folder, clock) == run.history


def finished(folder, clock, snapshots=(4, 8), total=11):
    run = Run(folder, clock)
    run.create()
    for number in range(1, total + 1):
        run.say()
        if number in snapshots:
            run.snapshot()
    run.store.close()
    assert run.errors == []
    return run.history


def test_a_snapshot_cut_off_anywhere_is_set_aside_and_nothing_is_lost(tmp_path, clock):
    history = finished(tmp_path / "model", clock)
    size = parts(tmp_path / "model")[0][-1].path.stat().st_size
    for cut in sorted({*range(0, size, 37), 1, 2, size - 2, size - 1}):
        folder = tmp_path / f"cut-{cut}"
        finished(folder, clock)
        newest = parts(folder)[0][-1].path
        whole = newest.read_bytes()
        newest.write_bytes(whole[:cut])
        loaded = load(folder, clock)
        assert loaded.state.units["react"] == history
        assert [p.key for p in loaded.problems] == ["session.snapshot_damaged"]
        kept = newest.with_name(newest.name + ".corrupt-1")
        assert kept.read_bytes() == whole[:cut]
        assert loaded.problems[0].params["kept"] == str(kept)
        again = load(folder, clock)
        assert again.problems == ()
        assert again.state == loaded.state


@pytest.mark.parametrize(
    "content", [b"[]", b"null", b"{}", b'{"v":1,"seq":8,"state":[]}', b'{"v":1,"seq":8,"state":{}}', b"\0" * 900]
)
def test_a_snapshot_that_is_something_else_is_set_aside(folder, clock, content):
    history = finished(folder, clock)
    parts(folder)[0][-1].path.write_bytes(content)
    loaded = load(folder, clock)
    assert loaded.state.units["react"] == history
    assert [p.key for p in loaded.problems] == ["session.snapshot_damaged"]


def test_where_no_snapshot_is_whole_everything_stays_where_it_is(folder, clock):
    finished(folder, clock)
    for part in parts(folder)[0]:
        part.path.write_bytes(b'{"v":1')
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SessionError) as caught:
        load(folder, clock)
    assert caught.value.phrase.key == "session.lost"
    assert str(folder) in Words("zh").say(caught.value.phrase)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_journal_torn_anywhere_in_its_last_record_loses_that_record_alone(tmp_path, clock):
    history = finished(tmp_path / "model", clock)
    whole = parts(tmp_path / "model")[1][-1].path.read_bytes()
    last = whole.rstrip(b"\n").rindex(b"\n") + 1
    for cut in range(last, len(whole)):
        folder = tmp_path / f"cut-{cut}"
        finished(folder, clock)
        journal = parts(folder)[1][-1].path
        journal.write_bytes(whole[:cut])
        run = Run(folder, clock)
        loaded = run.store.load()
        assert loaded.state.units["react"] == history[:-1]
        assert [p.key for p in loaded.problems] == ([] if cut == last else ["session.torn"])
        assert journal.read_bytes() == whole[:cut]
        run.state, run.history = loaded.state, loaded.state.units["react"]
        run.say()
        run.store.close()
        assert run.errors == []
        again = load(folder, clock)
        assert again.state.units["react"] == history
        assert again.problems == ()
        torn = [path.read_bytes() for path in folder.glob("*.torn-*")]
        assert torn == ([] if cut == last else [whole[last:cut]])


@pytest.mark.parametrize("line", range(3))
@pytest.mark.parametrize(
    "content",
    [b"{broken", b"", b"\0\0\0", b"[1]", b'{"v":1,"seq":99,"op":"set"}', b'{"v":1,"op":"append"}', b'{"seq":10}'],
)
def test_a_journal_damaged_in_the_middle_gives_what_is_before_and_keeps_the_rest(folder, clock, line, content):
    history = finished(folder, clock, total=12)
    journal = parts(folder)[1][-1].path
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    rest = [content + b"\n", *lines[line + 1 :]]
    journal.write_bytes(b"".join([*lines[:line], *rest]))
    run = Run(folder, clock)
    loaded = run.store.load()
    assert loaded.state.units["react"] == history[: 8 + line]
    (problem,) = loaded.problems
    assert problem.key == "session.damaged"
    assert problem.params["n"] == len(rest)
    (kept,) = folder.glob("*.torn-*")
    assert problem.params["kept"] == str(kept)
    assert kept.read_bytes() == b"".join(rest)
    run.state, run.history = loaded.state, loaded.state.units["react"]
    run.say(3)
    run.store.close()
    again = load(folder, clock)
    assert again.problems == ()
    assert again.state.units["react"] == run.history


def test_a_damaged_snapshot_over_a_damaged_journal_keeps_all_that_does_not_fit(folder, clock):
    history = finished(folder, clock)
    parts(folder)[0][-1].path.write_bytes(b"")
    old, new = (part.path for part in parts(folder)[1])
    lines = old.read_bytes().splitlines(keepends=True)
    old.write_bytes(lines[0] + b"broken\n" + b"".join(lines[2:]))
    later = new.read_bytes()
    loaded = load(folder, clock)
    assert loaded.state.units["react"] == history[:5]
    assert [p.key for p in loaded.problems] == ["session.snapshot_damaged", "session.damaged", "session.unused"]
    assert (folder / f"{new.name}.unread-1").read_bytes() == later
    run = Run(folder, clock)
    run.state = run.store.load().state
    run.history = run.state.units["react"]
    run.say(2)
    run.snapshot()
    run.say(2)
    run.store.close()
    assert histories(folder, clock) == run.history


def test_changes_to_messages_that_are_not_there_are_reported(folder, clock):
    from paitui.session.state import Rewrite

    run = Run(folder, clock)
    run.create()
    run.say(2)
    run.attempt(run.store.append, Rewrite("react", {77: message(77)}))
    run.store.close()
    loaded = load(folder, clock)
    assert [(p.key, p.params["n"]) for p in loaded.problems] == [("session.unmatched", 1)]
    assert loaded.state.units["react"] == run.history


def test_files_that_the_system_does_not_let_us_read_are_left_alone(folder, clock):
    finished(folder, clock)
    newest = parts(folder)[0][-1].path
    newest.rename(folder / "elsewhere")
    newest.mkdir()  # reading it fails for every user, root too
    with pytest.raises(SessionError) as caught:
        load(folder, clock)
    assert caught.value.phrase.key == "session.unreadable"
    newest.rmdir()
    (folder / "elsewhere").rename(newest)
    assert load(folder, clock).problems == ()


def test_a_damage_that_cannot_be_set_aside_is_an_error_and_changes_nothing(folder, clock, disk):
    finished(folder, clock)
    journal = parts(folder)[1][-1].path
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"broken\n" + b"".join(lines))
    before = journal.read_bytes()
    disk.fail_always(errno.ENOSPC, "write")
    with pytest.raises(SessionError) as caught:
        load(folder, clock)
    assert caught.value.phrase.key == "session.unreadable"
    assert journal.read_bytes() == before
    disk.mend()
    assert [p.key for p in load(folder, clock).problems] == ["session.damaged"]


def test_an_entry_of_the_list_that_cannot_be_written_is_told_and_made_up_for(folder, clock, disk):
    run = Run(folder, clock)
    run.create()
    disk.fail_always(errno.ENOSPC, "replace")  # new names need room, the journal grows in place
    run.say(6)
    assert [error.first for error in run.errors] == [True, False, False]
    assert histories_of_copy(folder, clock) == run.history
    disk.mend()
    assert run.sync()
    assert run.attempt(run.store.append, Set("turn", 2))
    run.store.close()
    assert histories(folder, clock) == run.history


def test_a_change_that_is_missing_ends_what_can_be_trusted(folder, clock):
    history = finished(folder, clock, total=12)
    journal = parts(folder)[1][-1].path
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], *lines[2:]]))
    loaded = load(folder, clock)
    assert loaded.state.units["react"] == history[:9]
    assert [(p.key, p.params["n"]) for p in loaded.problems] == [("session.damaged", 2)]
    assert next(folder.glob("*.torn-*")).read_bytes() == b"".join(lines[2:])


@pytest.mark.parametrize(
    ("after", "expected"), [(0, [0, 4, 8]), (3, [0, 4, 8]), (4, [4, 8]), (7, [4, 8]), (8, [8]), (99, [8])]
)
def test_only_journals_that_can_hold_later_changes_are_needed(tmp_path, after, expected):
    journals = [Part(start, tmp_path) for start in (0, 4, 8)]
    assert [part.start for part in needed(journals, after)] == expected
    assert needed([], after) == []
