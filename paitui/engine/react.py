"""The agent loop: ask, act, look, until the model answers without calling a tool."""

from collections.abc import Callable
from dataclasses import dataclass

from paitui.engine.budget import Budget
from paitui.engine.events import TurnStatus
from paitui.engine.prompts import turn_prompt
from paitui.engine.unit import Unit
from paitui.locale import Phrase, Words, phrase
from paitui.messages.validity import is_empty
from paitui.model.port import Purpose


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended."""

    status: TurnStatus
    reason: Phrase | None = None
    """Why, unless it is simply done."""


async def run_task(
    unit: Unit, budget: Budget, steer: Callable[[], bool], words: Words, purpose: Purpose = "turn"
) -> Outcome:
    """Work on the history's last user message until it is answered.

    Args:
        unit: The history and what belongs to it.
        budget: The task's valves.
        steer: Lets waiting steering messages enter the history; says whether any did.
        words: For the request for last words.
        purpose: Of its requests.

    Returns:
        How it ended.

    Raises:
        ModelFault: A request failed for good; the history is valid.
    """
    while True:
        await unit.make_room()
        reply = await unit.ask(purpose)
        if is_empty(reply):
            return Outcome("failed", phrase("engine.empty_reply"))
        if reply.tool_calls:
            budget.begin_round(reply.tool_calls)
            await unit.run_calls(reply)
        steered = steer()
        if not reply.tool_calls and not steered:
            return Outcome("done")
        if closed := budget.exhausted():
            prompt = turn_prompt(unit.language, "final").replace("{reason}", words.say(closed))
            unit.say(prompt, "program")
            await unit.make_room()
            await unit.ask("final")
            return Outcome("partial", closed)
