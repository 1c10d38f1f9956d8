import json
from pathlib import Path

import pytest
from memory_builders import add, contents
from memory_damage import good as nothing_lost
from memory_damage import run as damage

from paitui.clock import FixedClock
from paitui.memory.salvage import salvage
from paitui.memory.store import MemoryStore

ENTRY = {"id": "fact-00000001", "content": "一个事实", "type": "FACT", "metadata": {"scope": "global"}}


def test_files_cut_off_or_with_flipped_bits() -> None:
    tally = damage(120, seed=7)
    assert tally.broken > 60 and tally.untouched > 200
    assert nothing_lost(tally), tally


@pytest.mark.parametrize(
    "text",
    [
        {"entries": [ENTRY]},
        ENTRY,
        {"fact-00000001": ENTRY},
        {"version": 2, "data": {"memories": [ENTRY]}},
    ],
)
def test_an_object_at_the_top_is_searched_for_entries(file: Path, clock: FixedClock, text: object) -> None:
    file.parent.mkdir()
    whole = json.dumps(text, ensure_ascii=False).encode()
    file.write_bytes(whole)
    store = MemoryStore(file, clock)
    assert contents(store) == ["一个事实"]
    (kept,) = file.parent.glob("*.corrupt-*")
    assert kept.read_bytes() == whole and kept.stat().st_mode & 0o777 == 0o600
    add(store, "two")
    assert contents(MemoryStore(file, clock)) == ["一个事实", "two"]
    assert store.problems == ()


def test_a_file_in_utf_16_is_read() -> None:
    assert [entry.content for entry in salvage(json.dumps([ENTRY]).encode("utf-16")).entries] == ["一个事实"]


def test_bytes_that_are_no_utf_8_cost_one_character() -> None:
    data = (
        json.dumps([ENTRY, ENTRY | {"id": "fact-2"}], ensure_ascii=False)
        .encode()
        .replace("个".encode(), b"\xe4\xb8", 1)
    )
    assert [entry.content for entry in salvage(data).entries] == ["一\ufffd事实", "一个事实"]


def test_an_entry_of_the_wrong_type_stays_where_it_is(file: Path, clock: FixedClock) -> None:
    file.parent.mkdir()
    file.write_text('[17, {"id":"a","content":"x"}, "text", {"id":5,"content":"y"}, null, {"id":"b","content":7}]')
    store = MemoryStore(file, clock)
    assert contents(store) == ["x"] and store.problems == ()
    add(store, "z")
    first, second = {"id": "a", "content": "x"}, {"id": "b", "content": 7}
    left = json.loads(file.read_text("utf-8"))
    assert left[:-1] == [17, first, "text", {"id": 5, "content": "y"}, None, second]


def test_a_broken_entry_whose_scope_is_lost_does_not_become_visible_everywhere() -> None:
    text = '[{"id":"fact-1","content":"project secret","metadata":{"scope":"proj'
    (entry,) = salvage(text.encode()).entries
    assert entry.content == "project secret" and not entry.visible_in("/anywhere")
    (entry,) = salvage(b'[{"id":"fact-1","content":"x","metadata":{"scope":"project","project":"/a","so').entries
    assert entry.visible_in("/a") and not entry.visible_in("/b")


def test_half_a_sentence_is_no_fact() -> None:
    assert salvage(b'[{"id":"fact-1","content":"never delete the').entries == ()


def test_a_broken_entry_is_completed_from_what_this_process_knows(store: MemoryStore, file: Path) -> None:
    add(store, "one", "two", "three")
    before = store.read()
    file.write_bytes(file.read_bytes()[:-250])
    assert {entry.id: entry for entry in store.read()} == {entry.id: entry for entry in before}
    (said,) = store.problems
    assert said.key == "memory.damaged" and said.params["n"] == 3


@pytest.mark.parametrize("data", [b"", b"  \n", b"\xef\xbb\xbf", b"\0" * 4096])
def test_an_emptied_file_does_not_empty_the_memory(
    store: MemoryStore, file: Path, clock: FixedClock, data: bytes
) -> None:
    add(store, "one", "two")
    file.write_bytes(data)
    assert MemoryStore(file, clock).read() == ()
    assert contents(store) == ["one", "two"] and store.problems[0].key == "memory.emptied"
    add(store, "three")
    assert contents(MemoryStore(file, clock)) == ["one", "two", "three"]
    assert not list(file.parent.glob("*.corrupt-*"))


def test_the_same_damage_is_copied_once(file: Path, clock: FixedClock) -> None:
    file.parent.mkdir()
    for text in ("[{", "[{", "[[", "[{"):
        file.write_text(text)
        MemoryStore(file, clock).read()
    assert sorted(copy.read_text() for copy in file.parent.glob("*.corrupt-*")) == ["[[", "[{"]


def test_damage_made_to_cost_time_does_not() -> None:
    assert salvage(b"[" * 200_000).entries == ()
    assert salvage(b'{"a":' * 3_000).entries == ()
    assert salvage(b'[{"content": "' + b"x" * 300_000).entries == ()
