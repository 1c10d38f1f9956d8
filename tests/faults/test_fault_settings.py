"""Settings that nobody should write, and files that are none."""

import dataclasses
import os
import typing
from pathlib import Path

import pytest

from paitui.locale import Words
from paitui.settings import Settings, load

NUMBERS = [
    (group, field.name, getattr(getattr(Settings(), group), field.name))
    for group in ("context", "agent", "command")
    for field in dataclasses.fields(getattr(Settings(), group))
    if type(getattr(getattr(Settings(), group), field.name)) in (int, float)
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "-inf", "1" + "0" * 400, "1e300", "1" + "0" * 12])
@pytest.mark.parametrize(("group", "name", "default"), NUMBERS)
def test_a_number_beyond_reason_is_named_and_the_default_counts(
    file: Path, group: str, name: str, default: float, value: str
) -> None:
    file.write_text(f"[{group}]\n{name} = {value}\n")
    loaded = load(file)
    assert [problem.params["key"] for problem in loaded.problems] == [f"{group}.{name}"]
    assert loaded.settings == Settings()
    for language in ("en", "zh"):
        said = Words(typing.cast(typing.Any, language)).say(loaded.problems[0])
        assert f"{group}.{name}" in said and "1" in said and "{" not in said


@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("context", "offload_chars"),
        ("context", "slice_chars"),
        ("context", "summary_piece_chars"),
        ("context", "keep_user_messages"),
        ("context", "prior"),
        ("agent", "max_rounds"),
        ("agent", "repeat_limit"),
        ("agent", "parallel_reads"),
        ("command", "timeout_s"),
    ],
)
def test_nothing_is_no_amount_where_work_needs_some(file: Path, group: str, name: str) -> None:
    file.write_text(f"[{group}]\n{name} = 0\n")
    assert load(file).settings == Settings() and load(file).problems


def test_a_provider_has_sensible_numbers_too(file: Path) -> None:
    file.write_text("[providers.x]\nwindow = 99999999999\ninput_price = nan\nmax_output = 500\n")
    assert len(load(file).problems) == 2 and load(file).settings.providers["x"].max_output == 500


@pytest.mark.parametrize("text", ["a = " + "9" * 5_000, "a = " + "[" * 100_000 + "]" * 100_000])
def test_what_the_parser_gives_up_on_is_a_broken_file(file: Path, text: str) -> None:
    file.write_text(text)
    assert [problem.key for problem in load(file).problems] == ["settings.broken"]


def test_a_pipe_is_not_waited_for(file: Path) -> None:
    os.mkfifo(file)
    assert [problem.key for problem in load(file).problems] == ["settings.no_file"]


def test_a_file_of_any_size_is_not_read(file: Path) -> None:
    with file.open("wb") as sparse:
        sparse.truncate(50 * 1024**3)
    assert [problem.key for problem in load(file).problems] == ["settings.too_large"]
