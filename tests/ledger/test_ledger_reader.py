import tracemalloc

import pytest

from paitui.ledger import reader as reader_module
from paitui.ledger.reader import Damaged, LedgerReader
from paitui.ledger.records import Record, from_line, to_line


def line(seq, event="message", unit="react", **payload):
    return to_line(Record(seq, "2026-12-01T00:00:00.000Z", "s1", unit, event, payload)) + b"\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s1.jsonl"


MIXED = (
    line(1, role="user", content="hello")
    + line(2, role="assistant", content=None, tool_calls=[{"function": {"name": "grep_code"}}])
    + line(3, role="tool", name="grep_code", content="x")
    + line(4, "boundary", kind="clear")
    + line(5, unit="task-1", role="user", content="part")
    + line(6, "approval", tool="write_file", decision="once")
)


def seqs(lines):
    return [found.record.seq for found in lines]


def test_a_missing_ledger_has_no_lines(path):
    reader = LedgerReader(path)
    assert reader.count() == 0
    assert reader.page(0, 10) == []
    assert list(reader.select()) == []


def test_pages(path):
    path.write_bytes(b"".join(line(n) for n in range(1, 101)))
    reader = LedgerReader(path)
    assert seqs(reader.page(0, 3)) == [1, 2, 3]
    assert seqs(reader.page(97, 50)) == [98, 99, 100]
    assert seqs(reader.page(-2, 50)) == [99, 100]
    assert seqs(reader.page(-500, 1)) == [1]
    assert reader.page(100, 5) == []
    assert [found.index for found in reader.page(40, 2)] == [40, 41]
    assert reader.count() == 100


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"event": "message"}, [1, 2, 3, 5]),
        ({"role": "user"}, [1, 5]),
        ({"unit": "task-1"}, [5]),
        ({"tool": "grep_code"}, [2, 3]),
        ({"tool": "write_file"}, [6]),
        ({"role": "user", "unit": "react"}, [1]),
        ({"event": "boundary", "role": "user"}, []),
    ],
)
def test_filters(path, filters, expected):
    path.write_bytes(MIXED)
    assert seqs(LedgerReader(path).select(**filters)) == expected


def test_a_search_reads_only_as_far_as_asked(path, monkeypatch):
    monkeypatch.setattr(reader_module, "SCAN_BYTES", 1000)
    path.write_bytes(b"".join(line(n, role="user") for n in range(1, 5_001)))
    reader = LedgerReader(path)
    assert next(reader.select(role="user")).record.seq == 1
    assert len(reader._ends) < 300


def test_a_large_ledger_is_not_held(path):
    big = b"".join(line(n, role="tool", content="x" * 2_000) for n in range(1, 10_001))
    path.write_bytes(big)
    reader = LedgerReader(path)
    tracemalloc.start()
    try:
        assert reader.count() == 10_000
        assert seqs(reader.page(9_990, 10)) == list(range(9_991, 10_001))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(big) / 4


def test_new_lines_are_found_without_reading_the_old_ones_again(path, monkeypatch):
    path.write_bytes(MIXED)
    reader = LedgerReader(path)
    assert reader.count() == 6
    with path.open("ab") as file:
        file.write(line(7) + b'{"torn')
    assert reader.count() == 7
    assert seqs(reader.page(6, 5)) == [7]
    with path.open("r+b") as file:  # the torn end is healed and the file grows past its old size
        file.truncate(len(MIXED) + len(line(7)))
        file.seek(0, 2)
        file.write(line(8) + line(9))
    assert seqs(reader.page(6, 5)) == [7, 8, 9]


def test_a_file_that_was_replaced_is_indexed_anew(path):
    path.write_bytes(MIXED)
    reader = LedgerReader(path)
    assert reader.count() == 6
    path.write_bytes(line(1) + line(2))
    assert reader.count() == 2
    path.unlink()
    assert reader.count() == 0


@pytest.mark.parametrize(
    "bad",
    [
        b"", b"{", b"[]", b"null", b'{"v":1}', b"\xff\xfe", b"\0\0\0",
        b'{"v":1,"seq":"1","time":"t","session":"s","unit":"u","event":"message","payload":{}}',
        b'{"v":1,"seq":true,"time":"t","session":"s","unit":"u","event":"message","payload":{}}',
        b'{"v":1,"seq":1,"time":"t","session":"s","unit":"u","event":"message","payload":[]}',
    ],
)  # fmt: skip
def test_damaged_lines_are_shown_as_such_and_passed_over(path, bad):
    path.write_bytes(line(1, role="user") + bad + b"\n" + line(3, role="user"))
    reader = LedgerReader(path)
    first, damaged, last = reader.page(0, 10)
    assert isinstance(damaged.record, Damaged)
    assert damaged.record.offset == len(line(1, role="user"))
    assert damaged.record.size == len(bad) + 1
    assert damaged.record.why
    assert seqs([first, last]) == [1, 3]
    assert len(list(reader.select())) == 3
    assert seqs(reader.select(role="user")) == [1, 3]


@pytest.mark.parametrize("cut", range(1, len(line(2)) + 1))
def test_a_torn_end_is_no_line_yet(path, cut):
    path.write_bytes(line(1) + line(2)[:-cut])
    assert LedgerReader(path).count() == 1


def test_a_record_of_a_newer_program_is_read(path):
    text = '{"v":2,"seq":1,"time":"t","session":"s","unit":"","event":"dance","payload":{},"more":1}'
    record = from_line(text.encode())
    assert (record.v, record.event, record.role, record.tool, record.called) == (2, "dance", "", "", ())


def test_odd_payloads_have_no_tool_and_no_calls():
    record = Record(1, "t", "s", "u", "message", {"role": "assistant", "tool_calls": ["x", {"function": 3}]})
    assert record.called == ()
    assert Record(1, "t", "s", "u", "message", {"tool_calls": 5}).called == ()
