"""What happened in a session, as a reader wants it: calls with their results, and what was taken out where."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from paitui.messages.message import Message
from paitui.trust.boundary import unwrap
from paitui.trust.memory_block import CLOSE, OPEN

Speaker = Literal["user", "steered", "program", "summary", "answer"]


@dataclass(frozen=True, slots=True)
class ToldCall:
    """A tool call with what came of it."""

    id: str
    name: str
    arguments: str
    """For a reader: JSON on several lines, or as the model wrote it where it is none."""
    result: str | None = None
    """What the tool answered; None if no answer is known."""
    stored: str = ""
    """Path, relative to the project, of the file with the whole result."""


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    speaker: Speaker
    text: str
    at: str = ""
    """UTC, ISO-8601; empty if nobody noted it."""
    unit: str = ""
    """The task or role in whose history it stands; empty for the main agent."""
    reasoning: str = ""
    memories: tuple[str, ...] = ()
    """Long-term memories that the program attached to a message of the user."""
    images: int = 0
    calls: tuple[ToldCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """The history was shortened, emptied or restored here, or records are missing."""

    kind: Literal["offload", "clear", "summary", "cleared_history", "undo", "gap"]
    before: int = 0
    after: int = 0
    """Tokens; of an offload, characters."""
    count: int = 0
    """Messages that were touched, or records that are missing."""
    text: str = ""
    """Of a summary, its text."""
    at: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """A session to be read."""

    session: str
    project: str
    model: str
    created: str
    changed: str
    title: str
    """The user's first words; may be empty."""
    forked_from: str = ""
    steps: tuple[Said | Mark, ...] = field(default=())


class Teller:
    """Puts a story together, message by message."""

    def __init__(self, main: str, mask: Callable[[str], str] = lambda text: text) -> None:
        """Begin.

        Args:
            main: Name of the main agent's unit.
            mask: Takes known secrets out of a text.
        """
        self._main = main
        self._mask = mask
        self._steps: list[Said | Mark] = []
        self._asked: dict[tuple[str, str], int] = {}

    @property
    def steps(self) -> tuple[Said | Mark, ...]:
        """What was told so far."""
        return tuple(self._steps)

    def mark(self, mark: Mark) -> None:
        """Something happened to the history."""
        unit = "" if mark.unit == self._main else mark.unit
        self._steps.append(replace(mark, unit=unit, text=self._mask(mark.text)))

    def message(self, message: Message, unit: str, at: str = "") -> None:
        """A message entered a history. What was written for the model alone is left out."""
        if message.role == "tool":
            self._answer(message, unit, at)
            return
        if message.role == "system" or message.origin == "acknowledgement":
            return
        said = Said(
            speaker=_speaker(message),
            text=self._mask(message.content),
            at=at,
            unit="" if unit == self._main else unit,
            reasoning=self._mask(message.reasoning),
            memories=tuple(map(self._mask, _memories(message.memories))),
            images=len(message.images),
            calls=tuple(
                ToldCall(call.id, call.name, self._mask(_readable(call.arguments))) for call in message.tool_calls
            ),
        )
        self._asked.update({(unit, call.id): len(self._steps) for call in said.calls})
        self._steps.append(said)

    def messages(self, messages: Iterable[Message], unit: str) -> None:
        """A whole history."""
        for message in messages:
            self.message(message, unit)

    def _answer(self, message: Message, unit: str, at: str) -> None:
        """Put a result beside its call."""
        body = unwrap(message.content)
        result = self._mask(message.content if body is None else body)
        step = self._steps[at_] if (at_ := self._asked.get((unit, message.tool_call_id))) is not None else None
        if at_ is None or not isinstance(step, Said):
            call = ToldCall(message.tool_call_id, message.name, "", result, message.stored)
            self._steps.append(Said("answer", "", at, "" if unit == self._main else unit, calls=(call,)))
            return
        calls = tuple(
            replace(call, result=result, stored=message.stored) if call.id == message.tool_call_id else call
            for call in step.calls
        )
        self._steps[at_] = replace(step, calls=calls)


def _speaker(message: Message) -> Speaker:
    if message.role == "assistant":
        return "answer"
    if message.origin in ("steered", "program", "summary"):
        return message.origin
    if message.origin == "results":
        return "program"
    return "user"


def _memories(block: str) -> list[str]:
    return [line.removeprefix("- ") for line in block.splitlines() if line and line not in (OPEN, CLOSE)]


def _readable(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments
