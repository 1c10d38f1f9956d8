"""What holds of the tree as a whole: who may import whom, what stays unloaded, and where words come from."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from paitui.engine.commands import COMMANDS
from paitui.locale import Words

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "paitui"
MODULES = sorted(PACKAGE.rglob("*.py"))

_CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
LAYERS = [set(layer.replace("|", " ").split()) for layer in _CONTRACT["layers"]]
"""From top to bottom; a room imports from lower layers only, never from a neighbour."""

SCREEN_LIBRARIES = {"textual", "rich"}
SLOW_LIBRARIES = {"litellm", "jieba", "pygments", "markdown_it"}
MAX_LINES = 450


def run_python(code: str, *options: str, cwd: Path = ROOT) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def room(module: str) -> str:
    """Give the room of a dotted name below paitui."""
    return [*module.split("."), ""][1]


def dotted(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path) -> Iterator[str]:
    """Give the dotted names that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def literals(node: ast.expr) -> Iterator[str]:
    """Give the texts that an expression can be, as far as they stand in the code."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)


def phrase_calls(file: Path) -> Iterator[ast.Call]:
    """Give the calls that name a phrase: `phrase(...)`, `words(...)`, `self.words(...)`, `self._words(...)`."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("phrase", "words", "_words"):
                yield node


def test_version_loads_next_to_nothing() -> None:
    code = "import sys; from paitui.cli import main; main(['--version']); print(*sorted(sys.modules))"
    version, loaded = run_python(code).splitlines()
    assert version.startswith("paitui ")
    heavy = {"textual", "rich", "litellm", "jieba", "asyncio", "argparse", "dataclasses", "typing", "tomllib"}
    assert not heavy & set(loaded.split())
    own = [name for name in loaded.split() if name.startswith("paitui")]
    assert own == ["paitui", "paitui.cli", "paitui.streams"]


def test_nothing_but_the_screen_loads_a_screen_library_or_a_slow_one() -> None:
    names = [dotted(file) for file in MODULES if room(dotted(file)) not in ("ui", "__main__")]
    code = f"import sys, importlib; [importlib.import_module(n) for n in {names!r}]; print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in run_python(code).split()}
    assert not loaded & (SCREEN_LIBRARIES | SLOW_LIBRARIES)


def test_the_doctor_needs_no_package_that_could_be_missing() -> None:
    code = "import sys, paitui.cli, paitui.arguments, paitui.doctor; print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in run_python(code, "-S").split()}
    assert loaded <= {*sys.stdlib_module_names, "__main__", "paitui"}


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_arrows_point_down_only(file: Path) -> None:
    here = room(dotted(file))
    level = next((at for at, layer in enumerate(LAYERS) if here in layer), None)
    for imported in imports(file):
        top, there = imported.partition(".")[0], room(imported)
        assert top not in SCREEN_LIBRARIES or here == "ui", f"{imported} belongs to the screen"
        if top == "paitui" and level is not None and there != here:
            above = set().union(*LAYERS[: level + 1])
            assert there not in above, f"{dotted(file)} imports {imported}, which is not below it"


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_modules_stay_small(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= MAX_LINES


def all_texts() -> dict[str, str]:
    """Every English text by its key."""
    rooms = [tomllib.loads(file.read_text("utf-8")) for file in (ROOT / "paitui/locale/en").glob("*.toml")]
    return {f"{room}.{name}": text for file in rooms for room, texts in file.items() for name, text in texts.items()}


TEXTS = all_texts()


def test_each_room_has_its_own_file() -> None:
    for file in (ROOT / "paitui/locale").glob("*/*.toml"):
        assert list(tomllib.loads(file.read_text("utf-8"))) == [file.stem]


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_every_phrase_exists_and_gets_its_values(file: Path) -> None:
    words = Words("en")
    for call in phrase_calls(file):
        given = {keyword.arg for keyword in call.keywords}
        for key in literals(call.args[0]):
            assert words.has(key), f"line {call.lineno}: no text for {key}"
            wanted = {name for _, name, _, _ in Formatter().parse(TEXTS[key]) if name}
            assert None in given or wanted <= given, f"line {call.lineno}: {key} needs {wanted - given}"


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_phrases_named_by_a_pattern_exist(file: Path) -> None:
    known = TEXTS
    for call in phrase_calls(file):
        if isinstance(call.args[0], ast.JoinedStr):
            first = call.args[0].values[0]
            assert isinstance(first, ast.Constant) and "." in first.value, f"line {call.lineno}: room not named"
            assert any(key.startswith(first.value) for key in known), f"line {call.lineno}: {first.value}..."


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_what_looks_like_the_name_of_a_phrase_is_one(file: Path) -> None:
    known = set(TEXTS)
    rooms = "|".join({key.partition(".")[0] for key in known})
    shape = re.compile(rf"({rooms})\.(?!(toml|json|jsonl|log|py|md)$)[a-z_]+")
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and shape.fullmatch(node.value):
            assert node.value in known or node.value.endswith("_"), f"line {node.lineno}: {node.value}"


def test_every_command_has_its_help() -> None:
    assert [command.name for command in COMMANDS if not Words("en").has(command.help)] == []


@pytest.mark.parametrize("file", [f for f in MODULES if room(dotted(f)) in ("cli", "headless", "doctor", "ui")])
def test_faces_hold_no_chinese_text_of_their_own(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not any("\u4e00" <= char <= "\u9fff" for char in node.value) or _is_docstring(node, file)


def test_the_installed_package_brings_its_themes_and_texts(tmp_path: Path) -> None:
    code = (
        "from paitui.ui.palette import builtin_folder; from paitui.locale import Words;"
        "print(len(list(builtin_folder().glob('*.toml'))), Words('zh').has('cli.help'))"
    )
    themes, texts = run_python(code, "-P", cwd=tmp_path).split()
    assert int(themes) == len(list((ROOT / "themes").glob("*.toml"))) > 0
    assert texts == "True"


def _is_docstring(node: ast.Constant, file: Path) -> bool:
    return any(
        isinstance(line, ast.Expr) and line.value.lineno == node.lineno
        for line in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(line, ast.Expr)
    )
