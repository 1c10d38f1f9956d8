"""Opening what should be a file and may be something else."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def at_once(name: str, flags: int) -> int:
    """Open a file as `open` wants its opener; who writes to a pipe of that name is not waited for."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading. A pipe or a device in its place is refused, since reading one need never end.

    Args:
        path: The file. The null device counts as an empty one: it is how users say that they want nothing kept.

    Raises:
        OSError: It cannot be opened, or is no file.
    """
    file = open(path, "rb", opener=at_once)  # noqa: SIM115 - the caller closes it
    facts = os.fstat(file.fileno())
    if stat.S_ISREG(facts.st_mode) or os.path.samestat(facts, os.stat(os.devnull)):
        return file
    file.close()
    raise OSError(errno.EINVAL, "a pipe or a device, not a file", str(path))
