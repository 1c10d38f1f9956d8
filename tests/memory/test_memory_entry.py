import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.clock import FixedClock
from paitui.memory.changes import Drop, Put
from paitui.memory.document import read
from paitui.memory.entry import Entry, moment, new_entry, parse, render
from paitui.memory.spans import edit, elements, members
from paitui.memory.store import Change, MemoryStore

NOW = datetime(2026, 10, 2, 9, 14, 3, tzinfo=UTC)

JAVA = """[ {
  "id" : "fact-0a1b2c3d",
  "content" : "本项目使用 Java 17",
  "type" : "FACT",
  "timestamp" : "2026-10-02T09:14:03.123456789Z",
  "lastVerifiedAt" : "2026-10-03T00:00:00Z",
  "metadata" : {
    "project" : "/home/me/shop",
    "scope" : "project",
    "source" : "typed",
    "weight" : 1.50,
    "tags" : [ "a", "b" ]
  },
  "tokenCount" : 6,
  "embedding" : [ 0.10, -1E-7, 12345678901234567890 ]
}, {
  "content" : "numbers as times, keys in another order",
  "id" : "fact-00000002",
  "timestamp" : 1759396443.123456789,
  "lastVerifiedAt" : 1759396443123,
  "metadata" : { },
  "type" : "FACT",
  "tokenCount" : 10
}, {
  "id" : "conv-1",
  "content" : "a whole talk \\ud83d\\ude80 \\u4f60",
  "type" : "CONVERSATION",
  "timestamp" : null,
  "metadata" : null,
  "tokenCount" : -1
}, {
  "kind" : "index",
  "version" : 3.0
}, {
  "id" : "fact-00000004",
  "content" : "no scope, no metadata",
  "type" : "NEWER_TYPE"
} ]"""


def test_a_java_programs_file_is_understood() -> None:
    entries = read(JAVA.encode()).entries
    assert [entry.id for entry in entries] == ["fact-0a1b2c3d", "fact-00000002", "conv-1", "fact-00000004"]
    first, second, talk, last = entries
    assert first.written == datetime(2026, 10, 2, 9, 14, 3, 123456, UTC) and first.project == "/home/me/shop"
    assert first.metadata["weight"] == "1.5" and first.extra.keys() == {"embedding"}
    assert second.written == datetime(2025, 10, 2, 9, 14, 3, 123457, UTC)
    assert second.verified == datetime(2025, 10, 2, 9, 14, 3, 123000, UTC)
    assert talk.type == "CONVERSATION" and talk.content.endswith("🚀 你") and talk.written is None
    assert last.scope == "global" and last.type == "NEWER_TYPE" and last.tokens == 6


def test_a_java_programs_file_survives_a_hundred_rewrites_and_differs_only_where_it_was_changed(
    file: Path, clock: FixedClock
) -> None:
    file.parent.mkdir()
    file.write_text(JAVA, "utf-8")
    for number in range(50):
        store = MemoryStore(file, clock)  # as a new process
        entry = new_entry(f"passing {number}", {"scope": "global"}, NOW)
        added = store.change(lambda _, new=entry: Change(None, (Put(new),)))
        assert added.records[0].after is not None
        store.change(lambda _, name=added.records[0].after.id: Change(None, (Drop(name),)))
    assert file.read_text("utf-8") == JAVA
    store = MemoryStore(file, clock)
    changed = replace(store.read()[0], verified=NOW).reworded("本项目使用 Java 21")
    changed = replace(changed, metadata={**changed.metadata, "source": "tool", "quote": "用 21"})
    store.change(lambda _: Change(None, (Put(changed, "replace"),)))
    expected = (
        JAVA.replace("Java 17", "Java 21")
        .replace('"2026-10-03T00:00:00Z"', '"2026-10-02T09:14:03.000Z"')
        .replace('"source" : "typed"', '"source" : "tool"')
        .replace('"tags" : [ "a", "b" ]', '"tags" : [ "a", "b" ],\n    "quote" : "用 21"')
    )
    assert changed.tokens == 6
    assert file.read_text("utf-8") == expected
    store.change(lambda _: Change(None, (Drop("fact-00000002"),)))
    assert [item["id"] for item in json.loads(file.read_text("utf-8")) if "id" in item] == [
        "fact-0a1b2c3d", "conv-1", "fact-00000004",
    ]  # fmt: skip


