"""Finding files and text in them."""

import asyncio
import os
import subprocess
import time
from pathlib import Path

import pytest

from paitui.tools.base import ToolContext
from paitui.tools.globbing import matcher
from paitui.tools.search import MOST_PATHS, GrepCode


def put(project: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)


def git(project: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "a.pyc", False),
        ("a/*.py", "a/b.py", True),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/*.py", "a/b/c.py", True),
        ("a/**/*.py", "a/c.py", True),
        ("**/*.py", "c.py", True),
        ("**", "a/b", True),
        ("a/**", "a/b/c", True),
        ("**/b/**/d", "a/b/c/d", True),
        ("**/b/**/d", "a/c/d", False),
        ("./a/?.txt", "a/x.txt", True),
        ("*.{py,toml}", "x/y.toml", True),
        ("{a,b}/*.{py,js}", "b/x.js", True),
        ("[ab].py", "c.py", False),
        ("[!ab].py", "c.py", True),
        (".*", ".gitignore", True),
        ("", "a", False),
    ],
)
def test_globs(glob: str, path: str, fits: bool) -> None:
    assert matcher(glob)(path) is fits


@pytest.mark.parametrize("glob", ["*a" * 60 + "b", "**/" * 40 + "b", "{a,b}" * 30, "*" * 200])
def test_no_glob_blows_up(glob: str) -> None:
    begin = time.monotonic()
    matcher(glob)("/".join(["a" * 60] * 30))
    assert time.monotonic() - begin < 1


@pytest.mark.parametrize("with_git", [True, False])
async def test_ignored_places_are_left_out(run, project: Path, with_git: bool) -> None:  # type: ignore[no-untyped-def]
    put(
        project,
        "src/a.py",
        "src/b.txt",
        "new.py",
        "node_modules/x.py",
        ".paitui/tool-outputs/s/x.py",
        "__pycache__/y.py",
    )
    if with_git:
        put(project, "secret/c.py")
        put(project, ".gitignore", text="secret/\nnode_modules\n__pycache__\n")
        git(project, "init", "-q")
        git(project, "add", "src")
    outcome = await run("glob_files", pattern="**/*.py")
    assert outcome.text == "new.py\nsrc/a.py"
    assert outcome.headline.params == {"n": 2}


