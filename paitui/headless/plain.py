"""A session as lines: a prompt, events one after the other, approvals by typed answers. No alternate screen."""

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable

from paitui import streams
from paitui.clock import Clock
from paitui.engine import events, ops
from paitui.engine.commands import COMMANDS, Command, UnknownCommand, parse
from paitui.engine.session_command import refusal
from paitui.headless.asking import GRACE_S, part_lines, read_answer
from paitui.headless.memory_asking import leaving, read_memory_answer
from paitui.headless.memory_text import MemoryText
from paitui.headless.narration import Narrator
from paitui.headless.plan_text import PlanText, read_decision, short_name
from paitui.headless.project_asking import ignored, project_asked, read_project_answer
from paitui.headless.signals import caught
from paitui.headless.task import Worker
from paitui.locale import Words, phrase
from paitui.session.info import SessionInfo
from paitui.trust.safe_text import safe_text

PROMPT = "> "
STEER = ">"
"""A line that begins so, while the agent works, steers it; any other line is queued."""
CONTINUED = "\\"
"""A line that ends so goes on in the next one."""
LINE_BYTES = 1_023 if sys.platform == "darwin" else 4_095
"""A terminal cuts a typed line here."""
HINT_S = 3.0
"""Seconds in which a second Ctrl+C leaves."""


def run(open_worker: Callable[..., Awaitable[Worker]], words: Words, clock: Clock) -> int:
    """Hold a session, line by line, until the user leaves.

    Args:
        open_worker: Opens the session, or the one whose id it is given; may raise the engine's `OpenError`.
        words: The user's language.
        clock: For the moment in which a typed line is no answer yet.

    Returns:
        The exit code: 0 after a session, 1 if it could not be opened or standard output is gone.
    """
    return asyncio.run(PlainFace(words, clock).through(open_worker))


Question = events.ApprovalRequested | events.MemoryAsked | events.PlanProposed
"""What waits for a typed answer."""


