"""One writer at a time, in this process and among all that share the file, Java programs included.

Locks of filelock's own kind (flock) are not seen by Java's FileChannel, and polling for them starves whoever
waits. Open-file-description locks are seen by every POSIX lock and are waited for in the kernel's queue; but that
wait knows no time limit, so a thread of its own waits, and closes the file again if nobody wants it any more.
"""

import contextlib
import errno
import functools
import os
import struct
import sys
import threading
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from paitui.atomic import FILE_MODE, make_folder

if TYPE_CHECKING:
    from filelock import FileLock

Kind = Literal["ofd", "posix", "filelock"]

TIMEOUT = 10.0
"""Seconds to wait by default."""
POLL = 0.01
"""Seconds between two tries where the kernel cannot be waited for with a limit."""


def best_kind() -> Kind:
    """The best kind of lock that this system has."""
    if os.name == "nt":
        return "filelock"
    import fcntl

    return "ofd" if hasattr(fcntl, "F_OFD_SETLKW") and sys.maxsize > 2**32 else "posix"


class MemoryLock:
    """A re-entrant lock on a file, used as filelock's are; threads and processes get it in the order they ask."""

    def __init__(self, path: Path | str, timeout: float = TIMEOUT, kind: Kind | None = None) -> None:
        """Remember the file; it is made when the lock is first taken, and never deleted.

        Args:
            path: The file that is locked, which holds nothing.
            timeout: Seconds to wait unless `acquire` is told otherwise; negative for ever.
            kind: Which system call to use; the best one if None.
        """
        self.lock_file = os.path.abspath(path)
        """The file's absolute path."""
        self.timeout = timeout
        """Seconds to wait by default."""
        self._gate = _gate(self.lock_file)
        self._kind: Kind = kind or best_kind()

    @property
    def is_locked(self) -> bool:
        """Whether this process holds it."""
        return self._gate.held is not None

    def acquire(self, timeout: float | None = None) -> "Held":
        """Take the lock; each acquiring needs its release.

        Args:
            timeout: Seconds to wait for threads and processes together; negative for ever, None for the default.

        Returns:
            What releases it at the end of a ``with`` block.

        Raises:
            filelock.Timeout: Others held it all the time.
            OSError: The file cannot be made, opened or locked.
        """
        limit = self.timeout if timeout is None else timeout
        deadline = None if limit < 0 else time.monotonic() + limit
        if not self._gate.enter(_left(deadline)):
            raise _timeout(self.lock_file)
        if self._gate.held is None:
            try:
                self._gate.held = _take(self.lock_file, self._kind, deadline)
            except BaseException:
                self._gate.leave()
                raise
        return Held(self)

    def release(self) -> None:
        """Give it back.

        Raises:
            RuntimeError: This thread does not hold it.
        """
        self._gate.check()
        if self._gate.depth == 1:
            held, self._gate.held = self._gate.held, None
            try:
                _give_back(held)
            finally:
                self._gate.leave()
        else:
            self._gate.leave()

    def __enter__(self) -> "MemoryLock":
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Held:
    """A lock that was taken; leaving its ``with`` block gives it back."""

    def __init__(self, lock: MemoryLock) -> None:
        self.lock = lock
        """The lock."""

    def __enter__(self) -> MemoryLock:
        return self.lock

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lock.release()


class _Gate:
    """A re-entrant lock among the threads of this process; who waits longest is next."""

    def __init__(self) -> None:
        self.held: int | FileLock | None = None
        self.depth = 0
        self._owner = 0
        self._mutex = threading.Lock()
        self._waiting: deque[tuple[int, threading.Lock]] = deque()

    def enter(self, timeout: float) -> bool:
        me = threading.get_ident()
        with self._mutex:
            if self._owner in (0, me):
                self._owner = me
                self.depth += 1
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append((me, turn))
        try:
            if turn.acquire(timeout=timeout):
                return True
        except BaseException:
            if not self._withdraw(me, turn):
                self.leave()
            raise
        return not self._withdraw(me, turn)

    def leave(self) -> None:
        with self._mutex:
            self.depth -= 1
            if self.depth:
                return
            self._owner = 0
            if self._waiting:
                self._owner, turn = self._waiting.popleft()
                self.depth = 1
                turn.release()

    def check(self) -> None:
        if self._owner != threading.get_ident():
            raise RuntimeError("this thread does not hold the lock")

    def _withdraw(self, me: int, turn: threading.Lock) -> bool:
        """Stop waiting; false if the turn came at this very moment."""
        with self._mutex:
            if (me, turn) not in self._waiting:
                return False
            self._waiting.remove((me, turn))
            return True


