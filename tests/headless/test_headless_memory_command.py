"""`paitui memory`, from arguments to what is printed, what is saved and the exit code."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from paitui.cli import main
from paitui.headless.cells import cells
from paitui.headless.memory_call import read_call
from paitui.headless.memory_command import run
from paitui.locale import Words
from paitui.paths import Paths

SECRET = "the API key is sk-abcdefghijklmnop1234"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty project, with a home of its own, in English, without a terminal."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PAITUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return tmp_path


@pytest.fixture
def memory(capfd: pytest.CaptureFixture[str]) -> Any:
    """Run a command as a script does; gives the exit code and the object."""

    def go(*line: str) -> tuple[int, dict[str, Any]]:
        code = main(["memory", "--json", *line])
        out = capfd.readouterr().out
        assert out.count("\n") == 1
        return code, json.loads(out)

    return go


def stored(place: Path) -> list[dict[str, Any]]:
    file = place / "home/memory/long_term_memory.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else []  # type: ignore[no-any-return]


def test_a_fact_goes_in_once_and_comes_out_exact(memory: Any, place: Path) -> None:
    code, first = memory("add", "金额一律用分 \x1b[31m")
    assert (code, first["status"]) == (0, "stored")
    entry = first["entry"]
    assert entry["content"] == "金额一律用分 \x1b[31m"
    assert (entry["scope"], entry["project"], entry["source"]) == ("project", str(place / "project"), "typed")
    assert entry["state"] == "fresh" and entry["written"].endswith("Z") and entry["verified"] is None
    code, again = memory("add", "金额一律用分\x1b[31m")
    assert (code, again["status"]) == (0, "duplicate")
    assert again["entry"]["id"] == entry["id"] and again["entry"]["verified"]
    assert [one["id"] for one in memory("list")[1]["entries"]] == [entry["id"]]


def test_a_conflict_names_both_and_the_commands_that_decide(
    memory: Any, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old = memory("add", "The project uses Java 17")[1]["entry"]["id"]
    code, told = memory("add", "The project uses Java 21")
    assert (code, told["status"]) == (4, "conflict")
    assert [(one["id"], one["reason"]) for one in told["conflicts"]] == [(old, "numbers")]
    assert main(["memory", "add", "The project uses Java 21"]) == 4
    shown = capfd.readouterr().out
    assert "Java 17" in shown and "numbers" in shown
    replacing, keeping = (line.partition(":")[2].strip() for line in shown.splitlines()[-2:])
    assert replacing == f"paitui memory replace {old} 'The project uses Java 21'"
    assert keeping == "paitui memory add --force 'The project uses Java 21'"
    assert len(stored(place)) == 1
    code, told = memory("replace", old[:9], "The project uses Java 21")
    assert (code, told["status"], told["entry"]["id"]) == (0, "replaced", old)
    assert memory("add", "--force", "The project uses Java 25")[1]["status"] == "stored"
    assert len(stored(place)) == 2
    code, told = memory("check")
    assert code == 0 and len(told["conflicts"]) == 1 and told["conflicts"][0]["reason"] == "numbers"


def test_a_replacement_that_disagrees_with_a_third(memory: Any, place: Path) -> None:
    one = memory("add", "the port is 8080")[1]["entry"]["id"]
    two = memory("add", "--force", "the port is 9090")[1]["entry"]["id"]
    code, told = memory("replace", one, "the port is 7070")
    assert (code, [each["id"] for each in told["conflicts"]]) == (4, [two])
    assert memory("replace", "--force", one, "the port is 7070")[0] == 0


@pytest.mark.parametrize("line", [["add", SECRET], ["add", "--force", SECRET], ["add", "密码：hunter2xyz9"]])
def test_a_secret_with_nobody_to_ask_is_refused(memory: Any, place: Path, line: list[str]) -> None:
    code, told = memory(*line)
    assert (code, told["status"]) == (1, "refused") and "--force" in told["error"]
    assert stored(place) == []


@pytest.mark.parametrize(("answer", "code", "count"), [("y", 0, 1), ("", 1, 0), ("n", 1, 0), ("sure", 1, 0)])
def test_a_secret_is_saved_where_the_user_says_so(
    place: Path, capfd: pytest.CaptureFixture[str], answer: str, code: int, count: int
) -> None:
    asked: list[str] = []

    def ask(question: str, choices: str) -> str:
        asked.append(question)
        return answer

    paths = Paths(place / "home", place / "project")
    assert run(read_call(["add", SECRET]), paths, Words("en"), ask=ask) == code
    assert len(stored(place)) == count and SECRET in asked[0]
    if count:  # what it rests on says it no second time
        assert "sk-" not in stored(place)[0]["metadata"]["quote"]


def test_clearing_needs_a_yes_or_force(memory: Any, place: Path) -> None:
    memory("add", "one fact")
    memory("add", "--global", "another thing entirely")
    assert memory("clear")[1]["status"] == "refused" and len(stored(place)) == 2
    paths = Paths(place / "home", place / "project")
    assert run(read_call(["clear"]), paths, Words("en"), ask=lambda *_: "y") == 1 and len(stored(place)) == 2
    assert memory("clear", "--force") == (0, {"status": "ok", "count": 2})
    assert memory("undo")[1]["act"] == "clear" and len(stored(place)) == 2
    assert run(read_call(["clear"]), paths, Words("en"), ask=lambda *_: "yes") == 0 and stored(place) == []


def test_every_change_can_be_taken_back_one_after_the_other(memory: Any, place: Path) -> None:
    name = memory("add", "amounts are in cents")[1]["entry"]["id"]
    before = (place / "home/memory/long_term_memory.json").read_bytes()
    memory("verify", name)
    memory("scope", name, "global")
    memory("replace", name, "amounts are in euros")
    memory("delete", name)
    assert [memory("undo")[1]["act"] for _ in range(4)] == ["delete", "replace", "rescope", "verify"]
    assert (place / "home/memory/long_term_memory.json").read_bytes() == before
    assert memory("undo")[1]["status"] == "failed"
    acts = [step["act"] for step in memory("log", name)[1]["log"]]
    assert acts == ["verify", "rescope", "replace", "delete", "undo", "undo", "undo", "undo"]


def test_what_was_added_last_is_taken_back_first(memory: Any, place: Path) -> None:
    one = memory("add", "amounts are in cents")[1]["entry"]["id"]
    memory("verify", one)
    memory("add", "builds run on Linux")
    assert memory("undo")[1]["act"] == "add"
    assert [entry["id"] for entry in stored(place)] == [one]
    assert memory("undo", one)[1]["act"] == "verify"


def test_ids_are_found_by_their_beginning(memory: Any) -> None:
    name = memory("add", "amounts are in cents")[1]["entry"]["id"]
    memory("add", "builds run on Linux")
    assert memory("show", name[5:])[1]["entry"]["id"] == name
    code, told = memory("show", "fact")
    assert (code, told["status"]) == (1, "not_found") and name in told["error"]
    code, told = memory("delete", "fact-nothing")
    assert (code, told["status"]) == (1, "not_found") and "paitui memory list" in told["error"]


def test_another_project_is_seen_with_all_alone(memory: Any, place: Path) -> None:
    name = memory("add", "amounts are in cents")[1]["entry"]["id"]
    memory("replace", name, "amounts are in euros")
    other = place / "other"
    other.mkdir()
    there = ("--project", str(other))
    assert memory("list", *there)[1]["entries"] == []
    assert memory("list", "--all", *there)[1]["entries"][0]["id"] == name
    for verb in (["show", name], ["log", name], ["verify", name], ["delete", name], ["undo", name]):
        assert memory(*verb, *there)[1]["status"] == "not_found"
    assert memory("search", "amounts", *there)[1]["entries"] == []
    assert memory("clear", "--force", *there)[1]["count"] == 0
    assert memory("undo", *there)[1]["status"] == "failed"
    assert memory("show", name, "--all", *there)[1]["entry"]["id"] == name


def test_a_list_is_aligned_in_cells_and_safe(memory: Any, capfd: pytest.CaptureFixture[str]) -> None:
    memory("add", "金额一律用分")
    memory("add", "--global", "evil \x1b[2J\u202e text")
    assert main(["memory", "list", "--lang", "zh"]) == 0
    out = capfd.readouterr().out
    assert "\x1b" not in out and "\u202e" not in out
    head, *rows = out.splitlines()
    at = cells(head.partition("记忆")[0])
    assert [cells(row.partition(word)[0]) for row, word in zip(rows, ["金额", "evil"], strict=True)] == [at, at]


def test_a_search_gives_the_best_first(memory: Any) -> None:
    memory("add", "builds run on Linux")
    memory("add", "发票金额一律用分")
    assert [one["content"] for one in memory("search", "金额")[1]["entries"]] == ["发票金额一律用分"]
    assert memory("search", "kubernetes")[1] == {"status": "ok", "entries": []}


def test_a_fact_from_standard_input(place: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PAITUI_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "paitui", "memory", "--json", "add", "-"]

    def given(data: bytes) -> tuple[int, dict[str, Any]]:
        done = subprocess.run(command, input=data, capture_output=True, env=environment, timeout=60, check=False)
        return done.returncode, json.loads(done.stdout)

    assert given("金额\n一律用分\n".encode())[1]["entry"]["content"] == "金额 一律用分"
    assert given(b"\xff\xfe")[0] == 1
    code, told = given(b"x" * 3_000)
    assert (code, told["status"]) == (1, "failed") and "2,000" in told["error"]
    assert given(b"")[0] == 1


def test_files_out_and_in(memory: Any, place: Path) -> None:
    memory("add", "amounts are in cents")
    memory("add", "--global", "answer in Chinese")
    assert memory("export", "all.json") == (
        0,
        {"status": "ok", "count": 2, "file": str(place / "project/all.json")},
    )
    assert memory("export", "all.json")[1]["status"] == "failed"
    memory("clear", "--force")
    assert memory("import", "all.json")[1]["count"] == 2
    (place / "project/notes.md").write_text(f"# Notes\n- amounts are in cents\n- {SECRET}\n- builds run on Linux\n")
    code, told = memory("import", "notes.md")
    assert (code, told["count"], told["duplicates"], told["secrets"]) == (0, 1, 1, 1)


def test_a_damaged_file_is_told_and_checked(memory: Any, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert memory("check")[1]["status"] == "ok"
    memory("add", "amounts are in cents")
    file = place / "home/memory/long_term_memory.json"
    file.write_bytes(file.read_bytes()[:-4] + b', {"id"')
    code, told = memory("check")
    assert (code, told["status"], told["count"]) == (1, "failed", 1)
    assert any(".corrupt-" in problem for problem in told["problems"])
    code, told = memory("add", "builds run on Linux")
    assert code == 0 and ".corrupt-" in told["problems"][0]
    assert memory("check")[0] == 0 and len(stored(place)) == 2


def test_check_finds_the_same_said_twice_and_what_is_stale(memory: Any, place: Path) -> None:
    memory("add", "amounts are in cents")
    file = place / "home/memory/long_term_memory.json"
    [entry] = json.loads(file.read_text())
    old = {**entry, "timestamp": "2020-01-01T00:00:00Z", "id": "fact-00000001", "content": "Amounts are in cents."}
    file.write_text(json.dumps([entry, old]))
    code, told = memory("check")
    assert code == 0 and told["states"] == {"fresh": 1, "stale": 1, "unconfirmed": 0}
    assert [[one["id"] for one in pair] for pair in told["duplicates"]] == [[entry["id"], "fact-00000001"]]


def test_a_memory_that_cannot_be_read_fails_and_nothing_is_made(memory: Any, place: Path) -> None:
    assert memory("list")[0] == 0 and not (place / "home").exists()
    (place / "home/memory/long_term_memory.json").mkdir(parents=True)
    code, told = memory("list")
    assert (code, told["status"]) == (1, "failed") and "long_term_memory.json" in told["error"]
    assert memory("add", "x is y")[0] == 1


def test_the_help_and_a_mistake(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "--help"]) == 0
    assert "paitui memory add" in capfd.readouterr().out
    assert main(["memory", "show"]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1 and "<id>" in err


def test_nothing_slow_is_loaded(place: Path) -> None:
    code = (
        "import sys; from paitui.cli import main; code = main(['memory', 'add', 'amounts are in cents']);"
        "print([name for name in ('litellm', 'textual', 'rich', 'jieba', 'asyncio') if name in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_many_at_once_all_arrive(place: Path) -> None:
    environment = {**os.environ, "PAITUI_HOME": str(place / "home")}
    words = ["alpha ships invoices", "beta reads ledgers", "gamma mails customers", "delta counts stock"]
    codes: list[int] = []

    def add(word: str) -> None:
        command = [sys.executable, "-m", "paitui", "memory", "add", word]
        done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
        codes.append(done.returncode)

    threads = [threading.Thread(target=add, args=(word,)) for word in words]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 4
    assert sorted(entry["content"] for entry in stored(place)) == sorted(words)
