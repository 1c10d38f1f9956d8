"""Looking through a ledger: its pages, its index, and what may become of the file meanwhile."""

import tracemalloc
from itertools import islice

import pytest

from paitui.ledger import index as index_module
from paitui.ledger import lines as lines_module
from paitui.ledger.facts import WHOLE_BYTES, Facts, facts_of
from paitui.ledger.index import EVERYTHING, Index, LedgerFilter
from paitui.ledger.records import Record, from_line, to_line
from paitui.ledger.view import LedgerView


def line(seq, event="message", unit="react", **payload):
    return to_line(Record(seq, "2026-12-01T00:00:00.000Z", "s1", unit, event, payload)) + b"\n"


def long(seq, chars=WHOLE_BYTES, **payload):
    return line(
        seq, role="tool", content="长" * chars, tool_call_id="c", name="grep_code", uid=seq, origin="", **payload
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s1.jsonl"


MIXED = [
    line(1, role="user", content="hello 你好", uid=1),
    line(2, role="assistant", content=None, tool_calls=[{"function": {"name": "grep_code"}}], uid=2),
    line(3, role="tool", name="grep_code", content="x", uid=3),
    line(4, "boundary", kind="clear", why="over", before=9, after=4, ids=[3], texts=["cleared"]),
    line(5, unit="task-1", role="user", content="part", uid=4),
    line(6, "approval", tool="write_file", decision="once"),
]


def seqs(rows):
    return [row.seq for row in rows]


def indexed(path):
    view = LedgerView(path)
    assert view.index_all().complete
    return view


def test_a_missing_ledger_has_no_lines(path):
    view = LedgerView(path)
    assert view.poll() == "gone" and view.index_all().complete
    assert view.tail(5) == view.rows(EVERYTHING, 0, 5) == view.newer(0, 5) == list(view.search("x")) == []
    assert view.count() == 0 and view.next_boundary(-1) is None and view.row(0) is None


def test_the_newest_lines_need_no_index(path):
    path.write_bytes(b"".join(MIXED) + b'{"torn')
    view = LedgerView(path)
    assert seqs(view.tail(2)) == [5, 6]
    assert seqs(view.older(view.tail(2)[0].offset, 3)) == [2, 3, 4]
    assert seqs(view.newer(view.tail(2)[0].offset, 9)) == [5, 6]
    assert view.lines == 0 and view.tail(1)[0].line == -1


def test_pages(path):
    path.write_bytes(b"".join(line(n) for n in range(1, 101)))
    view = indexed(path)
    assert seqs(view.rows(EVERYTHING, 0, 3)) == [1, 2, 3]
    assert seqs(view.rows(EVERYTHING, 97, 50)) == [98, 99, 100]
    assert seqs(view.rows(EVERYTHING, -2, 50)) == [99, 100]
    assert seqs(view.rows(EVERYTHING, -500, 1)) == [1]
    assert view.rows(EVERYTHING, 100, 5) == []
    assert [row.line for row in view.tail(2)] == [98, 99]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        (LedgerFilter(), [1, 2, 3, 4, 5, 6]),
        (LedgerFilter(event="message"), [1, 2, 3, 5]),
        (LedgerFilter(role="user"), [1, 5]),
        (LedgerFilter(unit="task-1"), [5]),
        (LedgerFilter(tool="grep_code"), [2, 3]),
        (LedgerFilter(tool="write_file"), [6]),
        (LedgerFilter(role="user", unit="react"), [1]),
        (LedgerFilter(event="boundary", role="user"), []),
    ],
)
def test_filters_with_and_without_an_index(path, which, expected):
    path.write_bytes(b"".join(MIXED))
    view = LedgerView(path)
    assert seqs(view.tail(10, which)) == seqs(view.newer(0, 10, which)) == expected
    assert view.index_all().complete
    assert seqs(view.rows(which, 0, 10)) == expected
    assert view.count(which) == len(expected)
    assert seqs(view.rows(which, -1, 5)) == expected[-1:]
    assert [view.rank(seq - 1, which) for seq in expected] == list(range(len(expected)))


