"""The slash commands: one table for the prompt, the palette, the help and `-p`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from paitui.engine import ops
from paitui.engine.mcp_command import McpUsage, read_mcp
from paitui.engine.memory_command import MemoryUsage, read_memory, read_save
from paitui.engine.session_command import SessionUsage, read_export, read_resume
from paitui.engine.trust_command import TrustUsage, read_trust
from paitui.locale import Phrase, phrase


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command."""

    name: str
    """Without the slash."""
    make: Callable[[str], ops.Op] | None
    """Turns the argument text into an op; None for a command that the face itself carries out."""
    argument: str = ""
    """Shown in help and completion, ``[instructions]``."""
    screen_only: bool = False
    """Means nothing without a screen."""
    multiline: bool = False
    """Its argument may be as long as any message."""

    @property
    def help(self) -> str:
        """Key of the phrase that says what it does."""
        return f"commands.{self.name}"


COMMANDS: tuple[Command, ...] = (
    Command("save", read_save, "[--global] [--force] <fact>"),
    Command("memory", read_memory, "[list | search | show | verify | ...]"),
    Command("compact", lambda text: ops.Undo() if text == "undo" else ops.Compact(text), "[instructions | undo]"),
    Command("context", lambda text: ops.ShowContext()),
    Command("clear", lambda text: ops.Clear()),
    Command(
        "plan",
        lambda text: ops.ContinuePlan() if text == "continue" else ops.StartPlan(text),
        "[task | continue]",
        multiline=True,
    ),
    Command("team", lambda text: ops.StartTeam(text), "[task]", multiline=True),
    Command(
        "approvals",
        lambda text: (
            ops.RevokeApproval(text.removeprefix("revoke").strip())
            if text.startswith("revoke")
            else ops.ShowApprovals()
        ),
        "[revoke [rule]]",
    ),
    Command(
        "model",
        lambda text: ops.ShowModels(text) if not text or text.endswith("/") else ops.SwitchModel(text),
        "[name]",
    ),
    Command("mcp", read_mcp, "[list | restart | disable | enable | logs | prompts]"),
    Command("sessions", lambda text: ops.ShowSessions()),
    Command("resume", read_resume, "[id]", screen_only=True),
    Command("export", read_export, "[markdown | html] [file]"),
    Command("trust", read_trust, "[--revoke]"),
    Command("theme", None, "[name]", screen_only=True),
    Command("help", None),
    Command("quit", None, screen_only=True),
)


class UnknownCommand(Exception):
    """A slash command that does not exist, or whose argument makes no sense; it never goes to the model.

    Attributes:
        phrase: What to tell the user.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def parse(text: str) -> tuple[Command, str] | None:
    """Read a line as a slash command.

    Args:
        text: What the user typed.

    Returns:
        The command and its argument text; None if the line is no command (a path such as ``/etc/hosts`` is
        not: a command is one word of letters after the slash, at the very start of a text of one line, or of more
        where the command takes them).

    Raises:
        UnknownCommand: It looks like a command, but there is none of that name, or it is not used like that.
    """
    stripped = text.strip()
    if not stripped.startswith("/"):
        return None
    word = re.split(r"\s", stripped[1:], maxsplit=1)[0]
    rest = stripped[1 + len(word) :]
    if "\n" in stripped and not any(command.multiline and command.name == word for command in COMMANDS):
        return None
    if not word.replace("-", "").isalpha() or not word.isascii():
        return None
    for command in COMMANDS:
        if command.name == word:
            _check(command, rest.strip())
            return command, rest.strip()
    known = " ".join(f"/{command.name}" for command in COMMANDS)
    raise UnknownCommand(phrase("commands.unknown", name=f"/{word}", known=known))


def _check(command: Command, argument: str) -> None:
    try:
        if command.make is not None:
            command.make(argument)
    except (MemoryUsage, McpUsage, SessionUsage, TrustUsage) as usage:
        raise UnknownCommand(usage.phrase) from usage
