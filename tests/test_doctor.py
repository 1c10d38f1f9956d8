import json
from importlib import metadata
from pathlib import Path

import pytest

from paitui import doctor
from paitui.cli import main
from paitui.doctor import Check
from paitui.locale import Words, phrase
from paitui.settings import ContextSettings, Settings

WORDS = Words("en")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PAITUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return tmp_path


def report(capsys: pytest.CaptureFixture[str], *line: str) -> tuple[int, dict[str, tuple[str, str, str]]]:
    code = main(["doctor", "--json", *line])
    found = json.loads(capsys.readouterr().out)
    worst = max((check["status"] for check in found["checks"]), key=["ok", "warn", "fail"].index)
    assert found["status"] == worst
    return code, {check["name"]: (check["status"], check["what"], check["todo"]) for check in found["checks"]}


def test_a_healthy_place(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = report(capsys)
    assert code == 0
    assert {"python", "paitui", "packages", "system", "encoding", "terminal", "locale", "home", "settings"} <= set(
        found
    )
    assert {"project", "git", "outputs", "model", "window", "sessions", "disk"} <= set(found)
    for name in ("python", "paitui", "home", "settings", "project", "git", "outputs", "model", "window"):
        assert found[name][0] == "ok", found[name]
    assert found["terminal"][0] == "warn" and "-p" in found["terminal"][2]
    assert "32,000" in found["window"][1] and "12,000" in found["window"][1] and "20,000" in found["window"][1]
    assert not (place / "home").exists()


def test_whatever_is_not_well_says_what_to_do(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = place / "home"
    home.mkdir()
    home.chmod(0o755)
    (home / "settings.toml").write_text("[context]\nwindw = 1\n", "utf-8")
    (place / "project" / ".git").rmdir()
    (place / "project" / ".paitui" / "tool-outputs").mkdir(parents=True)
    code, found = report(capsys)
    assert code == 0
    for name, hint in {"home": "chmod 700", "settings": "README", "git": "git init", "outputs": ".gitignore"}.items():
        assert found[name][0] == "warn" and hint in found[name][2], found[name]
    assert "windw" in found["settings"][1]


@pytest.mark.parametrize(
    ("line", "name"),
    [(["--project", "nowhere"], "project"), (["--model", "far/away"], "model")],
)
def test_what_cannot_work_fails(place: Path, capsys: pytest.CaptureFixture[str], line: list[str], name: str) -> None:
    code, found = report(capsys, *line)
    assert code == 1 and found[name][0] == "fail"


def test_a_home_that_cannot_be_written_fails_and_the_rest_is_still_checked(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "home").touch()
    code, found = report(capsys)
    assert code == 1 and found["home"][0] == "fail" and "PAITUI_HOME" in found["home"][1]
    assert found["disk"][0] in ("ok", "warn", "fail") and found["sessions"][0] == "ok"


@pytest.mark.parametrize(("language", "word"), [("en", "Python"), ("zh", "依赖")])
def test_as_text_for_people(place: Path, capsys: pytest.CaptureFixture[str], language: str, word: str) -> None:
    assert main(["doctor", "--lang", language]) == 0
    out = capsys.readouterr().out
    assert word in out and "{" not in out and len(out.splitlines()) > 12


def test_the_closing_line_counts() -> None:
    checks = [
        Check("a", "ok", phrase("doctor.git")),
        Check("b", "warn", phrase("doctor.git_none"), phrase("doctor.git_todo")),
        Check("c", "fail", phrase("preflight.project_missing", project="/a\x1b[0m\nb")),
    ]
    lines = doctor.text_report(checks, WORDS).splitlines()
    assert lines[-1] == "1 failed, 1 to look at."
    assert lines[1].startswith("warn  ") and "git init" in lines[2]
    assert "\x1b" not in lines[3] and len(lines) == 6
    assert doctor.text_report(checks[:1], WORDS).endswith("Nothing is wrong here.")


@pytest.mark.parametrize(
    ("environment", "size", "status", "shows"),
    [
        ({"TERM": "xterm-256color"}, (120, 40), "ok", "256 colours"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, (80, 24), "ok", "16,777,216"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, (80, 24), "ok", "NO_COLOR"),
        ({"TERM": "dumb"}, (80, 24), "warn", "dumb"),
        ({}, (80, 24), "warn", "?"),
        ({"TERM": "xterm"}, (50, 24), "warn", "50 x 24"),
        ({"TERM": "xterm"}, (80, 10), "warn", "80 x 10"),
    ],
)
def test_terminals(environment: dict[str, str], size: tuple[int, int], status: str, shows: str) -> None:
    check = doctor.terminal_kind(environment, *size)
    assert check.status == status and shows in WORDS.say(check.what)
    assert (check.todo is None) == (status == "ok")


def test_windows_is_told_what_it_lacks() -> None:
    check = doctor.system("win32")
    assert check.status == "warn" and check.todo is not None and "Windows" in WORDS.say(check.todo)
    assert doctor.system("linux").status == "ok"


def test_packages_are_looked_up_without_loading_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda name: ["pytest>=8", "mypy; extra == 'dev'"])
    check = doctor.packages()
    assert check.status == "ok" and check.what.params["listed"] == f"pytest {metadata.version('pytest')}"
    monkeypatch.setattr(metadata, "requires", lambda name: ["pytest", "no-such-package-here[x]>=1"])
    check = doctor.packages()
    assert (check.status, check.what.params["names"]) == ("fail", "no-such-package-here")

    def absent(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", absent)
    assert doctor.packages().status == "warn"


def test_sessions_and_their_size(tmp_path: Path) -> None:
    (tmp_path / "sessions" / "s-1").mkdir(parents=True)
    (tmp_path / "sessions" / "s-1" / "state").write_bytes(b"x" * 1_500_000)
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "s-1.jsonl").write_bytes(b"x" * 600_000)
    said = WORDS.say(doctor.sessions(tmp_path / "sessions", tmp_path / "raw").what)
    assert said == "Sessions: 1, with their ledgers 2.1 MB"


def test_the_window_moves_the_thresholds(tmp_path: Path) -> None:
    settings = Settings(context=ContextSettings(window=200_000, clear_at=50_000))
    check = list(doctor.model(settings, tmp_path / "settings.toml"))[-1]
    assert check.what.params == {"window": 200_000, "clear_at": 50_000, "summary_at": 167_000}
