"""Project instructions: files in which a project, or the user, tells every agent how to work here."""

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.trust.fence import Fence, FenceError

NAMES = ("PAI.md", ".paitui/PAI.md", "PAI.local.md", "AGENTS.md")
"""In the project, in this order; the user's own `PAI.md` in the home comes first."""
MAX_CHARS = 24_000
MAX_DEPTH = 3
_MAX_BYTES = 200_000
_IMPORT = re.compile(r"^@(\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Instructions:
    """What the files say."""

    text: str = ""
    """Ready for the system prompt; each file introduced by its name. Empty if there is none."""
    files: tuple[str, ...] = ()
    """Which files it comes from."""
    problems: tuple[Phrase, ...] = ()
    """Imports that cannot be read, text that was cut off."""


def read_instructions(paths: Paths, fence: Fence) -> Instructions:
    """Read the instruction files, once per session.

    A line ``@path`` imports another file, relative to the one it stands in, three levels deep. Files of the
    project may only import from the project.

    Args:
        paths: Home and project.
        fence: The project's fence.

    Returns:
        The text, at most 24,000 characters.
    """
    reader = _Reader(paths, fence)
    if paths.instructions.is_file():
        reader.home_file(paths.instructions)
    for name in NAMES:
        reader.project_file(name, 0)
    text = "\n\n".join(reader.parts)
    if len(text) > MAX_CHARS:
        reader.problems.append(phrase("engine.instructions_cut", chars=len(text), limit=MAX_CHARS))
        text = text[:MAX_CHARS]
    return Instructions(text, tuple(reader.files), tuple(reader.problems))


class _Reader:
    def __init__(self, paths: Paths, fence: Fence) -> None:
        self._paths = paths
        self._fence = fence
        self.parts: list[str] = []
        self.files: list[str] = []
        self.problems: list[Phrase] = []

    def home_file(self, file: Path) -> None:
        try:
            text = file.read_bytes()[:_MAX_BYTES].decode("utf-8", "replace")
        except OSError as error:
            self.problems.append(phrase("engine.instructions_unreadable", file=str(file), why=str(error)))
            return
        self._add(f"~/.paitui/{file.name}", text)

    def project_file(self, name: str, depth: int, asked: bool = False) -> None:
        if name in self.files or len(self.files) > 50:
            return
        try:
            with self._fence.open_read(name) as file:
                text = file.read(_MAX_BYTES).decode("utf-8", "replace")
        except FenceError as error:
            if asked or error.fault != "missing":
                self.problems.append(phrase("engine.instructions_unreadable", file=name, why=error.phrase))
            return
        except OSError as error:
            self.problems.append(phrase("engine.instructions_unreadable", file=name, why=str(error)))
            return
        self._add(name, text)
        for imported in _IMPORT.findall(text):
            if depth + 1 > MAX_DEPTH:
                self.problems.append(phrase("engine.instructions_depth", file=imported, depth=MAX_DEPTH))
                continue
            self.project_file(posixpath.normpath(posixpath.join(posixpath.dirname(name), imported)), depth + 1, True)

    def _add(self, name: str, text: str) -> None:
        self.files.append(name)
        if text.strip():
            self.parts.append(f"# {name}\n{text.strip()}")
