import errno
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import Timeout
from memory_builders import NOW, FaultyFiles, add, contents, fact

from paitui.clock import FixedClock
from paitui.locale import Words
from paitui.memory.changes import Drop, Put, Record
from paitui.memory.store import Change, MemoryFault, MemoryStore


def test_nothing_is_there_at_first_and_nothing_is_made_by_reading(store: MemoryStore, file: Path) -> None:
    assert store.read() == () and store.problems == ()
    assert not file.parent.exists()


def test_a_change_sees_what_others_wrote_since(store: MemoryStore, file: Path, clock: FixedClock) -> None:
    other = MemoryStore(file, clock)
    add(store, "one")
    assert contents(other) == ["one"]
    add(other, "two")
    assert store.changed_by_others is None
    outcome = store.change(lambda entries: Change(len(entries), (Put(fact("three")),)))
    assert outcome.value == 2 and contents(other) == ["one", "two", "three"]
    assert store.changed_by_others is not None


def test_reading_again_costs_one_look_at_the_file(file: Path, clock: FixedClock) -> None:
    files = FaultyFiles()
    store = MemoryStore(file, clock, files)
    add(store, "one")
    old = file.stat().st_mtime_ns - 10**9
    os.utime(file, ns=(old, old))
    store.read()
    files.calls.clear()
    store.read()
    assert files.calls == ["stamp"]


def test_a_change_under_the_same_stamp_is_seen(store: MemoryStore, file: Path, clock: FixedClock) -> None:
    add(store, "aaaa")
    stamp = file.stat()
    file.write_bytes(file.read_bytes().replace(b"aaaa", b"bbbb"))
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert file.stat().st_ino == stamp.st_ino
    assert contents(store) == ["bbbb"]


def test_a_clock_that_jumped_hides_no_change(store: MemoryStore, file: Path) -> None:
    add(store, "aaaa")
    future = file.stat().st_mtime_ns + 10**18
    for word in (b"bbbb", b"cccc"):
        file.write_bytes(re.sub(rb"([abc])\1{3}", word, file.read_bytes()))
        os.utime(file, ns=(future, future))
        assert contents(store) == [word.decode()]


def test_a_hand_edit_while_open_is_kept(store: MemoryStore, file: Path) -> None:
    add(store, "one", "two")
    edited = file.read_text("utf-8").replace("one", "ONE").replace('"type": "FACT",', '"type":"FACT" ,', 1)
    file.write_text(edited, "utf-8")
    add(store, "three")
    assert contents(store) == ["ONE", "two", "three"]
    assert '"type":"FACT" ,' in file.read_text("utf-8")


def test_a_decision_without_steps_writes_nothing(store: MemoryStore, file: Path) -> None:
    assert store.change(lambda entries: Change("said")).value == "said"
    assert not file.exists()


def test_a_decision_that_fails_changes_nothing_and_frees_the_lock(store: MemoryStore, file: Path) -> None:
    add(store, "one")
    before = file.read_bytes()
    with pytest.raises(ZeroDivisionError):
        store.change(lambda _: Change(1 / 0))
    with pytest.raises(KeyError):
        store.change(lambda _: Change(None, (Put(fact("two")), Drop("fact-gone"))))
    with pytest.raises(RuntimeError):
        store.change(lambda _: Change(add(store, "inner")))
    assert file.read_bytes() == before
    add(store, "two")
    assert contents(store) == ["one", "two"]


def test_an_id_that_is_taken_is_drawn_again(store: MemoryStore) -> None:
    entry = replace(fact("one"), id="fact-00000001")
    store.change(lambda _: Change(None, (Put(entry), Put(replace(entry, content="two")))))
    assert contents(store) == ["one", "two"] and len({entry.id for entry in store.read()}) == 2


def test_two_entries_of_one_id_can_be_told_apart(store: MemoryStore, file: Path, clock: FixedClock) -> None:
    file.parent.mkdir()
    file.write_text('[{"id":"fact-1","content":"a"},{"id":"fact-1","content":"b"},{"id":"fact-1","content":"b"}]')
    names = [entry.id for entry in store.read()]
    assert names[0] == "fact-1" and len(set(names)) == 3
    assert [entry.id for entry in MemoryStore(file, clock).read()] == names
    store.change(lambda _: Change(None, (Drop(names[1]),)))
    assert [entry.id for entry in MemoryStore(file, clock).read()] == [names[0], names[2]]


