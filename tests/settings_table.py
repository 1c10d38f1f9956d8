"""The README's table of settings, made from the docstrings. `python -m tests.settings_table` writes it anew."""

import ast
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import paitui.settings
from paitui.settings import Settings

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- settings: made by python -m tests.settings_table -->\n", "<!-- end of settings -->"


def table() -> str:
    """Give one row per key of the settings file: name, default, meaning."""
    documented = docstrings()
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    hints = get_type_hints(Settings)
    for field in dataclasses.fields(Settings):
        group = getattr(Settings(), field.name)
        if isinstance(group, Mapping):  # tables that the user names
            kind = get_args(hints[field.name])[1]
            if not dataclasses.is_dataclass(kind):
                rows.append(_row(f"{field.name}.ACTION", (), documented["Settings", field.name]))
                continue
            group, name = kind(), f"{field.name}.NAME"
        else:
            name = field.name
        if not dataclasses.is_dataclass(group):
            rows.append(_row(field.name, group, documented["Settings", field.name]))
            continue
        for inner in dataclasses.fields(group):
            meaning = documented[type(group).__name__, inner.name]
            rows.append(_row(f"{name}.{inner.name}", getattr(group, inner.name), meaning))
    return "\n".join(rows) + "\n"


def docstrings() -> dict[tuple[str, str], str]:
    """Give the text below each field, by class and field; a field without one is missing."""
    tree = ast.parse(Path(paitui.settings.__file__).read_text("utf-8"))
    found = {}
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for field, text in zip(kind.body, kind.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                found[kind.name, field.target.id] = " ".join(str(text.value.value).split())
    return found


def parts(readme: str) -> tuple[str, str, str]:
    """Split the README into what stands before the table, the table, and what stands after it."""
    before, _, rest = readme.partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside, after


def _row(name: str, default: Any, meaning: str) -> str:
    if isinstance(default, str):
        shown = f'"{default}"'
    elif isinstance(default, tuple):
        shown = "[" + ", ".join(f'"{item}"' for item in default) + "]"
    else:
        shown = str(default).lower() if isinstance(default, bool) else str(default)
    return f"| `{name}` | `{shown}` | {meaning} |"


if __name__ == "__main__":
    before, _, after = parts(README.read_text("utf-8"))
    README.write_text(f"{before}{BEGIN}{table()}{END}{after}", "utf-8")
