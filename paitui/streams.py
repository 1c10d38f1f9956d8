"""Standard input, output and error, whatever the caller left of them: closed, full, unread, not UTF-8."""

import os
import sys

TYPE_CHECKING = False  # typing's own constant, without loading typing
if TYPE_CHECKING:
    from typing import TextIO


def complete() -> None:
    """Open what is closed onto nothing.

    Otherwise the next file that is opened, such as a ledger, takes the number of standard error, and whatever is
    printed lands in it; and Python has no stream there at all, so that an error message goes to standard output.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if name != "stdin" and getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False))


def put(text: str | bytes) -> OSError | None:
    """Write to standard output, at once. A terminal has its own encoding; a pipe or file gets UTF-8.

    Args:
        text: What is written; of a text what cannot be encoded is escaped.

    Returns:
        Why it could not be written, if so; nothing more goes there then.
    """
    return _write(text, sys.stdout)


def complain(text: str) -> None:
    """Write a line to standard error. If that is gone too, there is nobody left to tell."""
    _write(f"{text}\n", sys.stderr)


def _write(text: str | bytes, stream: "TextIO") -> OSError | None:
    foreign = stream is sys.stderr or stream.isatty()
    try:
        stream.flush()
        if isinstance(text, str):
            text = text.encode(stream.encoding if foreign else "utf-8", "backslashreplace")
        stream.buffer.write(text)
        stream.buffer.flush()
    except OSError as error:
        _forget(stream)
        return error
    return None


def _forget(stream: "TextIO") -> None:
    """Send what is still buffered nowhere, so that the interpreter does not fail on it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
