"""What one part of the work does: a task of a plan, or a team's step with its review."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from paitui.context.facts import gather
from paitui.context.factsheet import reader
from paitui.context.manager import ContextManager
from paitui.engine.budget import Budget
from paitui.engine.plan.board import Board, Entry
from paitui.engine.plan.crew import Crew, UnitFailed, answer_of
from paitui.engine.plan.results import handed_on, kept
from paitui.engine.plan.verdict import Verdict, read_verdict
from paitui.engine.prompts import plan_prompt, summary_prompts
from paitui.engine.react import Outcome
from paitui.engine.unit import Unit
from paitui.locale import Phrase, phrase
from paitui.messages.message import Message
from paitui.messages.tasks import failure_of
from paitui.trust.boundary import wrap


@dataclass(slots=True)
class Parts:
    """What carries out the parts of one plan or one team."""

    board: Board
    crew: Crew
    whole: Budget
    """The budget of all units together."""

    async def task(self, entry: Entry) -> None:
        """Do a task of a plan, and note how it ended."""
        self.board.change(entry.id, status="running", tries=entry.tries + 1)
        unit = self.crew.unit(entry.history, "task")
        outcome = await self.crew.work(unit, "task", self.whole, entry.title, self.input_of(entry, unit.manager))
        self._end(entry, unit, self._failure(unit, outcome))

    def input_of(self, entry: Entry, manager: ContextManager) -> str:
        """What a part needs to know: results of what it depends on, and whether it was begun before."""
        needed = [self.board.entries[need] for need in entry.needs]
        found = handed_on(needed, room_for_results(manager), self.crew.outputs.save) if needed else ""
        again = plan_prompt(self.crew.parent.language, "again") if entry.tries > 1 else ""
        return "\n\n".join(filter(None, (again, found)))

    def _failure(self, unit: Unit, outcome: Outcome) -> Phrase | None:
        """Why a part is not done; None if it is."""
        if outcome.status != "done":
            return outcome.reason or phrase("engine.empty_reply")
        said = failure_of(answer_of(unit))
        return None if said is None else phrase("plan.said", text=_first_line(said))

    def _end(self, entry: Entry, unit: Unit, failure: Phrase | None) -> None:
        answer = kept(entry.name, answer_of(unit), unit.manager.limits, self.crew.outputs.save)
        status = "done" if failure is None else "failed"
        self.board.change(entry.id, status=status, answer=answer.text, notice=answer.notice, reason=failure)


@dataclass(slots=True)
class TeamParts(Parts):
    """Steps of a team: whoever of the workers is free does one, and the reviewer has to approve it."""

    free: "asyncio.Queue[str]"
    """Names of the workers that have nothing to do."""
    sendbacks: int
    """How often work goes back to its worker."""

    async def step(self, entry: Entry) -> None:
        """Do a step, have it reviewed, do it again with the reviewer's reasons; note how it ended."""
        worker = await self.free.get()
        try:
            await self._step(entry, worker)
        finally:
            self.free.put_nowait(worker)

    async def _step(self, entry: Entry, worker: str) -> None:
        board, crew = self.board, self.crew
        unit = crew.unit(worker, "worker")
        brought = ""
        reasons: tuple[str, ...] = ()
        for tries in range(1 + self.sendbacks):
            sent_back = phrase("plan.sent_back", why="; ".join(reasons)) if reasons else None
            board.change(entry.id, status="running", tries=entry.tries + 1, history=worker, reason=sent_back)
            if not tries:
                brought = self.input_of(entry, unit.manager)
            said = wrap("review", "\n".join(f"- {reason}" for reason in reasons)) if reasons else ""
            begin = len(unit.history.messages), unit.history.rewrites
            outcome = await crew.work(
                unit, "worker", self.whole, entry.title, "\n".join(filter(None, (brought, said)))
            )
            if outcome.status != "done":
                self._end(entry, unit, self._failure(unit, outcome))
                return
            since = unit.history.messages[begin[0] :] if unit.history.rewrites == begin[1] else unit.history.messages
            verdict = await self._review(entry, unit, since)
            if isinstance(verdict, Verdict) and verdict.approved:
                self._end(entry, unit, self._failure(unit, outcome))
                return
            reasons = verdict.reasons
        self._end(entry, unit, phrase("plan.not_approved", n=self.sendbacks, why="; ".join(reasons)))

    async def _review(self, entry: Entry, unit: Unit, since: Sequence[Message]) -> Verdict:
        """Have a step judged; what cannot be read is no approval."""
        board, crew = self.board, self.crew
        name = board.named(f"{entry.name}.review")
        if name not in board.entries:
            reviewer = Entry(name, f"{entry.name}.review", "reviewer", entry.title, name, needs=(entry.id,))
            board.add([reviewer], behind=entry.id)
        tries = board.entries[name].tries + 1
        board.change(name, status="running", tries=tries)
        reviewer_unit = crew.unit(name, "reviewer")
        try:
            answer = kept(entry.name, answer_of(unit), reviewer_unit.manager.limits, crew.outputs.save)
            brought = wrap("worker", answer.text, answer.notice) + "\n" + wrap("record", evidence(since))
            verdict = await crew.ask(reviewer_unit, "reviewer", self.whole, entry.title, read_verdict, brought)
        except UnitFailed as failed:
            board.change(name, status="failed", reason=failed.phrase)
            return Verdict(False, (board.words.say(failed.phrase),))
        except asyncio.CancelledError:
            board.change(name, status="cancelled")
            raise
        said = "\n".join(verdict.reasons)
        board.change(name, status="done", answer=said or board.words("plan.approved"))
        return verdict


def evidence(messages: Sequence[Message]) -> str:
    """What the program itself noted of a piece of work: commands with exit status, changed and read files; JSON."""
    facts = gather(messages, reader(summary_prompts("en").known_facts))
    found = {
        "commands": [asdict(ran) for ran in facts.ran],
        "failed": [asdict(ran) for ran in facts.failed if not ran.passed_later],
        "changed": list(facts.changed),
        "read": list(facts.read),
    }
    return json.dumps(found, ensure_ascii=False)


def room_for_results(manager: ContextManager) -> int:
    """Tokens that results of other units may take in a history: a quarter of what it holds before a summary."""
    return manager.marks.summary_at // 4


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:400]