@pytest.mark.parametrize("block_lines", [1, 2, 3, 16_384])
def test_an_index_of_several_blocks_finds_the_same(path, monkeypatch, block_lines):
    monkeypatch.setattr(index_module, "BLOCK_LINES", block_lines)
    path.write_bytes(b"".join(MIXED))
    view = indexed(path)
    messages = LedgerFilter(event="message")
    assert [seqs(view.rows(messages, start, 9)) for start in range(5)] == [[1, 2, 3, 5], [2, 3, 5], [3, 5], [5], []]
    rows = view.rows(EVERYTHING, 0, 9)
    assert seqs(rows) == [1, 2, 3, 4, 5, 6]
    assert [view.line_at(row.offset) for row in rows] == [view.line_at(row.offset + row.size) for row in rows]
    assert [view.line_at(row.offset) for row in rows] == [0, 1, 2, 3, 4, 5]
    assert view.line_at(view.end) == 6 and view.rank(5, messages) == 4
    assert [view.message(uid, 5) for uid in (1, 3, 4, 9, 0)] == [0, 2, 4, None, None]
    assert view.message(4, 2) == 4  # recorded behind the line
    assert [view.line_of_seq(seq) for seq in range(8)] == [None, 0, 1, 2, 3, 4, 5, None]
    assert (view.next_boundary(-1), view.next_boundary(3), view.previous_boundary(3), view.previous_boundary(9)) == (
        3, None, None, 3,
    )  # fmt: skip
    assert view.next_boundary(-1, LedgerFilter(unit="task-1")) is None
    assert view.facets()["tool"] == {"grep_code": 2, "write_file": 1}
    assert view.facets()["unit"] == {"react": 5, "task-1": 1}


def test_an_index_holds_numbers_of_any_size(monkeypatch):
    monkeypatch.setattr(index_module, "BLOCK_LINES", 4)
    index = Index()
    ends = [10, 5_000_000_000, 5_000_000_007, 5_000_000_009, 5_000_000_012, 10_000_000_000]
    for number, end in enumerate(ends):
        index.add(end, ("message", "u", "user", "", ()), (1 << 40) + number)
    assert [index.bounds(at)[1] for at in range(6)] == ends
    assert [index.line_at(end - 1) for end in ends] == list(range(6))
    assert index.message((1 << 40) + 3, 6) == 3


def test_more_units_than_anybody_has_are_not_told_apart(monkeypatch):
    monkeypatch.setattr(index_module, "MOST_SHAPES", 1_024 + 8)
    index = Index()
    for number in range(5_000):
        index.add(number + 1, ("message", f"unit-{number}", f"role-{number % 3}", "", ()), 0)
    assert len(index.shapes) == 8 + 3
    assert index.count(LedgerFilter(unit="unit-7")) == 1
    assert index.count(LedgerFilter(role="role-1")) == sum(number % 3 == 1 for number in range(5_000))


@pytest.mark.parametrize("block", [7, 64, 1 << 20])
def test_lines_are_found_whatever_a_block_ends_in(path, monkeypatch, block):
    for name in ("BLOCK_BYTES", "_FIRST_BLOCK"):
        monkeypatch.setattr(lines_module, name, block)
    path.write_bytes(b"".join([MIXED[0], b"\n\n", *MIXED[1:], b"{torn"]))
    view = indexed(path)
    assert seqs(view.tail(99)) == seqs(view.rows(EVERYTHING, 0, 99)) == [1, 0, 0, 2, 3, 4, 5, 6]
    assert [row.offset for row in view.tail(99)] == [row.offset for row in view.rows(EVERYTHING, 0, 99)]


@pytest.mark.parametrize("block", [1 << 16, 1 << 20])
def test_a_long_line_is_known_by_its_ends(path, monkeypatch, block):
    monkeypatch.setattr(lines_module, "BLOCK_BYTES", block)
    calls = [{"id": "c", "type": "function", "function": {"name": "write_file", "arguments": "内" * WHOLE_BYTES}}]
    calls.append({"id": "d", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}})
    path.write_bytes(
        MIXED[0]
        + long(2, stored="a.txt")
        + line(3, role="assistant", content='say "function":{"name":"never"}', tool_calls=calls, uid=3, origin="")
        + b"x" * (WHOLE_BYTES + 1)
        + b"\n"
        + MIXED[5]
    )
    view = indexed(path)
    rows = view.rows(EVERYTHING, 0, 9)
    assert [(row.seq, row.event, row.role, row.tools, row.uid) for row in rows] == [
        (1, "message", "user", (), 1),
        (2, "message", "tool", ("grep_code",), 2),
        (3, "message", "assistant", ("write_file", "list_dir"), 3),
        (0, "damaged", "", (), 0),
        (6, "approval", "", ("write_file",), 0),
    ]
    assert rows[1].words.startswith("长长") and rows[2].words.startswith('say "function"')
    assert view.count(LedgerFilter(tool="list_dir")) == 1 and view.message(2, 4) == 1
    assert [row.seq for row in view.tail(9)] == [row.seq for row in rows]
    whole = b"".join(piece.data for piece in all_pieces(view, rows[1], 65_537))
    assert whole + b"\n" == long(2, stored="a.txt")
    assert all("\ufffd" not in piece.text for piece in all_pieces(view, rows[1], 65_537))


