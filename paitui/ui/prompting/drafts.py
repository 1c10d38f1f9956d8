"""What was typed and not sent, kept over a crash: one small file a process, taken up by the next start."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from paitui.atomic import write_atomic
from paitui.jsontext import decode, encode
from paitui.messages.codec import spans_from_record
from paitui.messages.message import Spans
from paitui.reading import open_file

Text = tuple[str, Spans]
"""A text in full, and what of it was pasted."""


@dataclass(frozen=True, slots=True)
class DraftFile:
    """Keeps the drafts of this process."""

    folder: Path
    project: str
    """Resolved path of the project."""
    process: int = field(default_factory=os.getpid)

    @property
    def path(self) -> Path:
        """The file of this process."""
        return self.folder / f"{self._prefix}{self.process}.json"

    @property
    def _prefix(self) -> str:
        from hashlib import sha256  # not needed for the first frame

        return f"{sha256(self.project.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}-"

    def save(self, drafts: Sequence[Text]) -> None:
        """Keep these, in place of what was kept; nothing is kept if there are none.

        Raises:
            OSError: They are not kept.
        """
        if not drafts:
            self.path.unlink(missing_ok=True)
            return
        record = {
            "project": self.project,
            "drafts": [{"text": text, "pasted": [list(span) for span in pasted]} for text, pasted in drafts],
        }
        write_atomic(self.path, encode(record))

    def take_up(self) -> list[Text]:
        """Give what earlier processes left in this project, the newest last; it is this process's from now on.

        Raises:
            OSError: A folder or file cannot be read, written or removed; nothing is lost.
        """
        files = sorted(self._abandoned(), key=lambda path: path.stat().st_mtime)
        left: list[Text] = []
        for file in files:
            try:
                left += _read(file)
            except ValueError:  # No draft of ours, or a damaged one: a person may still find the text in it.
                file.replace(file.with_suffix(".unreadable"))
        if left:
            self.save(left)
        for file in files:
            if file != self.path or not left:
                file.unlink(missing_ok=True)
        return left

    def _abandoned(self) -> Iterator[Path]:
        if not self.folder.is_dir():
            return
        for path in self.folder.glob(f"{self._prefix}*.json"):
            number = path.stem.removeprefix(self._prefix)
            if number.isdigit() and (int(number) == self.process or not _runs(int(number))):
                yield path


def _read(path: Path) -> list[Text]:
    try:
        with open_file(path) as file:
            drafts = decode(file.read())["drafts"]
        return [(str(draft["text"]), spans_from_record(draft["pasted"])) for draft in drafts]
    except (KeyError, TypeError) as error:
        raise ValueError(str(path)) from error


def _runs(process: int) -> bool:
    if sys.platform == "win32":
        return False  # the signal that only asks does not exist there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
