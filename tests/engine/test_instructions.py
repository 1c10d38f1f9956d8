from pathlib import Path

from paitui.engine.instructions import MAX_CHARS, read_instructions
from paitui.paths import Paths
from paitui.trust.fence import Fence


def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    project = tmp_path / "project"
    return read_instructions(Paths(tmp_path / "home", project), Fence(project))


def project_with(tmp_path: Path, **files: str) -> Path:
    project = tmp_path / "project"
    for name, text in files.items():
        file = project / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return project


def test_the_users_own_come_first_then_the_projects(tmp_path: Path) -> None:
    project = project_with(tmp_path, AGENTS="", docs__x="")
    (project / "AGENTS.md").write_text("use tabs")
    (project / "PAI.md").write_text("run the tests")
    (project / ".paitui").mkdir()
    (project / ".paitui/PAI.md").write_text("quietly")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/PAI.md").write_text("answer in Chinese")
    found = read(tmp_path)
    assert found.files == ("~/.paitui/PAI.md", "PAI.md", ".paitui/PAI.md", "AGENTS.md")
    order = [found.text.index(text) for text in ("answer in Chinese", "run the tests", "quietly", "use tabs")]
    assert order == sorted(order) and not found.problems


def test_none_is_fine(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    assert read(tmp_path) == type(read(tmp_path))()


def test_imports_go_three_levels_deep_and_never_in_circles(tmp_path: Path) -> None:
    project = project_with(tmp_path, docs__a="A\n@b\n@../PAI.md\n", docs__b="B\n@c\n", docs__c="C\n@d\n", docs__d="D")
    (project / "PAI.md").write_text("top\n@docs/a\n")
    found = read(tmp_path)
    assert [part in found.text for part in ("A", "B", "C", "# docs/d")] == [True, True, True, False]
    assert [problem.key for problem in found.problems] == ["engine.instructions_depth"]
    assert found.text.count("top") == 1


def test_an_import_out_of_the_project_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("the password")
    project = project_with(tmp_path)
    project.mkdir(exist_ok=True)
    (project / "PAI.md").write_text("@../secret.md\n@missing.md\n")
    (project / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    found = read(tmp_path)
    assert "the password" not in found.text and len(found.problems) == 3


def test_long_instructions_are_cut_and_said_so(tmp_path: Path) -> None:
    project = project_with(tmp_path)
    project.mkdir(exist_ok=True)
    (project / "PAI.md").write_text("x" * 30_000)
    found = read(tmp_path)
    assert len(found.text) == MAX_CHARS and found.problems[0].key == "engine.instructions_cut"