def all_pieces(view, row, count):
    start = 0
    while start < row.size:
        piece = view.piece(row, start, count)
        assert start < piece.stop <= start + count
        start = piece.stop
        yield piece


def test_a_large_ledger_is_not_held(path):
    some = b"".join(line(n, role="tool", content="x" * 2_000) for n in range(1, 5_001)) + long(5_001, 3_000_000)
    path.write_bytes(some)
    tracemalloc.start()
    try:
        view = indexed(path)
        assert seqs(view.rows(EVERYTHING, -2, 2)) == seqs(view.tail(2)) == [5_000, 5_001]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(some) / 3


def test_huge_lines_end_a_page_early(path, monkeypatch):
    monkeypatch.setattr("paitui.ledger.pages.TAIL_BUDGET_BYTES", 500_000)
    path.write_bytes(MIXED[0] + long(2) + long(3) + long(4))
    view = LedgerView(path)
    assert seqs(view.tail(50)) == [3, 4]
    assert seqs(view.older(view.tail(50)[0].offset, 50)) == [1, 2]


def test_the_index_grows_by_steps_and_shows_what_it_has(path):
    path.write_bytes(b"".join(line(n) for n in range(1, 1_001)))
    view = LedgerView(path)
    first = view.build_index(1_000)
    assert not first.complete and 1_000 <= first.done < 2_000 and not view.complete
    assert 0 < view.lines < 20 and seqs(view.rows(EVERYTHING, -1, 1)) == [view.lines]
    done = [first.done]
    while not (progress := view.build_index(1_000)).complete:
        done.append(progress.done)
    assert done == sorted(set(done)) and view.lines == 1_000


def test_a_live_ledger_is_followed(path):
    path.write_bytes(b"".join(MIXED))
    view = indexed(path)
    assert view.poll() == "same"
    with path.open("ab") as file:
        file.write(line(7) + b'{"torn')
    assert view.poll() == "grown" and view.build_index().complete
    assert seqs(view.rows(EVERYTHING, -2, 2)) == [6, 7]
    with path.open("r+b") as file:  # the torn end is healed, and the file grows past its old size
        file.truncate(len(b"".join(MIXED)) + len(line(7)))
        file.seek(0, 2)
        file.write(line(8) + line(9))
    assert view.poll() == "grown" and view.build_index().complete
    assert seqs(view.rows(EVERYTHING, -3, 9)) == [7, 8, 9]
    with path.open("ab") as file:
        file.write(b'{"torn again')
    assert view.poll() == "same"


@pytest.mark.parametrize("how", ["shorter", "same size", "another file", "cut and grown", "gone"])
def test_a_file_that_was_replaced_is_indexed_anew(path, how):
    path.write_bytes(b"".join(MIXED))
    view = indexed(path)
    match how:
        case "shorter":
            path.write_bytes(line(1) + line(2))
        case "same size":
            path.write_bytes(b"".join([*MIXED[:5], MIXED[5].replace(b"once", b"ever")]))
        case "another file":
            other = path.with_name("other")
            other.write_bytes(line(1) + line(2) + b"".join(MIXED))
            other.replace(path)
        case "cut and grown":
            path.write_bytes(b"".join(MIXED[:5]) + line(6, content="x" * 500))
        case "gone":
            path.unlink()
    expected = path.read_bytes().count(b"\n") if path.exists() else 0
    assert view.poll() == ("gone" if how == "gone" else "replaced")
    assert view.index_all().complete and view.lines == expected == len(view.rows(EVERYTHING, 0, 99))


