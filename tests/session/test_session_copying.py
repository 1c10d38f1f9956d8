"""Copies and deletions, what a list tells of them, and what a crash leaves."""

import os
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from paitui import atomic
from paitui.clock import FixedClock
from paitui.messages.message import Message, ToolCall
from paitui.session import copying
from paitui.session.copying import UNFINISHED, fork
from paitui.session.info import Tally, info_of, message_tokens, read_info
from paitui.session.listing import broken_off, list_sessions, needed_outputs, session_ids
from paitui.session.removal import GONE, delete
from paitui.session.state import Append, ReplaceAll, Replay, Rewrite, SessionState, Set, SetExtra
from paitui.session.store import SessionError, SessionStore

PROJECT = "/project"


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 12, 1, 4, 15, 2, tzinfo=UTC))


@pytest.fixture
def sessions(tmp_path):
    return tmp_path / "sessions"


def begin(sessions, clock, name="a", words="读取 README.md", finish=True, close=True):
    store = SessionStore(sessions / name, clock)
    store.create(PROJECT, "offline")
    if words:
        store.append(Append("react", Message("user", words, uid=1, origin="typed")))
    if finish:
        store.finish()
    if close:
        store.close()
    return store


def test_a_copy_holds_what_the_original_holds_but_what_was_its_alone(sessions, clock):
    store = begin(sessions, clock, close=False)
    store.append(Append("react", Message("assistant", "done", uid=2)))
    store.append(Set("queue", ((1, "then this", ()),)))
    store.append(Set("approvals", ("pytest",)))
    store.append(Set("trust", "web https://example.org"))
    store.append(SetExtra("undo:react", [1, 2]))
    before = {path.name: path.read_bytes() for path in store.folder.iterdir()}
    info, _ = fork(sessions, "a", clock)  # while it is open
    assert {path.name: path.read_bytes() for path in store.folder.iterdir()} == before
    store.append(Append("react", Message("user", "only here", uid=3, origin="typed")))
    store.close()

    copy = SessionStore(sessions / info.id, clock)
    state = copy.load().state
    assert [message.content for message in state.units["react"]] == ["读取 README.md", "done"]
    assert (state.session, state.project, state.next_uid) == (info.id, PROJECT, 3)
    assert (state.queue, state.approvals) == ((), ())
    assert state.trust == "web https://example.org" and state.extra["undo:react"] == [1, 2]
    assert info.forked_from == ("a",) and info.first_words == "读取 README.md" and info.messages == 2
    copy.append(Append("react", Message("user", "only there", uid=3, origin="typed")))
    copy.close()
    assert [m.content for m in SessionStore(sessions / "a", clock).load().state.units["react"]][-1] == "only here"


def test_a_copy_of_a_copy_refers_to_files_of_both(sessions, clock):
    begin(sessions, clock)
    first, _ = fork(sessions, "a", clock)
    second, _ = fork(sessions, first.id, clock)
    assert second.forked_from == (first.id, "a")
    delete(sessions, "a")
    assert needed_outputs(sessions) == {"a", first.id, second.id}
    delete(sessions, first.id)
    delete(sessions, second.id)
    assert needed_outputs(sessions) == set()


def test_what_is_needed_is_not_known_while_a_session_cannot_be_read(sessions, clock):
    begin(sessions, clock)
    (sessions / "a/meta.json").unlink()
    next((sessions / "a").glob("snapshot-*")).write_bytes(b"{")
    assert needed_outputs(sessions) is None


@pytest.mark.parametrize("after", range(12))
def test_a_copy_is_whole_or_not_there(sessions, clock, monkeypatch, after):
    """A fault at any step of the system leaves no session in the list, and the next copy clears up."""
    begin(sessions, clock)
    left = [after]

    def failing(real):
        def call(*given, **more):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "no space left on the device")
            return real(*given, **more)

        return call

    for module, names in ((atomic.os, ("open", "write", "fsync", "replace", "mkdir")), (copying.os, ("rename",))):
        for name in names:
            monkeypatch.setattr(module, name, failing(getattr(module, name)))
    try:
        info, _ = fork(sessions, "a", clock)
    except SessionError as error:
        assert error.phrase.key in ("session.not_copied", "session.unreadable")
        monkeypatch.undo()
        assert session_ids(sessions) == ["a"]
        return
    monkeypatch.undo()
    assert SessionStore(sessions / info.id, clock).load().state.units["react"]


