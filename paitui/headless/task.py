"""Carries one task through a worker and prints what comes of it."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from paitui.engine import events, ops
from paitui.engine.commands import COMMANDS, UnknownCommand, parse
from paitui.headless.asking import Asker, open_terminal
from paitui.headless.jsonlines import dump, event_object
from paitui.headless.printing import Printer
from paitui.headless.prompt import PromptError, read_prompt
from paitui.headless.record import EXIT_CODES, Record
from paitui.headless.signals import caught
from paitui.locale import Words, phrase

Output = Literal["text", "json", "stream-json"]
Approve = Literal["ask", "reads", "all"]

USAGE = 2
LEARNING_S = 10.0
"""Seconds that the search for lasting facts in the prompt may take after the task."""


class Worker(Protocol):
    """What is used of the engine's worker."""

    def send(self, op: ops.Op, /) -> None:
        """Hand in an op."""
        ...

    def subscribe(self, callback: Callable[[events.Event], None], /) -> object:
        """Have every event from now on."""
        ...

    async def run(self) -> None:
        """Work until a `Close` was carried out."""
        ...


def run(
    open_worker: Callable[[], Awaitable[Worker]],
    *,
    prompt: str,
    output: Output,
    approve: Approve,
    words: Words,
    find_terminal: Callable[[], int | None] = open_terminal,
) -> int:
    """Do one task, or carry out one slash command, and print the answer.

    `text` puts the answer alone on standard output, `json` one object, `stream-json` one event a line as it
    comes. Warnings and errors go to standard error.

    Args:
        open_worker: Opens the session; may raise the engine's `OpenError`.
        prompt: The argument of `-p`; ``-`` takes the task from standard input.
        output: Form of the answer.
        approve: Who approves writes and commands; with ``ask`` the terminal is asked.
        words: The user's language.
        find_terminal: Opens the terminal that approvals are asked on.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage, 3 partial, 130 cancelled.
    """
    printer = Printer(words)
    try:
        task, warning = read_prompt(prompt, sys.stdin.buffer if sys.stdin else None)
        op = _as_op(task)
    except (PromptError, UnknownCommand) as error:
        printer.warn(error.phrase)
        return USAGE
    if warning:
        printer.warn(warning)
    record = Record(words)
    if op is None:
        record.take(_help())
        return _finish(record, output, printer)
    terminal = find_terminal() if approve == "ask" else None
    drive = _Drive(op, record, output, printer, Asker(terminal, words))
    try:
        asyncio.run(drive.through(open_worker))
    finally:
        if terminal is not None:
            os.close(terminal)
    return _finish(record, output, printer)


class _Drive:
    """One op's way through the worker."""

    def __init__(self, op: ops.Op, record: Record, output: Output, printer: Printer, asker: Asker) -> None:
        self._op = op
        self._record = record
        self._output = output
        self._printer = printer
        self._asker = asker
        self._worker: Worker | None = None
        self._opening: asyncio.Future[Worker]
        self._questions: dict[str, asyncio.Task[None]] = {}
        self._stops = 0
        self._over = False

    async def through(self, open_worker: Callable[[], Awaitable[Worker]]) -> None:
        from paitui.engine.assembly import OpenError

        restore = caught(self._stop)
        try:
            self._opening = asyncio.ensure_future(open_worker())
            worker = self._worker = await self._opening
            worker.subscribe(self._take)
            worker.send(self._op)
            await worker.run()
        except OpenError as error:
            self._record.fail(self._printer.words.say(error.phrase))
            return
        except asyncio.CancelledError:
            if not (self._stops and self._opening.cancelled()):
                raise
        finally:
            restore()
            for question in self._questions.values():
                question.cancel()
            await asyncio.gather(*self._questions.values(), return_exceptions=True)
        if not self._over:
            cancelled = self._stops > 0
            self._record.status = "cancelled" if cancelled else "failed"
            self._record.error = self._printer.words("headless.stopped" if cancelled else "headless.ended_early")

    def _take(self, event: events.Event) -> None:
        assert self._worker is not None  # whose event this is
        self._record.take(event)
        if self._output == "stream-json":
            self._printer.data(dump(event_object(event, self._printer.words)))
        match event:
            case events.Notice(level="warning" | "error"):
                self._printer.warn(event.phrase)
            case events.UnitEvent(event=events.Notice(level="warning" | "error", phrase=what)):
                self._printer.warn(what)
            case events.ApprovalRequested():
                self._questions[event.id] = asyncio.ensure_future(self._decide(self._worker, event))
            case events.ApprovalResolved():
                if question := self._questions.get(event.id):
                    question.cancel()
            case events.TurnStarted() if self._stops:
                self._worker.send(ops.Interrupt())  # the signal came before there was a turn to interrupt
            case _:
                pass
        if self._printer.broken and not self._stops:
            self._stop()  # nobody reads any more
        if not self._over and self._ends(event):
            self._over = True
            if isinstance(self._op, ops.Compact):
                self._record.compacted()
            elif isinstance(event, events.OpDone):
                self._record.carried_out()
            self._worker.send(ops.Close(wait_s=LEARNING_S))

    def _ends(self, event: events.Event) -> bool:
        match self._op:
            case ops.Submit() | ops.StartPlan() | ops.StartTeam():
                return isinstance(event, events.TurnEnded)
            case ops.ContinuePlan():  # which begins no turn where there is nothing to go on with
                return isinstance(event, events.TurnEnded | events.OpDone)
            case _:
                return isinstance(event, events.OpDone)

    async def _decide(self, worker: Worker, request: events.ApprovalRequested) -> None:
        worker.send(await self._asker.ask(request))

    def _stop(self) -> None:
        """Interrupt at the first signal; close at the next, or at once where no turn will say that it ended."""
        self._stops += 1
        if self._worker is None:
            self._opening.cancel()
            return
        self._worker.send(ops.Interrupt())
        if self._stops > 1 or not isinstance(self._op, _TURNS):
            self._worker.send(ops.Close())


_TURNS = ops.Submit | ops.StartPlan | ops.StartTeam | ops.ContinuePlan
"""Ops that begin a turn, whose end comes by itself after an interrupt."""


def _as_op(task: str) -> ops.Op | None:
    """Read the task; None means `/help`, which needs no session.

    Raises:
        UnknownCommand: It is a command that does not exist.
        PromptError: It is a command that means nothing without a screen.
    """
    found = parse(task)
    if found is None:
        return ops.Submit(task)
    command, argument = found
    if command.screen_only:
        raise PromptError(phrase("headless.screen_only", name=f"/{command.name}"))
    if command.name in ("plan", "team") and not argument:  # there is no next message
        raise PromptError(phrase(f"plan.no_task_{command.name}"))
    return command.make(argument) if command.make else None


def _help() -> events.CommandOutput:
    lines = tuple(
        phrase("headless.command", name=f"/{command.name} {command.argument}".strip(), what=phrase(command.help))
        for command in COMMANDS
        if not command.screen_only
    )
    return events.CommandOutput(phrase("headless.commands"), lines)


def _finish(record: Record, output: Output, printer: Printer) -> int:
    if output == "json":
        printer.data(dump(record.as_object()))
    elif output == "text" and record.answer:
        printer.answer(record.answer)
    if record.error:
        printer.error(record.error)
    return 1 if printer.broken else EXIT_CODES[record.status]
