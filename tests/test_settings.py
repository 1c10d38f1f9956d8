import dataclasses
from pathlib import Path

import pytest

from paitui.locale import Words
from paitui.settings import ContextSettings, Settings, load, with_environment
from tests import settings_table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def keys(file: Path) -> list[tuple[str, str]]:
    return [(problem.key, problem.params.get("key", "")) for problem in load(file).problems]


def test_no_file_means_the_defaults(file: Path) -> None:
    assert load(file).settings == Settings() and load(file).problems == ()


def test_values_are_read_in_their_types(file: Path) -> None:
    file.write_text(
        'model = "offline"\n[context]\nwindow = 16_000\nprior = 2\nclear_exclude = ["grep_code"]\n'
        '[ui]\nlanguage = "zh"\n',
        "utf-8",
    )
    loaded = load(file)
    assert loaded.problems == ()
    assert loaded.settings.context == ContextSettings(window=16_000, prior=2.0, clear_exclude=("grep_code",))
    assert isinstance(loaded.settings.context.prior, float)
    assert loaded.settings.ui.language == "zh"


def test_a_byte_order_mark_is_no_fault(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbfmodel = "offline"\n')
    assert load(file).problems == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("window = 5", ("settings.unknown", "window")),
        ("[context]\nwindw = 5", ("settings.unknown", "context.windw")),
        ('[context]\nwindow = "5"', ("settings.wrong", "context.window")),
        ("[context]\nwindow = -1", ("settings.wrong", "context.window")),
        ("[context]\nwindow = true", ("settings.wrong", "context.window")),
        ("[context]\nclear_exclude = [1]", ("settings.wrong", "context.clear_exclude")),
        ('[context]\nprior = "high"', ("settings.wrong", "context.prior")),
        ("context = 3", ("settings.wrong", "context")),
        ("model = 3", ("settings.wrong", "model")),
    ],
)
def test_a_bad_key_is_named_and_the_rest_counts(file: Path, text: str, problem: tuple[str, str]) -> None:
    file.write_text(f"{text}\n[agent]\nmax_rounds = 7\n", "utf-8")
    assert keys(file) == [problem]
    assert load(file).settings == dataclasses.replace(
        Settings(), agent=dataclasses.replace(Settings().agent, max_rounds=7)
    )


def test_a_broken_file_is_said_and_the_defaults_are_used(file: Path) -> None:
    file.write_text("[context\nwindow = 5", "utf-8")
    assert keys(file) == [("settings.broken", "")] and load(file).settings == Settings()
    file.write_bytes(b"\xff\xfe\x00")
    assert keys(file) == [("settings.unreadable", "")]
    file.unlink()
    file.mkdir()
    assert keys(file) == [("settings.unreadable", "")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_problems_name_the_file_and_the_key(file: Path, language: str) -> None:
    file.write_text("[context]\nwindow = {}\n", "utf-8")
    said = Words("zh" if language == "zh" else "en").say(load(file).problems[0])
    assert str(file) in said and "context.window" in said


def test_every_setting_is_documented_where_it_stands() -> None:
    fields = {
        (kind.__name__, field.name)
        for kind in (Settings, *(type(getattr(Settings(), f.name)) for f in dataclasses.fields(Settings)))
        if dataclasses.is_dataclass(kind)
        for field in dataclasses.fields(kind)
    }
    groups = {("Settings", f.name) for f in dataclasses.fields(Settings) if f.name != "model"}
    assert fields - groups <= set(settings_table.docstrings())


def test_the_readme_lists_every_setting_as_it_is() -> None:
    _, inside, _ = settings_table.parts(settings_table.README.read_text("utf-8"))
    assert inside == settings_table.table(), "run: python -m tests.settings_table"


def test_the_environment_switches_prepared_summaries() -> None:
    on, off = Settings(context=ContextSettings(session_memory=True)), Settings()
    name = "PAITUI_SESSION_MEMORY_COMPACTION_ENABLED"
    assert with_environment(off, {name: "true"}) == on == with_environment(off, {name: " True "})
    assert with_environment(on, {name: "false"}) == off
    assert with_environment(on, {}) is on and with_environment(off, {name: "maybe"}) is off
