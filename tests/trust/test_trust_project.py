"""Which files of a project count: none, until the user has trusted these very bytes."""

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paitui.paths import Paths
from paitui.trust import record
from paitui.trust.project import MAX_FILE_BYTES, SERVERS, SETTINGS, is_trusted
from paitui.trust.record import TrustError, grant, revoke

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    project = tmp_path / "project"
    (project / ".paitui").mkdir(parents=True)
    return Paths(tmp_path / "home", project)


def put(paths: Paths, name: str = SETTINGS, text: str = 'model = "x/y"\n') -> Path:
    file = paths.project / name
    file.write_text(text, "utf-8")
    return file


def trust(paths: Paths) -> None:
    grant(paths, is_trusted(paths), NOW)


def test_a_project_without_such_files_has_nothing_to_trust_and_makes_nothing(paths: Paths) -> None:
    (paths.project / ".paitui" / "PAI.md").write_text("use tabs", "utf-8")
    assert is_trusted(paths).state == "nothing" and not paths.home.exists()


@pytest.mark.parametrize("name", [SETTINGS, SERVERS])
def test_a_file_counts_only_once_trusted(paths: Paths, name: str) -> None:
    put(paths, name, "{}")
    before = is_trusted(paths)
    assert (before.state, before.data(name), before.ignored) == ("untrusted", None, True)
    trust(paths)
    after = is_trusted(paths)
    assert (after.state, after.data(name), after.ignored) == ("trusted", b"{}", False)


def test_one_byte_more_and_it_counts_no_more(paths: Paths) -> None:
    file = put(paths)
    trust(paths)
    old = file.read_bytes()
    file.write_bytes(old + b"\n")
    now = is_trusted(paths)
    assert (now.state, now.changed, now.data(SETTINGS)) == ("changed", (SETTINGS,), None)
    file.write_bytes(old)
    assert is_trusted(paths).state == "trusted"


def test_a_file_that_comes_or_goes_is_a_change(paths: Paths) -> None:
    put(paths)
    trust(paths)
    servers = put(paths, SERVERS, "{}")
    assert is_trusted(paths).changed == (SERVERS,)
    trust(paths)
    servers.unlink()
    assert (is_trusted(paths).state, is_trusted(paths).changed) == ("changed", (SERVERS,))


def test_what_is_trusted_is_what_was_shown(paths: Paths) -> None:
    file = put(paths)
    shown = is_trusted(paths)
    file.write_text('model = "other/one"\n', "utf-8")
    grant(paths, shown, NOW)
    assert is_trusted(paths).state == "changed"


def test_trust_is_bound_to_the_folder(paths: Paths, tmp_path: Path) -> None:
    put(paths)
    trust(paths)
    paths.project.rename(tmp_path / "moved")
    assert is_trusted(Paths(paths.home, tmp_path / "moved")).state == "untrusted"


def test_it_is_taken_back(paths: Paths) -> None:
    put(paths)
    assert not revoke(paths)
    trust(paths)
    assert revoke(paths) and is_trusted(paths).state == "untrusted"


def link_to_file(paths: Paths) -> None:
    (paths.project / "real.toml").write_text("", "utf-8")
    (paths.project / SETTINGS).symlink_to("../real.toml")


def link_to_folder(paths: Paths) -> None:
    (paths.project / ".paitui").rmdir()
    (paths.project / "other").mkdir()
    (paths.project / "other" / "settings.toml").write_text("", "utf-8")
    (paths.project / ".paitui").symlink_to("other")


def broken_link(paths: Paths) -> None:
    (paths.project / SETTINGS).symlink_to("nowhere")


def fifo(paths: Paths) -> None:
    os.mkfifo(paths.project / SETTINGS)


def folder(paths: Paths) -> None:
    (paths.project / SETTINGS).mkdir()


def huge(paths: Paths) -> None:
    put(paths, SETTINGS, "#" * (MAX_FILE_BYTES + 1))