@functools.cache
def _gate(path: str) -> _Gate:
    """Give the one gate of a file.

    It is one for the process, whoever makes a lock on the file: a POSIX lock belongs to the process, and closing the
    file anywhere in it would drop the lock.
    """
    return _Gate()


class _Waiter:
    """A thread that waits in the kernel's queue on behalf of one that may give up."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._mutex = threading.Lock()
        self._done = threading.Event()
        self._abandoned = False
        self._error: OSError | None = None
        threading.Thread(target=self._run, name="memory-lock", daemon=True).start()

    def wait(self, timeout: float) -> bool:
        """Whether the lock came within that many seconds. If not, the file is closed in any case."""
        try:
            granted = self._done.wait(None if timeout < 0 else timeout)
        except BaseException:
            if not self._abandon():
                os.close(self._fd)
            raise
        if not granted and self._abandon():
            return False
        if self._error is not None:
            os.close(self._fd)
            raise self._error
        return True

    def _abandon(self) -> bool:
        with self._mutex:
            self._abandoned = not self._done.is_set()
            return self._abandoned

    def _run(self) -> None:
        try:
            _ofd(self._fd, wait=True)
        except OSError as error:
            self._error = error
        with self._mutex:
            self._done.set()
            if self._abandoned:
                os.close(self._fd)


def _ofd(fd: int, wait: bool) -> None:
    import fcntl

    kind = fcntl.F_WRLCK if wait else fcntl.F_UNLCK
    # struct flock: type, whence, start, length (0: to the end of all ends), pid (0 for these locks)
    fcntl.fcntl(fd, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, 0, 0, 0, 0))


def _take(path: str, kind: Kind, deadline: float | None) -> "int | FileLock":
    make_folder(Path(path).parent)
    if kind == "filelock":
        from filelock import FileLock

        lock = FileLock(path, timeout=_left(deadline), mode=FILE_MODE, thread_local=False, poll_interval=POLL)
        lock.acquire()
        return lock
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        if kind == "ofd":
            try:
                if not _Waiter(fd).wait(_left(deadline)):
                    raise _timeout(path)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                kind = "posix"  # a kernel older than these locks
                continue
        else:
            _poll(path, fd, deadline)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(fd), os.stat(path)):
                return fd
        os.close(fd)  # somebody deleted the file while we waited: what we hold excludes nobody


def _poll(path: str, fd: int, deadline: float | None) -> None:
    import fcntl

    try:
        while True:
            try:
                fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EAGAIN):
                    raise
            if _left(deadline) == 0:
                raise _timeout(path)
            time.sleep(POLL)
    except BaseException:
        os.close(fd)
        raise


def _give_back(held: "int | FileLock | None") -> None:
    if isinstance(held, int):
        import fcntl

        try:
            # Closing alone would not do where a child that was just forked still shares the open file.
            if hasattr(fcntl, "F_OFD_SETLKW") and sys.maxsize > 2**32:
                with contextlib.suppress(OSError):
                    _ofd(held, wait=False)
        finally:
            os.close(held)
    elif held is not None:
        held.release()


def _left(deadline: float | None) -> float:
    """Seconds left; -1 for ever."""
    return -1 if deadline is None else max(0.0, deadline - time.monotonic())


def _timeout(path: str) -> Exception:
    from filelock import Timeout  # takes a while to import, and is seldom needed

    return Timeout(path)
