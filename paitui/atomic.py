"""Files that are whole or not there: private folders, whole writes, replacement in one step."""

import errno
import os
from pathlib import Path

FOLDER_MODE = 0o700
"""Folders of paitui's own are for their owner alone."""
FILE_MODE = 0o600
"""Files too."""

_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EACCES})
"""What file systems answer that cannot flush a folder, or will not open one that may only be written to."""


def make_folder(folder: Path) -> None:
    """Make a folder and what is missing above it, for the owner alone, so that a power cut does not lose it.

    A folder that exists keeps its mode: it may be one that the user shares on purpose.

    Args:
        folder: The folder; its parents may be missing too.

    Raises:
        OSError: It cannot be made, or something else has its name.
    """
    try:
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    except FileNotFoundError:
        make_folder(folder.parent)
        make_folder(folder)
        return
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk; without it a new file can be gone after a power cut.

    Args:
        folder: An existing folder.

    Raises:
        OSError: The disk reports an error. Systems that cannot flush a folder at all raise nothing.
    """
    if os.name == "nt":
        return
    try:
        fd = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; one write is the rule, a short one is continued.

    Args:
        fd: Open for writing.
        data: What to write.

    Raises:
        OSError: The disk is full, or another fault; a part may have been written.
    """
    written = os.write(fd, data)
    while written < len(data):
        written += os.write(fd, memoryview(data)[written:])


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file as one step: whatever happens, the path holds the old bytes or the new ones, whole.

    Args:
        path: The file; its folder is made if it is missing.
        data: The new content.

    Raises:
        OSError: Nothing was changed, and nothing is left beside it (if only the last flush of the folder
            failed, the new content stands, but might not survive a power cut).
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    fd = os.open(temporary, flags, FILE_MODE)
    try:
        try:
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