@pytest.mark.parametrize("make", [link_to_file, link_to_folder, broken_link, fifo, folder, huge])
def test_what_is_no_plain_file_cannot_be_trusted(paths: Paths, make: object) -> None:
    make(paths)  # type: ignore[operator]
    now = is_trusted(paths)
    assert now.state == "untrusted" and [file.name for file in now.faults] == [SETTINGS]
    with pytest.raises(TrustError):
        trust(paths)
    assert not paths.trusted.exists()


def test_a_file_replaced_by_a_link_is_a_change(paths: Paths) -> None:
    file = put(paths)
    trust(paths)
    file.rename(paths.project / "same.toml")
    file.symlink_to("../same.toml")
    assert is_trusted(paths).state == "changed"


def test_the_home_inside_the_folder_is_the_users_own(tmp_path: Path) -> None:
    home = tmp_path / ".paitui"
    home.mkdir()
    (home / "settings.toml").write_text("", "utf-8")
    assert is_trusted(Paths(home, tmp_path)).state == "nothing"


def test_the_record_is_private(paths: Paths) -> None:
    put(paths)
    trust(paths)
    assert stat.S_IMODE(paths.trusted.stat().st_mode) == 0o600
    assert set(json.loads(paths.trusted.read_bytes())["projects"]) == {str(paths.project)}


BROKEN = ["", "{", "[]", '{"version": 2, "projects": {}}', '{"version": 1, "projects": {"/a": 1}}']


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_record_trusts_nobody_and_is_set_aside(paths: Paths, text: str) -> None:
    put(paths)
    trust(paths)
    paths.trusted.write_text(text, "utf-8")
    now = is_trusted(paths)
    assert (now.state, [problem.key for problem in now.problems]) == ("untrusted", ["project_trust.set_aside"])
    assert (paths.home / "trusted.json.broken0").read_text("utf-8") == text
    trust(paths)
    assert (is_trusted(paths).state, is_trusted(paths).problems) == ("trusted", ())


def test_a_record_that_is_a_pipe_trusts_nobody(paths: Paths) -> None:
    put(paths)
    paths.home.mkdir()
    os.mkfifo(paths.trusted)
    assert is_trusted(paths).state == "untrusted" and is_trusted(paths).problems


def test_another_process_holding_the_lock_is_said(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    put(paths)
    paths.home.mkdir()
    monkeypatch.setattr(record, "PATIENCE_S", 0.05)
    with FileLock(paths.home / "trusted.lock"), pytest.raises(TrustError) as caught:
        trust(paths)
    assert caught.value.phrase.key == "project_trust.busy"


TRUST = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from paitui.paths import Paths
from paitui.trust.project import is_trusted
from paitui.trust.record import grant
for project in sys.argv[2:]:
    paths = Paths(Path(sys.argv[1]), Path(project))
    grant(paths, is_trusted(paths), datetime.now(UTC))
"""


def test_processes_that_trust_at_once_lose_nothing(tmp_path: Path) -> None:
    projects = [tmp_path / f"p{n}" for n in range(9)]
    for project in projects:
        (project / ".paitui").mkdir(parents=True)
        (project / SETTINGS).write_text("", "utf-8")
    home = tmp_path / "home"
    running = [
        subprocess.Popen([sys.executable, "-c", TRUST, str(home), *map(str, projects[n::3])]) for n in range(3)
    ]
    assert [process.wait(30) for process in running] == [0, 0, 0]
    assert all(is_trusted(Paths(home, project)).state == "trusted" for project in projects)


def test_a_name_that_is_no_text_is_kept(tmp_path: Path) -> None:
    project = Path(os.fsdecode(os.fsencode(str(tmp_path)) + b"/caf\xe9"))
    (project / ".paitui").mkdir(parents=True)
    (project / SETTINGS).write_text("", "utf-8")
    paths = Paths(tmp_path / "home", project)
    trust(paths)
    assert is_trusted(paths).state == "trusted"
