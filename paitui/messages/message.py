"""The items of a request. Plain frozen data; nothing here knows a provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]

Spans = tuple[tuple[int, int], ...]
"""Parts of a text: first character and the one after the last, in order, none overlapping."""

Origin = Literal["", "typed", "steered", "summary", "acknowledgement", "carried", "program", "task", "results"]
"""Where a message comes from: ``typed`` and ``steered`` are the user's words; ``summary``, its
``acknowledgement`` and ``carried`` (user texts kept beside a summary) are made by compaction; ``program`` is
text of paitui's own, such as the request for a partial result; ``task`` is what a unit of its own is to do, and
``results`` what came of such units."""

BodyState = Literal["live", "offloaded", "cleared"]
"""How much of a tool result still stands in the message."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that an assistant message asks for."""

    id: str
    """Unique within the history; the answer refers to it."""
    name: str
    """Name of the tool."""
    arguments: str
    """JSON text of an object, as the model wrote it."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image part of a user message."""

    url: str
    """An ``https:`` address, or a ``data:`` address holding the bytes."""


@dataclass(frozen=True, slots=True)
class Message:
    """One item of the history.

    The first fields are what is sent; the ones from `uid` on are paitui's own notes and never leave it.
    """

    role: Role
    content: str = ""
    """Text as the model sees it (a tool result stands here wrapped)."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls of an assistant message, in call order."""
    tool_call_id: str = ""
    """For a tool message: the id of the call it answers."""
    name: str = ""
    """For a tool message: the tool's name."""
    reasoning: str = ""
    """Reasoning text of an assistant message, as far as it is sent back."""
    signed_reasoning: tuple[Mapping[str, Any], ...] = ()
    """Reasoning blocks that a provider signed; sent back untouched or dropped with their round."""
    images: tuple[Image, ...] = ()
    """Images of a user message."""
    memories: str = ""
    """Long-term memories attached to a user message, as one closed block; sent behind its text, and none of the
    user's words."""

    attached: str = ""
    """Content from outside that a user message brought along, wrapped as tool results are; sent behind its text, and
    none of the user's words."""

    uid: int = 0
    """Identity within the session, kept when the content is replaced; 0 before it entered a history."""
    origin: Origin = ""
    """Where it comes from."""
    state: BodyState = "live"
    """For a tool message: whether the result still stands here."""
    stored: str = ""
    """Path, relative to the project, of the file that holds the full result; empty if none."""
    body_chars: int = 0
    """For a tool message: characters of the full result before wrapping, offload or clearing."""
    ok: bool = True
    """For a tool message: whether the tool succeeded."""
    external: bool = False
    """For a tool message: whether its content comes from outside, such as a page that was fetched."""
    remembered: tuple[str, ...] = ()
    """For a user message: which entries stand in `memories`, each with a mark of the state in which it stands."""
    partial: bool = False
    """For an assistant message: the stream was cut, what is here is all that came."""
    pasted: Spans = ()
    """For a user message: what of its content was pasted, and so is not the user's own wording."""

    @property
    def sent_text(self) -> str:
        """The text that is sent: `content`, behind it what was attached, and the memories last."""
        return "\n\n".join((self.content, *filter(None, (self.attached, self.memories))))

    @property
    def is_users_words(self) -> bool:
        """Whether the user typed this, or it is the task of a unit that no user talks to (a turn starts here)."""
        return self.role == "user" and self.origin in ("typed", "steered", "task", "")


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What the model is told about a tool."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema of the arguments object."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider reported for one request, in tokens."""

    prompt: int = 0
    """Tokens of the request, cached parts included."""
    completion: int = 0
    """Tokens of the answer, reasoning included."""
    reasoning: int = 0
    """The part of `completion` that was reasoning."""
    cached: int = 0
    """The part of `prompt` that came from the provider's cache."""
    cost: float | None = None
    """Price in US dollars, where known."""

    def plus(self, other: "Usage") -> "Usage":
        """Both together; a price that is known of one alone counts."""
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.reasoning + other.reasoning,
            self.cached + other.cached,
            cost,
        )
