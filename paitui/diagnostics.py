"""Diagnostics: what logging, warnings and the program's own faults say goes to a file, never over the screen."""

import logging
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from paitui.clock import iso
from paitui.locale import Phrase, phrase

MAX_BYTES = 1_000_000
"""A log that is larger becomes ``paitui.log.1``, in place of an older one."""
MAX_CHARS = 20_000
"""Longest record; a longer one keeps its beginning and its end."""
MAX_SAID = 500
"""Most characters of an error that the user is shown."""

_LOGGER = logging.getLogger("paitui")


@contextmanager
def written_to(log: Path) -> Iterator[None]:
    """Have everything that would be said on standard error by itself go to a file, as long as the block runs.

    Args:
        log: The file; it and its folder are opened only when something is said.
    """
    handler = _LogFile(log)
    hooks = threading.excepthook, sys.unraisablehook
    root = logging.getLogger()
    root.addHandler(handler)
    logging.captureWarnings(True)
    threading.excepthook = _thread_failed
    sys.unraisablehook = _unraisable
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = hooks
        logging.captureWarnings(False)
        root.removeHandler(handler)


def fault(where: str, error: BaseException) -> None:
    """Write down a fault of the program with all that helps to find it.

    Args:
        where: What was being done.
        error: What was raised.
    """
    _LOGGER.error("%s", where, exc_info=error)


def told(error: BaseException, log: Path) -> Phrase:
    """Say to the user that the program failed, and where more is written.

    Args:
        error: What was raised.
        log: The file that `fault` wrote to.
    """
    from paitui.trust.secrets import mask

    said = f"{type(error).__name__}: {error}"[: 4 * MAX_SAID]  # masked before it is cut, for half a key is none
    return phrase("cli.fault", why=mask(said)[:MAX_SAID], log=str(log))


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        fault(f"thread {args.thread.name if args.thread else '?'}", args.exc_value)


def _unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    if unraisable.exc_value is not None:
        fault(unraisable.err_msg or "an exception that nobody could be given", unraisable.exc_value)


class _LogFile(logging.Handler):
    """Appends to a bounded file, secrets masked."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record. What cannot be written is lost: the terminal belongs to somebody else."""
        from paitui.trust.safe_text import clip
        from paitui.trust.secrets import mask  # both are not needed while nothing goes wrong

        # Masked before it is cut, since half a key looks like none; a huge text is cut first, far from what is kept.
        whole = clip(_text(record), 4 * MAX_CHARS)
        part = clip(mask(whole.head + whole.tail), MAX_CHARS)
        left_out = whole.left_out_chars + part.left_out_chars
        text = f"{part.head}\n[... {left_out:,} ...]\n{part.tail}" if left_out else part.head
        when = iso(datetime.fromtimestamp(record.created, UTC))
        line = f"{when} {os.getpid()} {record.levelname} {record.name}: {text}\n"
        try:
            self._append(line.encode("utf-8", "backslashreplace"))
        except OSError:
            return

    def _append(self, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        # A link or pipe that somebody put there is neither followed nor waited for.
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        fd = os.open(self._path, flags, 0o600)
        try:
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode):
                return
            if facts.st_size and facts.st_size + len(data) > MAX_BYTES:
                os.replace(self._path, self._path.with_name(self._path.name + ".1"))
                os.close(fd)
                fd = os.open(self._path, flags, 0o600)
            os.write(fd, data)
        finally:
            os.close(fd)


def _text(record: logging.LogRecord) -> str:
    """The message, with the traceback if there is one; whoever logs may have given it the wrong values."""
    try:
        message = record.getMessage()
    except (TypeError, ValueError, KeyError):
        message = f"{record.msg} {record.args!r}"
    if record.exc_info and record.exc_info[1] is not None:
        message += "\n" + logging.Formatter().formatException(record.exc_info)
    return message
