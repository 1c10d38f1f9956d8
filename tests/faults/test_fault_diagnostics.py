"""What says something by itself goes to the log, masked and bounded, and never to the terminal."""

import logging
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from paitui import diagnostics

ROOT = Path(__file__).parents[2]
KEY = "sk-ant-api03-" + "aB3" * 30


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "paitui.log"


def test_nothing_is_written_while_nothing_is_said(log: Path) -> None:
    with diagnostics.written_to(log):
        logging.getLogger("x").info("not worth it")
    assert not log.exists()


@pytest.mark.filterwarnings("default")
def test_every_way_to_speak_leads_to_the_file(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    class Fails:
        def __del__(self) -> None:
            raise ValueError("in the end")

    with diagnostics.written_to(log):
        logging.getLogger("asyncio").warning("child %d", 7)
        warnings.warn("old habits", stacklevel=1)
        thread = threading.Thread(target=lambda: 1 / 0, name="t7")
        thread.start()
        thread.join()
        Fails()
        diagnostics.fault("here", KeyError("k"))
    text = log.read_text()
    for said in ("child 7", "old habits", "thread t7", "ZeroDivisionError", "in the end", "here", "KeyError"):
        assert said in text
    assert "".join(capfd.readouterr()) == "" and log.stat().st_mode & 0o077 == 0


def test_afterwards_everything_is_as_before(log: Path) -> None:
    before = logging.getLogger().handlers[:], threading.excepthook, sys.unraisablehook, warnings.showwarning
    with diagnostics.written_to(log):
        pass
    after = logging.getLogger().handlers, threading.excepthook, sys.unraisablehook, warnings.showwarning
    assert after == before


def test_secrets_are_masked_and_a_record_has_an_end(log: Path) -> None:
    with diagnostics.written_to(log):
        logging.getLogger("x").warning("the key is %s, then %s", KEY, "long " * 100_000)
        diagnostics.fault("asking", ValueError(f"refused: {KEY}"))
    text = log.read_text()
    assert KEY not in text and "secret" in text and len(text) < 50_000
    said = diagnostics.told(ValueError(f"refused: {KEY}"), log)
    assert KEY not in str(said.params)


def test_the_file_is_bounded(log: Path) -> None:
    with diagnostics.written_to(log):
        for _ in range(140):
            logging.getLogger("x").warning("word " * 4_000)
    older = log.with_name("paitui.log.1")
    assert 0 < log.stat().st_size <= diagnostics.MAX_BYTES and older.stat().st_size <= diagnostics.MAX_BYTES


def test_wrong_values_for_a_message_are_no_fault_of_their_own(log: Path) -> None:
    before = logging.getLogger().handlers[:]
    with diagnostics.written_to(log):
        [ours] = (handler for handler in logging.getLogger().handlers if handler not in before)
        ours.handle(logging.LogRecord("x", logging.WARNING, __file__, 1, "number %d", ("seven",), None))
    assert "number %d ('seven',)" in log.read_text()


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "no folder"])
def test_a_log_that_cannot_be_written_is_done_without(
    log: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    if kind == "pipe":
        os.mkfifo(log)
    elif kind == "folder":
        log.mkdir()
    elif kind == "link":
        log.symlink_to(log.with_name("victim"))
    with diagnostics.written_to(log / "x" if kind == "no folder" else log):
        logging.getLogger("x").warning("lost")
    assert "".join(capfd.readouterr()) == "" and not log.with_name("victim").exists()


def test_a_fault_of_the_program_is_one_line_and_the_rest_in_the_log(tmp_path: Path) -> None:
    code = (
        "import sys, paitui.engine.assembly as a, paitui.cli as c\n"
        f"async def broken(options): secret = {KEY!r}; raise RuntimeError('lamp ' + secret)\n"
        "a.open_worker = broken\n"
        "sys.exit(c.main(['-p', 'hi']))\n"
    )
    environment = {**os.environ, "PAITUI_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "RuntimeError: lamp" in done.stderr and KEY not in done.stderr
    log = (tmp_path / "home/paitui.log").read_text()
    assert "Traceback" in log and "RuntimeError: lamp" in log and KEY not in log
