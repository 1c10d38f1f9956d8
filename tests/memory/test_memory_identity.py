import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paitui.memory import identity
from paitui.memory.entry import Entry, new_entry
from paitui.memory.identity import Identity, identify, normal_remote, relink_candidates

NOW = datetime(2026, 10, 2, tzinfo=UTC)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(("git", *who, *arguments), cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "commit", "-q", "--allow-empty", "-m", "second")
    git(folder, "remote", "add", "origin", "https://me:token@Example.org/me/shop.git")
    return folder


def saved_in(project: Identity) -> Entry:
    return new_entry("we use pnpm", project.metadata(), NOW)


def test_a_project_is_its_path_and_what_its_repository_says(project: Path) -> None:
    first = git(project, "rev-list", "--max-parents=0", "HEAD")
    assert identify(project) == Identity(str(project), "example.org/me/shop", first)
    assert "token" not in str(identify(project))


def test_a_link_leads_to_the_same_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    assert identify(tmp_path / "link") == identify(project)


def test_a_renamed_folder_offers_its_memories(project: Path, tmp_path: Path) -> None:
    entry = saved_in(identify(project))
    here = identify(project.rename(tmp_path / "store"))
    (offer,) = relink_candidates([entry], here)
    assert (offer.path, offer.ids, offer.reason, offer.gone) == (str(project), (entry.id,), "commit", True)
    assert entry.project == str(project), "nothing is moved by itself"


def test_a_worktree_offers_the_memories_of_the_folder_it_came_from(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    entry = saved_in(identify(project))
    (offer,) = relink_candidates([entry], identify(tmp_path / "tree"))
    assert (offer.path, offer.gone) == (str(project), False)


def test_others_entries_are_not_offered(project: Path) -> None:
    here = identify(project)
    elsewhere = Identity("/elsewhere", "example.org/me/other", "f" * 40)
    entries = [
        saved_in(here),
        saved_in(elsewhere),
        new_entry("global", {"scope": "global", "projectRemote": here.remote}, NOW),
        saved_in(Identity("/bare")),
    ]
    assert relink_candidates(entries, here) == ()
    assert relink_candidates(entries, Identity("/nothing known")) == ()
    (offer,) = relink_candidates([saved_in(replace(elsewhere, remote=here.remote))], here)
    assert offer.reason == "remote"


def test_without_a_repository_the_path_is_all(tmp_path: Path) -> None:
    assert identify(tmp_path) == Identity(str(tmp_path.resolve()))


def test_a_git_that_takes_too_long_or_is_not_there_is_done_without(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    slow.chmod(0o755)
    monkeypatch.setattr(identity, "TIME_LIMIT", 0.05)
    monkeypatch.setenv("PATH", str(slow.parent))
    assert identify(project) == Identity(str(project))
    slow.unlink()
    assert identify(project) == Identity(str(project))


def test_a_repository_cannot_run_anything_by_being_asked(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    git(project, "config", "core.fsmonitor", f"touch {mark}")
    git(project, "config", "core.pager", f"touch {mark}")
    git(project, "config", "alias.rev-list", f"!touch {mark}")
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    assert identify(project).commit and not mark.exists()


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/me/shop",
        "https://me:token@EXAMPLE.org/me/shop.git",
        "ssh://git@example.org:22/me/shop.git/",
        "git@example.org:me/shop.git",
        "example.org:me/shop",
    ],
)
def test_all_ways_to_a_remote_are_one(url: str) -> None:
    assert normal_remote(url) == "example.org/me/shop"


def test_a_local_remote_is_its_path() -> None:
    assert normal_remote("file:///srv/shop.git") == normal_remote("/srv/shop") == "/srv/shop"
    assert normal_remote("") == ""
