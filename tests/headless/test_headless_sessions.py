"""`paitui sessions` and `/export`, from arguments to what is printed, what is changed and the exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from paitui.cli import main
from paitui.headless.sessions_call import SHAPES, read_call
from paitui.headless.sessions_command import run
from paitui.locale import Words
from paitui.paths import Paths


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Path:
    """Work in a project with one session of the offline engine, in English, without a terminal."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project/README.md").write_text("# Shop\n")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PAITUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert main(["-p", "read README.md"]) == 0
    capfd.readouterr()
    return tmp_path


@pytest.fixture
def sessions(capfd: pytest.CaptureFixture[str]) -> Any:
    """Run a command as a script does; gives the exit code and the object."""

    def go(*line: str) -> tuple[int, dict[str, Any]]:
        code = main(["sessions", *line, "--json"])
        out = capfd.readouterr().out
        assert out.count("\n") == 1
        return code, json.loads(out)

    return go


def test_all_that_can_be_done_with_a_session(sessions: Any, place: Path) -> None:
    code, told = sessions()
    [one] = told["sessions"]
    assert code == 0 and told["status"] == "ok"
    assert (one["first_words"], one["messages"], one["broken_off"]) == ("read README.md", 4, False)
    assert one["tokens"] > 0 and one["project"] == str(place / "project")
    name = one["id"]
    code, told = sessions("show", name[:-1])
    assert (
        code == 0
        and told["session"]["last_request"] == "read README.md"
        and Path(told["session"]["ledger"]).is_file()
    )
    code, told = sessions("fork", name)
    assert code == 0 and told["session"]["forked_from"] == [name]
    code, told = sessions("export", name, "talk.html")
    assert code == 0 and (place / "project/talk.html").read_text("utf-8").startswith("<!doctype html>")
    assert sessions("export", name, "talk.html")[1]["status"] == "failed"
    code, told = sessions("export", name)
    assert code == 0 and Path(told["file"]).parent == place / "project" and told["file"].endswith(".md")
    code, told = sessions("delete", name)
    assert (code, told["status"]) == (1, "refused")
    code, told = sessions("delete", "--force", name)
    assert code == 0 and Path(told["ledger"]).is_file()
    assert [info["forked_from"] for info in sessions("list")[1]["sessions"]] == [[name]]
    copy = sessions("list")[1]["sessions"][0]["id"]
    assert sessions("delete", "--force", "--ledger", copy)[1] == {"status": "ok", "id": copy, "ledger": None}
    assert (sessions("list")[1]["sessions"], sessions("show", copy)[1]["status"]) == ([], "not_found")


def test_other_projects_are_listed_when_asked_for(
    sessions: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "other").mkdir()
    monkeypatch.chdir(place / "other")
    assert sessions()[1]["sessions"] == [] and len(sessions("list", "--all")[1]["sessions"]) == 1
    assert len(sessions("--project", str(place / "project"))[1]["sessions"]) == 1


@pytest.mark.parametrize(("typed", "code", "left"), [("yes", 0, 0), ("n", 1, 1), ("", 1, 1)])
def test_on_a_terminal_a_deletion_asks(sessions: Any, place: Path, typed: str, code: int, left: int) -> None:
    name = sessions()[1]["sessions"][0]["id"]
    asked: list[str] = []

    def ask(question: str, choices: str) -> str:
        asked.append(question)
        return typed

    paths = Paths(place / "home", place / "project")
    assert run(read_call(["delete", name]), paths, Words("en"), ask=ask) == code
    assert "read README.md" in asked[0]
    assert len(list((place / "home/sessions").iterdir())) == left


def test_lines_for_a_person(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions"]) == 0
    out = capfd.readouterr().out
    assert "read README.md" in out and "4 messages" in out
    name = out.split()[0]
    assert main(["sessions", "show", name]) == 0
    out = capfd.readouterr().out
    assert "It ended as it should." in out and "last request:" in out and "Shop" in out


@pytest.mark.parametrize(
    "line",
    [
        ["nonsense"],
        ["show"],
        ["show", "a", "b"],
        ["export", "a", "pdf", "x"],
        ["list", "--force"],
        ["fork", "--ledger", "a"],
        ["--bad"],
        ["--project"],
        ["delete", ""],
    ],
)
def test_a_bad_line_is_one_sentence_and_code_2(line: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", *line]) == 2
    told = capfd.readouterr()
    assert told.out == "" and told.err.startswith("paitui: ") and told.err.count("\n") == 1


@pytest.mark.parametrize("option", ["-p", "--plain", "--continue", "--resume"])
def test_what_belongs_to_a_session_does_not_go_with_it(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    value = ["x"] if option in ("-p", "--resume") else []
    assert main([option, *value, "sessions"]) == 2
    assert option in capfd.readouterr().err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_names_every_verb(language: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang", language, "sessions", "--help"]) == 0
    out = capfd.readouterr().out
    assert all(f"paitui sessions {verb}" in out.replace("[list]", "list") for verb in SHAPES)


def test_the_running_session_is_exported_without_a_screen(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["-p", "/export html out.html", "--continue"]) == 0
    assert "Exported to" in capfd.readouterr().out
    assert "read README.md" in (place / "project/out.html").read_text("utf-8")
    assert main(["-p", "/export out.html", "--continue"]) == 1
    assert "exists already" in capfd.readouterr().err
    assert main(["-p", "/resume"]) == 2
