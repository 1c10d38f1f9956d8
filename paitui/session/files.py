"""Which files a session consists of.

A session is a chain of generations, each named by the number of the last change before it:
``snapshot-<n>.json`` holds the state after change n, ``journal-<n>.jsonl`` the changes from there on. A new
snapshot begins a new generation and is whole before anything of the old one goes, and the generation before
it is kept too. So a crash between any two steps, or a damaged newest snapshot, loses nothing: an older
snapshot and the journals after it lead to the same state.
"""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"(snapshot|journal)-(\d{12})\.jsonl?")


@dataclass(frozen=True, slots=True)
class Part:
    """A snapshot or a journal."""

    start: int
    """Number of the last change that a snapshot holds, or of the last one before a journal."""
    path: Path
    """The file."""


def snapshot_path(folder: Path, start: int) -> Path:
    """Name the snapshot after a change."""
    return folder / f"snapshot-{start:012}.json"


def journal_path(folder: Path, start: int) -> Path:
    """Name the journal that begins after a change."""
    return folder / f"journal-{start:012}.jsonl"


def parts(folder: Path) -> tuple[list[Part], list[Part]]:
    """Find the snapshots and the journals of a session, each oldest first.

    Raises:
        OSError: The folder cannot be read.
    """
    found: dict[str, list[Part]] = {"snapshot": [], "journal": []}
    for path in sorted(folder.iterdir()):
        if match := _NAME.fullmatch(path.name):
            found[match[1]].append(Part(int(match[2]), path))
    return found["snapshot"], found["journal"]


def needed(journals: Sequence[Part], after: int) -> list[Part]:
    """Give the journals that may hold changes after the given one.

    Args:
        journals: All of them, oldest first.
        after: Number of a change.

    Returns:
        All but those that the next one follows on from at or before `after`.
    """
    followers = [*journals[1:], None]
    return [
        part
        for part, follower in zip(journals, followers, strict=False)
        if follower is None or follower.start > after
    ]


def prune(folder: Path) -> None:
    """Remove what is older than the last two generations, and temporary files of writes that were killed.

    What cannot be removed stays until the next time; it is never read.
    """
    with contextlib.suppress(OSError):
        snapshots, journals = parts(folder)
        old = snapshots[:-2]
        if len(snapshots) > 1:
            kept = needed(journals, snapshots[-2].start)
            old += [part for part in journals if part not in kept]
        for path in (*(part.path for part in old), *folder.glob(".*.tmp")):
            path.unlink(missing_ok=True)


def set_aside(path: Path, reason: str) -> Path:
    """Rename a file that cannot be read, so that it is out of the way and still there.

    Args:
        path: The file.
        reason: Goes into the name: ``corrupt``, ``unread``.

    Returns:
        The new path.

    Raises:
        OSError: It cannot be renamed.
    """
    number = 1
    while (kept := path.with_name(f"{path.name}.{reason}-{number}")).exists():
        number += 1
    return path.rename(kept)
