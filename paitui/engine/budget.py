"""The valves that end a task which goes round in circles or costs too much. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from paitui.locale import Phrase, phrase
from paitui.messages.message import ToolCall, Usage
from paitui.settings import AgentSettings


@dataclass(slots=True)
class Budget:
    """What one task has used so far."""

    settings: AgentSettings
    whole: "Budget | None" = None
    """That of the work which the task is a part of; its tokens are limited together."""
    rounds: int = 0
    """Tool rounds that ran."""
    tokens: int = 0
    """Prompt and completion tokens, as reported."""
    _last: tuple[tuple[str, str], ...] = ()
    _repeats: int = 0

    def spend(self, usage: Usage) -> None:
        """Count what a request took."""
        self.tokens += usage.prompt + usage.completion
        if self.whole is not None:
            self.whole.spend(usage)

    def begin_round(self, calls: Sequence[ToolCall]) -> None:
        """Count a round that is about to run."""
        self.rounds += 1
        asked = tuple((call.name, call.arguments) for call in calls)
        self._repeats = self._repeats + 1 if asked == self._last else 1
        self._last = asked

    def exhausted(self) -> Phrase | None:
        """Which valve closed, if any; asked after each round."""
        limits = self.settings
        if self._repeats >= limits.repeat_limit:
            return phrase("engine.valve_repeat", n=self._repeats)
        if self.rounds >= limits.max_rounds:
            return phrase("engine.valve_rounds", n=self.rounds)
        used = (self.whole or self).tokens
        if limits.token_budget and used >= limits.token_budget:
            return phrase("engine.valve_tokens", used=used, budget=limits.token_budget)
        return None
