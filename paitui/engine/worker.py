"""The worker: takes ops in order, runs one turn at a time, and tells every face what happens."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from paitui.engine import ops, overview
from paitui.engine.assignment import Assignment, as_typed, of_op, of_queued
from paitui.engine.budget import Budget
from paitui.engine.events import (
    Event,
    HistoryCleared,
    MemoriesUsed,
    Mode,
    ModelChanged,
    Notice,
    OpDone,
    SessionClosed,
    TurnEnded,
    TurnStarted,
    UserSaid,
)
from paitui.engine.models import UnknownModel
from paitui.engine.parts import Parts
from paitui.engine.react import Outcome, run_task
from paitui.locale import phrase
from paitui.messages.message import Spans
from paitui.model.port import ModelFault
from paitui.session.errors import SessionError
from paitui.tools.approval import Approvals


@dataclass(frozen=True, slots=True)
class _TurnOver:
    """The running job ended; sent by the worker to itself."""


class Worker:
    """Owns a session. Create it with `paitui.engine.assembly.open_worker`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._unit = parts.unit
        self._inbox: asyncio.Queue[ops.Op | _TurnOver] = asyncio.Queue()
        self._job: asyncio.Task[None] | None = None
        self._after_turn: list[ops.Op] = []
        self._remembering: set[asyncio.Task[None]] = set()
        self._one_memory = asyncio.Lock()
        self._turn = parts.recorder.base.turn
        self._said: list[tuple[str, Spans]] = []
        """What the user said in the running turn."""
        self._queue_held = True
        """The queue waits for the user's word: nothing ran yet, or what ran was stopped or failed."""

    def send(self, op: ops.Op) -> None:
        """Hand in an op; returns at once. Call it from the worker's event loop."""
        self._inbox.put_nowait(op)

    def subscribe(self, face: Callable[[Event], None]) -> None:
        """Add a face; do so before `run`, or it misses the beginning."""
        self._parts.hub.subscribe(face)

    async def run(self) -> None:
        """Work until `ops.Close`; then everything is saved and `SessionClosed` is the last event."""
        emit = self._parts.hub.emit
        early = self._parts.hub.begin()
        emit(self._parts.opened)
        self._unit.report()
        emit(self._parts.queue.event())
        self._parts.plans.opened()
        for problem in self._parts.problems:
            emit(Notice("warning", problem))
        for event in early:
            if isinstance(event, Notice):  # what else there was is part of what was opened
                emit(event)
        self._parts.project.begin()
        self._parts.models.start()
        self._parts.mcp.start()
        if not self._parts.opened.resumed:
            self._parts.session_ops.look_for_crash()
        tidying = asyncio.create_task(self._tidy())
        wait_s, asked_to_end = 0.0, False
        remembering = asyncio.create_task(self._parts.memory.start())
        try:
            while not isinstance(op := await self._inbox.get(), ops.Close):
                self._carry_out(op)
                await asyncio.sleep(0)  # a job that was just started is under way before it can be interrupted
            wait_s, asked_to_end = op.wait_s, True
        finally:
            self._parts.memory.close()  # what the user asked for is still carried out; nothing waits for an answer
            await asyncio.gather(remembering, *self._remembering, return_exceptions=True)
            await self._stop_job()
            await self._parts.extractor.stop(wait_s)
            await self._unit.shortener.stop()
            await tidying
            await self._parts.session_ops.close()
            await self._unit.model.close()
            await self._parts.models.close()
            await self._parts.mcp.close()
            self._parts.recorder.close(finished=asked_to_end)
            emit(SessionClosed())

    def _carry_out(self, op: "ops.Op | _TurnOver") -> None:
        """Handle an op; whatever goes wrong with it, the session goes on, and whoever waits for it is told."""
        try:
            self._handle(op)
        except SessionError as error:
            self._parts.hub.emit(Notice("error", error.phrase))
        except Exception as error:  # a fault of the program ends the op, not the session
            self._failed(type(op).__name__, error)
        begins_work = isinstance(
            op, ops.Submit | ops.Steer | ops.RunQueue | ops.Compact | ops.Memory | ops.Servers | _TurnOver
        )
        begins_work = begins_work or isinstance(op, ops.Sessions | ops.StartPlan | ops.StartTeam | ops.ContinuePlan)
        if not begins_work and not any(op is waiting for waiting in self._after_turn):
            self._parts.hub.emit(OpDone())

    def _failed(self, where: str, error: Exception) -> None:
        self._parts.recorder.fault(where, error)
        why = f"{type(error).__name__}: {error}"
        self._parts.hub.emit(Notice("error", phrase("engine.internal_op", why=why)))

    def _handle(self, op: "ops.Op | _TurnOver") -> None:
        parts, unit = self._parts, self._unit
        match op:
            case ops.StartPlan("") | ops.StartTeam(""):
                self._choose("plan" if isinstance(op, ops.StartPlan) else "team")
            case ops.Submit() | ops.Steer() | ops.StartPlan() | ops.StartTeam() if self._job is None:
                self._begin(of_op(op, parts.plans.next_mode))
            case ops.Submit() | ops.StartPlan() | ops.StartTeam():
                parts.queue.add(*as_typed(of_op(op, parts.plans.next_mode)))
                parts.plans.choose("react")
            case ops.ContinuePlan():
                self._continue_plan()
            case ops.DecidePlan():
                parts.plans.answer(op)
            case ops.ShowUnit(name):
                parts.plans.show(name)
            case ops.Steer(text, pasted):
                parts.queue.steer(text, pasted)
            case ops.EditQueued(message_id, text, pasted):
                parts.queue.edit(message_id, text, pasted)
                self._go_on()
            case ops.HoldQueued(message_id):
                parts.queue.hold(message_id)
                self._go_on()
            case ops.RunQueue() if self._job is None:
                self._queue_held = False
                self._start_queued()
            case ops.Interrupt() if self._job is not None:
                self._job.cancel()
            case ops.Decide():
                parts.desk.answer(op)
            case ops.Compact() | ops.Clear() | ops.SwitchModel() if self._job is not None:
                self._after_turn.append(op)
            case ops.Compact(instructions):
                self._start(self._run_compaction(instructions))
            case ops.Clear():
                self._clear()
            case ops.Undo():
                self._at_rest(unit.shortener.undo)
            case ops.ClearOne(uid):
                self._at_rest(lambda: unit.shortener.one_by_hand(uid, "clear"))
            case ops.OffloadOne(uid):
                self._at_rest(lambda: unit.shortener.one_by_hand(uid, "offload"))
            case ops.Pin(uid):
                unit.shortener.pin(uid, True)
            case ops.Unpin(uid):
                unit.shortener.pin(uid, False)
            case ops.Memory():
                self._beside(self._run_memory(op))
            case ops.DecideMemory():
                parts.memory.answer(op)
            case ops.ShowTrust():
                parts.project.show(parts.recorder.external)
            case ops.DecideProject():
                parts.project.decide(op)
            case ops.RevokeTrust():
                parts.project.revoke()
            case ops.ShowHistory():
                unit.shortener.show()
            case ops.ShowMessage(uid):
                unit.shortener.show_message(uid)
            case ops.ShowResult(call_id):
                parts.hub.emit(overview.result(unit.history.messages, call_id))
            case ops.ShowContext():
                report = unit.manager.report(unit.history.messages, unit.history.rewrites)
                parts.hub.emit(overview.context(report, unit.manager))
            case ops.ShowApprovals():
                parts.hub.emit(overview.approvals(parts.desk))
            case ops.RevokeApproval(rule):
                parts.desk.change_rules(parts.desk.rules.without(rule) if rule else Approvals())
                parts.hub.emit(overview.approvals(parts.desk))
            case ops.ShowModels(prefix):
                names = parts.models.names(prefix)
                parts.hub.emit(overview.models(names, self._unit.model.info.name, prefix))
            case ops.SwitchModel(name):
                self._switch(name)
            case ops.Servers():
                self._beside(self._run_servers(op))
            case ops.Sessions():
                parts.session_ops.begin(op)
            case ops.ShowSessions():
                parts.hub.emit(overview.sessions(parts.sessions(), parts.opened.session))
            case _TurnOver():
                self._job = None
                self._next()

    def _beside(self, work: Coroutine[None, None, None]) -> None:
        """Do something beside the turns; the end of the session waits for it."""
        task = asyncio.create_task(work)
        self._remembering.add(task)
        task.add_done_callback(self._remembering.discard)

    def _at_rest(self, act: Callable[[], None]) -> None:
        """Do something to the history at once, or before the next request of what runs."""
        self._unit.shortener.waiting.append(act)
        if self._job is None:
            self._unit.shortener.at_rest()
            self._unit.report()

    def _next(self) -> None:
        """After a job: what waited for its end, then the queue."""
        self._unit.shortener.at_rest()
        while self._after_turn and self._job is None:
            self._carry_out(self._after_turn.pop(0))
        self._go_on()

    def _go_on(self) -> None:
        if self._job is None and not self._queue_held:
            self._start_queued()

    def _start_queued(self) -> None:
        first = self._parts.queue.first()
        if first is not None:
            self._start(self._run_turn(of_queued(first)))

    def _begin(self, work: Assignment) -> None:
        self._queue_held = False
        self._parts.plans.choose("react")
        self._start(self._run_turn(work))

    def _choose(self, mode: Mode) -> None:
        """The next message is worked on like that; asked once more, it is not."""
        plans = self._parts.plans
        plans.choose("react" if plans.next_mode == mode else mode)
        self._parts.hub.emit(Notice("info", phrase(f"plan.next_{plans.next_mode}")))
        self._parts.hub.emit(OpDone())

    def _continue_plan(self) -> None:
        board = self._parts.plans.board
        if self._job is None and board is not None and self._parts.plans.interrupted:
            self._begin(Assignment(board.goal, board.pasted, board.mode, goes_on=True))
            return
        why = "nothing_to_continue" if self._job is None else "busy"
        self._parts.hub.emit(Notice("error", phrase(f"plan.{why}")))
        self._parts.hub.emit(OpDone())

    def _start(self, job: Coroutine[None, None, None]) -> None:
        async def run() -> None:
            try:
                await job
            except Exception as error:  # a fault of the program ends the job, not the session
                self._failed("job", error)
            finally:
                self._inbox.put_nowait(_TurnOver())

        self._job = asyncio.create_task(run())

    async def _run_turn(self, work: Assignment) -> None:
        parts, unit = self._parts, self._unit
        begin = parts.clock.monotonic()
        self._turn += 1
        self._said = [(work.text, work.pasted)]
        parts.hub.emit(TurnStarted(self._turn, work.mode))
        parts.recorder.turn_started(self._turn)
        budget = Budget(parts.settings.agent)
        unit.spend = budget.spend
        try:
            await self._say(work)
            if work.queued:
                parts.queue.drop_first()
            outcome = await self._work(work, budget)
        except ModelFault as fault:
            outcome = Outcome("failed", fault.phrase)
        except asyncio.CancelledError:
            outcome = Outcome("cancelled", phrase("engine.cancelled"))
        except Exception as error:  # a fault of the program ends the turn, not the session
            parts.recorder.fault("turn", error)
            why = f"{type(error).__name__}: {error}"
            outcome = Outcome("failed", phrase("engine.internal", why=why, session=parts.opened.session))
        parts.queue.steering_missed()
        unit.report()
        ended = TurnEnded(self._turn, outcome.status, outcome.reason, parts.clock.monotonic() - begin)
        parts.recorder.turn_ended(ended)
        parts.hub.emit(ended)
        if outcome.status == "done":
            parts.extractor.task_done(self._turn, self._said)
        self._queue_held = outcome.status not in ("done", "partial")

    async def _work(self, work: Assignment, budget: Budget) -> Outcome:
        """Do what the user's message asks for, to the answer."""
        match work.mode:
            case "plan" | "team" if work.goes_on:
                return await self._parts.plans.go_on(budget)
            case "plan" | "team":
                return await self._parts.plans.begin(work.mode, work.text, work.pasted, budget)
            case "react":
                return await run_task(self._unit, budget, self._enter_steering, self._parts.words)

    async def _say(self, work: Assignment) -> None:
        """Let the user's message enter the history, with the memories that it calls for behind it."""
        parts, unit = self._parts, self._unit
        text, pasted = work.text, work.pasted
        parts.memory.begin_turn(self._turn, text, pasted)
        if work.goes_on:  # the words that count are those that began it
            text, pasted = parts.words("plan.go_on", goal=text), ()
        parts.hub.emit(UserSaid(text, pasted=pasted))
        try:
            attached = await parts.memory.attach(text, unit.manager.marks.window, unit.remembered)
            await parts.mcp.ready()
            brought = await parts.mcp.attach(text)
        except asyncio.CancelledError:
            unit.say(text, "typed", pasted)  # what was sent is not lost by stopping what goes with it
            raise
        unit.say(text, "typed", pasted, attached, brought)
        parts.hub.emit(MemoriesUsed(attached.used))

    async def _run_memory(self, op: ops.Memory) -> None:
        """Carry out what is asked of memory, one after the other; it may wait for the user, beside a turn."""
        try:
            async with self._one_memory:
                await self._parts.memory.carry_out(op)
        except Exception as error:  # a fault of the program ends the op, not the session
            self._failed(f"memory {op.verb}", error)
        self._parts.hub.emit(OpDone())
        try:
            await self._parts.memory.compare(op)
        except Exception as error:  # as above
            self._failed("comparing memories", error)

    async def _run_servers(self, op: ops.Servers) -> None:
        try:
            await self._parts.mcp.carry_out(op)
        except Exception as error:  # a fault of the program ends the op, not the session
            self._failed(f"mcp {op.verb}", error)
        self._parts.hub.emit(OpDone())

    async def _run_compaction(self, instructions: str) -> None:
        try:
            await self._unit.shortener.summarise(by_hand=True, wish=instructions)
        except asyncio.CancelledError:
            self._parts.hub.emit(Notice("info", phrase("engine.compaction_cancelled")))
            self._queue_held = True
        except Exception as error:  # as above
            self._failed("summary by hand", error)
            self._queue_held = True
        self._unit.report()
        self._parts.hub.emit(OpDone())

    def _enter_steering(self) -> bool:
        waiting = self._parts.queue.take_steering()
        for text, pasted in waiting:
            self._unit.say(text, "steered", pasted)
            self._parts.memory.steered(text, pasted)
            self._said.append((text, pasted))
        if waiting:
            self._parts.queue.commit_steering(len(waiting))
        return bool(waiting)

    def _clear(self) -> None:
        parts, history = self._parts, self._unit.history
        before = self._unit.manager.used(history.messages, history.rewrites)
        removed = [message.uid for message in history.messages if message.role != "system"]
        history.rebuild([message for message in history.messages if message.role == "system"])
        after = self._unit.manager.used(history.messages, history.rewrites)
        parts.desk.change_rules(Approvals())
        parts.recorder.trusted_again()
        self._unit.shortener.cleared_history()
        parts.plans.forget()
        parts.recorder.cleared_history(history.unit, before, after, removed)
        parts.hub.emit(HistoryCleared())
        self._unit.report()

    async def _tidy(self) -> None:
        try:
            await asyncio.to_thread(self._parts.tidy)
        except (OSError, SessionError) as error:
            self._parts.recorder.fault("removing old outputs", error)

    def _switch(self, name: str) -> None:
        parts, unit = self._parts, self._unit
        try:
            model = parts.models.open(name)
        except UnknownModel as unknown:
            parts.hub.emit(Notice("error", unknown.phrase))
            return
        parts.models.start()
        unit.model = model
        window = parts.settings.context.window or model.info.window
        unit.manager.rebudget(window, parts.models.calibration(name), model.info.sends_reasoning_back)
        parts.recorder.set("model", name)
        parts.hub.emit(ModelChanged(name))
        unit.report()

    async def _stop_job(self) -> None:
        if self._job is not None:
            self._job.cancel()
            await asyncio.wait({self._job})
