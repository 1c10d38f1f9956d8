"""File operations relative to the descriptor of a folder, as the fence needs them."""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_PATH = getattr(os, "O_PATH", os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))


@contextlib.contextmanager
def closing(fd: int) -> Iterator[int]:
    """Close a descriptor in the end."""
    try:
        yield fd
    finally:
        os.close(fd)


def read_link(name: str, folder: int) -> str | None:
    """What a link in a folder points to; None if it is no link or not there."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise


def identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of what a path leads to; None if nothing is there."""
    try:
        facts = os.stat(path)
    except OSError:  # Not there, or not ours to see: then it is not what we are about to write either.
        return None
    return facts.st_dev, facts.st_ino


def identities_upwards(folder: int, root: Path) -> list[tuple[int, int]]:
    """Identities of a folder and of those above it, up to and including the root."""
    end = identity(root)
    found: list[tuple[int, int]] = []
    current = os.dup(folder)
    try:
        while True:
            facts = os.fstat(current)
            here = (facts.st_dev, facts.st_ino)
            if found and here == found[-1]:  # The top of the file system.
                return found
            found.append(here)
            if here == end:
                return found
            above = os.open("..", _PATH | _DIRECTORY | _CLOEXEC, dir_fd=current)
            os.close(current)
            current = above
    finally:
        os.close(current)


def write_and_rename(folder: int, name: str, data: bytes, old: os.stat_result | None) -> None:
    """Write a whole file beside its name, sync it, and rename it into place.

    Args:
        folder: Descriptor of the folder.
        name: The file in it; no link.
        data: Its new content.
        old: What is known of the file that is replaced; its mode and owner are kept.

    Raises:
        OSError: It failed; the old file is untouched and nothing is left beside it.
    """
    temporary = f".paitui-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
    fd = os.open(temporary, flags, 0o666, dir_fd=folder)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            if old is not None:
                # Only the superuser may give a file back to its owner; for others it was theirs anyway.
                if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                    with contextlib.suppress(PermissionError):
                        os.fchown(fd, old.st_uid, old.st_gid)
                os.fchmod(fd, stat.S_IMODE(old.st_mode))
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise
    # The rename itself must survive a crash; a descriptor opened with O_PATH cannot be synced.
    with closing(os.open(".", os.O_RDONLY | _DIRECTORY | _CLOEXEC, dir_fd=folder)) as readable:
        os.fsync(readable)