class PlainFace:
    """Reads lines and sends ops; takes events and prints lines."""

    def __init__(self, words: Words, clock: Clock) -> None:
        self._words = words
        self._clock = clock
        self._narrator = Narrator(words)
        self._worker: Worker | None = None
        self._working = False
        self._compacting = False
        self._asked: list[Question] = []
        self._asked_at = 0.0
        self._project: events.ProjectAsked | None = None
        self._lines: list[str] = []
        self._last_stop: float | None = None
        self._gone = False
        self._next: Worker | None = None
        self._here = "", ""
        self._going: asyncio.Future[None] | None = None

    async def through(self, open_worker: Callable[..., Awaitable[Worker]]) -> int:
        """Open the session and serve it to its end.

        Args:
            open_worker: Opens the session, or the one whose id it is given.
        """
        from paitui.engine.assembly import OpenError

        self._open = open_worker
        restore = caught(self._interrupt, ("SIGINT",))
        undo = caught(self._leave, ("SIGTERM", "SIGHUP"))
        try:
            try:
                worker: Worker | None = await open_worker()
            except OpenError as error:
                streams.complain(f"paitui: {safe_text(self._words.say(error.phrase), keep_newlines=False)}")
                return 1
            loop = asyncio.get_running_loop()
            threading.Thread(target=_read_lines, args=(loop, self._line), name="typed lines", daemon=True).start()
            while worker is not None:
                self._worker, self._next, self._narrator = worker, None, Narrator(self._words)
                worker.subscribe(self._take)
                await worker.run()
                worker = self._next
            return int(self._gone)
        finally:
            undo()
            restore()

    # -- events out

    def _take(self, event: events.Event) -> None:
        if isinstance(event, events.SessionBrokenOff) and sys.stdin.isatty():
            self._put("\n")  # behind the prompt that stands there
        self._print(self._narrator.take(event))
        match event:
            case events.SessionOpened(session=session, project=project):
                self._here = session, project
                self._offer()
            case events.SessionBrokenOff():
                self._offer()
            case events.SessionFound(info):
                self._going = asyncio.ensure_future(self._go_to(info))
            case events.TurnStarted():
                self._working = True
            case events.TurnEnded():
                self._working = False
                # What a command about memory asks is no part of the turn.
                self._keep_asking([asked for asked in self._asked if isinstance(asked, events.MemoryAsked)])
                self._offer()
            case events.OpDone():
                self._compacting = False
                self._offer()
            case events.ApprovalRequested() | events.MemoryAsked() | events.PlanProposed():
                self._asked.append(event)
                if len(self._asked) == 1:
                    self._ask()
            case events.ProjectAsked():
                self._ask_about_project(event)
            case events.ProjectResolved():
                self._project = None
            case events.ApprovalResolved():
                self._resolved(events.ApprovalRequested, event.id)
            case events.MemoryResolved():
                self._resolved(events.MemoryAsked, event.id)
            case events.PlanResolved():
                self._resolved(events.PlanProposed, event.id)
            case _:
                pass

    def _print(self, lines: list[str]) -> None:
        for line in lines:
            self._put(safe_text(line, keep_newlines=True) + "\n")

    def _put(self, text: str) -> None:
        if not self._gone and streams.put(text):
            self._gone = True  # nobody reads any more
            self._leave()

    def _offer(self) -> None:
        """Show that a message can be typed, where somebody types."""
        if sys.stdin.isatty() and not (self._working or self._compacting or self._asked):
            self._put(PROMPT)

    def _resolved(self, kind: type[Question], name: str) -> None:
        self._keep_asking([asked for asked in self._asked if asked.id != name or not isinstance(asked, kind)])

    def _keep_asking(self, left: list[Question]) -> None:
        """Note which questions are still open, and put the next one if it is another one now."""
        first, self._asked = self._asked[:1], left
        if left and left[:1] != first:
            self._ask()

    def _ask(self) -> None:
        request = self._asked[0]
        if isinstance(request, events.MemoryAsked):
            self._print(MemoryText(self._words).asked(request))
            self._asked_at = self._clock.monotonic()
            return
        if isinstance(request, events.PlanProposed):
            self._print(PlanText(self._words).proposed(request))
            self._asked_at = self._clock.monotonic()
            return
        title = self._words(f"headless.ask_{request.access}")
        if request.unit:
            title = f"{self._words('plan.asks', name=short_name(request.unit))} {title}"
        key = "headless.choices_always" if request.always else "headless.choices"
        choices = self._words(key, always=request.always)
        said = (title, request.subject, *part_lines(request, self._words), request.detail, choices)
        self._print([part for part in said if part])
        self._asked_at = self._clock.monotonic()

    def _ask_about_project(self, asked: events.ProjectAsked) -> None:
        """Ask beside all else: nothing waits for the answer, and a message may be typed in its place."""
        if not sys.stdin.isatty():  # lines that were written beforehand answer nothing
            self._print([self._words.say(ignored(asked))])
            return
        self._project = asked
        self._print(project_asked(asked, self._words))
        self._asked_at = self._clock.monotonic()
        self._offer()

    async def _go_to(self, info: SessionInfo) -> None:
        """Go on with another session; it is opened before this one is closed, so that a failure changes nothing."""
        from paitui.engine.assembly import OpenError

        refused = refusal(info, *self._here, busy=self._working or self._compacting, face="--plain")
        if refused is None:
            try:
                self._next = await self._open(info.id)
            except OpenError as error:
                refused = error.phrase
        if refused is not None:
            self._print([self._words.say(refused)])
            self._offer()
            return
        self._leave()

    # -- lines in

    def _line(self, typed: bytes | None) -> None:
        """Take a line as it was typed; None at the end of input."""
        if typed is None:
            self._leave()
            return
        if sys.stdin.isatty() and len(typed) >= LINE_BYTES:
            self._print([self._words("plain.line_cut", limit=LINE_BYTES)])
            self._lines.clear()
            return
        text = typed.decode(sys.stdin.encoding or "utf-8", "replace").rstrip("\r\n")
        if self._asked:
            self._answer(text)
            return
        if self._project is not None and self._answers_project(text, self._project):
            return
        if text.endswith(CONTINUED):
            self._lines.append(text.removesuffix(CONTINUED))
            return
        text, self._lines = "\n".join([*self._lines, text]), []
        if text.strip():
            self._message(text)
        else:
            self._offer()

    def _answer(self, text: str) -> None:
        """An answer to the question that stands there; what came too early was not meant for it."""
        request = self._asked[0]
        decided: ops.Decide | ops.DecideMemory | ops.DecidePlan | None
        if isinstance(request, events.MemoryAsked):
            decided = read_memory_answer(text, request)
        elif isinstance(request, events.PlanProposed):
            decided = read_decision(text, request.id)
        else:
            answer = read_answer(text, bool(request.always))
            decided = ops.Decide(request.id, *answer) if answer else None
        if self._clock.monotonic() - self._asked_at < GRACE_S or decided is None:
            self._ask()
            return
        self._send(decided)

    def _answers_project(self, text: str, asked: events.ProjectAsked) -> bool:
        """Take a line as the answer about the project's files, if it is one; any other is a message, and a no."""
        answer = read_project_answer(text)
        if answer and self._clock.monotonic() - self._asked_at < GRACE_S:
            self._ask_about_project(asked)
            return True
        self._project = None
        self._send(ops.DecideProject(asked.id, answer is True))
        return answer is not None

    def _message(self, text: str) -> None:
        try:
            found = parse(text)
        except UnknownCommand as unknown:
            self._print([self._words.say(unknown.phrase)])
            self._offer()
            return
        if found is not None:
            self._command(*found)
        elif self._working and text.startswith(STEER):
            text = text.removeprefix(STEER).strip()
            self._narrator.sent(text)
            self._send(ops.Steer(text))
        else:
            if not self._working:
                self._narrator.sent(text)
            self._send(ops.Submit(text))

    def _command(self, command: Command, argument: str) -> None:
        if command.make is not None:
            op = command.make(argument)
            self._compacting = isinstance(op, ops.Compact)
            self._send(op)
        elif command.name == "quit":
            self._leave()
        else:
            lines = [
                self._words("headless.command", name=f"/{each.name} {each.argument}".strip(), what=phrase(each.help))
                for each in COMMANDS
            ]
            self._print([self._words("headless.commands"), *lines, self._words("plain.how")])
            self._offer()

    def _send(self, op: ops.Op) -> None:
        if self._worker is not None:
            self._worker.send(op)

    # -- the end

    def _interrupt(self) -> None:
        """Ctrl+C: stop what runs; at rest, leave at the second one."""
        if self._working or self._compacting:
            self._send(ops.Interrupt())
            return
        if self._asked and isinstance(asked := self._asked[0], events.MemoryAsked):
            self._send(leaving(asked))
            return
        now = self._clock.monotonic()
        if self._last_stop is not None and now - self._last_stop < HINT_S:
            self._leave()
            return
        self._last_stop = now
        self._lines.clear()
        self._print(["", self._words("plain.again_to_quit")])
        self._offer()

    def _leave(self) -> None:
        self._send(ops.Close())


def _read_lines(loop: asyncio.AbstractEventLoop, take: Callable[[bytes | None], None]) -> None:
    """Hand every line of standard input to the loop.

    A thread, since not every input can be watched by the loop; it reads past Python's own buffer, whose lock a thread
    that still waits for a line would hold at the program's end.
    """
    rest = b""
    try:
        while data := os.read(0, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                loop.call_soon_threadsafe(take, line)
        for last in (rest, None) if rest else (None,):
            loop.call_soon_threadsafe(take, last)
    except OSError:  # the terminal is gone
        loop.call_soon_threadsafe(take, None)
    except RuntimeError:
        return  # the loop has ended; nobody waits for lines any more
