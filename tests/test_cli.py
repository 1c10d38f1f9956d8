import os
import subprocess
import sys
from pathlib import Path

import pytest

from paitui import __version__, doctor
from paitui.cli import main


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty project, with a home of its own, in English, without a terminal."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PAITUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *line: str) -> tuple[int, str]:
    """Run a line that must fail with one line on standard error and nothing on standard output."""
    code = main(line)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("paitui: ") and err.count("\n") == 1
    return code, err


@pytest.mark.parametrize("line", [["--version"], ["--lang", "zh", "--version"]])
def test_version(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 0
    assert capsys.readouterr() == (f"paitui {__version__}\n", "")


@pytest.mark.parametrize(("language", "word"), [("en", "Usage"), ("zh", "用法")])
def test_help_in_the_users_language(language: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help", "--lang", language]) == 0
    assert word in capsys.readouterr().out


def test_an_error_is_in_the_language_of_the_line_the_settings_or_the_locale(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no option" in refused(capsys, "--zzz")[1].lower()
    assert "没有选项" in refused(capsys, "--zzz", "--lang", "zh")[1]
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有选项" in refused(capsys, "--zzz")[1]
    (place / "home").mkdir()
    (place / "home" / "settings.toml").write_text('[ui]\nlanguage = "en"\n', "utf-8")
    assert "There is no option" in refused(capsys, "--zzz")[1]


def test_without_a_terminal_it_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys)
    assert code == 2 and "terminal" in said and "-p" in said


def test_a_missing_project(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "-p", "hello", "--project", str(place / "nowhere"))
    assert code == 2 and "nowhere" in said and "--project" in said


def test_a_project_that_is_a_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "file").touch()
    assert refused(capsys, "-p", "hello", "--project", str(place / "file"))[0] == 2


def test_a_current_folder_that_was_removed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "project").rmdir()
    code, said = refused(capsys, "-p", "hello")
    assert code == 2 and "--project" in said


def test_a_home_that_is_a_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "home").touch()
    code, said = refused(capsys, "-p", "hello")
    assert code == 1 and "PAITUI_HOME" in said and "saved" in said


def test_a_home_that_nobody_may_write(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAITUI_HOME", "/proc/paitui")  # refused to everyone, root too
    code, said = refused(capsys, "-p", "hello")
    assert code == 1 and "PAITUI_HOME" in said


def test_a_name_with_an_escape_sequence_is_shown_harmless(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in refused(capsys, "-p", "hello", "--project", str(place / "a\x1b[31m\nb"))[1]


def test_a_model_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, "-p", "hello", "--model", "faraway")
    assert code == 2 and "faraway" in said and "provider/name" in said


def test_an_unknown_slash_command_never_goes_to_the_model(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    code, said = refused(capsys, "-p", "/nothing")
    assert code == 2 and "/nothing" in said and "/compact" in said
    assert not (place / "home" / "sessions").exists()


def test_the_module_runs_like_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "paitui", "--window", "12"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(doctor.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 2 and done.stdout == "" and "8,000" in done.stderr


def test_interrupting_the_start_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("paitui.cli._start", interrupted)
    assert main(["-p", "hello"]) == 130
