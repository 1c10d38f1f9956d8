import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paitui.context.outputs import FOLDER, OutputFolder, remove_old
from paitui.trust.fence import Fence

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_files_are_numbered_private_and_hidden_from_git(tmp_path: Path) -> None:
    folder = OutputFolder(Fence(tmp_path), "s1")
    first, second = folder.save("grep_code", "one\r\n"), folder.save("../evil tool", "二")
    assert first == f"{FOLDER}/s1/001-grep_code.txt" and second == f"{FOLDER}/s1/002-..-evil-tool.txt"
    assert (tmp_path / first).read_bytes() == b"one\r\n"
    assert (tmp_path / first).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / FOLDER / ".gitignore").read_text() == "*\n"


def test_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    one = OutputFolder(Fence(tmp_path), "s")
    names = [Path(one.save(tool, "")).name for tool in "aba"]
    again = Path(OutputFolder(Fence(tmp_path), "s").save("c", "")).name
    assert [*names, again] == ["001-a.txt", "002-b.txt", "003-a.txt", "004-c.txt"]


def test_a_half_written_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = OutputFolder(Fence(tmp_path), "s")
    real_open = folder.open

    def full(tool: str):  # type: ignore[no-untyped-def]
        file, path = real_open(tool)
        file.close()
        return open("/dev/full", "wb"), path

    monkeypatch.setattr(folder, "open", full)
    with pytest.raises(OSError, match="No space"):
        folder.save("a", "x" * 100_000)
    assert not list((tmp_path / FOLDER / "s").iterdir())


def test_a_folder_that_is_a_link_is_an_error_not_a_way_out(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    project.mkdir()
    (project / ".paitui").symlink_to(outside)
    with pytest.raises(OSError):
        OutputFolder(Fence(project), "s").save("a", "x")
    assert not list(outside.iterdir())


def fill(tmp_path: Path, session: str, days_old: int, size: int) -> None:
    folder = tmp_path / session
    folder.mkdir(parents=True)
    file = folder / "001-a.txt"
    file.write_bytes(b"x" * size)
    when = (NOW - timedelta(days=days_old)).timestamp()
    os.utime(file, (when, when))


def test_old_outputs_go_by_age_then_by_size_never_those_of_a_session_that_can_go_on(tmp_path: Path) -> None:
    for session, days, size in (("ancient", 90, 10), ("kept", 90, 500), ("older", 5, 400), ("newer", 1, 400)):
        fill(tmp_path, session, days, size)
    assert remove_old(tmp_path, {"kept"}, NOW, 30, 10_000) == ["ancient"]
    assert remove_old(tmp_path, {"kept"}, NOW, 30, 1_000) == ["older"]
    assert sorted(place.name for place in tmp_path.iterdir()) == ["kept", "newer"]
    assert remove_old(tmp_path / "missing", (), NOW, 30, 0) == []


def test_a_saved_text_is_found_again_also_after_a_restart(tmp_path: Path) -> None:
    folder = OutputFolder(Fence(tmp_path), "s")
    short, long = folder.save("a", "数据\r\n"), folder.save("b", "begin" + "x" * 500_000 + "[exit 1]")
    again = OutputFolder(Fence(tmp_path), "s")
    assert again.load(short) == "数据\r\n"
    assert again.load(long).startswith("begin") and again.load(long).endswith("[exit 1]")
    assert len(again.load(long)) < 200_000


def test_what_cannot_be_looked_up_is_empty(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    folder = OutputFolder(Fence(tmp_path), "s")
    for path in ("", "secret.txt", f"{FOLDER}/../../secret.txt", f"{FOLDER}/s/001-gone.txt"):
        assert folder.load(path) == ""
