"""Approvals asked as lines on the terminal that the task was started from."""

import asyncio
import os
import select
from typing import Literal

from paitui.engine import events, ops
from paitui.locale import Words
from paitui.trust.safe_text import safe_text

GRACE_S = 0.5
"""What is typed within this many seconds after a question appears was not meant for it."""
_POLL_S = 0.05
_LINE_BYTES = 4_096


def open_terminal() -> int | None:
    """Open the controlling terminal, whatever standard input and output are.

    Returns:
        A descriptor open for reading and writing; None where there is no terminal.
    """
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None  # no controlling terminal (a service, CI), or a system without the device


def read_answer(line: str, always: bool) -> tuple[ops.Decision, str] | None:
    """Understand an answer.

    Args:
        line: What was typed.
        always: Whether ``a`` is on offer.

    Returns:
        The decision with its reason; None if the line says nothing clear (an empty one never approves).
    """
    word, _, rest = line.strip().partition(" ")
    match word.lower():
        case "y" | "yes" if not rest.strip():
            return "once", ""
        case "a" | "always" if always and not rest.strip():
            return "always", ""
        case "n" | "no":
            return "no", rest.strip()
    return None


def part_lines(request: events.ApprovalRequested, words: Words) -> list[str]:
    """Say of a chain of commands, one by one, what is allowed already."""
    return [
        words(f"approval.{'line_allowed' if part.allowed else 'line' if part.rule else 'line_each'}", part=part.text)
        for part in request.parts
    ]


class Asker:
    """Answers the approval requests of one task, one at a time."""

    def __init__(self, terminal: int | None, words: Words, grace_s: float = GRACE_S) -> None:
        """Prepare.

        Args:
            terminal: Descriptor of the terminal; None refuses everything.
            words: The user's language.
            grace_s: Seconds for which typing is thrown away after a question appears.
        """
        self._terminal = terminal
        self._words = words
        self._grace_s = grace_s
        self._turn = asyncio.Lock()  # one question on the terminal at a time

    async def ask(self, request: events.ApprovalRequested) -> ops.Decide:
        """Show a request in full and wait for a clear answer.

        Args:
            request: What is to be approved.

        Returns:
            The decision; a refusal that says so where nobody can be asked.
        """
        if self._terminal is None:
            return ops.Decide(request.id, "no", self._words("headless.nobody_to_ask"))
        async with self._turn:
            self._write("\n" + self._question(request) + "\n")
            await asyncio.sleep(self._grace_s)
            _discard_typed(self._terminal)
            choices = self._words(
                "headless.choices_always" if request.always else "headless.choices", always=request.always
            )
            while True:
                self._write(safe_text(choices, keep_newlines=False) + " ")
                line = await self._line()
                if line is None:
                    return ops.Decide(request.id, "no", self._words("headless.nobody_to_ask"))
                if answer := read_answer(line, bool(request.always)):
                    decision: Literal["once", "always", "no"] = answer[0]
                    return ops.Decide(request.id, decision, answer[1])

    def _question(self, request: events.ApprovalRequested) -> str:
        title = self._words(f"headless.ask_{request.access}")
        parts = (title, request.subject, *part_lines(request, self._words), request.detail)
        return "\n".join(safe_text(part, keep_newlines=True) for part in parts if part)

    def _write(self, text: str) -> None:
        assert self._terminal is not None
        left = text.encode("utf-8", "backslashreplace")
        while left:
            left = left[os.write(self._terminal, left) :]

    async def _line(self) -> str | None:
        """Read a line; None at the end of input. Polls, since /dev/tty cannot be watched on every system."""
        assert self._terminal is not None
        while not select.select([self._terminal], [], [], 0)[0]:
            await asyncio.sleep(_POLL_S)
        typed = os.read(self._terminal, _LINE_BYTES)
        return typed.decode("utf-8", "replace") if typed else None


def _discard_typed(terminal: int) -> None:
    try:
        import termios
    except ImportError:  # Windows, where there is no such device to begin with
        return
    termios.tcflush(terminal, termios.TCIFLUSH)
