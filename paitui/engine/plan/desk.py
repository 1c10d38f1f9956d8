"""What the worker knows of plans and teams: the one there is, its review, its units, and how it goes on."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from paitui.engine.budget import Budget
from paitui.engine.events import (
    Event,
    Mode,
    ModeChosen,
    Notice,
    PlannedTask,
    PlanProposed,
    PlanResolved,
    UnitShown,
)
from paitui.engine.ops import DecidePlan
from paitui.engine.plan import board as boards
from paitui.engine.plan.board import Board
from paitui.engine.plan.crew import Crew
from paitui.engine.plan.flow import Flow
from paitui.engine.react import Outcome
from paitui.engine.recorder import SessionRecorder
from paitui.locale import Words, phrase
from paitui.messages.message import Spans
from paitui.settings import PlanSettings


@dataclass(slots=True)
class PlanDesk:
    """Carries out plans and teams, one after the other, in one session."""

    crew: Crew
    recorder: SessionRecorder
    emit: Callable[[Event], None]
    words: Words
    settings: PlanSettings
    reviews: bool = False
    """Whether there is a user who looks at plans before they run."""
    board: Board | None = None
    """The newest plan or team's work, also when it is over."""
    next_mode: Mode = "react"
    """How the next message is worked on."""
    _open: dict[str, "asyncio.Future[DecidePlan]"] = field(default_factory=dict)
    _count: int = 0

    def restore(self) -> None:
        """Take up what a resumed session has."""
        self.board = boards.restored(self.recorder, self.emit, self.words)

    def opened(self) -> None:
        """Tell the plan that a resumed session brings along, and how to go on with it."""
        if self.board is None:
            return
        board = self.board
        if not self.interrupted:
            board.tell()
            return
        board.set_back()
        board.tell()
        goal, left = _short(board.goal), board.count("waiting")
        self.emit(Notice("info", phrase(f"plan.interrupted_{board.mode}", goal=goal, n=left)))

    @property
    def interrupted(self) -> bool:
        """Whether there is something to go on with."""
        return self.board is not None and self.board.stage != "over"

    def choose(self, mode: Mode) -> None:
        """Say how the next message is worked on."""
        if mode != self.next_mode:
            self.next_mode = mode
            self.emit(ModeChosen(mode))

    async def begin(self, mode: Mode, goal: str, pasted: Spans, whole: Budget) -> Outcome:
        """Work on a message that stands in the main agent's history.

        Args:
            mode: ``plan`` or ``team``.
            goal: The message.
            pasted: What of it was pasted.
            whole: The budget of the turn.

        Raises:
            ModelFault: The answer could not be given.
        """
        number = boards.last_number(self.recorder.base.extra) + 1
        self.forget()
        self.board = Board(self.recorder, self.emit, self.words, mode, number, goal, pasted)
        return await self._flow(self.board, whole).run()

    async def go_on(self, whole: Budget) -> Outcome:
        """Go on with what was interrupted.

        Raises:
            ModelFault: The answer could not be given.
        """
        assert self.board is not None
        self.board.set_back()
        return await self._flow(self.board, whole).run()

    def _flow(self, board: Board, whole: Budget) -> Flow:
        async def review() -> DecidePlan:
            return await self._review(board)

        return Flow(board, self.crew, self.settings, whole, review if self.reviews and board.mode == "plan" else None)

    async def _review(self, board: Board) -> DecidePlan:
        self._count += 1
        name = f"p{self._count}"
        future: asyncio.Future[DecidePlan] = asyncio.get_running_loop().create_future()
        self._open[name] = future
        tasks = tuple(
            PlannedTask(entry.name, entry.title, entry.kind, tuple(board.entries[need].name for need in entry.needs))
            for entry in board.work
        )
        decided = DecidePlan(name, "cancel")
        try:
            self.emit(PlanProposed(name, board.goal, tasks))
            decided = await future
            return decided
        finally:
            del self._open[name]
            self.emit(PlanResolved(name, decided.decision))

    def answer(self, op: DecidePlan) -> None:
        """Take the user's decision; one on a plan that is gone is ignored."""
        future = self._open.get(op.id)
        if future is not None and not future.done():
            future.set_result(op)

    def show(self, name: str) -> None:
        """Tell a unit's history."""
        unit = self.crew.units.get(name)
        if unit is None and name in self.crew.kept:
            entries = self.board.entries.values() if self.board is not None else ()
            role = next((entry.role for entry in entries if entry.history == name), None)
            unit = self.crew.unit(name, role) if role is not None else None
        if unit is None:
            self.emit(UnitShown(name, ()))
            return
        messages = tuple(unit.history.messages)
        self.emit(UnitShown(name, messages, unit.manager.report(messages, unit.history.rewrites)))

    def forget(self) -> None:
        """Let go of the plan there is: another one begins, or the user starts anew."""
        if self.board is not None:
            self.board.forget()
        self.board = None
        self.crew.forget()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"
