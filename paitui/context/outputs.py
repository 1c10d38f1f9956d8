"""The offload folder: numbered files inside the project, where `read_file` may read them back."""

import errno
import os
import re
import shutil
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from paitui.trust.fence import Fence, FenceError

FOLDER = ".paitui/tool-outputs"
"""Relative to the project."""
_LOAD_BYTES = 128 * 1024
"""How much of a text `load` gives."""


class OutputFolder:
    """Files of one session, numbered once, also by units that run side by side.

    Args:
        fence: The project's fence; a link that a project plants in place of the folder is not followed.
        session: Id of the session, the name of its folder.
    """

    def __init__(self, fence: Fence, session: str) -> None:
        self._fence = fence
        self._folder = f"{FOLDER}/{session}"
        self._number = 0

    def open(self, tool: str) -> tuple[BinaryIO, str]:
        """Open a new file for a tool's output.

        Args:
            tool: Name of the tool.

        Returns:
            The file, open for writing, and its path relative to the project.

        Raises:
            OSError: It cannot be made.
        """
        if not self._number:
            self._number = self._highest_number()
            self._hide_from_git()
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", tool)[:60] or "tool"
        while True:
            self._number += 1
            path = f"{self._folder}/{self._number:03d}-{name}.txt"
            try:
                return self._fence.create_exclusive(path), path
            except FenceError as error:
                if error.fault != "exists":
                    raise _as_os_error(error) from error

    def save(self, tool: str, text: str) -> str:
        """Write a whole result; half-written files are removed.

        Args:
            tool: Name of the tool.
            text: The result.

        Returns:
            The path, relative to the project.

        Raises:
            OSError: It cannot be written.
        """
        file, path = self.open(tool)
        try:
            with file:
                file.write(text.encode("utf-8", "surrogatepass"))
        except OSError:
            (self._fence.root / path).unlink(missing_ok=True)
            raise
        return path

    def load(self, path: str) -> str:
        """Read a saved text back, beginning and end of a long one.

        Args:
            path: As `save` gave it.

        Returns:
            The text; empty if it cannot be read.
        """
        if not path.startswith(f"{FOLDER}/") or ".." in path.split("/"):
            return ""
        try:
            with self._fence.open_read(path) as file:
                start = file.read(_LOAD_BYTES // 2)
                size = file.seek(0, os.SEEK_END)
                file.seek(max(len(start), size - _LOAD_BYTES // 2))
                data = start + file.read()
        except (FenceError, OSError):
            return ""
        return data.decode("utf-8", "replace")

    def _highest_number(self) -> int:
        try:
            names = [entry.name for entry in self._fence.list_dir(self._folder)]
        except FenceError:
            return 0
        return max((int(name[:3]) for name in names if name[:3].isdigit()), default=0)

    def _hide_from_git(self) -> None:
        try:
            with self._fence.create_exclusive(f"{FOLDER}/.gitignore") as file:
                file.write(b"*\n")
        except FenceError as error:
            if error.fault != "exists":
                raise _as_os_error(error) from error


def _as_os_error(error: FenceError) -> OSError:
    if isinstance(error.__cause__, OSError):
        return error.__cause__
    return OSError(errno.EACCES, f"{FOLDER} is not a plain folder inside the project")


def remove_old(folder: Path, resumable: Collection[str], now: datetime, keep_days: int, keep_bytes: int) -> list[str]:
    """Remove the outputs of sessions that are gone, by age and then by size, the oldest first.

    Args:
        folder: The offload folder of a project.
        resumable: Sessions that can still be resumed; theirs stay.
        now: Current time.
        keep_days: Younger ones stay, as long as the size allows.
        keep_bytes: All together stay under this size.

    Returns:
        Sessions whose outputs were removed; what cannot be removed is left.
    """
    if folder.is_symlink() or folder.parent.is_symlink() or not folder.is_dir():
        return []
    found = []
    total = 0
    for place in folder.iterdir():
        if place.is_symlink() or not place.is_dir():
            continue
        files = [file.lstat() for file in place.iterdir()]
        size = sum(facts.st_size for facts in files)
        total += size
        if place.name not in resumable:
            found.append((max((facts.st_mtime for facts in files), default=0.0), size, place))
    removed = []
    oldest = (now - timedelta(days=keep_days)).timestamp()
    for changed, size, place in sorted(found):
        if changed < oldest or total > keep_bytes:
            shutil.rmtree(place, ignore_errors=True)
            total -= size
            removed.append(place.name)
    return removed
