import json
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from paitui.clock import FixedClock
from paitui.locale import Words
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import violations
from paitui.session import store as store_module
from paitui.session.files import parts
from paitui.session.state import Append, ReplaceAll, Rewrite, Set, SetExtra, apply
from paitui.session.store import SessionError, SessionStore


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 12, 1, 4, 15, 2, tzinfo=UTC))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home" / "sessions" / "20261201-041502-3fa9"


def said(uid, text=""):
    return Message("user", text or f"message {uid}", uid=uid, origin="typed")


def answered(uid, text="answer"):
    return Message("assistant", text, uid=uid)


CHANGES = (
    Append("react", Message("system", "be good", uid=1)),
    Set("turn", 1),
    Append("react", said(2, "读取 README.md\n并总结")),
    Append("react", Message("assistant", "", (ToolCall("c1", "read_file", "{}"),), uid=3)),
    Append("react", Message("tool", "long result", tool_call_id="c1", name="read_file", uid=4)),
    Rewrite("react", {4: Message("tool", "cleared", tool_call_id="c1", name="read_file", uid=4, state="cleared")}),
    Append("react", answered(5)),
    Set("queue", ((1, "then test", ()), (2, "then commit", ((0, 4),)))),
    Set("approvals", ("program:git",)),
    Set("trust", "web page https://x/"),
    SetExtra("plan", {"tasks": [1, 2]}),
    Append("task-1", said(6)),
    Append("task-1", answered(7)),
    ReplaceAll("react", (Message("system", "be good", uid=1), said(8, "summary"), answered(9))),
)


def begin(folder, clock, changes=CHANGES, snapshot_after=()):
    store = SessionStore(folder, clock)
    state = store.create("/project", "offline").state
    for number, change in enumerate(changes):
        state = apply(state, change)
        store.append(change)
        if number in snapshot_after:
            store.snapshot(state)
    store.close()
    return state


def reopened(folder, clock):
    store = SessionStore(folder, clock)
    try:
        return store.load()
    finally:
        store.close()


@pytest.mark.parametrize("snapshot_after", [(), (0,), (5,), (13,), (4, 8), (2, 6, 10), tuple(range(14))])
def test_a_session_comes_back_as_it_was(folder, clock, snapshot_after):
    state = begin(folder, clock, snapshot_after=snapshot_after)
    loaded = reopened(folder, clock)
    assert loaded.state == state
    assert loaded.problems == ()
    assert loaded.repaired == ()


def test_it_goes_on_after_coming_back_again_and_again(folder, clock):
    state = begin(folder, clock, ())
    for number, change in enumerate((*CHANGES[:3], *CHANGES[6:])):  # all but the call and its answer
        store = SessionStore(folder, clock)
        loaded = store.load()
        assert loaded.problems == ()
        state = apply(loaded.state, change)
        store.append(change)
        if number % 4 == 3:
            store.snapshot(state)
        store.close()
    assert reopened(folder, clock).state == state


def test_files_and_folders_are_private(folder, clock):
    begin(folder, clock, snapshot_after=(3, 9))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert len(modes) >= 5
    assert set(modes.values()) == {0o600}
    for above in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(above.stat().st_mode) == 0o700


def test_only_two_generations_are_kept(folder, clock):
    begin(folder, clock, snapshot_after=tuple(range(14)))
    snapshots, journals = parts(folder)
    assert [part.start for part in snapshots] == [13, 14]
    assert [part.start for part in journals] == [13]


def test_remains_of_a_killed_write_are_removed(folder, clock):
    begin(folder, clock)
    (folder / ".snapshot-000000000003.json.abcd1234.tmp").write_bytes(b'{"v"')
    store = SessionStore(folder, clock)
    state = apply(store.load().state, Set("turn", 5))
    store.append(Set("turn", 5))
    store.snapshot(state)
    store.close()
    assert list(folder.glob(".*")) == []