def test_a_file_is_readable_and_indented(store: MemoryStore, file: Path) -> None:
    entry = replace(new_entry("用 tabs", {"scope": "global"}, NOW), id="fact-00000001")
    store.change(lambda _: Change(None, (Put(entry), Put(replace(entry, id="fact-00000002")))))
    text = file.read_text("utf-8")
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
    assert list(json.loads(text)[0]) == [
        "id", "content", "type", "timestamp", "lastVerifiedAt", "metadata", "tokenCount",
    ]  # fmt: skip
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("metadata", "scope", "project"),
    [
        ({}, "global", ""),
        ({"scope": "global", "project": "/a"}, "global", ""),
        ({"scope": "project", "project": "/a"}, "project", "/a"),
        ({"scope": "team", "project": "/a"}, "project", "/a"),
        ({"scope": "project"}, "project", ""),
    ],
)
def test_what_is_not_global_is_seen_only_in_its_project(metadata: dict[str, str], scope: str, project: str) -> None:
    entry = Entry("fact-1", "x", metadata=metadata)
    assert (entry.scope, entry.project) == (scope, project)
    assert entry.visible_in("/b") == (scope == "global")
    assert entry.visible_in("/a") == (scope == "global" or project == "/a")
    assert entry.visible_in("") == (scope == "global")


def test_an_extracted_entry_is_unconfirmed_until_the_user_verified_it() -> None:
    entry = Entry("fact-1", "x", written=NOW, verified=NOW, metadata={"source": "extracted"})
    assert not entry.confirmed and not replace(entry, verified=None).confirmed
    assert replace(entry, verified=NOW + timedelta(seconds=1)).confirmed
    assert replace(entry, metadata={"source": "typed"}).confirmed
    assert not replace(entry, metadata={"source": "typed", "confirmed": "false"}).confirmed


@pytest.mark.parametrize("value", ["", "yesterday", [2026, 10, 2], {}, True, None, 1e300, "2026-13-01T00:00:00Z"])
def test_a_time_that_cannot_be_read_is_unknown(value: object) -> None:
    assert moment(value) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=6), st.integers(0, 2**32), st.sampled_from([None, 2]), JSON)
def test_an_edit_changes_its_members_and_no_others(
    value: dict[str, object], seed: int, indent: int | None, new: object
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=bool(seed & 1)).encode("utf-8", "surrogatepass")
    chance = random.Random(seed)
    changes = {key: chance.choice([None, new]) for key in value if chance.random() < 0.5} | {"new key": new}
    expected = {key: item for key, item in value.items() if key not in changes}
    expected |= {key: item for key, item in changes.items() if item is not None}
    assert json.loads(edit(text, changes)) == expected
    assert edit(text, {}) == text
    assert [member.key for member in members(text)] == list(value)


@given(st.lists(JSON, max_size=6), st.sampled_from([None, 2]))
def test_elements_are_found(values: list[object], indent: int | None) -> None:
    text = json.dumps(values, indent=indent).encode()
    assert [json.loads(text[start:end]) for start, end in elements(text)] == values


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=4))
def test_what_is_written_is_read_again(content: str, metadata: dict[str, str]) -> None:
    entry = new_entry(content, metadata, NOW)
    again = parse(render(entry))
    assert again == entry
    assert again is not None and render(again) == again.raw


def test_half_a_character_is_written_as_an_escape() -> None:
    entry = new_entry("odd \udc80 name", {"project": "/tmp/\udcff"}, NOW)
    assert parse(render(entry)) == entry
    assert render(entry).isascii()
