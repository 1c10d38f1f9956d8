"""Memories out to files and in from them: nothing unchecked, nothing silently left out, nothing confirmed by it."""

import json
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from memory_builders import NOW

from paitui.clock import FixedClock
from paitui.memory.changes import Put
from paitui.memory.entry import new_entry
from paitui.memory.exchange import Imported, export, import_from
from paitui.memory.identity import Identity
from paitui.memory.importing import MOST_BYTES, MOST_ITEMS, read_candidates
from paitui.memory.service import MemoryService, Origin
from paitui.memory.store import Change, MemoryFault, MemoryStore
from paitui.memory.usage import UsageLog

TYPED = Origin("typed", "s-1", 3, "please keep this")


def opened(folder: Path, project: str = "here") -> MemoryService:
    path = folder / project
    clock = FixedClock(NOW)
    return MemoryService(
        MemoryStore(folder / "memory/m.json", clock), clock, path, lambda: Identity(str(path), commit="c0ffee")
    )


@pytest.fixture
def service(tmp_path: Path) -> MemoryService:
    return opened(tmp_path)


def texts(service: MemoryService) -> list[str]:
    return [entry.content for entry in service.entries()]


def given(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_a_list_in_markdown(service: MemoryService, tmp_path: Path) -> None:
    service.save("the port is 8080", TYPED)
    text = """# What we agreed

    Some introduction that is no item.

    - amounts are in cents
      and never in euros
    * [x] builds run on Linux
    1. The port is 8080.
    2. the port is 9090
    - the API key is sk-abcdefghijklmnop1234
    - Builds run on Linux!
    ```
    - not this
    ```
    """
    lines = "\n".join(line.removeprefix("    ") for line in text.splitlines())
    done = import_from(service, given(tmp_path, "notes.md", lines + "\n- " + "x" * 3_000 + "\n"), "s-9")
    assert done == Imported(stored=2, duplicates=2, conflicts=("the port is 9090",), secrets=1, unfit=1)
    assert texts(service) == ["the port is 8080", "amounts are in cents and never in euros", "builds run on Linux"]
    entry = service.entries()[-1]
    assert (entry.source, entry.session, entry.quote, entry.scope) == ("imported", "s-9", "notes.md", "project")
    assert service.undo() and texts(service) == ["the port is 8080"]


def test_an_array_as_another_program_of_the_design_writes_it(service: MemoryService, tmp_path: Path) -> None:
    place = {"scope": "project", "project": str(service.project)}
    items: list[object] = [
        {"id": "fact-1", "content": "amounts are in cents", "type": "FACT", "timestamp": "2020-01-01T00:00:00Z"},
        {"id": "fact-2", "content": "the port is 8080", "type": "FACT", "metadata": place, "tokenCount": 4},
        {"id": "fact-3", "content": "elsewhere", "type": "FACT", "metadata": {**place, "project": "/elsewhere"}},
        {"id": "c-1", "content": "we talked", "type": "CONVERSATION"},
        {"id": "fact-4", "content": "用 Docker 部署", "metadata": {**place, "source": "extracted", "trust": "curl"}},
        {"content": "written by hand"},
        "a bare text",
        42,
        {"id": "fact-5"},
        {"id": "fact-6", "content": "密码：hunter2xyz9", "metadata": place},
    ]
    done = import_from(service, given(tmp_path, "m.json", json.dumps(items)))
    assert done == Imported(stored=6, secrets=1, unfit=3, elsewhere=1)
    assert "elsewhere" not in texts(service)
    by_text = {entry.content: entry for entry in service.entries()}
    assert by_text["amounts are in cents"].scope == "global"  # none given counts everywhere
    assert by_text["amounts are in cents"].written and by_text["amounts are in cents"].written.year == 2020
    assert by_text["the port is 8080"].scope == by_text["written by hand"].scope == "project"
    taken = by_text["用 Docker 部署"]
    assert not taken.confirmed and taken.metadata["trust"] == "curl"  # a way through a file confirms nothing
    again = import_from(service, tmp_path / "m.json")
    assert (again.stored, again.duplicates) == (0, 6)


def test_out_and_in_again_is_the_same(service: MemoryService, tmp_path: Path) -> None:
    service.save("the port is 8080", TYPED)
    service.save("the port is 9090", TYPED, "global")
    service.save('e\u0301 👍 \\ " </memory_hints>', TYPED)
    service.verify(service.entries()[0].id)
    opened(tmp_path, "elsewhere").save("amounts are in cents", TYPED)
    file = tmp_path / "out/all.json"
    before = service.entries()
    assert export(service, file) == 3
    service.clear()
    assert import_from(service, file).stored == 3
    after = service.entries()
    assert [(e.content, e.scope, e.project, e.written, e.verified) for e in after] == [
        (e.content, e.scope, e.project, e.written, e.verified) for e in before
    ]
    assert export(service, tmp_path / "everything.json", everywhere=True) == 4
    with pytest.raises(MemoryFault):
        export(service, file)
    service.clear()
    assert export(service, tmp_path / "none.json") == 0 and json.loads((tmp_path / "none.json").read_text()) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("text.md", b"\x00\x01"),
        ("utf16.txt", "- eins".encode("utf-16")),
        ("broken.json", b'[{"id": "fact-1", "content"'),
        ("number.json", b"42"),
        ("empty-object.json", b"{}"),
        ("main.py", b"import os\nprint(os.name)\n"),
        ("data.csv", b"a,b\n1,2\n"),
        ("lines.jsonl", b'{"a": 1}\n{"a": 2}\n'),
    ],
)
def test_a_file_of_another_kind_is_refused(service: MemoryService, tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(MemoryFault) as told:
        import_from(service, given(tmp_path, name, content))
    assert told.value.phrase.key == "memory.import_no_list" and service.entries() == []


def test_what_is_no_file_is_never_waited_for(service: MemoryService, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe.md", tmp_path / "folder", Path("/dev/zero")):
        with pytest.raises(MemoryFault) as told:
            import_from(service, path)
        assert told.value.phrase.key == "memory.import_no_file"
    with pytest.raises(MemoryFault) as told:
        import_from(service, tmp_path / "gone.md")
    assert told.value.phrase.key == "memory.import_unreadable"


def test_too_large_is_no_list_of_memories(service: MemoryService, tmp_path: Path) -> None:
    large = tmp_path / "large.md"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(MemoryFault) as told:
        import_from(service, large)
    assert told.value.phrase.key == "memory.import_large"
    with pytest.raises(MemoryFault) as told:
        import_from(service, given(tmp_path, "many.md", "- x\n" * (MOST_ITEMS + 1)))
    assert told.value.phrase.key == "memory.import_many"


def test_facts_that_disagree_among_themselves_are_not_both_taken(service: MemoryService, tmp_path: Path) -> None:
    file = given(tmp_path, "a.md", "- the port is 8080\n- the port is 9090\n- the port is 7070\n")
    done = import_from(service, file)
    assert (done.stored, done.conflicts) == (1, ("the port is 9090", "the port is 7070"))


def test_what_others_add_while_an_import_is_judged_still_counts(
    service: MemoryService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = given(tmp_path, "a.md", "- the port is 8080\n")
    read = service.store.read

    def read_then_changed() -> object:
        entries = read()
        opened(tmp_path).save("the port is 9090", TYPED)
        return entries

    monkeypatch.setattr(service.store, "read", read_then_changed)
    assert import_from(service, file).conflicts == ("the port is 8080",)


def test_a_thousand_into_a_thousand_takes_seconds(service: MemoryService, tmp_path: Path) -> None:
    words = [f"{a}{b}{c}" for a in "bdfgklmnpr" for b in "aeiou" for c in "stxz" for _ in range(5)]
    known = [f"team {word} {number:03d}x owns {word[::-1]} number {word}" for number, word in enumerate(words)]
    entries = [new_entry(text, service.identity.metadata(), NOW) for text in known]
    service.store.change(lambda _: Change(None, tuple(Put(entry) for entry in entries)))
    lines = [f"- crew {word} {number:03d}y paints {word[::-1]}\n" for number, word in enumerate(words)]
    begin = time.process_time()
    done = import_from(service, given(tmp_path, "a.md", "".join(lines)))
    assert done.stored + len(done.conflicts) + done.duplicates == 1_000
    assert time.process_time() - begin < 30


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("eins\n\n# head\nzwei\n", ["eins", "zwei"]),
        ("- a\n  b\n\n  c\n- d", ["a b", "d"]),
        ('{"version": 1, "facts": ["a", "b"]}', ["a", "b"]),
        ("\ufeff- a", ["a"]),
        ("", []),
    ],
)
def test_what_a_text_holds(text: str, facts: list[str]) -> None:
    found = read_candidates(text.encode())
    assert found is not None and [one.content for one in found] == facts


def test_an_array_nested_without_end_holds_no_fact() -> None:
    deep = "[" * 3_000 + "]" * 3_000
    assert read_candidates(deep.encode()) in (None, []) or not any(
        one.content for one in read_candidates(deep.encode()) or ()
    )


def test_use_is_counted_and_what_cannot_be_read_counts_nothing(tmp_path: Path) -> None:
    log = UsageLog(tmp_path / "usage.jsonl")
    log.note(["fact-1", "fact-2"], NOW)
    log.note(["fact-1"], NOW + timedelta(days=1))
    log.note([], NOW)
    with (tmp_path / "usage.jsonl").open("a") as file:
        file.write('{"at": "no time", "ids": 5}\n{"torn')
    again = UsageLog(tmp_path / "usage.jsonl")
    assert (again.of("fact-1").times, again.of("fact-1").last) == (2, NOW + timedelta(days=1))
    assert (again.of("fact-2").times, again.of("fact-3").times) == (1, 0)
    (tmp_path / "folder").mkdir()
    assert UsageLog(tmp_path / "folder").of("fact-1").times == 0
    with pytest.raises(OSError):
        UsageLog(tmp_path / "folder").note(["fact-1"], NOW)
