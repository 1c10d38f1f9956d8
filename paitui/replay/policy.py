"""Who decides in a replay: paitui's context manager, or the plain policy that it is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from paitui.context.clearing import clear, clearable
from paitui.context.cut import Cut
from paitui.context.manager import ContextManager, Fruitless
from paitui.context.meter import Calibration
from paitui.context.offload import OutputFiles
from paitui.context.summary import Ask, SummaryPrompts, SummaryRefused, write_summary
from paitui.messages.message import Message, Usage
from paitui.settings import ContextSettings

PLAIN_KEPT_USERS = 3
"""The plain policy keeps the history from this many user messages back, whatever its size."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A history rebuilt around a summary."""

    messages: Sequence[Message]
    """What stands in its place."""
    text: str
    """The summary."""


class Policy(Protocol):
    """Decides before every request."""

    manager: ContextManager
    """Counts, and admits results."""
    recovers: bool
    """Whether a request that was too long is cleared and summarised before it is sent again."""

    def clear(self, messages: Sequence[Message], rewrites: int, forced: bool = False) -> Mapping[int, Message]:
        """Say which messages are to be replaced, by `uid`; none if it is not time."""
        ...

    def must_summarise(self, messages: Sequence[Message], rewrites: int) -> bool:
        """Say whether a summary is due."""
        ...

    async def summarise(
        self, messages: Sequence[Message], rewrites: int, ask: Ask, prompts: SummaryPrompts, forced: bool = False
    ) -> Shortened | None:
        """Have the older part summarised; None if nothing comes of it."""
        ...

    def reported(self, usage: Usage, messages: Sequence[Message], rewrites: int) -> None:
        """Take in what the provider reported."""
        ...


class PaituiPolicy:
    """The context manager as the agent uses it.

    Args:
        settings: Limits and shares.
        window: Context size in tokens.
        files: Where whole texts go.
        schema_tokens: Estimate of what every request holds besides its messages.
    """

    recovers = True

    def __init__(self, settings: ContextSettings, window: int, files: OutputFiles, schema_tokens: int) -> None:
        self.manager = ContextManager(settings, window, files, Calibration(settings.prior), schema_tokens)

    def clear(self, messages: Sequence[Message], rewrites: int, forced: bool = False) -> Mapping[int, Message]:
        """Ask the manager."""
        clearing = self.manager.clear(messages, rewrites, forced)
        return {} if clearing is None else clearing.replaced

    def must_summarise(self, messages: Sequence[Message], rewrites: int) -> bool:
        """Ask the manager."""
        return self.manager.must_summarise(messages, rewrites)

    async def summarise(
        self, messages: Sequence[Message], rewrites: int, ask: Ask, prompts: SummaryPrompts, forced: bool = False
    ) -> Shortened | None:
        """Ask the manager."""
        try:
            done = await self.manager.summarise(messages, rewrites, ask, prompts, forced=forced)
        except Fruitless:
            return None
        return Shortened(done.messages, done.text)

    def reported(self, usage: Usage, messages: Sequence[Message], rewrites: int) -> None:
        """Pass it on."""
        self.manager.reported(usage, messages, rewrites)


class PlainPolicy:
    """Counts by the base estimate, clears results at the trigger every time, cuts at the third newest user message.

    Results are offloaded as they enter, and cleared ones kept in files, as in `PaituiPolicy`. It has no answer to a
    request that was too long: that is charged as sent again, and the history grows on until its own trigger.

    Args:
        settings: Limits and shares.
        window: Context size in tokens.
        files: Where whole texts go.
        schema_tokens: Estimate of what every request holds besides its messages.
    """

    recovers = False

    def __init__(self, settings: ContextSettings, window: int, files: OutputFiles, schema_tokens: int) -> None:
        self.manager = ContextManager(settings, window, files, Calibration(1.0), schema_tokens)
        self._settings = settings
        self._files = files

    def clear(self, messages: Sequence[Message], rewrites: int, forced: bool = False) -> Mapping[int, Message]:
        """Clear all old results as soon as the trigger is reached."""
        if self.manager.used(messages, rewrites) < self.manager.marks.clear_at and not forced:
            return {}
        return clear(messages, clearable(messages, self._settings), self._files).replaced

    def must_summarise(self, messages: Sequence[Message], rewrites: int) -> bool:
        """Compare the base estimate with the trigger."""
        return self.manager.used(messages, rewrites) >= self.manager.marks.summary_at

    async def summarise(
        self, messages: Sequence[Message], rewrites: int, ask: Ask, prompts: SummaryPrompts, forced: bool = False
    ) -> Shortened | None:
        """Summarise what stands before the third newest user message."""
        start = next((at for at, m in enumerate(messages) if m.role != "system"), len(messages))
        users = [at for at in range(start, len(messages)) if messages[at].is_users_words]
        end = users[-PLAIN_KEPT_USERS] if len(users) >= PLAIN_KEPT_USERS else start
        if all(message.origin in ("summary", "acknowledgement") for message in messages[start:end]):
            return None
        cut = Cut(start, end)
        try:
            text = await write_summary(messages[cut.start : cut.end], ask, prompts, self.manager.summary_limits(1.0))
        except SummaryRefused:
            return None
        rebuilt = [
            *messages[:start],
            Message("user", f"{prompts.marker}\n{text}", origin="summary"),
            Message("assistant", prompts.acknowledgement, origin="acknowledgement"),
            *messages[end:],
        ]
        return Shortened(rebuilt, text)

    def reported(self, usage: Usage, messages: Sequence[Message], rewrites: int) -> None:
        """Reports are not used."""
