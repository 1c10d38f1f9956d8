"""`execute_command`."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paitui.locale import Phrase, Words, phrase
from paitui.messages.message import ToolSpec
from paitui.tools.access import counted, fence_of
from paitui.tools.approval import always_of
from paitui.tools.base import Access, Effect, ToolContext, ToolError, ToolOutcome
from paitui.tools.command_rules import pieces_of
from paitui.tools.environment import command_environment
from paitui.tools.keeping import OutputKeeper
from paitui.tools.network import fetches
from paitui.tools.never import never_allowed
from paitui.tools.process import Ended, NotStarted, run_command, supported
from paitui.trust.external import External

MAX_TIMEOUT_S = 3_600
_LIVE_EVERY_S = 0.1
"""Live output is passed on at most this often."""
_LIVE_CHARS = 4_000
"""And at most so much at once: the newest."""

_SPEC = ToolSpec(
    "execute_command",
    "Run a shell command in the project folder. No input, no terminal; nothing keeps running after it ends.",
    {
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "timeout_s": {"type": "integer", "minimum": 1, "description": "default 60"},
        },
        "required": ["command"],
    },
)


@dataclass(frozen=True, slots=True)
class ExecuteCommand:
    """Runs a command line in `/bin/sh`.

    The text is the output as it came, then one line in square brackets that says how it ended (``[exit 1]``).
    """

    spec: ToolSpec = _SPEC
    access: Access = "command"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Show the whole command line, and what it does one by one where that is plain.

        Raises:
            ToolError: It is empty.
        """
        command: str = arguments["command"]
        if not command.strip() or "\0" in command:
            raise ToolError(phrase("tools.command_empty"))
        pieces = pieces_of(command, fence_of(context), context.home)
        return Effect("command", command, always=always_of(pieces), pieces=pieces, refused=never_allowed(command))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Run it.

        Raises:
            ToolError: It could not be started.
        """
        command: str = arguments["command"]
        if not supported():
            raise ToolError(phrase("tools.command_unsupported"))
        if refused := never_allowed(command):
            raise ToolError(refused)
        seconds = min(arguments.get("timeout_s", context.command.timeout_s), MAX_TIMEOUT_S)
        keeper = OutputKeeper(
            lambda: context.open_spool(self.spec.name), context.command_chars, context.command.output_mb * 1024**2
        )
        live = _Live(context.on_output)
        try:
            ended = await run_command(
                command,
                context.project,
                command_environment(os.environ, context.command.env_allow),
                seconds,
                lambda data: live.feed(keeper.feed(data)),
            )
        except NotStarted as error:
            raise ToolError(phrase("tools.command_not_started", why=str(error))) from error
        finally:
            keeper.finish()
            live.finish()
        # However it ended, and wherever it put what it fetched: the next command may print it.
        external = External("command", command) if fetches(command) else None
        return _outcome(ended, keeper, seconds, context.words, external)


def _outcome(
    ended: Ended, keeper: OutputKeeper, seconds: int, words: Words, external: External | None
) -> ToolOutcome:
    said: list[Phrase] = []
    if ended.timed_out:
        said.append(phrase("tools.ended_timeout", seconds=seconds))
        headline = phrase("tools.timed_out", seconds=seconds)
    elif ended.code < 0:
        name = _signal_name(-ended.code)
        said.append(phrase("tools.ended_signal", name=name))
        headline = phrase("tools.signal", name=name)
    else:
        said.append(phrase("tools.ended_exit", code=ended.code))
        headline = phrase("tools.exit", code=ended.code)
    if ended.left:
        said.append(counted("tools.left_running", ended.left))
    if ended.stuck:
        said.append(phrase("tools.not_ended", n=ended.stuck))
    if keeper.dropped_bytes and keeper.stored:
        said.append(phrase("tools.capped", path=keeper.stored, kept=keeper.stored_bytes, bytes=keeper.dropped_bytes))
    output = keeper.text
    gap = "\n" if output and not output.endswith("\n") else ""
    return ToolOutcome(
        output + gap + "\n".join(map(words.say, said)),
        ok=ended.code == 0 and not ended.timed_out,
        headline=headline,
        stored=keeper.stored,
        total_chars=keeper.chars if keeper.is_part else 0,
        total_lines=keeper.lines if keeper.is_part else 0,
        lost=keeper.lost,
        external=external,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


class _Live:
    """Passes output on to the screen, merged and bounded: a flood shows its newest part."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._waiting = ""
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, text: str) -> None:
        self._waiting = (self._waiting + text[-_LIVE_CHARS:])[-_LIVE_CHARS:]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LIVE_EVERY_S, self._pass_on)

    def finish(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._pass_on()

    def _pass_on(self) -> None:
        self._timer = None
        if self._waiting:
            text, self._waiting = self._waiting, ""
            self._tell(text)
