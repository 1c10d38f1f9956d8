import pytest

from paitui.ledger.index import LedgerFilter
from paitui.ledger.records import Record, to_line
from paitui.ledger.view import LedgerView


def line(seq, event="message", unit="react", **payload):
    return to_line(Record(seq, "2026-12-01T00:00:00.000Z", "s1", unit, event, payload)) + b"\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s1.jsonl"


def mixed():
    return [
        line(1, role="user", content="hello 你好", uid=1),
        line(2, role="assistant", content=None, tool_calls=[{"function": {"name": "grep_code"}}], uid=2),
        line(3, role="tool", name="grep_code", content="x", uid=3),
        line(4, "boundary", kind="clear", why="over", before=9, after=4, ids=[3], texts=["cleared"]),
        line(5, unit="task-1", role="user", content="part", uid=4),
        line(6, "approval", tool="write_file", decision="once"),
    ]


def seqs(rows):
    return [row.seq for row in rows]


def test_the_newest_lines_need_no_index(path):
    path.write_bytes(b"".join(mixed()) + b'{"torn')
    view = LedgerView(path)
    assert seqs(view.tail(2)) == [5, 6]
    assert seqs(view.older(view.tail(2)[0].offset, 3)) == [2, 3, 4]
    assert view.lines == 0


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
    path.write_bytes(b"".join(mixed()))
    view = LedgerView(path)
    assert seqs(view.tail(10, which)) == expected
    assert view.index_all().complete
    assert seqs(view.rows(which, 0, 10)) == expected
    assert view.count(which) == len(expected)
    assert seqs(view.rows(which, -1, 5)) == expected[-1:]


def test_a_boundary_says_what_it_took_and_put(path):
    path.write_bytes(b"".join(mixed()))
    view = LedgerView(path)
    view.index_all()
    at = view.next_boundary(-1)
    assert at == 3 and view.previous_boundary(3) is None and view.next_boundary(3) is None
    detail = view.boundary(at)
    assert detail is not None and detail.paired
    assert [(item.uid, item.text) for item in detail.went] == [(3, "x")]
    assert [(item.uid, item.text) for item in detail.came] == [(3, "cleared")]
    assert view.boundary(2) is None


@pytest.mark.parametrize(
    ("text", "expected"), [("HELLO  你", [1]), ("role", []), ("cleared", [4]), ("grep_CODE", [3, 2])]
)
def test_a_search_finds_texts_and_no_names_of_fields(path, text, expected):
    path.write_bytes(b"".join(mixed()))
    assert [step.row.seq for step in LedgerView(path).search(text) if step.row] == expected
