"""`paitui ledger`, from arguments to what is printed and the exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paitui.cli import main
from paitui.headless.ledger_call import LedgerCall
from paitui.headless.ledger_command import run
from paitui.headless.ledger_text import size
from paitui.ledger.records import Record, to_line
from paitui.locale import Words
from paitui.paths import Paths
from paitui.session.info import SessionInfo, write_info

ONE, TWO, OTHER = "20261201-041502-3fa9", "20261202-041502-77aa", "20261203-000000-beef"


def line(seq: int, event: str = "message", unit: str = "react", **payload: Any) -> bytes:
    return to_line(Record(seq, "2026-12-01T04:15:02.345Z", "s1", unit, event, payload)) + b"\n"


RECORDS = (
    line(1, role="user", content="读取 README \x1b[31m", uid=1, origin="typed"),
    line(
        2,
        role="assistant",
        content=None,
        uid=2,
        tool_calls=[{"id": "c", "function": {"name": "read_file", "arguments": "{}"}}],
    ),
    line(3, role="tool", name="read_file", tool_call_id="c", content="full text ```` x", uid=3, stored="kept.txt"),
    line(4, "boundary", kind="clear", why="over", before=9_000, after=4_000, ids=[3], texts=["cleared"]),
    line(5, role="assistant", content="done", uid=4),
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sessions of the project and one of another, in English, without a terminal."""
    project, raw = tmp_path / "project", tmp_path / "home" / "history" / "raw"
    project.mkdir()
    raw.mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PAITUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    for age, (session, where) in enumerate(((TWO, project), (ONE, project), (OTHER, tmp_path))):
        file = raw / f"{session}.jsonl"
        file.write_bytes(b"".join(RECORDS))
        os.utime(file, (1_000_000 - age, 1_000_000 - age))
        folder = tmp_path / "home" / "sessions" / session
        folder.mkdir(parents=True)
        write_info(
            folder, SessionInfo(session, str(where), "2026", "2026", "offline", "" if session == ONE else "hello")
        )
    return raw


def ledger(capfd: pytest.CaptureFixture[str], *given: str) -> tuple[int, str, str]:
    code = main(["ledger", *given])
    out, err = capfd.readouterr()
    return code, out, err


def test_the_ledgers_of_the_project_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ledger(capfd, "--json")
    listed = json.loads(out)["ledgers"]
    assert code == 0 and [one["session"] for one in listed] == [TWO, ONE]
    assert [one["request"] for one in listed] == ["hello", "读取 README \x1b[31m"]  # of an old one from its lines
    assert listed[0]["size"] == len(b"".join(RECORDS))
    assert OTHER in ledger(capfd, "list", "--all")[1]
    text = ledger(capfd)[1]
    assert "\x1b" not in text and "␛[31m" in text and OTHER not in text


def test_a_tail_is_of_the_newest_session_and_safe(capfd: pytest.CaptureFixture[str], place: Path) -> None:
    with (place / f"{TWO}.jsonl").open("ab") as file:
        file.write(b"{broken \x1b]0;x\x07\n" + line(7, "dance", steps=3))
    code, out, _ = ledger(capfd, "tail")
    lines = out.splitlines()
    assert code == 0 and len(lines) == 7 and "\x1b" not in out and "\x07" not in out
    assert "damaged" in lines[5] and "dance" in lines[6] and "steps=3" in lines[6]
    assert "9,000 -> 4,000" in lines[3] and "read_file" in lines[2]
    assert [item.split()[0] for item in ledger(capfd, "tail", "-n2", "--role", "assistant")[1].splitlines()] == [
        "2",
        "5",
    ]
    [told] = [
        json.loads(item) for item in ledger(capfd, "tail", TWO, "--json", "--event", "boundary")[1].splitlines()
    ]
    assert (told["seq"], told["kind"], told["before"], told["after"], told["ids"]) == (4, "clear", 9_000, 4_000, 1)


def test_a_tail_follows_what_is_written(capfd: pytest.CaptureFixture[str], place: Path) -> None:
    file = place / f"{TWO}.jsonl"
    looks = iter([b"", line(6, role="user", content="six"), b'{"torn', b"", line(1, role="user", content="anew")])

    def wait() -> bool:
        more = next(looks, None)
        if more is None:
            return True
        if b"anew" in more:
            file.write_bytes(more)
        else:
            with file.open("ab") as out:
                out.write(more)
        return False

    call = LedgerCall("tail", lines=1, follow=True)
    assert run(call, Paths(place.parents[1], Path.cwd()), Words("en"), wait) == 0
    out, err = capfd.readouterr()
    assert [item.split()[0] for item in out.splitlines()] == ["5", "6", "1"]
    assert "in place of another" in err


