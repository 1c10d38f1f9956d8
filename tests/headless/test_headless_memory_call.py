"""How the arguments of `paitui memory` are read."""

import pytest

from paitui.headless.memory_call import SHAPES, CallError, MemoryCall, read_call, usage
from paitui.locale import Words


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ([], MemoryCall()),
        (["list", "--all", "--json"], MemoryCall(everywhere=True, json=True)),
        (["--json", "list"], MemoryCall(json=True)),
        (["search", "unit", "tests"], MemoryCall("search", text="unit tests")),
        (["show", "3f"], MemoryCall("show", id="3f")),
        (["add", "JDK 21"], MemoryCall("add", text="JDK 21")),
        (["add", "JDK", "21"], MemoryCall("add", text="JDK 21")),
        (["add", "JDK 21", "--global", "--json"], MemoryCall("add", text="JDK 21", scope="global", json=True)),
        (["add", "--force", "use", "tabs"], MemoryCall("add", text="use tabs", force=True)),
        (["add", "-"], MemoryCall("add", text="-")),
        (["add", "--", "--no-verify", "is never used"], MemoryCall("add", text="--no-verify is never used")),
        (["add", "--no-verify is never used"], MemoryCall("add", text="--no-verify is never used")),
        (["replace", "3f", "JDK 25", "--force"], MemoryCall("replace", id="3f", text="JDK 25", force=True)),
        (["scope", "3f", "global"], MemoryCall("scope", id="3f", scope="global")),
        (["undo"], MemoryCall("undo")),
        (["undo", "3f"], MemoryCall("undo", id="3f")),
        (["export", "a.json", "--all"], MemoryCall("export", text="a.json", everywhere=True)),
        (["list", "--project", "/x", "--lang=zh"], MemoryCall(options={"--project": "/x", "--lang": "zh"})),
    ],
)
def test_what_is_asked_for(line: list[str], call: MemoryCall) -> None:
    read = read_call(line)
    assert read == call and read.options == call.options


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (["serch", "x"], "search"),
        (["frob"], "verify"),
        (["show"], "<id>"),
        (["show", "a", "b"], "<id>"),
        (["show", " "], "<id>"),
        (["add"], "<fact>"),
        (["add", "  "], "<fact>"),
        (["replace", "3f"], "<fact>"),
        (["scope", "3f", "here"], "project|global"),
        (["list", "--force"], "--force"),
        (["show", "3f", "--global"], "--global"),
        (["add", "use", "--force", "always"], "--force"),
        (["add", "use", "--no-verify"], "--no-verify"),
        (["list", "--project"], "--project"),
        (["import"], "<file>"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_bad_line_is_one_clear_sentence(line: list[str], names: str, language: str) -> None:
    with pytest.raises(CallError) as raised:
        read_call(line)
    said = Words("zh" if language == "zh" else "en").say(raised.value.phrase)
    assert names in said and "\n" not in said and "{" not in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_has_every_verb_and_fits_a_terminal(language: str) -> None:
    from paitui.headless.cells import cells

    text = Words("zh" if language == "zh" else "en")("memory_cli.help")
    assert all(usage(verb).split(" [")[0].split(" <")[0].replace(" list", "") in text for verb in SHAPES)
    assert max(map(cells, text.splitlines())) <= 80
