# ruff: noqa: E501
"""A small project to work on."""

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "README.md": "# Shop\n\nA small shop for tests. It has more to say.\n\n## Use\n\nRun it with python. Then stop.\n",
        "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["httpx>=1", "rich"]\n\n[project.scripts]\nshop = "shop.cli:main"\n',
        "a.py": '"""Adds numbers. Nothing else."""\n\n\ndef add(x, y):\n    return x + y\n',
        "b.py": "import os\n\n\nclass Basket:\n    def put(self, item):\n        return os.name + item  # TODO weigh it\n",
        "shop/cli.py": "from b import Basket\n\n\ndef main():\n    return Basket()\n",
        "tests/test_a.py": "from a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def large_project(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("# Large\n\nMany modules. " + "Words and more words. " * 400)
    (tmp_path / "package.json").write_text('{"name": "large", "dependencies": {"left-pad": "1"}}')
    for number in range(90):
        folder = tmp_path / "src" / f"part{number % 9}"
        folder.mkdir(parents=True, exist_ok=True)
        body = "".join(f"  step({n}); // 第{n}步 does something with care\n" for n in range(20 + number % 40))
        (folder / f"module{number:02}.js").write_text(f"export function work{number}() {{\n{body}}}\n")
    return tmp_path
