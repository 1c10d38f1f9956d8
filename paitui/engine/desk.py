"""The approval desk: a call that writes or runs something waits here for the user's word."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from paitui.engine.events import ApprovalRequested, ApprovalResolved, AskedPart, Event
from paitui.engine.ops import Decide
from paitui.locale import Phrase, phrase
from paitui.messages.message import ToolCall
from paitui.tools.approval import Allow, Approvals, Ask, Mode, Refuse, judge
from paitui.tools.base import Effect


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a call may run."""

    allowed: bool
    decision: Literal["once", "always", "no", "policy"]
    """Who said so: the user in one of three ways, or the program's rules."""
    reason: Phrase | None = None
    """If not: what the model is told."""


class ApprovalDesk:
    """Judges effects by rule, and asks the user where no rule answers.

    Args:
        mode: What to do without a rule: ``ask``, refuse all but reading (``reads``), or allow (``all``).
        rules: What the user always allows in this session.
        emit: Where requests go.
        on_rules: Is told when the rules change.
    """

    def __init__(
        self, mode: Mode, rules: Approvals, emit: Callable[[Event], None], on_rules: Callable[[Approvals], None]
    ) -> None:
        self.mode: Mode = mode
        self.rules = rules
        self._emit = emit
        self._on_rules = on_rules
        self._open: dict[str, asyncio.Future[Decide]] = {}
        self._count = 0

    async def ask(self, call: ToolCall, effect: Effect, unit: str = "") -> Answer:
        """Decide on one call; waits for the user where it must.

        Args:
            call: The call.
            effect: What it would do.
            unit: Who asks; empty for the main agent.

        Returns:
            The answer. Cancelling the task withdraws the request.
        """
        match judge(effect, self.rules, self.mode):
            case Allow():
                return Answer(True, "policy")
            case Refuse(why):
                return Answer(False, "policy", why)
            case Ask():
                return await self._ask_user(call, effect, unit)

    async def _ask_user(self, call: ToolCall, effect: Effect, unit: str) -> Answer:
        self._count += 1
        request = ApprovalRequested(
            f"a{self._count}",
            call.id,
            call.name,
            effect.access,
            effect.subject,
            effect.detail,
            effect.always,
            unit,
            self._parts(effect),
        )
        future = asyncio.get_running_loop().create_future()
        self._open[request.id] = future
        self._emit(request)
        try:
            decide: Decide = await future
        except asyncio.CancelledError:
            self._emit(ApprovalResolved(request.id, "no"))
            raise
        finally:
            del self._open[request.id]
        if decide.decision == "always" and effect.always:
            self.change_rules(self.rules.allow(effect))
        self._emit(ApprovalResolved(request.id, decide.decision, decide.reason))
        if decide.decision == "no":
            return Answer(False, "no", phrase("engine.denied", reason=decide.reason or phrase("engine.no_reason")))
        return Answer(True, decide.decision)

    def _parts(self, effect: Effect) -> tuple[AskedPart, ...]:
        if len(effect.pieces) < 2:
            return ()
        return tuple(
            AskedPart(piece.text, piece.rule.partition(":")[2], piece.rule in self.rules.rules)
            for piece in effect.pieces
        )

    def answer(self, op: Decide) -> None:
        """Take the user's answer; one for a request that is gone is ignored."""
        future = self._open.get(op.id)
        if future is not None and not future.done():
            future.set_result(op)

    def change_rules(self, rules: Approvals) -> None:
        """Put other rules in force."""
        self.rules = rules
        self._on_rules(rules)
