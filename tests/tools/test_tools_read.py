"""`read_file`: exact slices, bounded work, clear refusals."""

import json
import os
import re
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paitui.tools.base import ToolOutcome
from paitui.tools.read import split_note

OUTPUT = ".paitui/tool-outputs/s1/001-x.txt"


def put(project: Path, path: str, data: bytes) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_bytes(data)


async def read_all(run, path: str, slice_chars: int, limit: int = 0) -> str:  # type: ignore[no-untyped-def]
    """Follow the notes from slice to slice; gives the slices joined."""
    arguments = {"path": path, "offset": 1} | ({"limit": limit} if limit else {})
    parts: list[str] = []
    for _ in range(5_000):
        outcome: ToolOutcome = await run("read_file", {"slice_chars": slice_chars}, **arguments)
        assert outcome.bounded and len(outcome.text) <= slice_chars
        body, note = split_note(outcome.text)
        parts.append(body)
        found = re.fullmatch(r".* Go on with read_file (\{.*\})\]", note)
        if found is None:
            assert note in ("", "[End of the file.]")
            return "".join(parts)
        assert body
        arguments = json.loads(found[1]) | ({"limit": limit} if limit else {})
    raise AssertionError("no end")


CONTENTS = {
    "windows line ends": "".join(f"line {n}\r\n" for n in range(3_000)),
    "no final newline": "\n".join(f"line {n}" for n in range(3_000)),
    "one long line": "0123456789" * 10_000,
    "Chinese": "".join(f"第 {n} 行，内容是中文。\n" for n in range(2_000)),
    "Chinese without breaks": "内容是中文，没有换行。" * 4_000,
    "mixed lengths": "short\n" + "x" * 5_000 + "\n\n\nshort\n" + "中" * 3_000 + "\nend",
    "blank lines": "\n" * 5_000,
    "mark and controls": "\ufeffmark\x00nul\x1b[0m\r\n" * 300,
    "looks like a note": '[Lines 1-2 shown. Go on with read_file {"path": "x", "offset": 3}]\n' * 200,
    "ends like a note": '[Lines 1-2 shown. Go on with read_file {"path": "x", "offset": 3}]',
    "empty": "",
    "one character": "x",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("slice_chars", [700, 4_000])
async def test_joined_slices_are_the_file(run, project: Path, name: str, slice_chars: int) -> None:  # type: ignore[no-untyped-def]
    put(project, OUTPUT, CONTENTS[name].encode())
    assert await read_all(run, OUTPUT, slice_chars) == CONTENTS[name]


@pytest.mark.parametrize("limit", [1, 7, 200])
async def test_joined_slices_with_a_limit_are_the_file(run, project: Path, limit: int) -> None:  # type: ignore[no-untyped-def]
    text = "".join(f"row {n}\r\n" for n in range(300)) + "y" * 3_000 + "\nlast"
    put(project, OUTPUT, text.encode())
    assert await read_all(run, OUTPUT, 1_000, limit) == text


async def test_a_line_of_a_megabyte_is_read_by_columns(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    text = "".join(f"{n:09d} " for n in range(100_000)) + "\nafter"
    put(project, OUTPUT, text.encode())
    first = await run("read_file", path=OUTPUT)
    assert first.bounded and len(first.text) <= 32_000 and '"column": ' in first.text
    assert await read_all(run, OUTPUT, 32_000) == text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from("a中\n\r😀 "), max_size=4_000).map(lambda t: t * 3))
async def test_any_text_joins_exactly(run, project: Path, text: str) -> None:  # type: ignore[no-untyped-def]
    put(project, OUTPUT, text.encode())
    assert await read_all(run, OUTPUT, 700) == text


