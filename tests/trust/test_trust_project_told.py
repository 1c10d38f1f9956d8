"""What the user is told of a project's files before trusting them."""

from dataclasses import is_dataclass
from pathlib import Path
from typing import get_type_hints

import pytest

from paitui.locale import Words
from paitui.paths import Paths
from paitui.settings import Settings
from paitui.trust.project import SERVERS, SETTINGS, is_trusted
from paitui.trust.project_told import MOST_CHARS, MOST_ITEMS, Item, items

WORDS = Words("en")


def told(folder: Path, settings: str | None = None, servers: str | None = None) -> list[tuple[bool, str]]:
    project = folder / "project"
    (project / ".paitui").mkdir(parents=True, exist_ok=True)
    for name, text in ((SETTINGS, settings), (SERVERS, servers)):
        if text is not None:
            (project / name).write_text(text, "utf-8")
    return [(item.risky, WORDS.say(item.what)) for item in found(folder)]


def found(folder: Path) -> tuple[Item, ...]:
    return items(is_trusted(Paths(folder / "home", folder / "project")))


def test_what_runs_comes_first_then_where_requests_go_then_the_harmless(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        'offline_pace_ms = 1\nmodel = "a/b"\n[command]\nenv_allow = ["TOKEN"]\n[providers.a]\nbase_url = "http://x.test"\n',
        '{"mcpServers": {"db": {"command": "sh", "args": ["-c", "touch x"], "env": {"A": "1"}, "timeout_s": 5}}}',
    )
    assert [risky for risky, _ in lines] == [True] * 5 + [False] * 2
    assert 'sh -c "touch x"' in lines[0][1] and "env.A = 1" in lines[1][1] and "http://x.test" in lines[2][1]
    assert "TOKEN" in lines[3][1] and "a/b" in lines[4][1]


def test_a_setting_that_is_not_known_to_be_harmless_is_shown_as_dangerous(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        '[web]\nallow_hosts = ["*"]\n[search]\nbase_url = "http://s.test"\n[context]\nwindow = 1\n[next]\na = 1\n',
    )
    assert [risky for risky, _ in lines] == [True, True, True, False]


def test_every_setting_is_either_told_by_itself_or_known_to_be_harmless() -> None:
    """A new setting that sends or runs something must not slip in among the harmless ones."""
    harmless = {"context", "agent", "plan", "memory", "mcp", "ui"}
    groups = {name for name in get_type_hints(Settings) if is_dataclass(getattr(Settings(), name))}
    assert groups - harmless == {"command", "web", "search"}
    texts = [
        f"{group}.{name}"
        for group in harmless
        for name, hint in get_type_hints(type(getattr(Settings(), group))).items()
        if hint is str
    ]
    assert sorted(texts) == ["ui.glyphs", "ui.language", "ui.notify", "ui.theme"], (
        "words for how it looks, no address"
    )


def test_nothing_hides_behind_very_many_lines(tmp_path: Path) -> None:
    many = "[context]\n" + "".join(f"x{n} = 1\n" for n in range(MOST_ITEMS * 2))
    lines = told(tmp_path, many + '[providers.a]\nbase_url = "http://x.test"\n')
    assert "http://x.test" in lines[0][1] and len(lines) == MOST_ITEMS + 1
    assert f"{MOST_ITEMS + 1:,} more" in lines[-1][1] and not lines[-1][0]


def test_a_long_value_says_how_much_is_missing(tmp_path: Path) -> None:
    servers = '{"mcpServers": {"a": {"command": "' + "x" * (MOST_CHARS + 5) + '"}}}'
    assert "(+5)" in told(tmp_path, servers=servers)[0][1]


def test_nothing_of_it_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        '"\\u001b]0;title\\u0007" = "a\\u202eb\\nc"\n',
        '{"mcpServers": {"\\u001b[2J": {"command": "a\\r\\nb", "url": "\\u009b1m", "x\\u0000": 1}}}',
    )
    text = "".join(line for _, line in lines)
    assert all(sign.isprintable() for sign in text), ascii(text)


def test_a_key_is_not_shown(tmp_path: Path) -> None:
    key = "sk-" + "a1B2c3D4" * 5
    text = str(
        told(
            tmp_path,
            f'[providers.a]\napi_key = "{key}"\n',
            '{"mcpServers": {"a": {"command": "x", "args": ["' + key + '"], "env": {"K": "' + key + '"}}}}',
        )
    )
    assert key not in text and "providers.a.api_key" in text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (SETTINGS, "= ="),
        (SERVERS, "{"),
        (SERVERS, "[]"),
        (SERVERS, "[" * 100_000),
        (SERVERS, '{"mcpServers": 3}'),
        (SERVERS, '{"mcpServers": {"a": 5}}'),
        (SERVERS, '{"mcpServers": {"a": {"command": 5, "args": {"x": [1]}}}}'),
        (SERVERS, '{"mcpServers": {"a": ' + '{"a":' * 900 + "1" + "}" * 900 + "}}"),
        (SETTINGS, "[" + ".".join("a" * 400) + "]\nx = 1"),
    ],
)
def test_odd_files_are_told_too(tmp_path: Path, name: str, text: str) -> None:
    lines = told(tmp_path, **{"settings" if name == SETTINGS else "servers": text})
    assert lines and all(line for _, line in lines)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_kind_of_line_has_words(tmp_path: Path, language: str) -> None:
    told(
        tmp_path,
        'model = "m"\nx = 1\n[keys]\na = "b"\n[command]\nenv_allow = []\n'
        '[providers.a]\nbase_url = "u"\napi_key = "k"\napi_key_env = "E"\n',
        '{"mcpServers": {"a": {"command": "c"}, "b": {"url": "u", "headers": {"h": "v"}}}}',
    )
    words = Words(language)  # type: ignore[arg-type]
    assert all(words.has(item.what.key) and "{" not in words.say(item.what) for item in found(tmp_path))
