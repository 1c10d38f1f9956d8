"""The set of tools, their schemas, and the arguments of calls."""

import json
import tomllib
from pathlib import Path

import pytest

from paitui.locale import Words
from paitui.messages.codec import spec_to_wire
from paitui.messages.message import ToolSpec
from paitui.tools.base import ToolError
from paitui.tools.registry import builtin_tools, parse_arguments, subject_line

TOOLS = builtin_tools()


def test_the_tools_stand_in_a_fixed_order() -> None:
    names = ["read_file", "write_file", "edit_file", "list_dir", "glob_files", "grep_code", "execute_command"]
    assert list(TOOLS.tools) == [spec.name for spec in TOOLS.specs] == names
    assert [tool.access for tool in TOOLS.tools.values()] == [
        "read",
        "write",
        "write",
        "read",
        "read",
        "read",
        "command",
    ]


def test_the_schemas_leave_room_in_a_small_window() -> None:
    text = json.dumps([spec_to_wire(spec) for spec in TOOLS.specs])
    assert len(text) / 4 < 900
    assert text == json.dumps([spec_to_wire(spec) for spec in builtin_tools().specs])


def parse(name: str, text: str) -> dict[str, object]:
    return parse_arguments(TOOLS.tools[name].spec, text)


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("read_file", '{"path": "a"}', {"path": "a"}),
        (
            "read_file",
            '{"path": "a", "offset": 2.0, "limit": "10", "column": null}',
            {"path": "a", "offset": 2, "limit": 10},
        ),
        ("list_dir", "", {}),
        ("list_dir", "  ", {}),
        (
            "edit_file",
            '{"path":"a","old":"","new":"b","replace_all":true}',
            {"path": "a", "old": "", "new": "b", "replace_all": True},
        ),
    ],
)
def test_good_arguments(name: str, text: str, values: dict[str, object]) -> None:
    assert parse(name, text) == values


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("read_file", '{"path": "a"', "not valid JSON"),
        ("read_file", "[1]", "one JSON object"),
        ("read_file", '"a"', "one JSON object"),
        ("read_file", "{}", "needs the argument path"),
        ("read_file", '{"path": null}', "needs the argument path"),
        ("read_file", '{"file": "a", "path": "b"}', "no argument file. It takes: path, offset, limit, column"),
        ("read_file", '{"path": 5}', "path must be of type string"),
        ("read_file", '{"path": "a", "offset": 0}', "offset must be at least 1"),
        ("read_file", '{"path": "a", "offset": true}', "offset must be of type integer"),
        ("read_file", '{"path": "a", "offset": "ten"}', "offset must be of type integer"),
        ("edit_file", '{"path":"a","old":"x","new":"b","replace_all":"yes"}', "replace_all must be of type boolean"),
        ("execute_command", '{"command": ["ls"]}', "command must be of type string"),
        ("read_file", "[" * 100_000, "not valid JSON"),
    ],
)
def test_bad_arguments_say_what_is_wrong(name: str, text: str, part: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse(name, text)
    assert part in Words("en").say(caught.value.phrase)


def test_a_choice_is_checked() -> None:
    spec = ToolSpec("t", "", {"type": "object", "properties": {"mode": {"type": "string", "enum": ["a", "b"]}}})
    assert parse_arguments(spec, '{"mode": "a"}') == {"mode": "a"}
    with pytest.raises(ToolError) as caught:
        parse_arguments(spec, '{"mode": "c"}')
    assert "one of a, b" in Words("en").say(caught.value.phrase)


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("read_file", {"path": "a.py"}, "a.py"),
        ("read_file", {"path": "a.py", "offset": 1, "limit": 212}, "a.py 1-212"),
        ("read_file", {"path": "a.py", "offset": 200}, "a.py 200-"),
        ("read_file", {"path": "a.py", "limit": 5}, "a.py 1-5"),
        ("read_file", {"path": "a.py", "offset": 1, "column": 32_001}, "a.py 1-:32001"),
        ("write_file", {"path": "a.py", "content": "x\ny"}, "a.py"),
        ("glob_files", {"pattern": "**/*.py"}, '"**/*.py"'),
        ("grep_code", {"pattern": "def f", "path": "src", "glob": "*.py"}, '"def f" src *.py'),
        ("execute_command", {"command": "ls\nls -l"}, "ls ls -l"),
        ("list_dir", {}, "."),
        ("other", {"a": 1}, '{"a": 1}'),
    ],
)
def test_subjects(name: str, arguments: dict[str, object], line: str) -> None:
    assert subject_line(name, json.dumps(arguments)) == line


def test_a_subject_of_broken_arguments_is_their_text() -> None:
    assert subject_line("read_file", '{"path":\n "a') == '{"path": "a'
    assert subject_line("read_file", "[1]") == "[1]"


@pytest.mark.parametrize("room", ["tools", "trust"])
def test_both_languages_say_the_same_things(room: str) -> None:
    texts = {}
    for language in ("en", "zh"):
        file = Path(__file__).parents[2] / "paitui/locale" / language / f"{room}.toml"
        texts[language] = tomllib.loads(file.read_text("utf-8"))[room]
    assert list(texts["en"]) == list(texts["zh"])
    for key, text in texts["en"].items():
        fields = {part.partition("}")[0].partition(":")[0] for part in text.split("{")[1:]}
        other = {part.partition("}")[0].partition(":")[0] for part in texts["zh"][key].split("{")[1:]}
        assert fields == other, key
