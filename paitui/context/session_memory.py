"""Experimental: the summary is prepared while there is still room, so that nobody waits for it at the threshold.

Decisions only; the unit runs the requests beside its turn. A prepared summary holds as long as nothing before the
end was changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paitui.messages.message import Message

STARTS_AT = 0.6
"""Share of the summary threshold from which on a summary is prepared."""
TAIL_TOKENS, TAIL_TEXTS, TAIL_MOST = 10_000, 5, 40_000
"""What stays behind a prepared summary: at least so many tokens and text messages, at most so many tokens."""
LEAST_NEW = 4_000
"""Fewer new tokens start no update."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A summary that is ready."""

    text: str
    start: int
    """Behind the system messages."""
    end: int
    """It covers `messages[start:end]`."""
    rewrites: int
    """How often the middle of the history had been changed; another number makes it void."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a request for a prepared summary covers."""

    messages: tuple[Message, ...]
    """What goes to the model: the part before the tail, or the earlier summary and what is new since."""
    start: int
    end: int
    rewrites: int


def plan(
    messages: Sequence[Message],
    costs: Sequence[int],
    share: float,
    summary_at: int,
    rewrites: int,
    ready: Prepared | None,
) -> Preparation | None:
    """Decide whether a summary is prepared now, and of what.

    Args:
        messages: The history.
        costs: Tokens of its messages.
        share: Used tokens over the summary threshold.
        summary_at: The summary threshold; on small windows the tail shrinks with it.
        rewrites: How often the middle of the history was changed.
        ready: What was prepared before.

    Returns:
        What to summarise, or None if it is too early or too little is new.
    """
    if share < STARTS_AT:
        return None
    start = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    end = tail_start(messages, costs, start, min(TAIL_TOKENS, summary_at // 4), min(TAIL_MOST, summary_at // 2))
    if ready is not None and ready.rewrites != rewrites:
        ready = None
    begin = ready.end if ready else start
    if end is None or end <= begin or sum(costs[begin:end]) < min(LEAST_NEW, summary_at // 10):
        return None
    head = (Message("user", ready.text, origin="summary"),) if ready else ()
    return Preparation((*head, *messages[begin:end]), start, end, rewrites)


def tail_start(
    messages: Sequence[Message], costs: Sequence[int], start: int, least: int, most: int, texts: int = TAIL_TEXTS
) -> int | None:
    """Find where the tail begins: it grows backwards until it holds enough, at borders between complete rounds.

    Args:
        messages: The history.
        costs: Tokens of its messages.
        start: Behind the system messages.
        least: Tokens that the tail should hold.
        most: Tokens that it must not pass, unless its newest round alone does.
        texts: Messages with text of user or assistant that it should hold.

    Returns:
        A position, or None if there is no border.
    """
    found: int | None = None
    size = said = 0
    for at in range(len(messages) - 1, start, -1):
        message = messages[at]
        size += costs[at]
        said += message.role in ("user", "assistant") and bool(message.content.strip())
        if message.role not in ("user", "assistant") or messages[at - 1].origin == "summary":
            continue
        if found is not None and size > most:
            break
        found = at
        if size >= least and said >= texts:
            break
    return found


def usable(ready: Prepared | None, rewrites: int) -> bool:
    """Whether a prepared summary still fits what stands in the history."""
    return ready is not None and ready.rewrites == rewrites
