"""The history as a list to look through: what is sent, message by message."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from paitui.context.estimate import message_tokens
from paitui.context.offload import body_of
from paitui.context.report import HistoryRow
from paitui.context.stubs import stub_paths
from paitui.messages.message import Message

FIRST_WORDS = 80
"""Characters of a message that a row shows."""


class RowSource:
    """Knows what was reckoned of each message, so that a list that is asked for again costs only what is new.

    Args:
        reasoning_sent: Whether earlier reasoning is part of a request.
    """

    def __init__(self, reasoning_sent: bool) -> None:
        self._reasoning_sent = reasoning_sent
        self._known: dict[int, tuple[Message, int, HistoryRow]] = {}

    def of(self, message: Message) -> tuple[int, HistoryRow]:
        """Estimated tokens of a message, and its row without place, share and pin."""
        known = self._known.get(message.uid)
        if known is None or known[0] is not message:
            known = (message, message_tokens(message, self._reasoning_sent), _row(message))
            self._known[message.uid] = known
        return known[1], known[2]

    def forget_others(self, messages: Sequence[Message]) -> None:
        """Let go of what is no more, once that is much."""
        if len(self._known) > 2 * len(messages) + 1_000:
            stands = {message.uid for message in messages}
            self._known = {uid: known for uid, known in self._known.items() if uid in stands}


def history_rows(
    messages: Sequence[Message], used: int, schema_tokens: int, pinned: Collection[int], source: RowSource
) -> tuple[HistoryRow, ...]:
    """List a history.

    Args:
        messages: The history.
        used: Tokens of the next request, as the manager counts them.
        schema_tokens: The estimate of the tool schemas, which are part of that number.
        pinned: Messages that are never cleared, by `uid`.
        source: What is known of the messages.

    Returns:
        One row a message, in order.
    """
    known = [source.of(message) for message in messages]
    raw = [cost for cost, _ in known]
    total = sum(raw) + schema_tokens or 1
    ends = [0]
    for cost in raw:
        ends.append(ends[-1] + cost)
    # Rounding the running sum, not each message, keeps the sum true.
    shares = [end * used // total for end in ends]
    return tuple(
        replace(row, number=at + 1, tokens=shares[at + 1] - shares[at], pinned=row.uid in pinned)
        for at, (_, row) in enumerate(known)
    )


def _row(message: Message) -> HistoryRow:
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
        0,
        message.uid,
        message.role,
        message.origin,
        0,
        state,
        False,
        message.stored,
        chars,
        name,
        " ".join(text[: FIRST_WORDS * 4].split())[:FIRST_WORDS],
    )
