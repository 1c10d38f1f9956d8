"""What files are offered, and in which order."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from paitui.ui.prompting.editor import read_back
from paitui.ui.prompting.files import list_files
from paitui.ui.prompting.fuzzy import best


def make(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def test_git_says_what_belongs_to_the_project(tmp_path: Path) -> None:
    make(
        tmp_path, "a.py", "src/说明 文档.md", "ignored.log", "node_modules/x/index.js", ".paitui/tool-outputs/s/1.txt"
    )
    (tmp_path / ".gitignore").write_text("*.log\nnode_modules/\n")
    git(tmp_path, "init", "-q")
    listing = list_files(tmp_path)
    assert listing.paths == (".gitignore", "a.py", "src/说明 文档.md", "src/") and listing.whole


def test_a_folder_inside_a_repository_is_listed_from_itself(tmp_path: Path) -> None:
    make(tmp_path, "top.py", "part/inner.py")
    git(tmp_path, "init", "-q")
    assert list_files(tmp_path / "part").paths == ("inner.py",)


def test_without_git_a_walk_leaves_out_what_nobody_asks_about(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "src/b.py", ".git/config", "node_modules/x.js", "src/__pycache__/b.pyc", ".venv/lib/y.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert list_files(tmp_path).paths == ("a.py", "src/b.py", "src/")


def test_a_program_that_the_projects_git_settings_name_is_not_run(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    git(tmp_path, "init", "-q")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(trap))
    assert "a.py" in list_files(tmp_path).paths and not (tmp_path / "sprung").exists()


def test_a_large_project_is_cut(tmp_path: Path) -> None:
    make(tmp_path, *(f"d{n % 7}/f{n}.txt" for n in range(60)))
    walked = list_files(tmp_path, limit=20)
    git(tmp_path, "init", "-q")
    listed = list_files(tmp_path, limit=20)
    for listing in (walked, listed):
        assert not listing.whole and sum(not path.endswith("/") for path in listing.paths) == 20


def test_a_folder_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert list_files(tmp_path / "none").paths == ()


PATHS = (
    "docs/export.md",
    "app/orders/export.py",
    "app/orders/",
    "tests/test_export.py",
    "exports/readme.md",
    "说明.md",
    "e/x/p.py",
)


def test_a_files_name_comes_before_its_folder_and_letters_in_a_row_before_scattered_ones() -> None:
    found = [match.path for match in best("exp", PATHS, 9)]
    assert found[:3] == ["docs/export.md", "app/orders/export.py", "tests/test_export.py"]
    assert found[3] == "exports/readme.md" and found[-1] == "e/x/p.py"
    assert [match.path for match in best("说明", PATHS, 9)] == ["说明.md"]
    assert best("EXPORT.PY", PATHS, 9)[0].hits == tuple(range(11, 20))
    assert best("zzz", PATHS, 9) == []


def test_nothing_typed_gives_what_lies_at_the_top() -> None:
    assert [match.path for match in best("", PATHS, 2)] == ["说明.md", "app/orders/"]


def test_twice_the_files_take_about_twice_the_time() -> None:
    def seconds(count: int) -> float:
        paths = [f"src/module_{n % 300}/component_{n}/view_{n * 7}.tsx" for n in range(count)]
        best("vtsx", paths, 50)
        start = time.perf_counter()
        best("vtsx", paths, 50)
        return time.perf_counter() - start

    assert seconds(20_000) < 4 * seconds(10_000) + 0.05


def test_a_pipe_that_the_editor_left_in_the_place_of_the_draft_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "prompt.md")
    with pytest.raises(OSError):
        read_back(tmp_path / "prompt.md")
