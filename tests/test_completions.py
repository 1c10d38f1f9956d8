"""Completion of the command line, as the shells themselves do it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from paitui.arguments import SHELLS, parse, parser
from paitui.cli import main
from paitui.completions import SUBCOMMANDS, script, tables
from paitui.headless import memory_call, sessions_call
from paitui.locale import Words


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_and_verb_is_in_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completions", shell]) == 0
    made = capsys.readouterr().out
    for action in parser()._actions:
        for option in action.option_strings:
            assert (option if shell != "fish" else option.lstrip("-")) in made
    assert all(verb in made for verb in (*memory_call.SHAPES, *sessions_call.SHAPES, *SUBCOMMANDS, "/compact"))
    assert "/quit" not in made  # means nothing in -p


def test_every_first_word_of_the_help_is_known() -> None:
    told = set(re.findall(r"^  paitui ([a-z]+)\b", Words("en")("cli.help").partition("\nExamples")[0], re.MULTILINE))
    assert told == set(SUBCOMMANDS)
    for option, values in tables().values.items():
        for value in values if isinstance(values, tuple) and option not in ("-p", "--print", "--policy") else ():
            parse([option, value, *(["-p", "x"] if option == "--output" else [])])


def completed(tmp_path: Path, *line: str) -> list[str]:
    """Ask bash what may stand at the end of a line."""
    file = tmp_path / "complete.bash"
    file.write_text(script("bash"))
    asked = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _paitui; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", asked, "bash", str(file), "paitui", *line],
        env={"PAITUI_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes(tmp_path: Path) -> None:
    for name in ("20261201-061502-3fa9", "20261130-140200-91bc"):
        (tmp_path / "home/sessions" / name).mkdir(parents=True)
    assert completed(tmp_path, "me") == ["memory"]
    assert "--approve" in completed(tmp_path, "--") and completed(tmp_path, "--appr") == ["--approve"]
    assert completed(tmp_path, "--approve", "") == ["ask", "reads", "all"]
    assert completed(tmp_path, "-p", "/comp") == ["/compact"]
    assert completed(tmp_path, "--resume", "") == ["20261201-061502-3fa9", "20261130-140200-91bc"]
    assert completed(tmp_path, "sessions", "") == list(sessions_call.SHAPES)
    assert completed(tmp_path, "sessions", "show", "20261201") == ["20261201-061502-3fa9"]
    assert completed(tmp_path, "sessions", "delete", "--l") == ["--ledger", "--lang"]
    assert completed(tmp_path, "--lang", "zh", "memory", "sea") == ["search"]
    assert completed(tmp_path, "--project", "ho") == ["home"]


@pytest.mark.parametrize(("shell", "check"), [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_the_script_can_be_read(shell: str, check: list[str], tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        assert script(shell).count("\n") > 10  # the shell that could tell is not here
        return
    file = tmp_path / "script"
    file.write_text(script(shell))
    done = subprocess.run([program, *check, str(file)], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
