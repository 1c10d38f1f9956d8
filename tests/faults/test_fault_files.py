"""Every small file that paitui writes: a disk that fails at any call, and a file cut off anywhere.

Memories, sessions, ledgers and the log have tests of their own, with more that can go wrong.
"""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import filelock
import pytest

from paitui import appendlog, atomic
from paitui.clock import FixedClock
from paitui.headless.ledger_command import _write as write_export
from paitui.ledger.files import LedgerFault
from paitui.locale import Words
from paitui.memory import usage
from paitui.memory.usage import UsageLog
from paitui.paths import Paths
from paitui.trust.project import FILES, is_trusted
from paitui.trust.record import TrustError, grant, read_record
from paitui.ui.prompting.drafts import DraftFile
from paitui.ui.prompting.history import Entry
from paitui.ui.prompting.history_file import HistoryFile
from tests.stubs.faulty_disk import FaultyDisk

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
GONE = 2**22 + 1
"""A number that no process has."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One kind of file."""

    name: str
    file: Callable[[Path], Path]
    write: Callable[[Path, str], None]
    """Add something, by its name."""
    read: Callable[[Path], set[str]]
    """What is there, by name."""
    whole: bool = False
    """Whether the file is one value, so that a cut loses all of it; then the bytes are kept beside it."""


def _prompts(home: Path) -> HistoryFile:
    return HistoryFile(home / "history" / "prompts.jsonl", FixedClock(NOW))


def _drafts(home: Path) -> DraftFile:
    return DraftFile(home / "drafts", "/p", GONE)


def _taken_up(home: Path) -> set[str]:
    return {text for text, _ in DraftFile(home / "drafts", "/p", os.getpid()).take_up()}


def _save_draft(home: Path, name: str) -> None:
    files = sorted((home / "drafts").glob("*.json"))
    known = {draft["text"] for path in files for draft in json.loads(path.read_bytes())["drafts"]}
    _drafts(home).save([(text, ()) for text in (*sorted(known), name)])


def _paths(home: Path, name: str) -> Paths:
    project = home.parent / name
    (project / ".paitui").mkdir(parents=True, exist_ok=True)
    for file in FILES:
        (project / file).write_text("")
    return Paths(home, project)


def _trust(home: Path, name: str) -> None:
    paths = _paths(home, name)
    grant(paths, is_trusted(paths), NOW)


def _used(home: Path) -> set[str]:
    log = UsageLog(home / "memory" / "usage.jsonl")
    return {name for name in ("one", "two", "three") if log.of(name).times}


KEPT = [
    Kept(
        "prompts",
        lambda home: home / "history" / "prompts.jsonl",
        lambda home, name: _prompts(home).add(Entry(name, (), "/p")),
        lambda home: {entry.text for entry in _prompts(home).load()},
    ),
    Kept(
        "use of memories",
        lambda home: home / "memory" / "usage.jsonl",
        lambda home, name: UsageLog(home / "memory" / "usage.jsonl").note([name], NOW),
        _used,
    ),
    Kept(
        "trusted projects",
        lambda home: home / "trusted.json",
        _trust,
        lambda home: {Path(path).name for path in read_record(_paths(home, "x"))[0]},
        whole=True,
    ),
    Kept("drafts", lambda home: _drafts(home).path, _save_draft, _taken_up, whole=True),
]
each = pytest.mark.parametrize("kept", KEPT, ids=lambda kept: kept.name)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> FaultyDisk:
    disk = FaultyDisk()
    for module in (atomic, appendlog, usage):
        monkeypatch.setattr(module, "os", disk)
    return disk


@each
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_disk_that_fails_at_any_call_is_told_and_loses_nothing(
    kept: Kept, code: int, tmp_path: Path, disk: FaultyDisk
) -> None:
    nth = 0
    while True:
        nth += 1
        home = tmp_path / str(nth) / "home"
        kept.write(home, "one")
        file = kept.file(home)
        before = file.read_bytes()
        disk.fail_at(nth, code)
        failed = disk.failed
        try:
            kept.write(home, "two")
        except TrustError as error:
            for language in ("en", "zh"):
                said = Words(language).say(error.phrase)  # type: ignore[arg-type]
                assert os.strerror(code) in said and str(file) in said
        except OSError as error:
            assert error.errno == code
        disk.mend()
        # As it was, or grown, or with the new value whole.
        now = file.read_bytes()
        assert now.startswith(before) if not kept.whole else (now == before or json.loads(now))
        assert not list(home.rglob("*.tmp")) or disk.failed == failed
        kept.write(home, "three")
        assert {"one", "three"} <= kept.read(home)
        if disk.failed == failed:
            break
    assert nth > 2


@each
def test_a_full_disk_tears_nothing(kept: Kept, tmp_path: Path, disk: FaultyDisk) -> None:
    for free in range(0, 120, 7):
        home = tmp_path / str(free) / "home"
        kept.write(home, "one")
        disk.room(free)
        told = False
        try:
            kept.write(home, "two")
        except (OSError, TrustError):
            told = True
        disk.mend()
        kept.write(home, "three")
        names = kept.read(home)
        assert {"one", "three"} <= names
        assert told or "two" in names


@each
def test_a_file_cut_off_anywhere_is_no_obstacle_and_is_kept(kept: Kept, tmp_path: Path) -> None:
    kept.write(tmp_path / "first" / "home", "one")
    kept.write(tmp_path / "first" / "home", "two")
    size = kept.file(tmp_path / "first" / "home").stat().st_size
    for cut in range(1, size - 1, max(1, size // 40)):
        home = tmp_path / str(cut) / "home"
        kept.write(home, "one")
        kept.write(home, "two")
        file = kept.file(home)
        torn = file.read_bytes()[: min(cut, file.stat().st_size - 2)]
        file.write_bytes(torn)
        names = kept.read(home)
        assert names <= {"one", "two"}
        kept.write(home, "three")
        assert names | {"three"} <= kept.read(home)
        rest = torn.rpartition(b"\n")[2]
        assert any(rest in path.read_bytes() for path in home.rglob("*") if path.is_file())


@each
def test_no_permission_is_told(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    kept.write(home, "one")
    before = kept.file(home).read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    # For the superuser every folder can be written, so the refusal is made here.
    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises((PermissionError, TrustError)):
        kept.write(home, "two")
    monkeypatch.undo()
    assert kept.file(home).read_bytes() == before


def test_an_export_onto_a_full_disk_is_told_and_leaves_no_half(tmp_path: Path, disk: FaultyDisk) -> None:
    disk.room(10)
    with pytest.raises(LedgerFault) as caught:
        write_export(tmp_path / "export.jsonl", [b"x" * 8, b"y" * 8])
    for language in ("en", "zh"):
        assert os.strerror(errno.ENOSPC) in Words(language).say(caught.value.phrase)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
