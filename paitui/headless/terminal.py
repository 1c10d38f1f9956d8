"""The terminal that a command was typed on: how wide it is, and the user at it."""

import os
import sys
from collections.abc import Callable

from paitui import streams
from paitui.trust.safe_text import safe_text

Ask = Callable[[str, str], str]
"""Puts a question with its choices and gives what was typed, in lower case; empty at the end of input."""


def ask_on_terminal() -> Ask | None:
    """Give what asks the user; None where nobody can answer."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return _ask


def width_of_output() -> int:
    """Give the cells of a line on standard output; 0 if that is no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0
    except (OSError, ValueError):
        return 0


def _ask(question: str, choices: str) -> str:
    streams.complain(safe_text(question, keep_newlines=True))
    _discard_typed()  # what was typed before the question stood there was not meant for it
    streams.complain(safe_text(choices, keep_newlines=False))
    return sys.stdin.readline().strip().lower()


def _discard_typed() -> None:
    try:
        import termios
    except ImportError:  # Windows keeps what was typed
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
