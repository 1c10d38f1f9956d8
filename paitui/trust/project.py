"""Whether a project's own files may set anything: only what the user has trusted, and only as it stood then.

A project that was cloned brings files that somebody else wrote. Until the user has trusted them, none of them counts.
What is trusted is this folder with these bytes: one byte more, and the user is asked again.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.settings import Loaded, layered, load

if TYPE_CHECKING:
    from paitui.trust.fence import Fence

SETTINGS = ".paitui/settings.toml"
"""The project's settings, relative to it."""
SERVERS = ".paitui/mcp.json"
"""The MCP servers that the project brings, relative to it."""
FILES = (SETTINGS, SERVERS)
"""What has to be trusted: all that can set where requests go, what runs and what is asked."""
MAX_FILE_BYTES = 1_000_000
"""A larger file is none of these, and is refused."""

State = Literal["nothing", "trusted", "untrusted", "changed"]
"""``nothing``: there is no such file; ``changed``: trusted once, but the files are not what they were."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """One of the files, as it was judged."""

    name: str
    """Relative to the project."""
    data: bytes | None = None
    """Its bytes, the very ones that were judged; None if there is no such file or it was refused."""
    fault: Phrase | None = None
    """Why it was refused: a link, no regular file, too large, unreadable."""

    @property
    def mark(self) -> str:
        """What the record keeps of it: SHA-256 of its bytes; empty for a file that is not there."""
        return "" if self.data is None else hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Trust:
    """What may count of a project's files."""

    state: State = "nothing"
    files: tuple[ProjectFile, ...] = ()
    """Those of `FILES` that are there, in that order."""
    changed: tuple[str, ...] = ()
    """Names of files that differ from what was trusted, gone ones included."""
    problems: tuple[Phrase, ...] = ()
    """Why the record of trusted projects could not be read."""

    def data(self, name: str) -> bytes | None:
        """Give the bytes of one file if it counts.

        Whoever uses the file uses these bytes and does not read it again: it may have changed since it was judged.

        Args:
            name: `SETTINGS` or `SERVERS`.

        Returns:
            Its bytes; None if it is not there, or not trusted.
        """
        if self.state != "trusted":
            return None
        return next((file.data for file in self.files if file.name == name), None)

    @property
    def ignored(self) -> bool:
        """Whether there are files that do not count."""
        return self.state in ("untrusted", "changed")

    @property
    def faults(self) -> tuple[ProjectFile, ...]:
        """The files that cannot be trusted at all."""
        return tuple(file for file in self.files if file.fault is not None)

    def marks(self) -> dict[str, str]:
        """Give what the record keeps of these files: name to hash, all of `FILES`."""
        marks = dict.fromkeys(FILES, "")
        marks.update((file.name, file.mark) for file in self.files)
        return marks


def is_trusted(paths: Paths) -> Trust:
    """Judge the files of a project against what the user has trusted. Quick: it reads two small files and a record.

    Args:
        paths: Home and project.

    Returns:
        The state and the files. The user's own home is nobody's project: for someone who works in the folder above
        it, the files in it are the user's and there is nothing to trust.
    """
    own = paths.project / ".paitui"
    if _same(own, paths.home) or not any(os.path.lexists(paths.project / name) for name in FILES):
        return Trust()
    # Most projects have no such files, and the first frame waits for this.
    from paitui.trust.record import read_record

    files = read_files(paths.project)
    record, problems = read_record(paths)
    return judge(files, record.get(str(paths.project)), problems)


def settings_in_effect(paths: Paths) -> tuple[Loaded, Trust]:
    """Read the user's settings, and over them those of the project if it is trusted.

    Args:
        paths: Home and project.

    Returns:
        The settings with all problems, and what may count of the project.
    """
    loaded, trust = load(paths.settings), is_trusted(paths)
    if (data := trust.data(SETTINGS)) is not None:
        loaded = layered(loaded, data, str(paths.project / SETTINGS))
    return Loaded(loaded.settings, (*loaded.problems, *trust.problems)), trust


def judge(
    files: tuple[ProjectFile, ...], trusted: Mapping[str, str] | None, problems: tuple[Phrase, ...] = ()
) -> Trust:
    """Compare files with what was trusted.

    Args:
        files: Those that are there.
        trusted: Hash by name, as the record has it; None if this project was never trusted.
        problems: Handed on.
    """
    if not files:
        return Trust("nothing", problems=problems)
    if trusted is None:
        return Trust("untrusted", files, problems=problems)
    marks = Trust(files=files).marks()
    faulty = {file.name for file in files if file.fault is not None}
    changed = tuple(name for name in FILES if name in faulty or trusted.get(name, "") != marks[name])
    return Trust("changed" if changed else "trusted", files, changed, problems)


def read_files(project: Path) -> tuple[ProjectFile, ...]:
    """Read the files that are there. No link is followed, not even one that stays inside.

    Args:
        project: The folder, resolved.
    """
    from paitui.trust.fence import Fence

    fence = Fence(project)
    return tuple(_read(fence, name) for name in FILES if os.path.lexists(project / name))


def _read(fence: "Fence", name: str) -> ProjectFile:
    from paitui.trust.fence import FenceError

    try:
        with fence.open_read(name, links=False) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FenceError as error:
        return ProjectFile(name, fault=error.phrase)
    except OSError as error:
        return ProjectFile(name, fault=phrase("trust.failed", path=name, why=error.strerror or str(error)))
    if len(data) > MAX_FILE_BYTES:
        return ProjectFile(name, fault=phrase("project_trust.too_large", path=name, limit=MAX_FILE_BYTES))
    return ProjectFile(name, data)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