def test_a_read_of_a_replaced_file_shows_nothing_false(path):
    path.write_bytes(b"".join(MIXED))
    view = indexed(path)
    size = path.stat().st_size
    path.write_bytes(b"x" * size)
    assert view.rows(EVERYTHING, 2, 9) == []
    path.write_bytes(b"".join(MIXED))
    assert view.poll() == "replaced"  # it was seen to be another one


BAD = [
    b"", b"{", b"[]", b"null", b"7", b'{"v":1}', b"\xff\xfe", b"\0\0\0", b"[" * 100_000,
    b'{"v":1,"seq":"1","time":"t","session":"s","unit":"u","event":"message","payload":{}}',
    b'{"v":1,"seq":true,"time":"t","session":"s","unit":"u","event":"message","payload":{}}',
    b'{"v":true,"seq":1,"time":"t","session":"s","unit":"u","event":"message","payload":{}}',
    b'{"v":1,"seq":1,"time":"t","session":"s","unit":"u","event":"message","payload":[]}',
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_damaged_lines_are_shown_as_such_and_passed_over(path, bad):
    path.write_bytes(line(1, role="user") + bad + b"\n" + line(3, role="user"))
    view = indexed(path)
    _, damaged, last = view.rows(EVERYTHING, 0, 9)
    assert (damaged.event, damaged.offset, damaged.size, damaged.seq) == (
        "damaged",
        len(line(1, role="user")),
        len(bad),
        0,
    )
    assert damaged.why and last.seq == 3 and view.record(damaged) is None
    assert seqs(view.rows(LedgerFilter(role="user"), 0, 9)) == [1, 3]
    assert view.count(LedgerFilter(event="damaged")) == 1
    assert view.line_of_seq(3) == 2


@pytest.mark.parametrize(
    "record",
    [
        Record(1, "t", "s", "u", "message", {"role": "assistant", "tool_calls": ["x", {"function": 3}]}),
        Record(1, "t", "s", "u", "message", {"tool_calls": 5}),
        Record(1, "t", "s", "u", "message", {"role": ["odd"], "uid": "7", "content": {"a": 1}}),
        Record(1, "t", "s", "u", "message", {"role": "user", "content": [{"type": "text", "text": "hi"}, 3]}),
        Record(1, "t", "s", "u", "boundary", {"kind": 7, "ids": "x", "texts": 3, "before": "y"}),
        Record(1, "t", "s", "", "dance", {"tool": "waltz", "deep": {"x": [1]}}, v=2),
        Record(1, "t", "s", "\udcff", "message", {"role": "tool", "content": "\udcff", "name": "x"}),
    ],
)
def test_odd_records_are_shown_and_the_index_agrees_with_the_row(path, record):
    path.write_bytes(to_line(record) + b"\n")
    assert from_line(to_line(record)) == record
    view = indexed(path)
    [row] = view.rows(EVERYTHING, 0, 9)
    facts, _ = facts_of(to_line(record))
    assert Facts(*facts) == row.facts and (row.seq, row.v) == (1, record.v)
    view.boundary(0)


def test_older_lines_are_walked_as_far_as_somebody_asks(path):
    path.write_bytes(b"".join(MIXED))
    walked = [
        (row.seq if row else 0) for _, row in islice(LedgerView(path).older_rows(None, LedgerFilter(role="user")), 3)
    ]
    assert walked == [0, 5, 0]


def test_all_records_are_read_in_order_without_a_torn_end(path):
    assert list(LedgerView(path).records()) == []
    path.write_bytes(MIXED[0] + b"{broken\n" + MIXED[1] + b'{"torn')
    assert [record and record.seq for record in LedgerView(path).records()] == [1, None, 2]


def test_the_newest_page_of_a_gigabyte_costs_no_more_than_a_page(path):
    with path.open("wb") as file:
        file.truncate(1_000_000_000)  # takes no room on the disk
        file.seek(0, 2)
        file.write(b"\n" + b"".join(line(n, role="user", content="文" * 100) for n in range(1, 101)))
    tracemalloc.start()
    try:
        rows = LedgerView(path).tail(50)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert seqs(rows) == list(range(51, 101)) and peak < 4_000_000
