"""Listing, writing and editing."""

import errno
import os
from pathlib import Path

import pytest

from paitui.locale import Words
from paitui.tools.base import ToolContext, ToolError
from paitui.tools.diff import unified
from paitui.tools.files import MOST_ENTRIES
from paitui.tools.registry import builtin_tools
from paitui.trust import fence as fence_module


def effect(context: ToolContext, name: str, **arguments: object):  # type: ignore[no-untyped-def]
    return builtin_tools().tools[name].effect(arguments, context)


async def test_a_folder_is_listed(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    (project / "b").mkdir()
    (project / "a.txt").write_text("x" * 1_234)
    (project / "link").symlink_to("a.txt")
    (project / "c\nd").write_text("")
    outcome = await run("list_dir")
    assert outcome.text == "b/\na.txt  1,234\nc\\nd  0\nlink -> a.txt"
    assert outcome.headline.params == {"n": 4}
    assert (await run("list_dir", path="b")).text == "(empty folder)"


async def test_a_long_folder_is_cut_and_says_so(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    for n in range(MOST_ENTRIES + 7):
        (project / f"f{n:04d}").touch()
    lines = (await run("list_dir", path=".")).text.split("\n")
    assert len(lines) == MOST_ENTRIES + 1 and lines[-1] == "[7 more entries are not listed]"


async def test_a_file_is_created_with_its_folders(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    outcome = await run("write_file", path="src/new/a.py", content="one\ntwo\n")
    assert (project / "src/new/a.py").read_bytes() == b"one\ntwo\n"
    assert outcome.changed == ("src/new/a.py",) and outcome.ok
    assert outcome.headline.params == {"added": 2, "removed": 0}
    assert outcome.diff == "--- a/src/new/a.py\n+++ b/src/new/a.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert outcome.text == "Created src/new/a.py: 2 lines, 8 characters."


async def test_a_file_is_replaced(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    (project / "a").write_bytes(b"one\ntwo\nthree")
    outcome = await run("write_file", path="a", content="one\n2\nthree\n")
    assert outcome.headline.params == {"added": 2, "removed": 2}
    assert "\\ No newline at end of file" in outcome.diff
    assert outcome.text.startswith("Wrote a:")


def test_the_effect_of_a_write_shows_all(context: ToolContext, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").write_text("old\n")
    shown = effect(context, "write_file", path="src/a.py", content="new\n")
    assert (shown.access, shown.subject, shown.always, shown.refused) == ("write", "src/a.py", "src/", None)
    assert "-old\n+new\n" in shown.detail
    assert (project / "src/a.py").read_text() == "old\n"
    assert effect(context, "write_file", path="top.py", content="x").always == "./"


def test_a_write_through_a_link_is_judged_by_where_it_leads(context: ToolContext, project: Path) -> None:
    (project / "docs").mkdir()
    (project / "src").mkdir()
    (project / "src/a.py").write_text("old\n")
    (project / "docs/a.py").symlink_to("../src/a.py")
    shown = effect(context, "write_file", path="docs/a.py", content="new\n")
    assert shown.always == "src/" and shown.subject == "docs/a.py -> src/a.py"


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", ".git/config", "sub/.git/hooks/x", ".paitui/PAI.md", ".GIT/config"]
)
def test_places_that_make_programs_act_are_asked_for_each_time(context: ToolContext, path: str) -> None:
    assert effect(context, "write_file", path=path, content="x").always == ""


@pytest.mark.parametrize("name", ["write_file", "edit_file"])
def test_own_configuration_and_places_outside_are_refused_before_asking(
    context: ToolContext, project: Path, name: str
) -> None:
    (project / ".paitui").mkdir()
    (project / ".paitui/settings.toml").write_text("old")
    (project.parent / "key").write_text("old")
    (project / "out").symlink_to("../key")
    arguments = {"content": "x"} if name == "write_file" else {"old": "old", "new": "x"}
    for path in (".paitui/settings.toml", "../key", "out", str(project.parent / "home/x")):
        with pytest.raises(ToolError):
            effect(context, name, path=path, **arguments)
    assert (project.parent / "key").read_text() == "old"


async def test_the_home_inside_the_project_is_closed(error_of, context: ToolContext, project: Path) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    inside = replace(context, home=project / ".home")
    (project / ".home").mkdir()
    with pytest.raises(ToolError) as caught:
        await builtin_tools().tools["write_file"].run({"path": ".home/settings.toml", "content": "x"}, inside)
    assert caught.value.phrase.key == "trust.denied"


async def test_an_edit_replaces_one_place(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    (project / "a.py").write_text("a = 1\nb = 2\nc = 3\n")
    outcome = await run("edit_file", path="a.py", old="b = 2", new="b = 20\nbb = 3")
    assert (project / "a.py").read_text() == "a = 1\nb = 20\nbb = 3\nc = 3\n"
    assert outcome.headline.params == {"added": 2, "removed": 1}
    assert outcome.changed == ("a.py",) and "-b = 2\n+b = 20\n" in outcome.diff


async def test_an_edit_that_does_not_fit_says_why(error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    (project / "a.py").write_text("def f():\n    return 1\n\ndef g():\n    return 1\n")
    before = (project / "a.py").read_bytes()
    assert "does not occur in a.py." in await error_of("edit_file", path="a.py", old="return 2", new="x")
    assert "resembles line 2" in await error_of("edit_file", path="a.py", old="  return 1\n  x", new="x")
    assert "occurs 2 times" in await error_of("edit_file", path="a.py", old="return 1", new="x")
    assert "`old` is empty" in await error_of("edit_file", path="a.py", old="", new="x")
    assert "are the same" in await error_of("edit_file", path="a.py", old="def", new="def")
    assert "does not exist" in await error_of("edit_file", path="b.py", old="a", new="b")
    assert (project / "a.py").read_bytes() == before


async def test_an_edit_can_replace_every_place(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    (project / "a").write_text("x x x")
    await run("edit_file", path="a", old="x", new="yy", replace_all=True)
    assert (project / "a").read_text() == "yy yy yy"


async def test_an_edit_keeps_line_ends_marks_and_encoding(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    (project / "crlf").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    await run("edit_file", path="crlf", old="one\ntwo", new="1\n2\n2b")
    assert (project / "crlf").read_bytes() == b"1\r\n2\r\n2b\r\nthree\r\n"
    (project / "bom").write_bytes(b"\xef\xbb\xbfone")
    await run("edit_file", path="bom", old="one", new="two")
    assert (project / "bom").read_bytes() == b"\xef\xbb\xbftwo"
    (project / "gb").write_bytes("中文内容，旧的文字。".encode("gb18030"))
    await run("edit_file", path="gb", old="旧的", new="新的")
    assert (project / "gb").read_bytes() == "中文内容，新的文字。".encode("gb18030")


async def test_an_edit_never_damages_what_it_cannot_read(error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    for name, data, part in (
        ("latin", "caf\xe9 na\xefve".encode("latin-1"), "neither UTF-8"),
        ("bin", b"a\0b", "binary"),
        ("large", b"a" * 4_000_001, "larger than"),
    ):
        (project / name).write_bytes(data)
        assert part in await error_of("edit_file", path=name, old="a", new="b")
        assert (project / name).read_bytes() == data


async def test_lone_surrogates_are_not_written(error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    assert "lone surrogates" in await error_of("write_file", path="a", content="x\ud800")
    assert not (project / "a").exists()


async def test_a_full_disk_is_a_message_and_the_old_file_stays(  # type: ignore[no-untyped-def]
    error_of, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a").write_text("old")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(fence_module.os, "write", full)
        message = await error_of("write_file", path="a", content="new")
    assert message == "The disk is full; a was not written."
    assert (project / "a").read_text() == "old" and os.listdir(project) == ["a"]


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
async def test_a_folder_that_cannot_be_written_is_a_message(  # type: ignore[no-untyped-def]
    error_of, project: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    real = os.open

    def refuse(path, flags, *rest, **options):  # type: ignore[no-untyped-def]
        if flags & os.O_CREAT:
            raise OSError(code, os.strerror(code))
        return real(path, flags, *rest, **options)

    with monkeypatch.context() as patched:
        patched.setattr(fence_module.os, "open", refuse)
        message = await error_of("write_file", path="a", content="new")
    assert "a" in message and ("read-only" in message or "No permission" in message)
    assert os.listdir(project) == []


def test_a_diff_of_long_files_is_complete_and_quick() -> None:
    old = "".join(f"same {n % 7}\n" for n in range(30_000))
    new = old[: len(old) // 2] + "in between\n" + old[len(old) // 2 :]
    lines = unified("a", old, new)
    assert (lines.added, lines.removed) == (1, 0) or lines.added < 20
    everything = unified("a", old, "".join(f"other {n % 5}\n" for n in range(30_000)))
    assert (everything.added, everything.removed) == (30_000, 30_000)
    assert everything.text.count("\n") == 60_003


def test_no_change_is_said(context: ToolContext, project: Path) -> None:
    (project / "a").write_text("x")
    assert effect(context, "write_file", path="a", content="x").detail == Words("en")("tools.no_change")