async def test_a_whole_file_is_given_as_it_is_and_may_be_offloaded(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    text = "line\n" * 20_000
    put(project, "big.txt", text.encode())
    outcome = await run("read_file", path="big.txt")
    assert outcome.text == text and not outcome.bounded
    assert outcome.headline.params == {"n": 20_000}


@pytest.mark.parametrize("arguments", [{"offset": 1}, {"limit": 10}, {"column": 2}, {"offset": 5, "limit": 3}])
async def test_a_slice_that_was_asked_for_is_bounded(run, project: Path, arguments: dict[str, int]) -> None:  # type: ignore[no-untyped-def]
    put(project, "big.txt", b"0123456789\n" * 20_000)
    outcome = await run("read_file", path="big.txt", **arguments)
    assert outcome.bounded and len(outcome.text) <= 32_000


async def test_any_read_of_the_output_folder_is_bounded(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, OUTPUT, b"x\n" * 40_000)
    (project / "alias").symlink_to(OUTPUT)
    for path in (OUTPUT, f"./{OUTPUT}", str(project / OUTPUT), "alias"):
        outcome = await run("read_file", path=path)
        assert outcome.bounded and len(outcome.text) <= 32_000


async def test_lines_count_from_one_and_the_note_says_how_to_go_on(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a.txt", "".join(f"line {n}\n" for n in range(1, 101)).encode())
    outcome = await run("read_file", path="a.txt", offset=3, limit=2)
    assert split_note(outcome.text) == (
        "line 3\nline 4\n",
        '[Lines 3-4 of 100 shown. Go on with read_file {"path": "a.txt", "offset": 5}]',
    )
    last = await run("read_file", path="a.txt", offset=100)
    assert last.text == "line 100\n" and last.headline.key == "tools.lines_one"


async def test_there_is_nothing_behind_the_end(error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "a.txt", b"one\ntwo\n")
    put(project, "b.txt", b"one\ntwo")
    assert await error_of("read_file", path="a.txt", offset=3) == "The file has only 2 lines."
    assert await error_of("read_file", path="b.txt", offset=9) == "The file has only 2 lines."
    assert await error_of("read_file", path="b.txt", offset=2, column=9) == "The line has only 3 characters."
    assert await error_of("read_file", path="a.txt", offset=1, column=9) == "The line has only 3 characters."


@pytest.mark.parametrize("arguments", [{}, {"offset": 1}, {"offset": 10**9}, {"column": 10**9}])
async def test_a_huge_sparse_file_costs_little(error_of, project: Path, arguments: dict[str, int]) -> None:  # type: ignore[no-untyped-def]
    with open(project / "sparse", "wb") as file:
        file.truncate(50 * 1024**3)
    tracemalloc.start()
    begin = time.monotonic()
    message = await error_of("read_file", path="sparse", **arguments)
    assert time.monotonic() - begin < 3
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert "binary file of 53,687,091,200 bytes" in message


async def test_a_huge_text_file_is_read_in_bounded_work(run, error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    with open(project / "log", "wb") as file:
        file.write(b"a line of a log\n" * 100_000)
        file.truncate(50 * 1024**3)
    begin = time.monotonic()
    outcome = await run("read_file", path="log")
    assert outcome.bounded and len(outcome.text) <= 32_000 and "Go on with" in outcome.text
    assert (await run("read_file", path="log", offset=50_000, limit=1)).text.startswith("a line of a log\n")
    assert "first 64 MB" in await error_of("read_file", path="log", offset=200_000)
    assert "64 MB behind" in await error_of("read_file", path="log", offset=100_001, column=10**12)
    assert time.monotonic() - begin < 5


async def test_a_large_file_is_read_in_slices_unasked(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "large.txt", b"0123456789\n" * 500_000)
    outcome = await run("read_file", path="large.txt")
    assert outcome.bounded and len(outcome.text) <= 32_000
    assert "of 500,000 shown" in outcome.text


async def test_a_binary_file_is_refused_with_its_size(error_of, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "x.png", b"\x89PNG\r\n\x1a\n\0\0\0" + os.urandom(1_000))
    assert "x.png is a binary file of 1,011 bytes" in await error_of("read_file", path="x.png")


async def test_what_a_tool_printed_can_be_read_back_whatever_it_is(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, OUTPUT, b"a\0b\xff\n")
    assert (await run("read_file", path=OUTPUT)).text == "a\0b\ufffd\n"


async def test_encodings(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    put(project, "bom.txt", b"\xef\xbb\xbfhello\n")
    put(project, "gb.txt", "中文内容，没有问题。\n".encode("gb18030"))
    put(project, "latin.txt", "déjà vu, naïve café\n".encode("latin-1"))
    assert (await run("read_file", path="bom.txt")).text == "hello\n"
    assert (await run("read_file", path="bom.txt", offset=1)).text == "hello\n"
    assert (await run("read_file", path="gb.txt")).text == "中文内容，没有问题。\n"
    assert (await run("read_file", path="gb.txt", offset=1, column=3, limit=1)).text == "内容，没有问题。\n"
    latin = await run("read_file", path="latin.txt")
    assert latin.text.startswith("d\ufffdj\ufffd vu") and "neither UTF-8 nor GB 18030" in latin.text


async def test_a_cut_character_at_the_end_of_the_sample_is_no_binary(run, project: Path) -> None:  # type: ignore[no-untyped-def]
    text = "x" + "中" * 50_000
    put(project, "cn.txt", text.encode())
    assert (await run("read_file", path="cn.txt")).text == text


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("../x", "leads out"),
        ("/etc/passwd", "leads out"),
        ("/proc/self/environ", "leads out"),
        ("/dev/zero", "leads out"),
        ("link", "leads out"),
        ("pipe", "device, pipe"),
        ("loop", "loop of links"),
        ("folder", "is a folder"),
        ("missing", "does not exist"),
    ],
)
async def test_what_is_no_file_of_the_project_is_refused(error_of, project: Path, path: str, part: str) -> None:  # type: ignore[no-untyped-def]
    (project.parent / "key").write_text("secret")
    (project / "link").symlink_to("../key")
    (project / "loop").symlink_to("loop")
    (project / "folder").mkdir()
    os.mkfifo(project / "pipe")
    begin = time.monotonic()
    assert part in await error_of("read_file", path=path)
    assert time.monotonic() - begin < 1