def test_a_link_to_the_file_stays_a_link(file: Path, clock: FixedClock, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "memory.json"
    real.parent.mkdir()
    file.parent.mkdir()
    real.write_text("[]")
    file.symlink_to(real)
    add(MemoryStore(file, clock), "one")
    assert file.is_symlink() and "one" in real.read_text("utf-8")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", ["[]", " [ ]\n", "[\n]"])
def test_empty_arrays_and_byte_order_marks_are_nothing_special(
    file: Path, clock: FixedClock, mark: str, text: str
) -> None:
    file.parent.mkdir()
    file.write_text(mark + text, "utf-8")
    store = MemoryStore(file, clock)
    assert store.read() == () and store.problems == ()
    add(store, "one")
    assert json.loads(file.read_text("utf-8-sig"))[0]["content"] == "one"
    assert file.read_text("utf-8").startswith("\ufeff") == bool(mark)


def test_what_killed_writers_left_behind_is_removed_at_the_start(file: Path, clock: FixedClock) -> None:
    file.parent.mkdir()
    left = file.with_name(f".{file.name}.0123abcd.tmp")
    others = file.with_name(f".{file.name}.mine.tmp")
    for name in (left, others):
        name.write_text("x")
    MemoryStore(file, clock).tidy()
    assert not left.exists() and others.exists()


def test_the_past_of_an_entry_is_kept_and_each_step_can_be_taken_back(
    store: MemoryStore, file: Path, clock: FixedClock
) -> None:
    add(store, "one", "two", "three")
    first, second, _ = store.read()
    states = [file.read_bytes()]
    records: list[tuple[Record, ...]] = []
    for step in (
        Put(second.reworded("TWO"), "replace"),
        Put(replace(second.reworded("TWO"), verified=NOW), "verify"),
        Drop(second.id),
        Drop(first.id),
    ):
        current = {entry.id: entry for entry in store.read()}
        if isinstance(step, Put):
            step = replace(step, entry=replace(current[second.id], content="TWO", verified=step.entry.verified))
        records.append(store.change(lambda _, one=step: Change(None, (one,))).records)
        states.append(file.read_bytes())
    assert [record.act for record in store.log(second.id)] == ["replace", "verify", "delete"]
    assert store.log(second.id)[0].before == second
    later = MemoryStore(file, clock)  # another session
    assert later.undo(later.log(first.id)[-1:]).value
    assert file.read_bytes() == states[3]
    assert not later.undo(later.log(first.id)[:1]).value, "there is a newer state"
    for record, state in zip(records[2::-1], states[2::-1], strict=True):
        assert store.undo(record).value
        assert file.read_bytes() == state
    cleared = store.change(lambda entries: Change(None, tuple(Drop(entry.id, "clear") for entry in entries)))
    assert store.read() == ()
    assert store.undo(cleared.records).value and file.read_bytes() == states[0]


def test_an_entry_that_was_changed_since_is_not_overwritten_by_an_undo(store: MemoryStore) -> None:
    add(store, "one")
    entry = store.read()[0]
    done = store.change(lambda _: Change(None, (Put(entry.reworded("two"), "replace"),)))
    newer = store.read()[0].reworded("three")
    store.change(lambda _: Change(None, (Put(newer, "replace"),)))
    assert not store.undo(done.records).value
    assert contents(store) == ["three"]


def test_a_broken_history_hides_nothing_else(store: MemoryStore) -> None:
    add(store, "one")
    entry = store.read()[0]
    store.change(lambda _: Change(None, (Put(entry.reworded("two"), "replace"),)))
    with store.history_path.open("ab") as log:
        log.write(b'{"v":1,"act":"replace","id":"%s","before":5}\nno json %s\n{"torn' % ((entry.id.encode(),) * 2))
    store.change(lambda _: Change(None, (Drop(entry.id),)))
    assert [record.act for record in store.log(entry.id)] == ["replace", "delete"]


Scene = Callable[[MemoryStore], object]


def _replace_first(store: MemoryStore) -> object:
    return store.change(
        lambda entries: Change(None, (Put(entries[0].reworded("ONE"), "replace"), Drop(entries[1].id)))
    )


@pytest.mark.parametrize("scene", [lambda store: add(store, "new"), _replace_first])
@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_a_fault_in_any_call_leaves_the_old_file_and_is_told(
    file: Path, clock: FixedClock, scene: Scene, broken: bool, number: int
) -> None:
    at, reached = -1, True
    while reached:
        at += 1
        for old in file.parent.glob("*") if file.parent.exists() else ():
            old.unlink()
        add(MemoryStore(file, clock), "one", "two")
        if broken:
            file.write_bytes(file.read_bytes()[:-9])
        file.with_name(f".{file.name}.0123abcd.tmp").write_text("left behind")
        before, history = file.read_bytes(), file.with_name("history.jsonl")
        files = FaultyFiles(fail_at=at, error=number, short=True)
        store = MemoryStore(file, clock, files)
        try:
            outcome: Any = scene(store)
        except MemoryFault as fault:
            assert file.read_bytes() == before, files.calls[-3:]
            assert not history.exists() or history.read_bytes() == b""
            for language in ("en", "zh"):
                said = Words(language).say(fault.phrase)  # type: ignore[arg-type]
                assert os.strerror(number) in said and str(file.parent) in said
        else:
            tolerated = files.calls[at] if at < len(files.calls) else ""
            assert tolerated in ("", "sync_folder") or broken, f"{tolerated} failed, and nobody was told"
            assert MemoryStore(file, clock).read() == outcome.entries
        assert [name for name in os.listdir(file.parent) if name.endswith(".tmp")] in (
            [], [f".{file.name}.0123abcd.tmp"],
        )  # fmt: skip
        reached = at < len(files.calls)
        add(MemoryStore(file, clock), "after")  # the fault is over
        assert not [name for name in os.listdir(file.parent) if name.endswith(".tmp")]
        if broken:
            kept = [copy.read_bytes() for copy in file.parent.glob("*.corrupt-*")]
            assert kept and set(kept) == {before}
    assert at > 10
    assert at > 10


def test_a_lock_that_is_held_too_long_is_told_with_its_file(file: Path, clock: FixedClock) -> None:
    store = MemoryStore(file, clock)

    class Busy:
        lock_file = str(file) + ".lock"
        timeout = 10.0

        def acquire(self) -> None:
            raise Timeout(self.lock_file)

    store._lock = Busy()  # type: ignore[assignment]
    with pytest.raises(MemoryFault) as fault:
        add(store, "one")
    assert fault.value.phrase.key == "memory.locked" and str(file) in Words("en").say(fault.value.phrase)


def test_a_file_that_cannot_be_opened_is_not_taken_for_an_empty_one(store: MemoryStore, file: Path) -> None:
    file.mkdir(parents=True)
    for act in (store.read, lambda: add(store, "one")):
        with pytest.raises(MemoryFault):
            act()
    assert file.is_dir()


def test_a_megabyte_in_one_entry(store: MemoryStore, file: Path, clock: FixedClock) -> None:
    add(store, "small", '记"\\' * 300_000, "after")
    assert [len(content) for content in contents(MemoryStore(file, clock))] == [5, 900_000, 5]


def test_the_cost_of_an_addition_grows_no_faster_than_the_file(file: Path, clock: FixedClock) -> None:
    """Counted in what is read anew: none of the entries that were there is parsed again."""
    store, other = MemoryStore(file, clock), MemoryStore(file, clock)
    add(store, *(f"fact {number}" for number in range(2_000)))
    before = other.read()
    add(store, "another")
    after = other.read()
    assert len(after) == 2_001 and all(one is two for one, two in zip(before, after, strict=False))


@pytest.mark.parametrize("target", ["/dev/zero", os.devnull, "pipe"])
def test_a_pipe_or_device_in_its_place_is_neither_read_nor_replaced(
    store: MemoryStore, file: Path, target: str
) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if target == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(target)
    with pytest.raises(MemoryFault):
        store.read()
    with pytest.raises(MemoryFault):
        add(store, "one")
    assert not file.is_file()


def test_a_file_beyond_all_measure_is_not_read(store: MemoryStore, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    os.truncate(file, 50_000_000_000)
    with pytest.raises(MemoryFault):
        store.read()
