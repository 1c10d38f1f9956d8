"""Where a history is cut for a summary. Pure: positions and token counts in, positions out."""

from collections.abc import Sequence
from dataclasses import dataclass

from paitui.messages.message import Message


@dataclass(frozen=True, slots=True)
class Cut:
    """`messages[start:end]` is summarised, `messages[end:]` is the tail that stays."""

    start: int
    """Behind the system messages."""
    end: int
    inside_turn: bool
    """The tail starts amid a turn, whose user message is then kept beside the summary."""
    beside: tuple[int, ...] = ()
    """Positions of user messages of whole newest turns that were cut, to be kept word for word."""


def choose_cut(
    messages: Sequence[Message], tokens: Sequence[int], overhead: int, target: int, keep_users: int
) -> Cut | None:
    """Choose the cut.

    The tail starts at one of the newest user messages. A long task often has one user message and hundreds of
    tool rounds: where that cut leaves nothing to summarise or too long a tail, it moves on to the first boundary
    between complete tool rounds from which the rest fits the target, at the latest to the newest round.

    Args:
        messages: The history.
        tokens: Estimated tokens of each message.
        overhead: Tokens that stand besides the tail: system messages, schemas, the summary itself.
        target: Tokens that the rebuilt request should not exceed.
        keep_users: From which user message, counted back from the newest, the tail is kept if it fits.

    Returns:
        The cut, or None if there is nothing that could be summarised.
    """
    start = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    users = [at for at in range(start, len(messages)) if starts_turn(messages[at])]
    wanted = users[-keep_users] if len(users) >= keep_users else start
    boundaries = [at for at in range(start + 1, len(messages)) if messages[at].role in ("user", "assistant")]
    boundaries = [at for at in boundaries if messages[at - 1].origin != "summary"]
    size_from = _sizes(tokens)

    def size(at: int) -> int:
        turn = max((user for user in users if user < at), default=start)
        carried = tokens[turn] if messages[at].role == "assistant" else 0
        return overhead + carried + size_from[at]

    candidates = [at for at in boundaries if at >= max(wanted, start + 1)]
    if not candidates:
        return None
    end = next((at for at in candidates if size(at) <= target), candidates[-1])
    if all(messages[at].origin in ("summary", "acknowledgement", "carried") for at in range(start, end)):
        return None
    inside = messages[end].role == "assistant"
    cut_users = [user for user in users if wanted <= user < end and messages[user].origin != "carried"]
    beside = tuple(cut_users[:-1] if inside and cut_users and cut_users[-1] == _turn(users, end) else cut_users)
    return Cut(start, end, inside, beside)


def turn_start(messages: Sequence[Message], at: int) -> int | None:
    """Position of the user message that began the turn of a position before which it lies."""
    return next((n for n in range(at - 1, -1, -1) if starts_turn(messages[n])), None)


def starts_turn(message: Message) -> bool:
    """Whether a turn starts here: the user's words, or those that an earlier cut carried along."""
    return message.is_users_words or message.origin == "carried"


def _turn(users: Sequence[int], at: int) -> int:
    return max((user for user in users if user < at), default=-1)


def _sizes(tokens: Sequence[int]) -> list[int]:
    """Tokens from each position to the end."""
    sums = [0] * (len(tokens) + 1)
    for at in range(len(tokens) - 1, -1, -1):
        sums[at] = sums[at + 1] + tokens[at]
    return sums
