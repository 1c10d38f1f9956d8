"""A model that plays a script, and remembers every request it was sent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from paitui.messages.message import Message, ToolCall, Usage
from paitui.messages.validity import violations
from paitui.model.port import ModelEvent, ModelFault, ModelInfo, Reply, Request, TextDelta


def calls(*asked: tuple[str, str], text: str = "Looking.") -> Message:
    """An assistant message that calls tools: pairs of name and JSON arguments."""
    made = tuple(ToolCall(f"call_{n}", name, arguments) for n, (name, arguments) in enumerate(asked))
    return Message("assistant", text, tool_calls=made)


def says(text: str) -> Message:
    return Message("assistant", text)


Step = Message | ModelFault | Callable[[Request], Message]


@dataclass
class ScriptedModel:
    """Plays `script`; where `wait` is set each stream stops after its first delta until it is released."""

    script: Sequence[Step]
    window: int = 200_000
    usage: Usage | None = None
    gate: asyncio.Event | None = None
    requests: list[Request] = field(default_factory=list)
    """What was asked, the search for lasting facts aside."""
    facts: str | ModelFault = '{"facts":[]}'
    """Answers that search, which runs beside the script."""
    facts_gate: asyncio.Event | None = None
    """Where set, the search is answered when it is released."""
    searches: list[Request] = field(default_factory=list)
    """What was searched for lasting facts."""
    closed: bool = False

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("scripted", self.window)

    async def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        assert not violations(request.messages), violations(request.messages)
        if request.purpose == "extraction":
            self.searches.append(request)
            if self.facts_gate is not None:
                await self.facts_gate.wait()
            if isinstance(self.facts, ModelFault):
                raise self.facts
            yield Reply(says(self.facts), self.usage)
            return
        at = len(self.requests)
        self.requests.append(request)
        step = self.script[min(at, len(self.script) - 1)]
        if callable(step) and not isinstance(step, Message):
            step = step(request)
        if isinstance(step, ModelFault):
            if step.partial:
                yield TextDelta(step.partial)
            raise step
        half = len(step.content) // 2
        if step.content[:half]:
            yield TextDelta(step.content[:half])
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        yield TextDelta(step.content[half:])
        yield Reply(step, self.usage)

    async def close(self) -> None:
        self.closed = True
