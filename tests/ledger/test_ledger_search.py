"""Searching a ledger in its bytes finds what its texts say."""

import json
from itertools import islice

import pytest

from paitui.ledger import search as search_module
from paitui.ledger.facts import WHOLE_BYTES
from paitui.ledger.index import LedgerFilter
from paitui.ledger.pages import LedgerPages
from paitui.ledger.records import Record, to_line


def line(seq, content, role="user", **more):
    return to_line(Record(seq, "t", "s", "react", "message", {"role": role, "content": content, **more})) + b"\n"


def call(seq, arguments):
    return line(
        seq, None, "assistant", tool_calls=[{"id": "c", "function": {"name": "grep_code", "arguments": arguments}}]
    )


LINES = [
    line(1, "Die Größe ÄNDERT sich, said Иван"),
    line(2, 'a "quoted" path\\to\\file'),
    line(3, "two\nlines   and\ttabs"),
    call(4, json.dumps({"path": "src/模块.py", "text": 'say "hi"\nthere'}, ensure_ascii=False)),
    call(5, json.dumps({"path": "src/模块.py"})),
    line(6, "lone \udcff 代码 surrogate"),
    line(7, "x" * WHOLE_BYTES + " 尾巴 of a Long\nline"),
    line(8, "模块 again"),
    b'{"damaged": "needle \n',
]


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(LINES))
    return LedgerPages(path)


def found(pages, text, **more):
    return [step.row.seq for step in pages.search(text, **more) if step.row]


@pytest.mark.parametrize("block", [200, 1 << 20])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("größe ändert", [1]), ("GRÖSSE", []), ("иВАН", [1]),
        ('A "QUOTED"', [2]), ("path\\to", [2]), ("lines and tabs", [3]), ("two lines", [3]),
        ("模块", [8, 5, 4]), ('say "hi"', [4]), ("代码 surrogate", [6]),
        ("尾巴 OF a long line", [7]), ("needle", [0]), ("grep_code", [5, 4]),
        ("tool_calls", []), ("content", []), ("role", []), ("nothing such", []), ("  ", []), (".*", []),
    ],
)  # fmt: skip
def test_texts_are_found_and_names_of_fields_are_not(pages, monkeypatch, block, text, expected):
    monkeypatch.setattr(search_module, "SEARCH_BYTES", block)
    assert found(pages, text) == expected
    assert found(pages, text, backwards=False) == expected[::-1]


def test_a_search_goes_on_from_a_line_and_within_a_filter(pages):
    at = {row.seq: row.offset for row in pages.tail(99)}
    assert found(pages, "模块", offset=at[8]) == [5, 4]
    assert found(pages, "模块", offset=at[5], backwards=False) == [5, 8]
    assert found(pages, "模块", which=LedgerFilter(role="user")) == [8]


def test_a_search_can_be_stopped_between_blocks(pages, monkeypatch):
    monkeypatch.setattr(search_module, "SEARCH_BYTES", 100)
    steps = [step.at for step in islice(pages.search("no such text"), 4)]
    assert steps == sorted(steps, reverse=True) and len(set(steps)) == 4


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_what_lies_across_two_pieces_of_a_long_line_is_found(tmp_path, monkeypatch, cut):
    monkeypatch.setattr(search_module, "SEARCH_BYTES", 64 * 1_024)
    path = tmp_path / "s.jsonl"
    path.write_bytes(line(1, "y" * (4 * 64 * 1_024 - 100 - cut) + "needle 针尖" + "z" * 300_000) + line(2, "end"))
    assert found(LedgerPages(path), "NEEDLE 针尖") == [1]
    assert found(LedgerPages(path), "needles") == []
