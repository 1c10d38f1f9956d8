"""Tier 2: old tool results become one-line placeholders. Nothing is lost: each names the file with its text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paitui.context.estimate import message_tokens
from paitui.context.offload import OutputFiles, body_of, read_back
from paitui.messages.message import Message
from paitui.settings import ContextSettings
from paitui.trust.boundary import wrap


@dataclass(frozen=True, slots=True)
class Clearing:
    """What one pass puts in place of what."""

    replaced: Mapping[int, Message]
    """By message `uid`: the message with its placeholder."""
    problem: str = ""
    """Why some results stay although they could have gone: their text could not be stored."""


def clearable(messages: Sequence[Message], settings: ContextSettings) -> list[int]:
    """Find the results that may be cleared.

    Kept are the newest results, the newest round, results that the model has not seen yet, short ones, cleared
    ones, and those of excluded tools.

    Args:
        messages: The history.
        settings: How many are newest, what is short, which tools are excluded.

    Returns:
        Positions, oldest first.
    """
    results = [at for at, message in enumerate(messages) if message.role == "tool"]
    newest_round = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].tool_calls), len(messages))
    protected = set(results[len(results) - settings.keep_results :]) if settings.keep_results else set()
    return [
        at
        for at in results
        if at < newest_round
        and at not in protected
        and messages[at].state != "cleared"
        and len(messages[at].content) >= settings.clear_min_chars
        and messages[at].name not in settings.clear_exclude
    ]


def freed_tokens(messages: Sequence[Message], positions: Sequence[int]) -> int:
    """Estimate what clearing would free, before any file is written."""
    size = message_tokens(_cleared(Message("tool", name="read_file"), ".paitui/tool-outputs/session/000"))
    return sum(max(0, message_tokens(messages[at]) - size) for at in positions)


def worthwhile(freed: int, window: int, settings: ContextSettings) -> bool:
    """Whether a pass frees enough to pay for the broken prefix cache.

    Args:
        freed: Tokens that it would free.
        window: Context size in tokens.
        settings: The share and, for windows of 128,000 tokens and more, the least amount.
    """
    least = settings.clear_worth_tokens if window >= 128_000 else 0
    return freed > 0 and freed >= max(least, window * settings.clear_worth_percent // 100)


def clear(messages: Sequence[Message], positions: Sequence[int], files: OutputFiles) -> Clearing:
    """Store what is in no file yet, and make the placeholders.

    Args:
        messages: The history; it is not changed.
        positions: What to clear, as `clearable` found it.
        files: Where whole results go.

    Returns:
        The placeholders; a result that cannot be stored is left out and stays.
    """
    done: dict[int, Message] = {}
    problem = ""
    for message in _at(messages, positions):
        stored = message.stored
        if not stored and message.state == "live":
            try:
                stored = files.save(message.name, body_of(message))
            except OSError as error:
                problem = error.strerror or str(error)
                continue
        done[message.uid] = _cleared(message, stored)
    return Clearing(done, problem)


def _at(messages: Sequence[Message], positions: Sequence[int]) -> Iterator[Message]:
    return (messages[at] for at in positions)


def _cleared(message: Message, stored: str) -> Message:
    where = f"whole text in {stored}; {read_back(stored)}" if stored else "its middle was lost on arrival"
    notice = (
        f"[paitui:cleared {message.name} result of about {message.body_chars:,} characters; {where}, "
        "or call the tool again if needed]"
    )
    return replace(message, content=wrap(message.name, "", notice=notice), state="cleared", stored=stored)
