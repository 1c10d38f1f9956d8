"""The settings of a project, over the user's once it is trusted."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from paitui.paths import Paths
from paitui.settings import Settings
from paitui.trust.project import SETTINGS, settings_in_effect
from paitui.trust.record import grant

NOW = datetime(2026, 5, 1, tzinfo=UTC)
USERS = """
model = "mine/one"
[context]
window = 50_000
keep_results = 5
[keys]
memory = "f9"
[providers.mine]
base_url = "http://mine.test"
api_key = "sk-mine"
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".paitui").mkdir(parents=True)
    home.mkdir()
    (home / "settings.toml").write_text(USERS, "utf-8")
    return Paths(home, project)


def projects(paths: Paths, text: str) -> None:
    (paths.project / SETTINGS).write_text(text, "utf-8")


def trust(paths: Paths) -> None:
    grant(paths, settings_in_effect(paths)[1], NOW)


def problems(paths: Paths) -> list[tuple[str, str, str]]:
    found = settings_in_effect(paths)[0].problems
    return [(one.key, one.params["file"], one.params.get("key", "")) for one in found]


def test_nothing_counts_before_it_is_trusted(paths: Paths) -> None:
    alone = settings_in_effect(paths)[0]
    projects(paths, 'model = "theirs/x"\nnonsense = 1\n[ui]\ntheme = "light"\n[command]\nenv_allow = ["HOME"]\n')
    assert settings_in_effect(paths)[0] == alone


def test_what_it_says_counts_and_the_rest_stays_the_users(paths: Paths) -> None:
    projects(
        paths,
        '[context]\nwindow = 9_000\n[keys]\ncontext = "f8"\n[providers.mine]\nwindow = 7_000\n'
        '[providers.own]\nlike = "openai"\n',
    )
    trust(paths)
    settings = settings_in_effect(paths)[0].settings
    assert (settings.model, settings.context.window, settings.context.keep_results) == ("mine/one", 9_000, 5)
    assert settings.keys == {"memory": ("f9",), "context": ("f8",)}
    mine = settings.providers["mine"]
    assert (mine.base_url, mine.api_key, mine.window) == ("http://mine.test", "sk-mine", 7_000)
    assert settings.providers["own"].like == "openai"


def test_problems_name_the_file_and_what_is_wrong_leaves_the_users(paths: Paths) -> None:
    projects(paths, "[context]\nwindow = true\nwindw = 1\n[providers.mine]\nwindow = -1\n")
    trust(paths)
    file = str(paths.project / SETTINGS)
    assert problems(paths) == [
        ("settings.wrong", file, "context.window"),
        ("settings.unknown", file, "context.windw"),
        ("settings.wrong", file, "providers.mine.window"),
    ]
    assert settings_in_effect(paths)[0].settings.context.window == 50_000


def test_a_key_in_it_is_refused(paths: Paths) -> None:
    projects(paths, '[providers.mine]\napi_key = "sk-theirs"\n')
    trust(paths)
    assert problems(paths) == [("settings.key_in_project", str(paths.project / SETTINGS), "providers.mine.api_key")]
    assert settings_in_effect(paths)[0].settings.providers["mine"].api_key == "sk-mine"


@pytest.mark.parametrize("text", ["model = ", "a = " + "[" * 5_000, "\udcff"])
def test_a_broken_file_leaves_the_users(paths: Paths, text: str) -> None:
    (paths.project / SETTINGS).write_bytes(text.encode("utf-8", "surrogateescape"))
    trust(paths)
    assert problems(paths) == [("settings.broken_in_project", str(paths.project / SETTINGS), "")]
    assert settings_in_effect(paths)[0].settings.model == "mine/one"


def test_someone_in_the_folder_above_the_home_has_one_file(tmp_path: Path) -> None:
    home = tmp_path / ".paitui"
    home.mkdir()
    (home / "settings.toml").write_text("nonsense = 1\n", "utf-8")
    loaded, found = settings_in_effect(Paths(home, tmp_path))
    assert (found.state, len(loaded.problems), loaded.settings) == ("nothing", 1, Settings())