async def test_a_folder_limits_the_search(run, error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a/b/c.py", "a/d.py", "e.py")
    assert (await run("glob_files", pattern="b/*.py", path="a")).text == "a/b/c.py"
    assert (await run("glob_files", pattern=str(project / "a/**/*.py"))).text == "a/b/c.py\na/d.py"
    assert (await run("glob_files", pattern="*.rs")).text == "(no file matches)"
    for path in ("../", "/etc", "missing"):
        assert await error_of("glob_files", pattern="*", path=path)
    assert "leads out" in await error_of("glob_files", pattern="../*")
    assert "leads out" in await error_of("glob_files", pattern="/etc/*")


async def test_many_files_are_cut_and_counted(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, *(f"d/f{n:04d}.txt" for n in range(MOST_PATHS + 3)))
    lines = (await run("glob_files", pattern="*.txt")).text.split("\n")
    assert len(lines) == MOST_PATHS + 1 and lines[-1] == "[3 more files are not listed]"


async def test_links_are_never_followed_out(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project.parent, "outside/key.txt", text="the key\n")
    put(project, "in.txt", text="the lock\n")
    (project / "out").symlink_to("../outside")
    (project / "key.txt").symlink_to("../outside/key.txt")
    (project / "loop").symlink_to(".")
    for prepare in (lambda: None, lambda: (git(project, "init", "-q"), git(project, "add", "-A"))):
        prepare()
        assert (await run("glob_files", pattern="*.txt")).text == "in.txt"
        assert (await run("grep_code", pattern="the")).text == "in.txt:1: the lock"


async def test_lines_are_found_with_place(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a.py", text="def one():\r\n    pass\r\n\r\ndef two():\n")
    put(project, "b.txt", text="def three\n中文 DEF\n")
    outcome = await run("grep_code", pattern=r"^def \w+")
    assert outcome.text == "a.py:1: def one():\na.py:4: def two():\nb.txt:1: def three"
    assert outcome.headline.params == {"n": 3}
    assert (await run("grep_code", pattern="def", glob="*.txt")).text == "b.txt:1: def three"
    assert (await run("grep_code", pattern="文 def$", ignore_case=True)).text == "b.txt:2: 中文 DEF"
    assert (await run("grep_code", pattern="def", path="b.txt")).text == "b.txt:1: def three"
    nothing = await run("grep_code", pattern="nowhere")
    assert nothing.text == "(no match)" and nothing.ok and nothing.headline.params == {"n": 0}


async def test_hits_are_cut_and_counted(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a.txt", text="hit\n" * 250)
    lines = (await run("grep_code", pattern="hit", max=10)).text.split("\n")
    assert len(lines) == 11 and lines[-1].startswith("[240 more matching lines")
    outcome = await run("grep_code", pattern="hit")
    assert outcome.headline.params == {"n": 250} and len(outcome.text.split("\n")) == 101


async def test_long_lines_are_shown_around_the_match(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a.txt", text="x" * 100_000 + "needle" + "y" * 100_000)
    text = (await run("grep_code", pattern="needle")).text
    assert "needle" in text and len(text) < 300 and text.startswith("a.txt:1: …x")


async def test_what_cannot_be_searched_is_left_out(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "ok.txt", text="needle\n")
    (project / "bin").write_bytes(b"needle\0needle")
    (project / "gb.txt").write_bytes("中文内容，needle。".encode("gb18030"))
    os.mkfifo(project / "pipe")
    with open(project / "sparse", "wb") as file:
        file.truncate(50 * 1024**3)
    outcome = await run("grep_code", pattern="needle")
    assert outcome.text.startswith("gb.txt:1: 中文内容，needle。\nok.txt:1: needle\n[1 files over 10 MB")


async def test_stored_results_can_be_searched_by_their_path(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    path = ".paitui/tool-outputs/s1/001-x.txt"
    put(project, path, text="needle\n")
    git(project, "init", "-q")
    for where in (path, ".paitui/tool-outputs"):
        assert (await run("grep_code", pattern="needle", path=where)).text == f"{path}:1: needle"


async def test_a_bad_pattern_is_a_message(error_of) -> None:  # type: ignore[no-untyped-def]
    for pattern in ("(", "*", "a{99999999999}"):
        assert "not a valid regular expression" in await error_of("grep_code", pattern=pattern)


async def test_a_pattern_that_never_ends_is_ended(context: ToolContext, project: Path) -> None:
    put(project, "a.txt", text="a first hit\n")
    put(project, "b.txt", text="a" * 60 + "!\n")
    begin = time.monotonic()
    outcome = await GrepCode(limit_s=1.0).run({"pattern": r"^(a+)+$|first"}, context)
    assert time.monotonic() - begin < 3
    assert not outcome.ok and "a.txt:1: a first hit" in outcome.text and "stopped after 1 s" in outcome.text


async def test_a_search_can_be_cancelled(context: ToolContext, project: Path) -> None:
    put(project, "b.txt", text="a" * 60 + "!\n")
    task = asyncio.create_task(GrepCode().run({"pattern": r"^(a+)+$"}, context))
    await asyncio.sleep(0.4)
    begin = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begin < 1


async def test_a_repositorys_own_settings_run_nothing(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a.py")
    git(project, "init", "-q")
    script = project / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {project}/ran\n")
    script.chmod(0o755)
    git(project, "config", "core.fsmonitor", str(script))
    assert "a.py" in (await run("glob_files", pattern="*.py")).text
    assert not (project / "ran").exists()


async def test_names_with_line_breaks_stay_on_their_line(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a\nb.py")
    assert (await run("glob_files", pattern="*.py")).text == "a\\nb.py"
    assert (await run("grep_code", pattern="x")).text == "a\\nb.py:1: x"
