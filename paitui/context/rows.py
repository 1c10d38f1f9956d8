"""The history as a list to look through: what is sent, message by message."""

from collections.abc import Collection, Sequence

from paitui.context.estimate import message_tokens
from paitui.context.offload import body_of
from paitui.context.report import HistoryRow
from paitui.context.stubs import stub_paths
from paitui.messages.message import Message

FIRST_WORDS = 80
"""Characters of a message that a row shows."""


def history_rows(
    messages: Sequence[Message], used: int, schema_tokens: int, pinned: Collection[int], reasoning_sent: bool
) -> tuple[HistoryRow, ...]:
    """List a history.

    Args:
        messages: The history.
        used: Tokens of the next request, as the manager counts them.
        schema_tokens: The estimate of the tool schemas, which are part of that number.
        pinned: Messages that are never cleared, by `uid`.
        reasoning_sent: Whether earlier reasoning is part of a request.

    Returns:
        One row a message, in order.
    """
    raw = [message_tokens(message, reasoning_sent) for message in messages]
    total = sum(raw) + schema_tokens or 1
    ends = [0]
    for cost in raw:
        ends.append(ends[-1] + cost)
    # Rounding the running sum, not each message, keeps the sum true.
    shares = [end * used // total for end in ends]
    return tuple(
        _row(at + 1, message, shares[at + 1] - shares[at], message.uid in pinned)
        for at, message in enumerate(messages)
    )


def _row(number: int, message: Message, tokens: int, pinned: bool) -> HistoryRow:
    state, chars, text, name = message.state, len(message.content), message.content, message.name
    if message.role == "tool":
        chars = message.body_chars
        text = body_of(message)
    elif message.tool_calls:
        name = ", ".join(call.name for call in message.tool_calls)
        chars += sum(len(call.arguments) for call in message.tool_calls)
        text = text or " ".join(call.arguments for call in message.tool_calls)
        state = "cleared" if any(map(stub_paths, message.tool_calls)) else state
    return HistoryRow(
        number,
        message.uid,
        message.role,
        message.origin,
        tokens,
        state,
        pinned,
        message.stored,
        chars,
        name,
        " ".join(text[: FIRST_WORDS * 4].split())[:FIRST_WORDS],
    )