def test_a_record_is_shown_as_json_and_a_boundary_with_both_sides(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ledger(capfd, "show", TWO[:8], "1")
    assert code == 0 and json.loads(out)["payload"]["content"] == "读取 README \x1b[31m" and "读取" in out
    assert ledger(capfd, "show", "1", "--json")[1].encode() == RECORDS[0]
    told = json.loads(ledger(capfd, "show", "4", "--around", "--json")[1])
    assert [(item["uid"], item["seq"], item["text"]) for item in told["went"]] == [(3, 3, "full text ```` x")]
    assert [(item["uid"], item["text"]) for item in told["came"]] == [(3, "cleared")]
    text = ledger(capfd, "show", "4", "--around")[1]
    assert text.index("full text") < text.index("cleared")
    for given, said in ((("show", "99"), "no record 99"), (("show", "1", "--around"), "no boundary")):
        code, _, err = ledger(capfd, *given)
        assert code == 1 and said in err


def test_an_export_is_exact_and_writes_over_nothing(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = ledger(capfd, "export")
    assert code == 0 and out.encode() == b"".join(RECORDS)
    assert ledger(capfd, "export", "--tool", "read_file")[1].encode() == RECORDS[1] + RECORDS[2]
    file = tmp_path / "talk.md"
    code, out, _ = ledger(capfd, "export", TWO, str(file))
    text = file.read_text("utf-8")
    assert code == 0 and "talk.md" in out and file.stat().st_mode & 0o777 == 0o600
    assert text.count("\n## ") == 5 and "```\nfull text ```` x\n```\n" in text
    code, _, err = ledger(capfd, "export", TWO, str(file))
    assert code == 1 and "exists already" in err and file.read_text("utf-8") == text
    assert "cannot be written" in ledger(capfd, "export", TWO, str(tmp_path / "no" / "such.md"))[2]


def test_a_check_tells_what_is_wrong(capfd: pytest.CaptureFixture[str], place: Path) -> None:
    code, out, _ = ledger(capfd, "check", "--all")
    assert code == 0 and out.count("Sound.") == 2 + 1
    with (place / f"{TWO}.jsonl").open("ab") as file:
        file.write(b"{broken\n" + line(9, role="tool", tool_call_id="none", name="x", content="") + line(9, "turn"))
        file.write(line(10, "boundary", kind="clear", ids=[3, 77], texts=[]) + b'{"v":1')
    code, out, _ = ledger(capfd, "check", "--json")
    [told] = json.loads(out)["ledgers"]
    assert code == 1 and told["counts"] == {
        "damaged": 1, "missing": 1, "orphan": 1, "order": 1, "unknown": 1, "torn": 1,
    }  # fmt: skip
    assert [(one["what"], one["line"]) for one in told["problems"]] == [
        ("damaged", 6), ("missing", 7), ("orphan", 7), ("order", 8), ("unknown", 9), ("torn", 10),
    ]  # fmt: skip
    text = main(["ledger", "check", "--lang", "zh"]), capfd.readouterr().out
    assert text[0] == 1 and "没有对应的调用" in text[1]


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["tial"], 2, "did you mean tail"),
        (["tail", "--all"], 2, "Write: paitui ledger tail"),
        (["show"], 2, "Write: paitui ledger show"),
        (["show", "x"], 2, "whole number"),
        (["tail", "-n"], 2, "needs a value"),
        (["tail", "--nope"], 2, "no option --nope"),
        (["export", "--format", "pdf"], 2, "jsonl, markdown"),
        (["tail", "2026"], 1, "3 ledgers begin with 2026"),
        (["tail", "nope"], 1, "No ledger begins with nope"),
        (["tail", "./nope.jsonl"], 1, "no such file"),
        (["check", "./here"], 1, "is no ledger"),
        (["tail", "."], 1, "No ledger begins with"),
        (["tail", "./"], 1, "cannot be read"),
        (["tail", "./pipe"], 1, "cannot be read"),
        (["tail", "./loop.jsonl"], 1, "permissions"),
    ],
)
def test_what_cannot_be_done_is_told(
    capfd: pytest.CaptureFixture[str], given: list[str], code: int, said: str
) -> None:
    Path("here").write_text("# a text\nof two lines\n")
    os.mkfifo("pipe")
    os.symlink("loop.jsonl", "loop.jsonl")
    found, _, err = ledger(capfd, *given)
    assert found == code and said in err and err.startswith("paitui: ") and err.count("\n") == 1


def test_an_option_of_a_session_does_not_go_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--plain", "ledger"]) == 2
    assert "--plain does not go with ledger" in capfd.readouterr().err


def test_a_reader_that_leaves_ends_it_quietly(place: Path) -> None:
    (place / f"{TWO}.jsonl").write_bytes(b"".join(line(n, role="user", content="x" * 500) for n in range(1, 3_000)))
    command = [sys.executable, "-m", "paitui", "ledger", "export", TWO]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=30) == 1 and process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 KB"),
        (999_949, "999.9 KB"),
        (999_951, "1.0 MB"),
        (1_234_567_890, "1.2 GB"),
    ],
)
def test_sizes(count: int, shown: str) -> None:
    assert size(count) == shown
