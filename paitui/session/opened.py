"""Whether a session is open in some process: its lock, taken or looked at."""

from pathlib import Path
from typing import TYPE_CHECKING

from paitui.atomic import FILE_MODE

if TYPE_CHECKING:
    from filelock import FileLock


def new_lock(folder: Path) -> "FileLock | None":
    """Take a session's lock, without waiting.

    Args:
        folder: The session's folder.

    Returns:
        The lock; None if the session is open already, here or in another process.

    Raises:
        OSError: The lock file cannot be opened.
    """
    from filelock import FileLock, Timeout  # takes a while to import, and nobody needs it before

    lock = FileLock(folder / "lock", timeout=0, mode=FILE_MODE, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def is_open(folder: Path) -> bool:
    """Whether a session is open, here or in another process; also where that cannot be found out."""
    try:
        lock = new_lock(folder)
    except OSError:
        return True
    if lock is None:
        return True
    lock.release()
    return False
