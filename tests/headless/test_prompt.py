import os
from pathlib import Path
from typing import BinaryIO

import pytest

from paitui.headless.prompt import MAX_BYTES, PromptError, read_prompt


def piped(data: bytes, close: bool = True) -> tuple[BinaryIO, int]:
    reading, writing = os.pipe()
    if data:
        os.write(writing, data)
    if close:
        os.close(writing)
    return os.fdopen(reading, "rb"), writing


def test_an_argument_alone() -> None:
    assert read_prompt("do it", None) == ("do it", None)
    with open(os.devnull, "rb") as nothing:
        assert read_prompt("do it", nothing) == ("do it", None)


def test_a_dash_reads_standard_input() -> None:
    stream, _ = piped("总结一下\n".encode())
    with stream:
        assert read_prompt("-", stream) == ("总结一下", None)


def test_what_is_piped_in_stands_below_the_task() -> None:
    stream, _ = piped(b"line 1\nline 2\n")
    with stream:
        assert read_prompt("explain", stream) == ("explain\n\nline 1\nline 2", None)


def test_a_file_as_standard_input_is_added_too(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"\xef\xbb\xbfboom")
    with open(tmp_path / "log", "rb") as stream:
        assert read_prompt("explain", stream) == ("explain\n\nboom", None)


def test_an_empty_pipe_adds_nothing() -> None:
    stream, _ = piped(b"")
    with stream:
        assert read_prompt("explain", stream) == ("explain", None)


def test_a_command_takes_no_input() -> None:
    stream, _ = piped(b"text")
    with stream:
        assert read_prompt("/context", stream) == ("/context", None)


def test_a_pipe_that_stays_silent_is_given_up_with_a_warning() -> None:
    stream, writing = piped(b"", close=False)
    with stream:
        task, warning = read_prompt("explain", stream, wait_s=0.05)
    os.close(writing)
    assert task == "explain"
    assert warning is not None and warning.key == "headless.silent_pipe"


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b" \n", "headless.empty_task"),
        (b"a\0b", "headless.task_not_text"),
    ],
)
def test_no_task_to_be_had(data: bytes, key: str) -> None:
    stream, _ = piped(data)
    with stream, pytest.raises(PromptError) as raised:
        read_prompt("-", stream)
    assert raised.value.phrase.key == key


def test_no_input_at_all() -> None:
    with pytest.raises(PromptError) as raised:
        read_prompt("-", None)
    assert raised.value.phrase.key == "headless.nothing_piped"


def test_input_is_bounded(tmp_path: Path) -> None:
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with open(tmp_path / "huge", "rb") as stream, pytest.raises(PromptError) as raised:
        read_prompt("-", stream)
    assert raised.value.phrase.key == "headless.task_too_long"
