"""The file of what was sent, for all sessions and projects: one JSON line each, private, bounded."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paitui.appendlog import AppendLog, read_lines_backwards
from paitui.atomic import FILE_MODE, make_folder, write_atomic
from paitui.clock import Clock, iso
from paitui.jsontext import decode, encode
from paitui.messages.codec import spans_from_record
from paitui.messages.message import Spans
from paitui.ui.prompting.history import MAX_ENTRIES, Entry

MAX_BYTES = 4_000_000
"""A larger file is made half as large, the oldest lines first."""
MAX_CHARS = 200_000
"""Characters of an entry that is kept."""
PATIENCE_S = 2.0
"""How long another process may hold the file."""
_PERSONAL = ("e-mail", "phone")
"""What the user may well want to send again; it lies in the user's own folder."""


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """Reads and appends. Several processes may; each append takes a lock."""

    path: Path
    clock: Clock

    def load(self) -> list[Entry]:
        """Read the newest entries, newest first; lines that cannot be read are left out.

        Raises:
            OSError: The file is there and cannot be read.
        """
        found: list[Entry] = []
        try:
            for line in read_lines_backwards(self.path):
                if (entry := _entry(line)) is not None:
                    found.append(entry)
                if len(found) == MAX_ENTRIES:
                    break
        except FileNotFoundError:
            return []
        return found

    def add(self, entry: Entry) -> None:
        """Append an entry, its secrets masked; one that is too long is left out.

        Raises:
            OSError: It is not in the file: disk full, no permission, or another process holds it for too long.
        """
        from filelock import FileLock  # takes a while to import, and the first frame needs none

        if len(entry.text) > MAX_CHARS:
            return
        text, pasted = masked(entry.text, entry.pasted)
        record: dict[str, Any] = {"at": iso(self.clock.now()), "project": entry.project, "text": text}
        if pasted:
            record["pasted"] = [list(span) for span in pasted]
        make_folder(self.path.parent)
        with (
            FileLock(self.path.with_suffix(".lock"), timeout=PATIENCE_S, mode=FILE_MODE),
            closing(AppendLog(self.path)) as log,
        ):
            log.append(encode(record))
            if self.path.stat().st_size > MAX_BYTES:
                log.close()
                self._halve()

    def _halve(self) -> None:
        kept: list[bytes] = []
        size = 0
        for line in read_lines_backwards(self.path):
            size += len(line) + 1
            if size > MAX_BYTES // 2:
                break
            kept.append(line + b"\n")
        write_atomic(self.path, b"".join(reversed(kept)))


def masked(text: str, pasted: Spans) -> tuple[str, Spans]:
    """Replace secrets by their kind, and move the pasted parts with the text."""
    from paitui.trust.secrets import find  # its patterns take a while to build, and the first frame needs none

    parts: list[str] = []
    bounds = [end for span in pasted for end in span]
    moved = list(bounds)
    at = grown = 0
    for secret in find(text):
        if secret.kind in _PERSONAL:
            continue
        sign = f"‹secret:{secret.kind}›"
        parts += (text[at : secret.start], sign)
        change = len(sign) - (secret.end - secret.start)
        for number, bound in enumerate(bounds):
            if bound >= secret.end:
                moved[number] += change
            elif bound > secret.start:
                moved[number] = secret.start + grown + len(sign)
        grown += change
        at = secret.end
    parts.append(text[at:])
    return "".join(parts), tuple(zip(moved[::2], moved[1::2], strict=True))


def _entry(line: bytes) -> Entry | None:
    try:
        record = decode(line)
        text, project = record["text"], record["project"]
        pasted = spans_from_record(record.get("pasted", []))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not isinstance(text, str) or not isinstance(project, str) or not text.strip():
        return None
    return Entry(text, pasted, project)
