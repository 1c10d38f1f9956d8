"""The port between the agent and a model. Everything behind it may be slow, remote and faulty."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from paitui.locale import Language, Phrase
from paitui.messages.message import Message, ToolSpec, Usage

Purpose = Literal["turn", "final", "summary", "plan", "review", "report"]
"""Why a request is made: the next step of a task, its last words without tools, a summary; the next step of a planner
or of a reviewer; the answer that says what came of a plan."""
WITH_TOOLS: frozenset[Purpose] = frozenset(("turn", "plan", "review"))
"""Purposes whose requests may be answered by calls."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, complete: nothing else reaches the model."""

    messages: tuple[Message, ...]
    """A valid list (see `paitui.messages.validity`), system messages first."""
    tools: tuple[ToolSpec, ...] = ()
    """Tools that may be called; empty for all but those of `WITH_TOOLS`."""
    purpose: Purpose | Literal["extraction"] = "turn"
    """For choosing a model or a budget; the messages themselves already say what to do. ``extraction`` looks for
    lasting facts in the user's words, beside the history."""
    language: Language = "en"
    """The interface language, for a model without one of its own."""
    estimate: int = 0
    """What the request is estimated at, in tokens; 0 if nobody did. Helps to tell why it was refused."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More reasoning, shown folded."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing was shown yet, the request failed, and it is sent again after a while."""

    seconds: float
    """How long the wait is."""
    attempt: int
    """Number of the attempt that follows, from 2."""
    phrase: Phrase
    """What went wrong."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The finished answer; exactly one ends every stream that raises nothing."""

    message: Message
    """The assistant message; its calls parse, or are meant to be answered with an error."""
    usage: Usage | None = None
    """What the provider reported; None if it reported nothing."""


ModelEvent = TextDelta | ReasoningDelta | Waiting | Reply

FaultKind = Literal[
    "authentication",
    "permission",
    "payment",
    "quota",
    "rate_limit",
    "overflow",
    "bad_request",
    "server",
    "network",
    "timeout",
    "stall",
    "malformed",
]


class ModelFault(Exception):
    """A request failed for good; retries are over when this is raised.

    Attributes:
        kind: What kind of failure.
        phrase: What happened and what to do, for the user.
        partial: Text that was already shown when the stream was cut.
    """

    def __init__(self, kind: FaultKind, phrase: Phrase, partial: str = "") -> None:
        super().__init__(f"{kind}: {phrase.key}")
        self.kind: FaultKind = kind
        self.phrase = phrase
        self.partial = partial


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model."""

    name: str
    """As the user writes it: ``offline``, or ``provider/name``."""
    window: int
    """Context size in tokens."""
    sends_reasoning_back: bool = False
    """Whether the reasoning of earlier answers is part of a request."""


class Model(Protocol):
    """A model that answers requests, one stream each; several streams may run at once."""

    @property
    def info(self) -> ModelInfo:
        """What is known of it."""
        ...

    def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        """Answer a request.

        Closing the iterator, or cancelling the task that reads it, ends the request.

        Raises:
            ModelFault: While iterating: the request failed, after whatever retries make sense.
        """
        ...

    async def close(self) -> None:
        """Free what the model holds; no stream runs any more."""
        ...