def test_a_session_that_is_open_is_refused_by_name(folder, clock):
    store = SessionStore(folder, clock)
    store.create("/project", "offline")
    with pytest.raises(SessionError) as caught:
        SessionStore(folder, clock).load()
    for language in ("en", "zh"):
        assert folder.name in Words(language).say(caught.value.phrase)
    store.close()
    assert reopened(folder, clock).state.project == "/project"


def test_a_session_that_cannot_be_loaded_is_not_left_locked(folder, clock):
    begin(folder, clock, ())
    snapshot = parts(folder)[0][0].path
    whole = snapshot.read_bytes()
    snapshot.write_bytes(b"{")
    with pytest.raises(SessionError):
        SessionStore(folder, clock).load()
    snapshot.write_bytes(whole)
    assert reopened(folder, clock).problems == ()


def test_an_id_is_not_used_twice_and_a_missing_one_is_said(folder, clock):
    begin(folder, clock)
    with pytest.raises(SessionError) as caught:
        SessionStore(folder, clock).create("/project", "offline")
    assert caught.value.phrase.key == "session.exists"
    with pytest.raises(SessionError) as caught:
        SessionStore(folder.with_name("other"), clock).load()
    assert caught.value.phrase.key == "session.missing"
    assert not folder.with_name("other").exists()


def test_a_call_without_its_answer_is_repaired_and_the_repair_is_kept(folder, clock):
    cut = CHANGES[:4]
    begin(folder, clock, cut)
    store = SessionStore(folder, clock)
    loaded = store.load()
    assert loaded.repaired == ("react",)
    assert [(p.key, dict(p.params)) for p in loaded.problems] == [("session.repaired", {"n": 1})]
    history = loaded.state.units["react"]
    assert violations(history) == []
    assert history[-1].role == "tool"
    assert history[-1].uid == 4
    assert loaded.state.next_uid == 5
    store.append(Append("react", answered(5)))
    store.close()
    again = reopened(folder, clock)
    assert again.problems == ()
    assert again.state.units["react"] == (*history, answered(5))


def test_a_repair_that_was_not_saved_is_made_again(folder, clock):
    begin(folder, clock, CHANGES[:4])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    first, second = reopened(folder, clock), reopened(folder, clock)
    assert first == second
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_an_answer_without_its_call_is_repaired(folder, clock):
    begin(folder, clock, (Append("react", said(1)), Append("react", CHANGES[4].message)))
    loaded = reopened(folder, clock)
    assert [p.key for p in loaded.problems] == ["session.mended"]
    assert loaded.state.units["react"] == (said(1),)


def test_the_cost_of_a_message_does_not_grow_with_the_session(folder, clock, disk):
    store = SessionStore(folder, clock)
    store.create("/project", "offline")
    costs = []
    for uid in range(1, 4_001):
        before = disk.total, disk.bytes_written
        store.append(Append("react", Message("assistant", "x" * 100, uid=10_000 + uid)))
        costs.append((disk.total - before[0], disk.bytes_written - before[1]))
    store.close()
    assert {calls for calls, _ in costs[1:]} == {1}
    assert costs[-1][1] <= costs[1][1] + 3  # the number of the change has three digits more


def test_the_cost_of_a_users_message_does_not_grow_either(folder, clock, disk):
    store = SessionStore(folder, clock)
    store.create("/project", "offline")
    costs = []
    for uid in range(1, 301):
        before = disk.total, disk.bytes_written
        store.append(Append("react", said(100_000 + uid)))
        costs.append((disk.total - before[0], disk.bytes_written - before[1]))
    store.close()
    assert len({calls for calls, _ in costs[1:]}) == 1
    assert costs[-1][1] <= costs[1][1] + 8  # three numbers have a few digits more


