"""The files of a project, what git knows, else what a walk finds. Slow, so never on the screen's loop."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

MAX_FILES = 50_000
"""Files that are listed at most."""
GIT_LIMIT_S = 10.0
"""Git is ended after this long."""
_SKIPPED = frozenset(
    {
        *(".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache"),
        *(".pytest_cache", ".ruff_cache", "dist", "build", "target", ".gradle", ".idea", ".next", ".cache", "vendor"),
    }
)
"""Folders that a walk leaves out, as a project's own ignore list would."""
_OUTPUTS = ".paitui/"
"""Paitui's own files are not what one asks about."""
_GIT = (
    "git",
    # A project's settings for git may name programs; none of them is run.
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
)


@dataclass(frozen=True, slots=True)
class Listing:
    """What there is."""

    paths: tuple[str, ...]
    """Relative to the project, with ``/``; folders end with one."""
    whole: bool
    """Whether that is all."""


def list_files(project: Path, limit: int = MAX_FILES) -> Listing:
    """List the files of a project and the folders they are in.

    Args:
        project: Its folder.
        limit: Most files.

    Returns:
        What could be read; a folder that cannot be read is left out.
    """
    found = _by_git(project, limit)
    if found is None:
        found = _by_walk(project, limit)
    files = sorted({path for path in found[:limit] if not path.startswith(_OUTPUTS)})
    return Listing((*files, *sorted(_folders(files))), len(found) <= limit)


def _folders(files: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in files:
        at = path.rfind("/")
        while at > 0 and (folder := path[: at + 1]) not in folders:
            folders.add(folder)
            at = path.rfind("/", 0, at)
    return folders


def _by_git(project: Path, limit: int) -> list[str] | None:
    """What git knows of and would add; None if there is no git or no repository."""
    import subprocess  # not needed for the first frame

    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        process = subprocess.Popen(
            _GIT,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    watch = Timer(GIT_LIMIT_S, process.kill)
    watch.daemon = True
    watch.start()
    rest, found, cut = b"", [], False
    assert process.stdout is not None
    with process:
        while piece := os.read(process.stdout.fileno(), 1 << 16):
            *whole, rest = (rest + piece).split(b"\0")
            found += [os.fsdecode(name) for name in whole]
            if len(found) > limit:
                cut = True
                process.kill()
                break
    watch.cancel()
    return found if found and (cut or process.returncode == 0) else None


def _by_walk(project: Path, limit: int) -> list[str]:
    found: list[str] = []
    for path in _walk(str(project)):
        found.append(path)
        if len(found) > limit:
            break
    return found


def _walk(root: str) -> Iterator[str]:
    """Files breadth first, so that a limit leaves out what lies deepest."""
    level = [""]
    while level:
        below: list[str] = []
        for folder in level:
            with suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED:
                            below.append(f"{folder}{entry.name}/")
                    elif entry.is_file():
                        yield f"{folder}{entry.name}"
        level = below
