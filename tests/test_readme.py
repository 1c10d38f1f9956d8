"""What the README says is so."""

import re
import tomllib
from pathlib import Path

import pytest

from paitui.arguments import parser
from paitui.context.thresholds import thresholds
from paitui.engine.commands import COMMANDS
from paitui.headless import ledger_call, sessions_call
from paitui.headless.memory_call import OPTIONS, SHAPES
from paitui.model import providers
from paitui.settings import ProviderSettings, Settings
from tests.pictures import shown
from tests.ui.scenes import SCENES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def block(mark: str) -> str:
    found = re.findall(rf"<!-- {mark} -->\n```sh\n(.*?)```", README, re.DOTALL)
    assert len(found) == 1, f"one block marked {mark}"
    return str(found[0])


@pytest.mark.parametrize("mark", ["start", "test"])
def test_the_two_commands_are_one_line_each_and_need_only_python_and_pip(mark: str) -> None:
    command = block(mark)
    assert command.count("\n") == 1
    assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert all(part.split()[0].startswith((".venv/bin/", "python3")) for part in command.split("&&"))


def test_the_thresholds_are_those_of_the_code() -> None:
    table = README.partition("<!-- thresholds -->")[2].partition("\n\n")[0]
    rows = [[int(n.replace(",", "")) for n in re.findall(r"[\d,]+", row)] for row in table.splitlines()[3:]]
    assert len(rows) == 7
    for window, clear_at, summary_at in rows:
        marks = thresholds(window)
        assert (marks.clear_at, marks.summary_at) == (clear_at, summary_at)


def test_every_command_is_named() -> None:
    assert [command.name for command in COMMANDS if f"`/{command.name}`" not in README] == []


def test_every_option_that_is_named_exists() -> None:
    known = {option for action in parser()._actions for option in action.option_strings}
    known |= {*OPTIONS, *sessions_call.OPTIONS, *ledger_call.OPTIONS}
    examples = re.findall(r"paitui [^`\n]*", README)
    assert {option for line in examples for option in re.findall(r"\s(--?[a-z]+)\b", line)} <= known


def test_every_verb_of_memory_is_named() -> None:
    section = README.partition("\n## Memory\n")[2].partition("\n## ")[0]
    assert [verb for verb in SHAPES if not re.search(rf"\b{verb}\b", section)] == []


def test_every_file_that_is_named_exists() -> None:
    for name in (".ci/run", "paitui/README.md", "tests/bench/startup.py"):
        assert name in README and (ROOT / name).is_file()


def test_the_pictures_are_those_in_assets_and_each_is_a_scene() -> None:
    names = shown(README)
    assert set(names) == {file.stem for file in (ROOT / "assets").iterdir()}
    assert set(names) <= set(SCENES)


def test_no_section_stands_twice() -> None:
    titles = re.findall(r"^#{1,3} .*", re.sub(r"```.*?```", "", README, flags=re.DOTALL), re.MULTILINE)
    assert len(titles) == len(set(titles))


def test_every_model_example_can_be_opened() -> None:
    section = README.partition("<!-- models -->")[2].partition("<!-- end of models -->")[0]
    examples = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    table = providers.load()
    seen = set()
    for example in examples:
        assert example.count("\n") == 3
        file = tomllib.loads(example)
        [(name, given)] = file["providers"].items()
        settings = Settings(model=file["model"], providers={name: ProviderSettings(**given)})
        target = table.target(settings.model, settings, {given.get("api_key_env", "-"): "key"})
        assert not target.lacks_key and target.model.endswith(settings.model.partition("/")[2])
        seen.add(name)
    assert set(table.rules) <= seen
