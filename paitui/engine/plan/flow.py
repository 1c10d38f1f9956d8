"""The way of a plan or a team: planned, looked at, worked on, answered. It can begin anywhere on this way."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from paitui.engine.budget import Budget
from paitui.engine.events import UnitRole
from paitui.engine.ops import DecidePlan
from paitui.engine.plan.board import Board, Entry
from paitui.engine.plan.crew import Crew, UnitFailed
from paitui.engine.plan.graph import Task, read_tasks
from paitui.engine.plan.results import handed_on
from paitui.engine.plan.running import run_ready
from paitui.engine.plan.steps import Parts, TeamParts, room_for_results
from paitui.engine.prompts import plan_prompt
from paitui.engine.react import Outcome
from paitui.locale import phrase
from paitui.messages.validity import is_empty
from paitui.settings import PlanSettings
from paitui.trust.boundary import wrap

TALK_CHARS = 2_000
"""What the planner is told of each of the last messages between the user and the main agent."""
WORKERS = ("worker-1", "worker-2")


@dataclass(slots=True)
class Flow:
    """One plan, or one team's work."""

    board: Board
    crew: Crew
    settings: PlanSettings
    whole: Budget
    """The budget of all units together."""
    review: Callable[[], Awaitable[DecidePlan]] | None = None
    """Puts the plan to the user; None where nobody wants to see it."""

    async def run(self) -> Outcome:
        """Go on from where the board is, to the answer in the main agent's history.

        Raises:
            ModelFault: The answer could not be given; the board says that all else is done.
        """
        board = self.board
        try:
            if board.stage == "planning":
                await self._plan()
            if board.stage == "review" and not await self._agreed():
                board.move_to("over")
                return Outcome("cancelled", phrase("plan.dropped"))
        except UnitFailed as failed:
            board.move_to("over")
            return Outcome("failed", phrase("plan.no_plan", why=failed.phrase))
        if board.stage == "running":
            await self._work()
        answered = await self._answer()
        board.move_to("over")
        return self._outcome() if answered else Outcome("failed", phrase("engine.empty_reply"))

    # -- planning

    async def _plan(self, wish: str = "", brought: str = "", instead_of: Sequence[Entry] = ()) -> None:
        """Have a plan made.

        Args:
            wish: What else it should mind; empty for the first plan.
            brought: What goes with the wish.
            instead_of: Parts that it takes the place of.

        Raises:
            UnitFailed: There is none.
        """
        board, name = self.board, f"{self.board.mode}{self.board.number}.planner"
        if name not in board.entries:
            board.add([Entry(name, "planner", "planner", board.goal, name)])
        entry = board.change(name, status="running", tries=board.entries[name].tries + 1)
        unit = self.crew.unit(name, "planner")
        finished = {entry.name: entry.id for entry in board.work if entry.status == "done"}

        def read(text: str) -> tuple[Task, ...]:
            return read_tasks(text, self.settings.max_tasks, finished)

        text = wish or board.goal
        try:
            tasks = await self.crew.ask(unit, "planner", self.whole, text, read, brought or self._talk())
        except UnitFailed as failed:
            board.change(entry.id, status="failed", reason=failed.phrase)
            raise
        except asyncio.CancelledError:
            board.change(entry.id, status="cancelled")
            raise
        board.change(entry.id, status="done", answer="\n".join(f"{task.id}: {task.description}" for task in tasks))
        for old in instead_of:
            status = "failed" if old.status == "failed" else "skipped"
            reason = phrase("plan.said", text=old.reason) if old.reason else phrase("plan.replaced")
            board.change(old.id, status=status, replaced=True, reason=reason)
        self._put_up(tasks, finished)
        board.move_to("review" if self.review is not None and board.stage == "planning" else "running")

    def _put_up(self, tasks: Sequence[Task], finished: dict[str, str]) -> None:
        board = self.board
        ids = {**finished, **{task.id: board.named(task.id) for task in tasks}}
        role: UnitRole = "task" if board.mode == "plan" else "worker"
        board.add(
            Entry(
                ids[task.id],
                task.id,
                role,
                task.description,
                ids[task.id],
                task.type,
                tuple(ids[need] for need in task.needs),
            )
            for task in tasks
        )

    def _talk(self) -> str:
        """The last words between the user and the main agent, so that "it" and "the same" mean something."""
        messages = [
            message
            for message in self.crew.parent.history.messages[:-1]
            if message.is_users_words or (message.role == "assistant" and message.content and not message.tool_calls)
        ]
        said = "\n".join(f"{message.role}: {message.content[:TALK_CHARS]}" for message in messages[-4:])
        return wrap("conversation so far", said) if said else ""

    async def _agreed(self) -> bool:
        """Let the user decide, as often as there is another plan to decide on."""
        if self.review is None:
            self.board.move_to("running")
            return True
        while True:
            decided = await self.review()
            if decided.decision == "run":
                self.board.move_to("running")
                return True
            waiting = [entry.id for entry in self.board.work if entry.status == "waiting"]
            if decided.decision == "cancel":
                for name in waiting:
                    self.board.change(name, status="cancelled")
                return False
            self.board.drop(waiting)
            self.board.move_to("planning")
            await self._plan(decided.text or self.board.goal)

    # -- working

    async def _work(self) -> None:
        if self.board.mode == "team":
            free: asyncio.Queue[str] = asyncio.Queue()
            for name in WORKERS:
                free.put_nowait(f"team{self.board.number}.{name}")
            team = TeamParts(self.board, self.crew, self.whole, free, self.settings.sendbacks)
            await run_ready(self.board, team.step, len(WORKERS))
            return
        parts = Parts(self.board, self.crew, self.whole)
        while True:
            # What failed before another plan took its place does not count against that one.
            hopeless = partial(self._hopeless, self.board.count("failed"))
            await run_ready(self.board, parts.task, self.settings.parallel, hopeless)
            if not self._hopeless():
                return
            await self._plan_anew()

    def _hopeless(self, known: int = 0) -> bool:
        """Whether so much failed, with so little done, that another plan is wanted."""
        board = self.board
        return (
            board.replans < self.settings.replans
            and board.count("failed") > known
            and 2 * board.count("done") < len(board.work)
        )

    async def _plan_anew(self) -> None:
        """Put another plan in the place of what is not done, if there is one."""
        board = self.board
        left = [entry for entry in board.work if entry.status != "done"]
        state = {
            "finished": [_described(entry) for entry in board.work if entry.status == "done"],
            "unfinished": [_described(entry) for entry in left],
        }
        board.replans += 1
        wish = plan_prompt(self.crew.parent.language, "replan")
        try:
            await self._plan(wish, wrap("plan", json.dumps(state, ensure_ascii=False)), left)
        except UnitFailed:
            board.replans = self.settings.replans  # what can still be done is done, without another plan

    # -- answering

    async def _answer(self) -> bool:
        """Have the main agent say what came of it; says whether it said anything."""
        unit = self.crew.parent
        if unit.history.messages[-1].origin != "results":
            found = handed_on(self.board.work, room_for_results(unit.manager), self.crew.outputs.save)
            unit.say(plan_prompt(unit.language, "report"), "results", brought=found)
        await unit.make_room()
        return not is_empty(await unit.ask("report"))

    def _outcome(self) -> Outcome:
        board = self.board
        done, whole = board.count("done"), len(board.work)
        if done == whole:
            return Outcome("done")
        said = phrase("plan.partly", done=done, n=whole, failed=board.count("failed"), skipped=board.count("skipped"))
        return Outcome("partial" if done else "failed", said)


def _described(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.name,
        "description": entry.title,
        "type": entry.kind,
        "dependencies": [need.rpartition(".")[2] for need in entry.needs],
        "status": entry.status,
        "reason": entry.reason,
        "result": entry.answer[:TALK_CHARS],
    }
