"""Which project this is, also after its folder was renamed: its path, and what its repository says of itself."""

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from paitui.memory.entry import Entry

REMOTE_KEY = "projectRemote"
"""Metadata: the repository's remote, as `normal_remote` gives it."""
COMMIT_KEY = "projectCommit"
"""Metadata: the repository's first commit."""
TIME_LIMIT = 3.0
"""Seconds for one question to git; a repository that takes longer goes without."""

Run = Callable[[Path, tuple[str, ...]], str]


@dataclass(frozen=True, slots=True)
class Identity:
    """A project."""

    path: str
    """Resolved absolute path; this is what counts."""
    remote: str = ""
    """Host and path of the repository's remote, without names and passwords; empty if there is none."""
    commit: str = ""
    """The repository's first commit; empty if it is not known."""

    def metadata(self) -> dict[str, str]:
        """Give what an entry of this project notes of it."""
        notes = {"scope": "project", "project": self.path, REMOTE_KEY: self.remote, COMMIT_KEY: self.commit}
        return {key: note for key, note in notes.items() if note}


@dataclass(frozen=True, slots=True)
class Relink:
    """Entries of another path that seem to belong to this project; for the user to decide."""

    path: str
    """Where they belong now."""
    ids: tuple[str, ...]
    """Which entries."""
    reason: Literal["commit", "remote"]
    """What they share with this project."""
    gone: bool
    """Whether that path is there no more (renamed or moved); else it may be another copy or worktree."""


def identify(project: Path, run: Run | None = None) -> Identity:
    """Ask what project this is. Takes up to some seconds: for a thread of its own, not for the first frame.

    Args:
        project: The folder.
        run: Asks git in a folder with arguments, and gives what it printed, empty if it could not; `ask_git` if None.

    Returns:
        The project; without remote and commit where there is no repository, no git, or no answer in time.
    """
    ask, folder = run or ask_git, project.resolve()
    remotes = ask(folder, ("config", "--get-regexp", r"^remote\..*\.url$")).splitlines()
    urls = dict(line.split(" ", 1) for line in remotes if " " in line)
    url = urls.get("remote.origin.url") or next(iter(urls.values()), "")
    commit = ""
    if ask(folder, ("rev-parse", "--is-shallow-repository")).strip() == "false":  # else the first is not the first
        roots = ask(folder, ("rev-list", "--max-parents=0", "HEAD")).split()
        commit = min(roots, default="")  # the smallest, for histories that were joined
    return Identity(str(folder), normal_remote(url), commit)


def normal_remote(url: str) -> str:
    """Give host and path of a remote, the same for all ways to reach it, without user names and passwords.

    Args:
        url: As git's configuration has it: ``https://user:token@host/a/b.git``, ``git@host:a/b``, a path.

    Returns:
        ``host/a/b``; the path for one that is local; empty for none.
    """
    url = url.strip().rstrip("/").removesuffix(".git").rstrip("/")
    if found := re.fullmatch(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([^/:]*)(?::\d+)?/*(.*)", url, re.IGNORECASE):
        host, path = found[1].lower(), found[2]
        return f"{host}/{path}" if host else f"/{path}"
    if found := re.fullmatch(r"(?:[^/@]*@)?([^/:]{2,}):/*(.*)", url):
        return f"{found[1].lower()}/{found[2]}"
    return url


def relink_candidates(
    entries: Iterable[Entry], here: Identity, exists: Callable[[str], bool] = os.path.isdir
) -> tuple[Relink, ...]:
    """Find entries of other paths that share this project's first commit or remote. They are offered, never moved.

    Args:
        entries: All entries.
        here: This project.
        exists: Whether there is a folder of that path.

    Returns:
        One candidate per path; those whose path is gone first, then the ones with more entries.
    """
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.project not in ("", here.path) and _shared(entry.metadata, here):
            found.setdefault(entry.project, []).append(entry)
    candidates = (
        Relink(
            path,
            tuple(entry.id for entry in group),
            "commit" if any(_shared(entry.metadata, here) == "commit" for entry in group) else "remote",
            not exists(path),
        )
        for path, group in found.items()
    )
    return tuple(sorted(candidates, key=lambda one: (not one.gone, -len(one.ids), one.path)))


def ask_git(folder: Path, arguments: tuple[str, ...]) -> str:
    """Ask git about a repository that may be anybody's: it runs no hook, asks nobody and fetches nothing.

    Args:
        folder: Where to ask.
        arguments: A command that only reads.

    Returns:
        What it printed; empty if there is no git, no repository or no answer in time.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    safe = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    options = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never")
    try:
        done = subprocess.run(
            ("git", "--no-pager", *options, *arguments),
            cwd=folder, env={**own, **safe}, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""  # memories work without; only a renamed folder is not recognised
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _shared(metadata: Mapping[str, str], here: Identity) -> Literal["commit", "remote"] | None:
    if here.commit and metadata.get(COMMIT_KEY) == here.commit:
        return "commit"
    return "remote" if here.remote and metadata.get(REMOTE_KEY) == here.remote else None
