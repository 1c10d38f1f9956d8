import errno
import json
import stat
from datetime import UTC, datetime

import pytest

from paitui import appendlog, atomic
from paitui.clock import FixedClock
from paitui.ledger.pages import LedgerPages
from paitui.ledger.records import SCHEMA, Record, from_line, to_line
from paitui.ledger.writer import LedgerError, LedgerWriter
from paitui.locale import Words
from paitui.messages.message import Image, Message, ToolCall
from tests.stubs.faulty_disk import FaultyDisk

USER = Message("user", "读取 README.md", uid=2, origin="typed")
CALLS = Message("assistant", "", (ToolCall("c1", "read_file", '{"path":"README.md"}'),), uid=3)
RESULT = Message("tool", "wrapped", tool_call_id="c1", name="read_file", uid=4, stored=".paitui/x.txt")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history" / "raw" / "s1.jsonl"


@pytest.fixture
def clock():
    return FixedClock(datetime(2026, 12, 1, 4, 15, 2, 345_000, UTC))


@pytest.fixture
def disk(monkeypatch):
    disk = FaultyDisk()
    monkeypatch.setattr(atomic, "os", disk)
    monkeypatch.setattr(appendlog, "os", disk)
    return disk


@pytest.fixture
def ledger(path, clock):
    writer = LedgerWriter(path, "s1", clock)
    yield writer
    writer.close()


def records(path):
    return [from_line(line) for line in path.read_bytes().splitlines()]


def test_each_message_is_one_line_as_it_is_sent(ledger, path):
    for message in (USER, CALLS, RESULT):
        ledger.message("react", message)
    raw = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [set(line) for line in raw] == [{"v", "seq", "time", "session", "unit", "event", "payload"}] * 3
    assert [(r.v, r.seq, r.session, r.unit, r.event) for r in records(path)] == [
        (SCHEMA, n, "s1", "react", "message") for n in (1, 2, 3)
    ]
    assert raw[0]["time"] == "2026-12-01T04:15:02.345Z"
    assert raw[0]["payload"] == {
        "role": "user", "content": "读取 README.md", "uid": 2, "origin": "typed", "stored": "",
    }  # fmt: skip
    assert raw[1]["payload"]["tool_calls"][0]["function"]["name"] == "read_file"
    assert raw[2]["payload"]["stored"] == ".paitui/x.txt"
    assert raw[2]["payload"]["tool_call_id"] == "c1"


def test_a_boundary_says_what_it_took_and_put(ledger, path):
    ledger.boundary("react", "clear", "over the clear threshold", 70_000, 40_000, [4, 7], ["gone", "gone too"])
    ledger.boundary("react", "cleared_history", "/clear", 40_000, 900)
    first, second = (r.payload for r in records(path))
    assert first == {
        "kind": "clear", "why": "over the clear threshold", "before": 70_000, "after": 40_000,
        "ids": [4, 7], "texts": ["gone", "gone too"],
    }  # fmt: skip
    assert second["ids"] == second["texts"] == []


def test_files_are_private(ledger, path):
    ledger.message("react", USER)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_numbers_go_on_after_reopening(path, clock):
    for expected in (1, 2, 3):
        writer = LedgerWriter(path, "s1", clock)
        writer.event("session", {"state": "resumed"})
        writer.close()
        assert records(path)[-1].seq == expected


def test_numbers_go_on_from_the_last_line_of_a_large_file_at_the_same_cost(path, clock, disk):
    path.parent.mkdir(parents=True)
    line = to_line(Record(7, "t", "s1", "react", "message", {"role": "user", "content": "x" * 1000}))
    path.write_bytes((line + b"\n") * 5_000)
    writer = LedgerWriter(path, "s1", clock)
    writer.message("react", USER)
    opened = disk.total
    costs = set()
    for _ in range(500):
        before = disk.total
        writer.message("react", USER)
        costs.add(disk.total - before)
    writer.close()
    assert costs == {1}
    assert opened == 3  # the folder is there already, one open, one write
    assert from_line(path.read_bytes().splitlines()[-1]).seq == 7 + 501


def test_every_text_of_a_payload_is_masked(path, clock):
    writer = LedgerWriter(path, "s1", clock, lambda text: text.replace("hunter2", "***"))
    writer.message("react", Message("user", "my password is hunter2", images=(Image("https://u:hunter2@x/"),)))
    writer.message("react", Message("assistant", "", (ToolCall("c", "run", '{"p":"hunter2"}'),), reasoning="hunter2"))
    writer.event("approval", {"subject": "login hunter2", "deep": [{"x": ("hunter2",)}], "hunter2": 1})
    writer.boundary("react", "summary", "why hunter2", 2, 1, [1], ["said hunter2"])
    writer.close()
    written = path.read_bytes()
    assert b"hunter2" not in written
    assert written.count(b"***") == 9


