import tomllib
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest

import paitui.locale
from paitui.locale import Words, detect, phrase

FOLDER = Path(paitui.locale.__file__).parent
EN, ZH = (
    {
        f"{room}.{name}": text
        for file in sorted((FOLDER / language).glob("*.toml"))
        for room, entries in tomllib.loads(file.read_text("utf-8")).items()
        for name, text in entries.items()
    }
    for language in ("en", "zh")
)


def placeholders(text: str) -> set[str]:
    return {name.partition(".")[0] for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_say_the_same_things() -> None:
    assert set(EN) == set(ZH)


@pytest.mark.parametrize("key", sorted(EN))
def test_a_text_is_there_and_takes_the_same_values_in_both(key: str) -> None:
    assert EN[key].strip() and ZH[key].strip()
    assert placeholders(EN[key]) == placeholders(ZH[key])
    assert all(name.isidentifier() for name in placeholders(EN[key]))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_room_is_in_two_files(language: str) -> None:
    rooms = [
        f"{room}.{name}"
        for file in (FOLDER / language).glob("*.toml")
        for room, entries in tomllib.loads(file.read_text("utf-8")).items()
        for name in entries
    ]
    assert [key for key, count in Counter(rooms).items() if count > 1] == []


def test_a_phrase_in_a_phrase_is_rendered_in_the_same_language() -> None:
    inner = phrase("commands.quit")
    outer = phrase("headless.command", name="/quit", what=inner)
    assert Words("zh").say(inner) in Words("zh").say(outer)
    assert Words("en").say(inner) in Words("en").say(outer)


def test_braces_in_a_value_are_only_text() -> None:
    assert "{0} {x}" in Words("en")("cli.unexpected", argument="{0} {x}")


def test_an_unknown_key_is_shown_as_it_is() -> None:
    assert Words("en")("no.such") == "no.such" and not Words("en").has("no.such")


@pytest.mark.parametrize(
    ("setting", "environment", "language"),
    [
        ("zh", {"LANG": "en_US.UTF-8"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ("auto", {"LC_ALL": "", "LC_MESSAGES": "zh_TW", "LANG": "en_US"}, "zh"),
        ("klingon", {"LANG": "en_US"}, "en"),
    ],
)
def test_the_language_comes_from_the_setting_or_the_locale(
    setting: str, environment: dict[str, str], language: str
) -> None:
    assert detect(setting, environment) == language
