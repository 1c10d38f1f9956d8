"""The memory service: each way in through the same checks, nothing decided for the user, everything undoable."""

import json
import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_builders import NOW

from paitui.clock import FixedClock, SystemClock
from paitui.memory.changes import Put
from paitui.memory.entry import Entry, new_entry
from paitui.memory.identity import Identity
from paitui.memory.judging import MOST_CHARS, MOST_QUOTED
from paitui.memory.past import last_change, past_of
from paitui.memory.service import MemoryService, Origin, Unknown
from paitui.memory.store import Change, MemoryStore

TYPED = Origin("typed", "s-1", 3, "please keep this")
Open = Callable[..., MemoryService]


@pytest.fixture
def at(file: Path, clock: FixedClock, tmp_path: Path) -> Open:
    """Opens the memory as a project sees it; each time as another process would."""

    def opened(project: str = "here", **identity: str) -> MemoryService:
        folder = (tmp_path / project).absolute()
        return MemoryService(MemoryStore(file, clock), clock, folder, lambda: Identity(path=str(folder), **identity))

    return opened


def texts(service: MemoryService) -> list[str]:
    return [entry.content for entry in service.entries()]


def put(service: MemoryService, *entries: Entry) -> None:
    service.store.change(lambda _: Change(None, tuple(Put(entry) for entry in entries)))


def test_a_fact_is_saved_with_where_it_comes_from(at: Open) -> None:
    service = at(remote="host/a/b", commit="c0ffee")
    done = service.save("  the port\n is 8080 ", TYPED)
    assert done.result == "stored" and done.entry is not None
    entry = done.entry
    assert entry.content == "the port is 8080" and entry.written == NOW and entry.verified is None
    assert (entry.source, entry.session, entry.turn, entry.quote) == ("typed", "s-1", 3, "please keep this")
    assert entry.metadata["projectRemote"] == "host/a/b" and entry.metadata["projectCommit"] == "c0ffee"
    assert at().entries() == [entry]


def test_the_same_again_refreshes_where_the_user_asked_for_it(at: Open, clock: FixedClock) -> None:
    at().save("金额一律用分", TYPED)
    clock.time += timedelta(days=40)
    quiet = at().save("金额,一律用分。", TYPED, refresh=False)
    assert (quiet.result, quiet.entry and quiet.entry.verified) == ("duplicate", None)
    loud = at().save("金额 一律用分", TYPED)
    assert (loud.result, loud.entry and loud.entry.verified) == ("duplicate", clock.time)
    assert texts(at()) == ["金额一律用分"]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("the project uses Java 17", "the project uses Java 21", "numbers"),
        ("we build with Maven", "we use Gradle, not Maven", "possible"),
        ("数据库是 PostgreSQL", "数据库改用 MySQL", "possible"),
    ],
)
def test_what_disagrees_is_told_and_nothing_is_written(at: Open, one: str, other: str, reason: str) -> None:
    at().save(one, TYPED)
    before = at().store.path.read_bytes()
    done = at().save(other, TYPED)
    assert done.result == "conflict" and done.entry is None
    assert [(entry.content, clash.reason) for entry, clash in done.against] == [(one, reason)]
    assert at().store.path.read_bytes() == before
    assert at().save(other, TYPED, force=True).result == "stored"
    assert texts(at()) == [one, other]


def test_other_scopes_and_projects_disagree_with_nothing_here(at: Open) -> None:
    at().save("the port is 8080", TYPED)
    assert at().save("the port is 9090", TYPED, "global").result == "stored"
    assert at("elsewhere").save("the port is 7070", TYPED).result == "stored"


def test_force_adds_no_duplicate(at: Open) -> None:
    at().save("the port is 8080", TYPED)
    assert at().save("The port is 8080!", TYPED, force=True).result == "duplicate"