def test_what_a_killed_copy_or_deletion_left_is_in_no_list_and_goes(sessions, clock):
    begin(sessions, clock)
    for name in (f"{UNFINISHED}dead", f"{GONE}dead"):
        (sessions / name).mkdir()
        (sessions / name / "meta.json").write_bytes(b"{}")
    assert session_ids(sessions) == ["a"]
    os.utime(sessions / f"{UNFINISHED}dead", (0, 0))
    info, _ = fork(sessions, "a", clock)
    delete(sessions, info.id)
    assert sorted(path.name for path in sessions.iterdir()) == ["a"]


def test_an_open_session_is_not_deleted(sessions, clock):
    store = begin(sessions, clock, close=False)
    with pytest.raises(SessionError) as refused:
        delete(sessions, "a")
    assert refused.value.phrase.key == "session.open_elsewhere" and store.folder.is_dir()
    store.close()
    delete(sessions, "a")
    assert not store.folder.exists()
    with pytest.raises(SessionError):
        delete(sessions, "a")


def test_the_last_session_is_broken_off_unless_it_ended_or_is_open(sessions, clock):
    assert broken_off(sessions, PROJECT) is None
    begin(sessions, clock, "empty", words="", finish=False)
    assert broken_off(sessions, PROJECT) is None  # nobody said anything
    store = begin(sessions, clock, "crashed", finish=False, close=False)
    assert broken_off(sessions, PROJECT) is None  # it is open
    store.close()
    found = broken_off(sessions, PROJECT)
    assert found is not None and found.id == "crashed"
    assert broken_off(sessions, "/other") is None
    assert broken_off(sessions, PROJECT, but="crashed") is None
    again = SessionStore(sessions / "crashed", clock)
    again.load()
    again.finish()
    again.close()
    assert broken_off(sessions, PROJECT) is None


def test_an_end_is_taken_back_by_what_comes_after(sessions, clock):
    begin(sessions, clock)
    store = SessionStore(sessions / "a", clock)
    store.load()
    store.append(Append("react", Message("user", "more", uid=2, origin="typed")))
    store.close()
    assert not read_info(sessions / "a").ended
    [info], _ = list_sessions(sessions)
    assert info.messages == 2 and info.tokens == sum(
        message_tokens(Message("user", text, uid=1)) for text in ("读取 README.md", "more")
    )


def test_a_session_of_an_older_program_counts_as_ended(sessions, clock):
    begin(sessions, clock, finish=False)
    (sessions / "a/meta.json").write_text(
        '{"id":"a","project":"/project","created":"","changed":"","model":"offline","first_words":"x","messages":1}'
    )
    assert read_info(sessions / "a").ended and read_info(sessions / "a").tokens == 0
    assert broken_off(sessions, PROJECT) is None


def test_the_tally_keeps_in_step_with_the_histories():
    """After any changes it says what counting everything anew says."""
    made = random.Random(7)
    tally = Tally()
    replay = Replay(SessionState("s", PROJECT, "", "offline"))
    uids = 0
    for _ in range(400):
        unit = made.choice(["react", "plan:t1"])
        have = replay.state().units.get(unit, ())
        kind = made.random()
        if kind < 0.7 or not have:
            uids += 1
            calls = (ToolCall("c", "read_file", "{}" * made.randrange(9)),)
            change = Append(unit, Message("assistant", "字 word " * made.randrange(9), calls, uid=uids))
        elif kind < 0.9:
            one = made.choice(have)
            change = Rewrite(unit, {one.uid: replace(one, content="shorter")})
        else:
            change = ReplaceAll(unit, have[made.randrange(len(have)) :])
        tally.note(change)
        replay.apply(change)
    info = info_of(replay.state(), "")
    assert (tally.messages, tally.tokens) == (info.messages, info.tokens)
