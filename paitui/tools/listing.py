"""Which files a search looks at: those git knows or would take, else those a walk finds."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from threading import Event

from paitui.tools.environment import command_environment
from paitui.trust.fence import Fence, FenceError

IGNORED = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".paitui",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".nox",
        ".hypothesis",
        ".cache",
        ".next",
        ".gradle",
        ".idea",
        "target",
        "dist",
        "build",
    )
)
"""Folders that a walk leaves out, unless the search starts inside one."""
MOST_FILES = 200_000
"""A search stops looking for files here."""
_GIT_S = 15
"""Seconds that git may take."""


def files_below(fence: Fence, path: str, stop: Event) -> list[str]:
    """List the files of a folder, links left out.

    Args:
        fence: The project's fence.
        path: Folder or file, relative to the project.
        stop: Ends the walk early when set.

    Returns:
        Paths relative to the project, sorted; what lies in hidden folders comes last, for it is rarely meant.

    Raises:
        FenceError: The path is outside or missing.
    """
    if not stat.S_ISDIR(fence.stat(path).st_mode):
        return [path]
    inside_ignored = any(part in IGNORED for part in PurePosixPath(path).parts)
    listed = None if inside_ignored else _git_files(fence.root, path)
    if listed:
        found: list[str] = []
        for name in listed:
            # A nested repository is listed as one folder.
            found += _walk(fence, name.rstrip("/"), stop) if name.endswith("/") else [name]
    else:
        found = list(_walk(fence, path, stop))
    return sorted(set(found[:MOST_FILES]), key=_by_interest)


def _by_interest(path: str) -> tuple[bool, str]:
    return path.startswith(".") or "/." in path, path


def _walk(fence: Fence, path: str, stop: Event) -> Iterator[str]:
    folders = [path]
    count = 0
    while folders and not stop.is_set() and count < MOST_FILES:
        folder = folders.pop()
        try:
            entries = fence.list_dir(folder)
        except FenceError:
            continue  # It may not be read, or it went away: then nothing in it is found.
        for entry in entries:
            name = entry.name if folder == "." else f"{folder}/{entry.name}"
            if entry.kind == "folder" and entry.name not in IGNORED:
                folders.append(name)
            elif entry.kind == "file":
                count += 1
                yield name


def _git_files(root: Path, path: str) -> list[str] | None:
    """What git would list: tracked files and new ones that are not ignored; None without git."""
    if not _in_repository(root):
        return None
    # A repository's own settings may name programs to run; none of them is, for a search.
    safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false"]
    environment = {**command_environment(os.environ, ()), "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *safe, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    names = os.fsdecode(done.stdout).split("\0")
    kept = [name for name in names if name and not name.startswith(".paitui/")]
    return [name for name in kept if not os.path.islink(root / name)]


def _in_repository(root: Path) -> bool:
    return any((folder / ".git").exists() for folder in (root, *root.parents))