SECRETS = [
    "the key is sk-abcdefghijklmnop1234",
    "密码：hunter2xyz9",
    "call 13800138000",
    "电话 １３８００１３８０００",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_the_users_to_agree_to_whatever_else_is_said(at: Open, secret: str) -> None:
    name = (at().save("the port is 8080", TYPED).entry or pytest.fail()).id
    assert at().save(secret, TYPED).result == "secret"
    assert at().save(secret, TYPED, force=True).result == "secret"
    assert at().replace(name, secret, TYPED, force=True).result == "secret"
    assert texts(at()) == ["the port is 8080"]
    assert at().save(secret, TYPED, secret_agreed=True).result == "stored"


def test_the_users_words_are_kept_short_and_without_secrets(at: Open) -> None:
    words = "x " * 5_000 + "remember that amounts are in cents, my password is hunter2xyz9 " + "y " * 5_000
    entry = at().save("amounts are in cents", Origin("tool", quote=words)).entry
    assert entry is not None and len(entry.quote) <= MOST_QUOTED + 50
    assert "amounts are in cents" in entry.quote and "hunter2xyz9" not in entry.quote


@pytest.mark.parametrize(("fact", "result"), [("", "empty"), (" \n\t", "empty"), ("x" * (MOST_CHARS + 1), "long")])
def test_what_is_no_fact_is_not_saved(at: Open, fact: str, result: str) -> None:
    assert at().save(fact, TYPED).result == result
    assert at().replace("fact-00000000", fact, TYPED).result == result
    assert not at().store.path.exists()


def test_a_replacement_keeps_its_id_and_is_checked_against_the_others(at: Open, clock: FixedClock) -> None:
    one = at().save("the port is 8080", TYPED).entry
    two = at().save("the port is 9090", TYPED, force=True).entry
    assert one and two
    clock.time += timedelta(hours=1)
    third = at().replace(one.id, "the port is 7070", TYPED)
    assert (third.result, [entry.id for entry, _ in third.against]) == ("conflict", [two.id])
    done = at().replace(one.id, "the port is 7070", Origin("typed", "s-2"), force=True)
    assert done.result == "replaced" and done.entry is not None
    assert (done.entry.id, done.entry.written, done.entry.session) == (one.id, clock.time, "s-2")
    same = at().replace(one.id, "The port is 9090", TYPED)
    assert same.result == "replaced" and same.entry and same.entry.id == two.id
    assert texts(at()) == ["the port is 9090"]
    assert at().replace(one.id, "anything", TYPED).result == "not_found"


def test_verifying_confirms_what_was_taken_over_unconfirmed(at: Open, clock: FixedClock) -> None:
    service = at()
    noted = {"scope": "global", "source": "imported", "confirmed": "false"}
    put(service, new_entry("amounts are in cents", noted, NOW), new_entry("builds run on Linux", noted, NOW))
    one, two = service.entries()
    assert not one.confirmed
    clock.time += timedelta(days=1)
    done = service.verify(one.id)
    assert done.entry and done.entry.confirmed and done.entry.verified == clock.time
    again = service.save(two.content, TYPED, "global")
    assert again.entry and again.entry.confirmed
    assert service.verify("fact-gone").result == "not_found"


def test_an_entry_moves_between_project_and_everywhere(at: Open) -> None:
    service = at(remote="host/a")
    name = (service.save("the port is 8080", TYPED).entry or pytest.fail()).id
    assert service.move(name, "global").result == "done"
    assert texts(at("elsewhere")) == ["the port is 8080"]
    log = service.store.log(name)
    assert service.move(name, "global").result == "done" and service.store.log(name) == log
    at("elsewhere").save("The port is 8080", TYPED)
    assert at("elsewhere").move(name, "project").result == "duplicate"
    moved = at().move(name, "project")
    assert moved.entry and moved.entry.metadata["project"] == str(at().project)
    service.save("the port is 9090", TYPED, "global")
    against = at().move(name, "global")
    assert against.result == "done" and [entry.content for entry, _ in against.against] == ["the port is 9090"]
    assert service.move("fact-gone", "global").result == "not_found"


def test_each_change_of_the_session_is_taken_back_exactly(at: Open) -> None:
    service = at()
    states: list[bytes] = []

    def now() -> bytes:
        return service.store.path.read_bytes()

    name = (service.save("the port is 8080", TYPED).entry or pytest.fail()).id
    service.save("amounts are in cents", TYPED)
    for change in (
        lambda: service.verify(name),
        lambda: service.replace(name, "the port is 9090", TYPED),
        lambda: service.move(name, "global"),
        lambda: service.delete(name),
        lambda: service.clear(),
    ):
        states.append(now())
        change()
    assert service.entries() == []
    for state in reversed(states):
        assert service.undo()
        assert now() == state
    assert service.undo() and service.undo()
    assert service.entries() == [] and service.undo() == ()


def test_what_another_process_changed_since_is_not_taken_back(at: Open) -> None:
    service = at()
    name = (service.save("the port is 8080", TYPED).entry or pytest.fail()).id
    at().replace(name, "the port is 9090", TYPED)
    assert service.undo() is None
    assert texts(service) == ["the port is 9090"]


def test_clear_takes_what_is_seen_and_nothing_else(at: Open) -> None:
    at().save("the port is 8080", TYPED)
    at().save("answer in Chinese", TYPED, "global")
    at("elsewhere").save("amounts are in cents", TYPED)
    put(at(), replace(new_entry("a talk", {"scope": "global"}, NOW), type="CONVERSATION"))
    assert at().clear() == 2
    assert [entry.content for entry in at().store.read()] == ["amounts are in cents", "a talk"]
    assert at().clear(everywhere=True) == 1 and at().clear() == 0


def test_ids_are_found_by_their_beginning(at: Open) -> None:
    service = at()
    put(service, *(replace(new_entry(f"fact {name}", {"scope": "global"}, NOW), id=name) for name in IDS))
    assert service.find("fact-3f").id == "fact-3f2a91c0"
    assert service.find("3f2").id == "fact-3f2a91c0"
    assert service.find(" fact-a ").id == "fact-a"  # a whole id wins over a beginning
    for name in ("fact-a1", "fact", "", "zz", "fact-"):
        with pytest.raises(Unknown):
            service.find(name)
    with pytest.raises(Unknown) as told:
        service.find("fact-a1")
    assert told.value.phrase.params["n"] == 2 and "fact-a1b" in told.value.phrase.params["some"]


IDS = ("fact-3f2a91c0", "fact-a", "fact-a1b", "fact-a1c")


def test_memories_come_along_when_the_folder_is_renamed(at: Open, tmp_path: Path) -> None:
    old = at("old", commit="c0ffee")
    name = (old.save("the port is 8080", TYPED).entry or pytest.fail()).id
    old.save("amounts are in cents", TYPED)
    new = at("new", commit="c0ffee")
    new.save("Amounts are in cents.", TYPED)
    assert at("stranger", commit="other").movable() == ()
    assert sum(len(found.ids) for found in new.movable() if found.gone) == 2
    before = new.store.path.read_bytes()
    assert new.relink() == 2
    assert texts(new) == ["the port is 8080", "Amounts are in cents."]  # what was known here is there once
    assert new.find(name).project == str(new.project) and new.movable() == ()
    assert new.undo() and new.store.path.read_bytes() == before
    (tmp_path / "old").mkdir()  # it is there after all: another copy, or a worktree
    assert new.relink() == 0


FACTS = st.sampled_from(["amounts are in cents", "the port is 8080", "builds run on Linux", "answer in Chinese"])
PROJECTS = st.sampled_from(["one", "two", "three"])
ACTS = st.tuples(PROJECTS, st.sampled_from(["save", "global", "move", "delete", "clear", "undo", "verify"]), FACTS)


@settings(max_examples=60, deadline=None)
@given(st.lists(ACTS, max_size=12))
def test_no_project_ever_sees_or_changes_what_belongs_to_another(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str, str]]
) -> None:
    folder, clock = tmp_path_factory.mktemp("memory"), FixedClock(NOW)

    def at(name: str) -> MemoryService:
        path = str(folder / name)
        return MemoryService(MemoryStore(folder / "m.json", clock), clock, Path(path), lambda: Identity(path))

    services = {name: at(name) for name in ("one", "two", "three")}
    for name, act, fact in acts:
        service = services[name]
        foreign = [e for e in service.store.read() if e.scope == "project" and e.project != str(service.project)]
        found = next((entry for entry in service.entries() if entry.content == fact), None)
        match act:
            case "save" | "global":
                service.save(fact, TYPED, "global" if act == "global" else "project", force=True)
            case "move" if found:
                service.move(found.id, "project" if found.scope == "global" else "global")
            case "delete" if found:
                service.delete(found.id)
            case "verify" if found:
                service.verify(found.id)
            case "clear":
                service.clear()
            case "undo":
                service.undo()
            case _:
                pass
        after = {entry.id: entry for entry in service.store.read()}
        if act != "undo":  # which takes back what this one did itself
            assert all(after.get(entry.id) == entry for entry in foreign)
        for seen in services.values():
            for entry in seen.entries():
                assert entry.scope == "global" or entry.project == str(seen.project)
            for record_id in {entry.id for entry in seen.store.read()} - {entry.id for entry in seen.entries()}:
                with pytest.raises(Unknown):
                    seen.find(record_id)


