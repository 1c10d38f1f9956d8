"""What a boundary took out and put in, and whether a ledger is sound."""

import pytest

from paitui.ledger.checking import check
from paitui.ledger.records import Record, to_line
from paitui.ledger.view import LedgerView


class Ledger:
    """Writes records one after the other."""

    def __init__(self, path):
        self.path = path
        self.seq = 0

    def add(self, event="message", unit="react", **payload):
        self.seq += 1
        record = Record(self.seq, "2026-12-01T00:00:00.000Z", "s1", unit, event, payload)
        with self.path.open("ab") as file:
            file.write(to_line(record) + b"\n")
        return self.seq - 1

    def say(self, uid, text, role="user", unit="react", **more):
        return self.add(unit=unit, role=role, content=text, uid=uid, **more)

    def cut(self, kind, ids, texts=(), unit="react", why="over"):
        return self.add("boundary", unit, kind=kind, why=why, before=9, after=4, ids=ids, texts=list(texts))


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "s1.jsonl")


def detail(ledger, line, *page):
    view = LedgerView(ledger.path)
    view.index_all()
    return view.boundary(line, *page)


def told(items):
    return [(item.uid, item.text) for item in items]


def test_a_clear_says_what_stood_there_and_what_stands_now(ledger):
    ledger.say(1, "one")
    ledger.say(2, "two")
    found = detail(ledger, ledger.cut("clear", [1, 2], ["c1", "c2"]))
    assert told(found.went) == [(1, "one"), (2, "two")] and told(found.came) == [(1, "c1"), (2, "c2")]
    assert found.paired and found.unknown == 0 and (found.shown, found.total) == (2, 2)


def test_a_result_put_into_a_file_as_it_arrived_has_its_text_there(ledger):
    ledger.say(1, "notice", "tool", stored="out.txt")
    found = detail(ledger, ledger.cut("offload", [1], ["notice"]))
    [item] = found.went
    assert (item.text, item.stored, item.cut, item.shortened) == ("", "out.txt", True, False)
    assert told(found.came) == [(1, "notice")]


def test_a_summary_takes_out_what_stood_there_then(ledger):
    ledger.say(1, "do it")
    ledger.say(2, "full", "tool")
    ledger.say(3, "other", unit="task-1")
    ledger.cut("clear", [2], ["cleared"])
    ledger.cut("clear", [3], ["not this"], unit="task-1")
    found = detail(ledger, ledger.cut("summary", [1, 2], ["all of it"]))
    assert told(found.went) == [(1, "do it"), (2, "cleared")] and told(found.came) == [(0, "all of it")]
    assert [item.shortened for item in found.went] == [False, True] and not found.paired
    second = detail(ledger, ledger.cut("summary", [2, 9], ["more"]))
    assert second.unknown == 1 and second.went[1].row is None  # the summary before has no record


def test_an_undo_brings_back_what_its_boundary_took(ledger):
    ledger.say(1, "one")
    ledger.say(2, "two")
    first = ledger.cut("clear", [1], ["c1"])
    ledger.cut("summary", [1, 2], ["sum"])
    summary_back = detail(ledger, ledger.cut("undo", [1, 2], why="summary"))
    assert told(summary_back.went) == [(0, "sum")] and told(summary_back.came) == [(1, "c1"), (2, "two")]
    clear_back = detail(ledger, ledger.cut("undo", [], why="clear"))
    assert clear_back.undone.line == first
    assert told(clear_back.went) == [(1, "c1")] and told(clear_back.came) == [(1, "one")]
    found = detail(ledger, ledger.cut("summary", [1], ["again"]))
    assert told(found.went) == [(1, "one")]  # the clear was taken back


def test_clearing_the_history_takes_all_and_puts_nothing(ledger):
    for uid in range(1, 8):
        ledger.say(uid, f"m{uid}")
    at = ledger.cut("cleared_history", list(range(1, 8)))
    found = detail(ledger, at, 2, 3)
    assert told(found.went) == [(3, "m3"), (4, "m4"), (5, "m5")] and found.came == ()
    assert (found.start, found.shown, found.total) == (2, 3, 7)


def test_calls_and_long_texts_are_told_in_part(ledger):
    calls = [{"id": "c", "function": {"name": "write_file", "arguments": '{"path":"a"}'}}]
    ledger.say(1, None, "assistant", tool_calls=calls)
    ledger.say(2, "y" * 10_000)
    found = detail(ledger, ledger.cut("clear", [1, 2], ["", "c"]))
    assert found.went[0].text == 'write_file({"path":"a"})'
    assert len(found.went[1].text) < 5_000 and found.went[1].cut and not found.went[0].cut


def test_a_sound_ledger_is_sound_with_all_that_may_happen(ledger):
    ledger.add("session", "", state="opened")
    ledger.say(1, "do it")
    ledger.say(2, None, "assistant", tool_calls=[{"id": "c1", "function": {"name": "x"}}, {"id": "c2"}])
    ledger.say(3, "r1", "tool", tool_call_id="c1")
    ledger.cut("summary", [1, 2, 3], ["sum"])
    ledger.say(6, "next")  # 4 and 5 are the summary and its acknowledgement
    ledger.cut("summary", [4, 5, 6], ["sum 2"])
    ledger.add("gap", "", lost=3)
    ledger.add("fault", "", what="torn end", kept="x")
    ledger.add("dance", "", steps=3)
    found = check(ledger.path)
    assert found.sound, found.problems
    assert (found.lines, found.unwritten, found.healed, found.unanswered) == (10, 3, 1, 0 + 1)
    assert found.events["message"] == 4


def test_ids_of_messages_that_cannot_be_are_told(ledger):
    ledger.say(1, "one")
    ledger.cut("clear", [1, 7], ["a", "b"])
    ledger.say(2, "r", "tool", tool_call_id="nobody")
    found = check(ledger.path)
    assert [(one.what, one.seq, one.detail) for one in found.problems] == [
        ("unknown", 2, "7"),
        ("orphan", 3, "nobody"),
    ]


def test_a_very_broken_ledger_is_told_in_part(ledger):
    ledger.path.write_bytes(b"{\n" * 5_000)
    found = check(ledger.path)
    assert found.counts == {"damaged": 5_000} and len(found.problems) == 100
