"""The task of a run without a screen: the argument, standard input, or both."""

import select
import stat
from os import fstat
from typing import BinaryIO

from paitui.locale import Phrase, phrase

MAX_BYTES = 4_000_000
"""Longest input that is read; a larger text belongs in a file that the agent reads in slices."""
WAIT_S = 3.0
"""How long an open pipe may stay silent before the task goes on without it, in seconds."""


class PromptError(Exception):
    """There is no task to be had.

    Attributes:
        phrase: Why, and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def read_prompt(given: str, stdin: BinaryIO | None, wait_s: float = WAIT_S) -> tuple[str, Phrase | None]:
    """Put the task together.

    With ``-`` the whole task comes from standard input. Otherwise what a pipe or a file brings there is added
    below the task, unless that is a slash command. A pipe that stays open and silent, as some runners leave
    it, is given up after `wait_s`.

    Args:
        given: The argument of `-p`.
        stdin: Standard input as bytes; None if it is closed.
        wait_s: Seconds to wait for a silent pipe.

    Returns:
        The task, and a warning if a pipe was given up.

    Raises:
        PromptError: The task is empty, too long or not text, or standard input is a terminal or closed.
    """
    if given == "-":
        if stdin is None or stdin.isatty():
            raise PromptError(phrase("headless.nothing_piped"))
        task, warning = _text(stdin), None
    else:
        task, warning = given, None
        if stdin is not None and not given.lstrip().startswith("/") and _brings_text(stdin):
            if _speaks(stdin, wait_s):
                task = "\n\n".join(part for part in (given, _text(stdin)) if part.strip())
            else:
                warning = phrase("headless.silent_pipe", seconds=int(wait_s))
    if not task.strip():
        raise PromptError(phrase("headless.empty_task"))
    return task, warning


def _brings_text(stdin: BinaryIO) -> bool:
    mode = fstat(stdin.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _speaks(stdin: BinaryIO, wait_s: float) -> bool:
    try:
        return bool(select.select([stdin], [], [], wait_s)[0])
    except OSError:
        return True  # Windows selects on sockets only; there a pipe is read as it comes


def _text(stdin: BinaryIO) -> str:
    data = stdin.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise PromptError(phrase("headless.task_too_long", limit=MAX_BYTES))
    if b"\0" in data:
        raise PromptError(phrase("headless.task_not_text"))
    return data.decode("utf-8-sig", "replace").strip()