def test_text_that_is_no_utf8_is_recorded(ledger, path):
    ledger.message("react", Message("tool", "name-\udcff.txt", tool_call_id="c", name="list_dir"))
    assert records(path)[0].payload["content"] == "name-\udcff.txt"


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_torn_end_swallows_nothing_and_is_noted(path, clock, cut):
    writer = LedgerWriter(path, "s1", clock)
    writer.message("react", USER)
    writer.message("react", CALLS)
    writer.close()
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    torn = whole[first : first + cut]
    path.write_bytes(whole[: first + cut])
    writer = LedgerWriter(path, "s1", clock)
    writer.message("react", RESULT)
    writer.close()
    found = records(path)
    assert [(r.seq, r.event) for r in found] == [(1, "message"), (2, "fault"), (3, "message")]
    kept = path.with_name(found[1].payload["kept"])
    assert kept.read_bytes() == torn
    assert found[1].payload["bytes"] == cut
    assert path.read_bytes().startswith(whole[:first])


def test_a_damaged_line_in_the_middle_does_not_stop_the_writer(path, clock):
    path.parent.mkdir(parents=True)
    good = to_line(Record(5, "t", "s1", "react", "turn", {}))
    path.write_bytes(good + b"\n{broken\n" + b'{"other":"json"}\n')
    writer = LedgerWriter(path, "s1", clock)
    writer.message("react", USER)
    writer.close()
    lines = path.read_bytes().splitlines()
    assert lines[:3] == [good, b"{broken", b'{"other":"json"}']
    assert from_line(lines[3]).seq == 6


@pytest.mark.parametrize(
    ("code", "operations"),
    [
        (errno.ENOSPC, ("write",)),
        (errno.EIO, ("write",)),
        (errno.EACCES, ("open", "mkdir")),
        (errno.EROFS, ("open",)),
    ],
)
def test_a_disk_that_fails_is_told_once_and_the_gap_is_recorded(path, clock, disk, code, operations):
    writer = LedgerWriter(path, "s1", clock)
    if operations == ("write",):
        writer.message("react", USER)
    before = path.read_bytes() if path.exists() else b""
    disk.fail_always(code, *operations)
    told = []
    for _ in range(4):
        with pytest.raises(LedgerError) as caught:
            writer.message("react", CALLS)
        told.append(caught.value.first)
        for language in ("en", "zh"):
            text = Words(language).say(caught.value.phrase)
            assert str(path) in text
            assert "ledger." not in text
    assert told == [True, False, False, False]
    assert (path.read_bytes() if path.exists() else b"") == before
    disk.mend()
    writer.message("react", RESULT)
    writer.message("react", RESULT)
    writer.close()
    tail = records(path)[1:] if before else records(path)
    assert [(r.event, r.payload.get("lost")) for r in tail] == [("gap", 4), ("message", None), ("message", None)]
    assert path.read_bytes().startswith(before)
    seqs = [r.seq for r in records(path)]
    assert seqs == list(range(1, len(seqs) + 1))


def test_a_failed_flush_is_an_error(ledger, disk, path):
    ledger.message("react", USER)
    disk.fail_always(errno.EIO, "fsync")
    with pytest.raises(LedgerError):
        ledger.sync()
    disk.mend()
    ledger.sync()
    assert len(records(path)) == 1


def test_a_full_device_is_an_error_and_the_work_goes_on(tmp_path, clock):
    path = tmp_path / "full.jsonl"
    path.symlink_to("/dev/full")
    writer = LedgerWriter(path, "s1", clock)
    with pytest.raises(LedgerError) as caught:
        writer.message("react", USER)
    writer.close()
    assert caught.value.phrase.params["why"] == "No space left on device"


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path, clock):
    (tmp_path / "s1.jsonl").mkdir()
    with pytest.raises(LedgerError):
        LedgerWriter(tmp_path / "s1.jsonl", "s1", clock).message("react", USER)


def test_what_was_written_can_be_read(ledger, path):
    ledger.message("react", USER)
    ledger.event("approval", {"tool": "write_file", "decision": "once"}, "react")
    assert [row.event for row in LedgerPages(path).tail(10)] == ["message", "approval"]
