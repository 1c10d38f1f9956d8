"""Standard streams that are closed, full, unread or not UTF-8."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def shell(tmp_path: Path, line: str, **more: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a line of the shell, in which `$P` is the program."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    (project / "README.md").write_text("# Lamp\n\nCounts moths.\n")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PAITUI_HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "P": f"{sys.executable} -m paitui",
        **more,
    }
    return subprocess.run(
        ["bash", "-c", line], cwd=project, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
    )


COMMANDS = ["--version", "--help", "doctor", "doctor --json", "-p 'read README.md'", "-p /help"]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_full_disk_behind_standard_output_is_no_crash(tmp_path: Path, arguments: str) -> None:
    done = shell(tmp_path, f"$P {arguments} >/dev/full")
    assert done.returncode == 1 and b"Traceback" not in done.stderr and b"Exception" not in done.stderr


@pytest.mark.parametrize("arguments", ["--version", "--help", "doctor"])
def test_a_reader_that_left_is_no_crash(tmp_path: Path, arguments: str) -> None:
    done = shell(tmp_path, f"(sleep 1; $P {arguments}) | true")
    assert done.stderr == b""


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_as_good_as_nowhere(tmp_path: Path, closed: str) -> None:
    done = shell(tmp_path, f"$P -p 'read README.md' {closed}")
    assert done.returncode == 0 and done.stderr == b""
    assert (b"Lamp" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))


def test_an_error_never_goes_to_standard_output(tmp_path: Path) -> None:
    done = shell(tmp_path, "$P -p /nope 2>&-")
    assert done.returncode == 2 and done.stdout == b""
    done = shell(tmp_path, "$P --nope 2>/dev/full")
    assert done.returncode == 2 and done.stdout == b""


def test_no_file_of_ours_takes_the_number_of_a_standard_stream(tmp_path: Path) -> None:
    code = "import os, sys; os.write(2, b'stray'); os.write(1, b'stray')"
    line = f"{sys.executable} -c \"from paitui import streams; streams.complete(); f = open('own', 'w'); {code}\""
    assert shell(tmp_path, f"{line} >&- 2>&-").returncode == 0
    assert (tmp_path / "project/own").read_bytes() == b""


@pytest.mark.parametrize("arguments", ["--help", "doctor", "-p '读取 README.md'", "-p /nope", "--nope"])
def test_a_stream_that_is_not_utf8_gets_what_it_can_carry(tmp_path: Path, arguments: str) -> None:
    done = shell(tmp_path, f"$P --lang zh {arguments}", PYTHONIOENCODING="ascii")
    assert b"Traceback" not in done.stderr and b"Error" not in done.stderr
    assert done.returncode == (2 if "nope" in arguments else 0)
    done.stderr.decode("ascii")
    done.stdout.decode("utf-8")


def test_a_refusal_does_not_repeat_an_argument_of_any_length(tmp_path: Path) -> None:
    done = shell(tmp_path, f"$P --window {'9' * 5_000} -p hi")
    assert done.returncode == 2 and len(done.stderr.decode()) < 1_200


def test_json_stays_json_without_utf8(tmp_path: Path) -> None:
    done = shell(tmp_path, "$P --lang zh -p '你好' --output json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode("utf-8"))["status"] == "done"
