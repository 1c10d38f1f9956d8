import re
from datetime import UTC, datetime, timedelta

import pytest

from paitui.clock import FixedClock
from paitui.locale import Words
from paitui.messages.message import Message
from paitui.session.files import parts
from paitui.session.info import SessionInfo, write_info
from paitui.session.listing import latest, list_sessions, new_id, resolve, session_ids
from paitui.session.state import Append, apply
from paitui.session.store import SessionError, SessionStore


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 12, 1, 4, 15, 2, tzinfo=UTC))


@pytest.fixture
def sessions(tmp_path):
    return tmp_path / "sessions"


def begin(sessions, clock, name, project="/project", words="hello"):
    store = SessionStore(sessions / name, clock)
    state = store.create(project, "offline").state
    if words:
        store.append(Append("react", Message("user", words, uid=1, origin="typed")))
    store.close()
    clock.time += timedelta(minutes=1)
    return state


def ids(found):
    return [info.id for info in found[0]]


def test_new_ids_sort_by_time_and_differ(clock):
    first = {new_id(clock) for _ in range(50)}
    assert len(first) > 45
    assert all(re.fullmatch(r"20261201-041502-[0-9a-f]{4}", name) for name in first)
    clock.time += timedelta(seconds=1)
    assert new_id(clock) > max(first)


def test_no_folder_means_no_sessions(sessions):
    assert list_sessions(sessions) == ([], [])
    assert latest(sessions, "/project") is None


def test_the_last_changed_comes_first_and_projects_are_apart(sessions, clock):
    begin(sessions, clock, "a")
    begin(sessions, clock, "b", words="读取 README.md")
    begin(sessions, clock, "c", project="/other")
    assert ids(list_sessions(sessions)) == ["c", "b", "a"]
    assert ids(list_sessions(sessions, "/project")) == ["b", "a"]
    assert list_sessions(sessions, "/project")[0][0].first_words == "读取 README.md"
    assert latest(sessions, "/project") == "b"
    assert latest(sessions, "/other") == "c"
    assert latest(sessions, "/third") is None
    store = SessionStore(sessions / "a", clock)
    store.load()
    store.append(Append("react", Message("assistant", "yes", uid=2)))
    store.sync()
    store.close()
    assert ids(list_sessions(sessions, "/project")) == ["a", "b"]
    assert list_sessions(sessions, "/project")[0][0].messages == 2


def test_the_session_to_continue_is_one_in_which_something_was_said(sessions, clock):
    begin(sessions, clock, "a")
    begin(sessions, clock, "b", words="")
    assert ids(list_sessions(sessions)) == ["b", "a"]
    assert latest(sessions, "/project") == "a"


def test_a_session_that_was_killed_in_its_first_turn_is_found(sessions, clock):
    begin(sessions, clock, "a")
    store = SessionStore(sessions / "b", clock)
    store.create("/project", "offline")
    store.append(Append("react", Message("user", "long work", uid=1, origin="typed")))
    assert latest(sessions, "/project") == "b"  # while it runs, without any sync
    store.close()


def test_a_unique_prefix_is_enough(sessions, clock):
    for name in ("20261201-041502-3fa9", "20261201-041502-3fb0", "20261202-000000-1111"):
        begin(sessions, clock, name)
    assert resolve(sessions, "20261202") == "20261202-000000-1111"
    assert resolve(sessions, "20261201-041502-3fa") == "20261201-041502-3fa9"
    with pytest.raises(SessionError) as caught:
        resolve(sessions, "20261201")
    for language in ("en", "zh"):
        text = Words(language).say(caught.value.phrase)
        assert "20261201-041502-3fa9" in text
        assert "20261201-041502-3fb0" in text
        assert "20261202" not in text
    for prefix in ("", "x", "../sessions/20261202", "3fa9"):
        with pytest.raises(SessionError) as caught:
            resolve(sessions, prefix)
        assert caught.value.phrase.key == "session.no_match"


def test_a_whole_id_wins_over_a_longer_one(sessions, clock):
    begin(sessions, clock, "abc")
    begin(sessions, clock, "abcd")
    assert resolve(sessions, "abc") == "abc"


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"{}", b'{"id":3}'])
def test_a_damaged_entry_is_made_again_from_the_session(sessions, clock, content):
    begin(sessions, clock, "a", words="first words")
    store = SessionStore(sessions / "a", clock)
    state = store.load().state
    change = Append("react", Message("assistant", "x", uid=2))
    store.append(change)
    store.snapshot(apply(state, change))
    store.close()
    entry = sessions / "a" / "meta.json"
    entry.unlink()
    if content is not None:
        entry.write_bytes(content)
    found, problems = list_sessions(sessions, "/project")
    assert problems == []
    assert [(i.id, i.first_words, i.messages) for i in found] == [("a", "first words", 2)]
    store = SessionStore(sessions / "a", clock)
    store.load()
    store.sync()
    store.close()
    assert b"first words" in entry.read_bytes()


def test_an_entry_cut_off_anywhere_is_made_again(sessions, clock):
    begin(sessions, clock, "a")
    entry = sessions / "a" / "meta.json"
    whole = entry.read_bytes()
    for cut in range(len(whole)):
        entry.write_bytes(whole[:cut])
        assert ids(list_sessions(sessions, "/project")) == ["a"]


def test_a_session_that_is_lost_is_reported_and_the_others_are_listed(sessions, clock):
    begin(sessions, clock, "a")
    begin(sessions, clock, "b")
    (sessions / "b" / "meta.json").unlink()
    parts(sessions / "b")[0][0].path.write_bytes(b"{")
    found, problems = list_sessions(sessions)
    assert [info.id for info in found] == ["a"]
    assert [problem.key for problem in problems] == ["session.lost"]
    assert sorted(session_ids(sessions)) == ["a", "b"]


def test_other_things_in_the_folder_are_no_sessions(sessions, clock):
    begin(sessions, clock, "a")
    (sessions / "note.txt").write_text("x")
    (sessions / ".hidden").mkdir()
    (sessions / "begun-and-killed").mkdir()
    assert list_sessions(sessions)[1] == []
    assert ids(list_sessions(sessions)) == ["a"]


def test_a_folder_that_is_none_is_an_error(tmp_path):
    (tmp_path / "sessions").write_text("x")
    with pytest.raises(SessionError):
        list_sessions(tmp_path / "sessions")


def test_the_list_reads_one_small_file_for_each_session(sessions, clock, monkeypatch):
    from paitui.session import listing

    when = "2026-12-01T04:15:02.000Z"
    for number in range(1_000):
        write_info(sessions / f"s{number:04}", SessionInfo(f"s{number:04}", "/project", when, when, "offline"))
    reads = []
    monkeypatch.setattr(listing, "read_info", lambda folder, real=listing.read_info: reads.append(1) or real(folder))

    def refuse(folder):
        raise AssertionError("a large file was read")

    monkeypatch.setattr(listing, "newest_state", refuse)
    assert len(list_sessions(sessions)[0]) == 1_000
    assert len(reads) == 1_000
