"""How `/save` and `/memory` are read."""

import pytest

from paitui.engine.commands import UnknownCommand, parse
from paitui.engine.memory_command import read_memory, read_save
from paitui.engine.ops import Memory


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("JDK 17", Memory("save", text="JDK 17", scope="project")),
        ("--global 回复用中文", Memory("save", text="回复用中文", scope="global")),
        ("--force --global x  y", Memory("save", text="x  y", scope="global", force=True)),
        ("run make --global", Memory("save", text="run make --global", scope="project")),
    ],
)
def test_save(text: str, op: Memory) -> None:
    assert read_save(text) == op


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("", Memory("list")),
        ("list --all", Memory("list", everywhere=True)),
        ("--all search 测试", Memory("search", text="测试", everywhere=True)),
        ("show fact-3f", Memory("show", id="fact-3f")),
        ("log 3f", Memory("log", id="3f")),
        ("verify 3f", Memory("verify", id="3f")),
        ("delete 3f", Memory("delete", id="3f")),
        ("replace 3f JDK 21 now", Memory("replace", id="3f", text="JDK 21 now")),
        ("scope 3f global", Memory("scope", id="3f", scope="global")),
        ("clear", Memory("clear")),
        ("undo", Memory("undo")),
        ("export a b.json", Memory("export", text="a b.json")),
        ("import x.md", Memory("import", text="x.md")),
    ],
)
def test_memory(text: str, op: Memory) -> None:
    assert read_memory(text) == op


@pytest.mark.parametrize(
    "line",
    [
        "/save",
        "/save --global",
        "/memory frob",
        "/memory show",
        "/memory show a b",
        "/memory replace 3f",
        "/memory scope 3f here",
        "/memory search",
        "/memory import",
    ],
)
def test_what_cannot_be_read_goes_nowhere(line: str) -> None:
    with pytest.raises(UnknownCommand) as told:
        parse(line)
    assert "usage" in told.value.phrase.key or told.value.phrase.key == "commands.memory_unknown"