def test_the_past_is_seen_where_the_entry_was(at: Open) -> None:
    here = at()
    name = (here.save("the port is 8080", TYPED).entry or pytest.fail()).id
    here.replace(name, "the port is 9090", TYPED)
    here.delete(name)
    assert [record.act for record in past_of(here, name)[1]] == ["replace", "delete"]
    with pytest.raises(Unknown):
        past_of(at("elsewhere"), name)
    assert past_of(at("elsewhere"), name, everywhere=True)[0] == name
    assert last_change(at("elsewhere")) == ()


def _adds(path: Path, number: int) -> None:
    service = MemoryService(
        MemoryStore(path, SystemClock()), SystemClock(), path.parent, lambda: Identity(str(path.parent))
    )
    for count in range(10):
        service.save(f"{'abcdefgh'[number] * 9} keeps {'klmnopqrst'[count] * 9}", TYPED, force=True)


def test_two_processes_that_add_at_once_lose_nothing(file: Path, at: Open) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_adds, args=(file, number)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(json.loads(file.read_text())) == 20


def test_a_damaged_file_is_kept_once_however_many_threads_meet_it(file: Path, at: Open) -> None:
    file.parent.mkdir()
    file.write_text('[{"id": "fact-1", "content": "the port is 8080", "type": "FACT", "metadata": {}}, {"id"')
    service = at()
    threads = [threading.Thread(target=service.entries) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts(service) == ["the port is 8080"]
    assert len([path for path in file.parent.iterdir() if ".corrupt-" in path.name]) == 1
