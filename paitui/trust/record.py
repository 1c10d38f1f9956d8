"""The record of trusted projects in the home: which folder, and which bytes its files had."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from paitui.atomic import FILE_MODE, make_folder, write_atomic
from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.reading import open_file
from paitui.trust.project import Trust

VERSION = 1
MAX_BYTES = 10_000_000
"""A larger record is none."""
PATIENCE_S = 5.0
"""Seconds to wait for another process that changes the record."""

Marks = Mapping[str, str]
"""Hash by name of the file."""


class TrustError(Exception):
    """The record cannot be changed, or these files cannot be trusted.

    Attributes:
        phrase: Why, and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def read_record(paths: Paths) -> tuple[dict[str, Marks], tuple[Phrase, ...]]:
    """Read which projects are trusted. Whatever is wrong with the record, the answer is fewer trusted projects.

    Args:
        paths: Where the home is.

    Returns:
        Hashes by resolved path of the project, and what was wrong. A broken record is set aside.
    """
    try:
        return {path: entry["files"] for path, entry in _read(paths.trusted).items()}, ()
    except OSError as error:
        return {}, (phrase("project_trust.unreadable", file=str(paths.trusted), why=error.strerror or str(error)),)
    except ValueError:
        pass
    try:
        with _locked(paths):
            return {}, _set_aside(paths.trusted)
    except TrustError as error:
        return {}, (error.phrase,)


def grant(paths: Paths, trust: Trust, now: datetime) -> None:
    """Trust a project's files as they were judged; if they have changed since, they count as changed.

    Args:
        paths: Home and project.
        trust: What the user was shown.
        now: UTC time, for the record.

    Raises:
        TrustError: A file is a link, too large or unreadable; or the record cannot be written.
    """
    for file in trust.files:
        if file.fault is not None:
            raise TrustError(phrase("project_trust.refused", file=file.name, why=file.fault))
    _change(paths, {"files": trust.marks(), "at": now.isoformat(timespec="seconds")})


def revoke(paths: Paths) -> bool:
    """Take the trust in a project back.

    Args:
        paths: Home and project.

    Returns:
        Whether it was in the record.

    Raises:
        TrustError: The record cannot be written.
    """
    return _change(paths, None)


def _change(paths: Paths, entry: dict[str, Any] | None) -> bool:
    from paitui.jsontext import encode

    with _locked(paths):
        try:
            projects = _read(paths.trusted)
        except ValueError:
            _set_aside(paths.trusted)
            projects = {}
        except OSError as error:
            raise _unwritable(paths.trusted, error) from error
        known = projects.pop(str(paths.project), None) is not None
        if entry is not None:
            projects[str(paths.project)] = entry
        elif not known:
            return False
        try:
            write_atomic(paths.trusted, encode({"version": VERSION, "projects": projects}) + b"\n")
        except OSError as error:
            raise _unwritable(paths.trusted, error) from error
        return known


def _read(file: Path) -> dict[str, Any]:
    """Read the projects as they stand in the record; ValueError if it is broken."""
    from paitui.jsontext import decode

    try:
        with open_file(file) as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    if len(data) > MAX_BYTES:
        raise ValueError("too large")
    record = decode(data)
    projects = record.get("projects") if isinstance(record, dict) and record.get("version") == VERSION else None
    if not isinstance(projects, dict) or not all(_is_entry(entry) for entry in projects.values()):
        raise ValueError("no record of trusted projects")
    return projects


def _is_entry(entry: object) -> bool:
    files = entry.get("files") if isinstance(entry, dict) else None
    return isinstance(files, dict) and all(isinstance(mark, str) for mark in files.values())


def _set_aside(file: Path) -> tuple[Phrase, ...]:
    """Move a broken record away, unless another process has put a good one in its place; the lock is held."""
    try:
        _read(file)
        return ()
    except ValueError:
        pass
    except OSError as error:
        return (phrase("project_trust.unreadable", file=str(file), why=error.strerror or str(error)),)
    names = (file.with_name(f"{file.name}.broken{n}") for n in range(1_000_000))
    aside = next(name for name in names if not os.path.lexists(name))
    try:
        os.rename(file, aside)
    except OSError as error:
        return (phrase("project_trust.unreadable", file=str(file), why=error.strerror or str(error)),)
    return (phrase("project_trust.set_aside", file=str(file), aside=str(aside)),)


@contextlib.contextmanager
def _locked(paths: Paths) -> Iterator[None]:
    from filelock import FileLock, Timeout  # takes a while to import, and reading a good record needs none

    lock = paths.trusted.with_suffix(".lock")
    try:
        make_folder(lock.parent)
        held = FileLock(lock, timeout=PATIENCE_S, mode=FILE_MODE).acquire()
    except Timeout as error:
        raise TrustError(phrase("project_trust.busy", file=str(paths.trusted))) from error
    except OSError as error:
        raise _unwritable(paths.trusted, error) from error
    with held:
        yield


def _unwritable(file: Path, error: OSError) -> TrustError:
    return TrustError(phrase("project_trust.unwritable", file=str(file), why=error.strerror or str(error)))