def test_snapshots_stay_in_proportion_to_what_was_written(folder, clock, disk, monkeypatch):
    monkeypatch.setattr(store_module, "JOURNAL_BYTES", 2_000)

    def written_for(folder, count):
        before = disk.bytes_written
        store = SessionStore(folder, clock)
        state = store.create("/project", "offline").state
        history = ()
        for uid in range(1, count + 1):
            message = answered(uid, "x" * 200)
            history += (message,)
            store.append(Append("react", message))
            if store.wants_snapshot:
                store.snapshot(replace(state, units={"react": history}))
        store.close()
        return disk.bytes_written - before

    small, large = written_for(folder, 200), written_for(folder.with_name("large"), 400)
    assert large < 2.5 * small
    assert len(parts(folder.with_name("large"))[0]) == 2


def test_a_uid_is_not_given_twice_after_the_history_was_emptied(folder, clock):
    store = SessionStore(folder, clock)
    state = store.create("/project", "offline").state
    store.append(Append("react", said(41)))
    store.append(ReplaceAll("react", ()))
    store.snapshot(replace(state, units={"react": ()}))
    store.close()
    assert reopened(folder, clock).state.next_uid == 42


def test_text_that_is_no_utf8_comes_back(folder, clock):
    changes = (Append("react", said(1, "see name-\udcff.txt")), Append("react", answered(2, "\ud800")))
    state = begin(folder, clock, changes, snapshot_after=(0,))
    assert reopened(folder, clock).state == state
    begin(folder.with_name("b"), clock, changes, snapshot_after=(1,))
    assert reopened(folder.with_name("b"), clock).state.units == state.units


def test_a_session_of_a_newer_program_is_left_alone(folder, clock):
    begin(folder, clock, CHANGES[:3])
    (journal,) = parts(folder)[1]
    with journal.path.open("ab") as file:
        file.write(b'{"v":99,"seq":4,"op":"dance"}\n')
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SessionError) as caught:
        reopened(folder, clock)
    assert caught.value.phrase.key == "session.newer"
    snapshot = parts(folder)[0][0].path
    record = json.loads(snapshot.read_bytes())
    snapshot.write_bytes(json.dumps({**record, "v": 99}).encode())
    with pytest.raises(SessionError) as caught:
        reopened(folder, clock)
    assert caught.value.phrase.key == "session.newer"
    snapshot.write_bytes(before[snapshot])
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_snapshot_without_changes_writes_nothing(folder, clock, disk):
    store = SessionStore(folder, clock)
    state = store.create("/project", "offline").state
    before = disk.total
    store.snapshot(state)
    assert disk.total == before
    store.close()


def test_the_list_entry_follows_the_session(folder, clock):
    from paitui.session.info import read_info

    store = SessionStore(folder, clock)
    store.create("/project", "offline")
    info = read_info(folder)
    assert (info.id, info.project, info.model, info.first_words, info.messages) == (
        folder.name, "/project", "offline", "", 0,
    )  # fmt: skip
    clock.time += timedelta(minutes=5)
    store.append(Append("react", Message("system", "s", uid=1)))
    store.append(Append("react", said(2, "读取  README.md\n并总结" + "。" * 200)))
    store.append(Append("react", answered(3)))
    info = read_info(folder)
    assert info.first_words == ("读取 README.md 并总结" + "。" * 200)[:80]
    assert info.changed == "2026-12-01T04:20:02.000Z"
    assert info.created == "2026-12-01T04:15:02.000Z"
    store.append(Set("model", "other/model"))
    store.sync()
    info = read_info(folder)
    assert (info.model, info.messages) == ("other/model", 2)
    store.append(ReplaceAll("react", (said(9, "summary of it"), answered(10), said(11))))
    store.sync()
    store.close()
    assert read_info(folder).messages == 3
    store = SessionStore(folder, clock)
    store.load()
    store.append(Append("react", answered(12)))
    store.sync()
    store.close()
    info = read_info(folder)
    assert info.messages == 4
    assert info.first_words.startswith("读取 README.md")
