"""Carries out what is asked of the stored sessions, beside the turns, and tells what came of it."""

import asyncio
from collections.abc import Callable, Coroutine

from paitui.engine.events import (
    Event,
    Notice,
    OpDone,
    SessionBrokenOff,
    SessionChanged,
    SessionFound,
    SessionShown,
    SessionsShown,
)
from paitui.engine.ops import Sessions
from paitui.engine.session_desk import Form, SessionDesk
from paitui.locale import phrase
from paitui.session.info import SessionInfo
from paitui.session.store import SessionError


class SessionOps:
    """Works for one open session."""

    def __init__(
        self, desk: SessionDesk, current: str, emit: Callable[[Event], None], fault: Callable[[str, Exception], None]
    ) -> None:
        """Set up.

        Args:
            desk: What can be done with sessions.
            current: Id of the session that is open here.
            emit: Tells every face.
            fault: Told what was attempted when the program itself failed.
        """
        self._desk = desk
        self._current = current
        self._emit = emit
        self._fault = fault
        self._tasks: set[asyncio.Task[None]] = set()
        self._one = asyncio.Lock()

    def begin(self, op: Sessions) -> None:
        """Start to carry out an op; `OpDone` follows what it has to say."""
        self._start(self._run(op))

    def look_for_crash(self) -> None:
        """Find out whether the last session was broken off, and offer it."""
        self._start(self._offer())

    async def close(self) -> None:
        """Wait for what was begun."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, op: Sessions) -> None:
        try:
            async with self._one:
                await self._carry_out(op)
        except SessionError as error:
            self._emit(SessionChanged("failed", op.id, error.phrase) if op.shown else Notice("error", error.phrase))
        except Exception as error:  # a fault of the program ends the op, not the session
            self._fault(f"sessions {op.verb}", error)
        self._emit(OpDone())

    async def _offer(self) -> None:
        try:
            found = await asyncio.to_thread(self._desk.broken_off, self._current)
        except SessionError:
            return  # a list of sessions, asked for, says what is wrong
        except Exception as error:  # as above
            self._fault("looking for a session that was broken off", error)
            return
        if found is not None:
            self._emit(SessionBrokenOff(found))

    async def _carry_out(self, op: Sessions) -> None:
        desk = self._desk
        match op.verb:
            case "list":
                found, problems = await asyncio.to_thread(desk.listed, op.everywhere)
                self._emit(SessionsShown(tuple(found), self._current, desk.project, op.everywhere, tuple(problems)))
            case "show":
                self._emit(SessionShown(await asyncio.to_thread(desk.look, op.id)))
            case "resume":
                self._emit(SessionFound(await asyncio.to_thread(self._meant, op.id)))
            case "fork":
                info, problems_ = await asyncio.to_thread(desk.fork, await self._id(op))
                for problem in problems_:
                    self._emit(Notice("warning", problem))
                self._emit(SessionChanged("forked", info.id, phrase("session.forked", id=info.id)))
            case "delete":
                name = await self._id(op)
                ledger = await asyncio.to_thread(desk.delete, name)
                key = "session.deleted_ledger" if ledger is not None else "session.deleted"
                self._emit(SessionChanged("deleted", name, phrase(key, id=name, file=str(ledger or ""))))
            case "export":
                form: Form = "html" if op.form == "html" else "markdown"
                done = await asyncio.to_thread(desk.export, await self._id(op), form, op.text)
                said = phrase("session.exported", file=str(done.file))
                self._emit(SessionChanged("exported", op.id or self._current, said, str(done.file)))

    async def _id(self, op: Sessions) -> str:
        return await asyncio.to_thread(self._desk.find, op.id) if op.id else self._current

    def _meant(self, prefix: str) -> SessionInfo:
        """Give the session to go on with: the one that is named, else the last other one of this project."""
        if prefix:
            return self._desk.info(self._desk.find(prefix))
        others = [info for info in self._desk.listed()[0] if info.id != self._current]
        if not others:
            raise SessionError(phrase("session.no_other"))
        return others[0]
