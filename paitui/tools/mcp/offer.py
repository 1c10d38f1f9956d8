"""What a server is started with, what it offers and how it stands: plain data that any thread may read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from paitui.locale import Phrase
from paitui.tools.mcp.config import Source, Transport

State = Literal["waiting", "starting", "ready", "failed", "ended", "disabled"]
"""``waiting``: not started yet; ``failed``: it did not come up; ``ended``: it was ready and is gone."""


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server, cleaned and bounded."""

    server: str
    name: str
    """As the server calls it."""
    called: str
    """As the model calls it."""
    description: str
    schema: Mapping[str, Any]
    mark: str
    """Hash of how the server is started and of all that the tool says about itself; another one is another tool."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that a server lets be read."""

    server: str
    uri: str
    """An address, or a pattern of addresses."""
    name: str = ""
    description: str = ""
    kind: str = ""
    """MIME type, where it is told."""
    is_pattern: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that a server has ready."""

    server: str
    name: str
    description: str = ""
    arguments: tuple[tuple[str, bool], ...] = ()
    """Name of each argument, and whether it is needed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """All that a server offers at one moment."""

    tools: tuple[ServerTool, ...] = ()
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    notes: tuple[Phrase, ...] = ()
    """What of it was left out or changed, and why."""


NOTHING = Offer()


@dataclass(frozen=True, slots=True)
class ServerView:
    """How one server stands."""

    name: str
    source: Source
    transport: Transport
    state: State = "waiting"
    why: Phrase | None = None
    """Why it failed or ended."""
    offer: Offer = NOTHING
    seconds: float = 0.0
    """How long it took to come up."""
    said: str = ""
    """Name and version that it gives itself."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What servers are started with."""

    project: Path
    environment: Mapping[str, str]
    """What every command may know; an entry's own variables come on top."""
    start_s: float
    """Seconds in which a server must be up."""
    call_s: float
    """Seconds that a call may take, unless the server's entry says otherwise."""


class CallFailed(Exception):
    """A request to a server failed.

    Attributes:
        phrase: Why, with nothing secret in it.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what
