"""What a tool is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from paitui.locale import Phrase, Words
from paitui.messages.message import ToolSpec
from paitui.settings import CommandSettings
from paitui.trust.external import External

Access = Literal["read", "write", "command", "mcp", "network"]
"""What a tool touches: `read` never asks; `write`, `command`, `mcp` (a server's tool) and `network` (a web address)
need the user's approval."""


class ToolError(Exception):
    """A tool could not do what was asked; the model gets the text, the user sees it on the card.

    Attributes:
        phrase: What happened and what to do.
    """

    def __init__(self, phrase: Phrase) -> None:
        super().__init__(phrase.key)
        self.phrase = phrase


@dataclass(frozen=True, slots=True)
class Spool:
    """A file opened in the offload folder for output that is too large to hold."""

    file: BinaryIO
    """Open for writing; whoever gets the spool closes it."""
    path: str
    """Relative to the project, as `read_file` takes it."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool is given besides its arguments."""

    project: Path
    """Resolved project folder; file tools stay inside it."""
    home: Path
    """Paitui's own folder; no tool writes there."""
    words: Words
    """For texts of the tool's own, in the language of the session."""
    slice_chars: int
    """Longest text that one read may return, in characters."""
    command: CommandSettings
    """Limits of commands."""
    open_spool: Callable[[str], Spool]
    """Open a file for a tool's output (argument: tool name). Raises OSError if it cannot be made."""
    memory_folder: Path | None = None
    """Folder of long-term memory, if it is not under `home`; no tool writes there."""
    command_chars: int = 8_000
    """Command output longer than this, in characters, goes to a spool."""
    on_output: Callable[[str], None] = lambda text: None
    """Called with pieces of live output, for the screen."""
    fits: Callable[[str], int] = len
    """How many characters of a text, from its beginning, fit one read in tokens; wide scripts take more."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool gives back."""

    text: str
    """The result for the model, raw: not wrapped, not shortened."""
    ok: bool = True
    """Whether it did what was asked; a command that exits with another status than 0 did not."""
    headline: Phrase | None = None
    """What matters, in a few words, for the tool's card: ``3 hits``, ``exit 1``."""
    bounded: bool = False
    """The text is a slice bounded by the tool itself and is never offloaded."""
    stored: str = ""
    """Path, relative to the project, of the spool with the whole result; then `text` is head and tail."""
    total_chars: int = 0
    """Characters of the whole result where `stored` holds more than `text`; else 0."""
    total_lines: int = 0
    """Lines of the whole result, likewise."""
    lost: Phrase | None = None
    """Why the middle of the result is gone, where it could not be stored."""
    diff: str = ""
    """Unified diff of what a write changed, for the card."""
    changed: tuple[str, ...] = ()
    """Paths (relative to the project) that were written."""
    external: External | None = None
    """Set if the text, or part of it, comes from outside: a page, a server, a program that fetched something."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One of several things that a call does."""

    text: str
    """What, as it is written: a command of a chain, or a file that a redirect fills."""
    rule: str = ""
    """The rule that allows it, ``command:<program>`` or ``write:<folder>/``; empty if it is asked each time."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call wants to do, for the user to judge before it runs."""

    access: Access
    """Kind of effect."""
    subject: str
    """In full what is approved: the command line, or the path written."""
    detail: str = ""
    """More to judge by: the diff of a write."""
    always: str = ""
    """What "always" would cover: a program or a folder; empty if only this one call can be approved."""
    pieces: tuple[Piece, ...] = ()
    """What a command line does, one by one; all of it must be allowed. Empty for anything else, and for a line that
    can only be judged as a whole."""
    refused: Phrase | None = None
    """Set if it is never allowed; then nobody is asked."""


class Tool(Protocol):
    """One tool. Stateless; arguments arrive parsed and checked against the schema."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and argument schema for the model."""
        ...

    @property
    def access(self) -> Access:
        """What it touches."""
        ...

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Say what a call would do; None for a reading tool.

        Raises:
            ToolError: The call cannot be done at all (say, the path lies outside the project).
        """
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Do it. Cancelling the task stops it, with nothing left running.

        Raises:
            ToolError: It could not be done.
        """
        ...


@dataclass(slots=True)
class Toolbox:
    """The tools of a session, by name. One for all who need them: tools of servers come and go between turns."""

    tools: Mapping[str, Tool] = field(default_factory=dict)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Their schemas, in a fixed order (a change would break the provider's prefix cache)."""
        return tuple(tool.spec for tool in self.tools.values())
