from pathlib import Path
from unicodedata import east_asian_width

import pytest

from paitui.arguments import LANGUAGES, Arguments, UsageError, parse, parser, resuming, wanted_language
from paitui.headless.memory_call import MemoryCall
from paitui.locale import Words
from paitui.settings import Loaded, Settings


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ([], Arguments()),
        (["-p", "do it"], Arguments(prompt="do it")),
        (["--print=do it", "--output", "json"], Arguments(prompt="do it", output="json")),
        (["-p"], Arguments(prompt="-")),
        (["-p", "-", "--approve", "all"], Arguments(prompt="-", approve="all")),
        (["-p", "-5 + 3 = ?"], Arguments(prompt="-5 + 3 = ?")),
        (["-p", "/context"], Arguments(prompt="/context")),
        (["--window", "16,000", "--model", "offline"], Arguments(window=16_000, model="offline")),
        (["--project", "/tmp", "--continue"], Arguments(project=Path("/tmp"), continue_last=True)),
        (["--resume", "s-1", "--lang", "zh"], Arguments(resume="s-1", language="zh")),
        (["doctor"], Arguments(doctor=True)),
        (["--lang", "zh", "doctor", "--json"], Arguments(doctor=True, json=True, language="zh")),
        (["--json", "doctor"], Arguments(doctor=True, json=True)),
        (["memory"], Arguments(memory=MemoryCall())),
        (["memory", "-h"], Arguments(memory=MemoryCall(help=True), help=True)),
        (["--lang", "zh", "memory", "list"], Arguments(memory=MemoryCall(), language="zh")),
        (["-p", "memory"], Arguments(prompt="memory")),
        (["-h"], Arguments(help=True)),
        (["--lang", "zh", "--version"], Arguments(version=True, language="zh")),
    ],
)
def test_what_is_asked_for(line: list[str], asked: Arguments) -> None:
    assert parse(line) == asked


@pytest.mark.parametrize(
    ("line", "key", "names"),
    [
        (["--modle", "x"], "cli.unknown_option_close", "--model"),
        (["--zzz"], "cli.unknown_option", "--zzz"),
        (["-x"], "cli.unknown_option", "-x"),
        (["fix the bug"], "cli.unexpected", "fix the bug"),
        (["doctor", "doctor"], "cli.unexpected", "doctor"),
        (["doctor", "who"], "cli.unexpected", "who"),
        (["--window"], "cli.needs_value", "--window"),
        (["--model", " "], "cli.needs_value", "--model"),
        (["--project", ""], "cli.needs_value", "--project"),
        (["--resume"], "cli.needs_value", "--resume"),
        (["--continue=yes"], "cli.takes_no_value", "--continue"),
        (["--output", "xml", "-p", "x"], "cli.choice", "stream-json"),
        (["--approve", "some"], "cli.choice", "reads"),
        (["--lang", "fr"], "cli.choice", "zh"),
        (["--window", "many"], "cli.window", "many"),
        (["--window", "7999"], "cli.window", "8,000"),
        (["--window", "-8000"], "cli.window", "-8000"),
        (["--window", "99999999999999"], "cli.window", "99999999999999"),
        (["--window", "8000.5"], "cli.window", "8000.5"),
        (["--window", "８０００"], "cli.window", "８０００"),
        (["--continue", "--resume", "s-1"], "cli.resume_or_continue", "--resume"),
        (["--output", "json"], "cli.output_needs_print", "-p"),
        (["--json"], "cli.json_of_doctor", "doctor"),
        (["doctor", "-p", "x"], "cli.not_with_doctor", "-p"),
        (["doctor", "--continue"], "cli.not_with_doctor", "--continue"),
        (["--plain", "memory"], "memory_cli.not_with_memory", "--plain"),
        (["memory", "frobnicate"], "memory_cli.unknown", "add"),
        (["doctor", "memory"], "cli.unexpected", "memory"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_line_is_one_clear_sentence(line: list[str], key: str, names: str, language: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(line)
    assert raised.value.phrase.key == key
    words = Words("zh" if language == "zh" else "en")
    said = words.say(raised.value.phrase)
    assert names in said and "\n" not in said and "{" not in said


@pytest.mark.parametrize(
    ("line", "language"),
    [
        (["--zzz", "--lang", "zh"], "zh"),
        (["--lang=en", "--zzz"], "en"),
        (["--lang"], ""),
        (["--lang", "fr"], ""),
        ([], ""),
    ],
)
def test_even_a_bad_line_can_say_its_language(line: list[str], language: str) -> None:
    assert wanted_language(line) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_every_option_and_fits_a_terminal(language: str) -> None:
    text = Words("zh" if language == "zh" else "en")("cli.help")
    for action in parser()._actions:
        assert all(option in text for option in action.option_strings)
    assert "doctor" in text and "130" in text
    cells = [sum(1 + (east_asian_width(c) in "WF") for c in line) for line in text.splitlines()]
    assert max(cells) <= 80


def test_the_command_line_wins_over_the_file() -> None:
    loaded = parse(["--model", "offline", "--window", "16000"]).applied_to(Loaded(Settings(model="other")))
    assert (loaded.settings.model, loaded.settings.context.window) == ("offline", 16_000)
    assert parse([]).applied_to(loaded) == loaded


@pytest.mark.parametrize(
    ("line", "again"),
    [
        ([], ["--resume", "s"]),
        (["--continue", "--lang", "zh"], ["--lang", "zh", "--resume", "s"]),
        (["--resume", "old", "--model", "a/b"], ["--model", "a/b", "--resume", "s"]),
        (["--resume=old", "--window", "8000"], ["--window", "8000", "--resume", "s"]),
    ],
)
def test_the_same_line_for_another_session(line: list[str], again: list[str]) -> None:
    assert resuming(line, "s") == again
