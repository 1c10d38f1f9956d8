"""Where a history is cut for a summary. Pure: positions and token counts in, positions out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from paitui.messages.message import Message


@dataclass(frozen=True, slots=True)
class Cut:
    """`messages[start:end]` is summarised, `messages[end:]` is the tail that stays."""

    start: int
    """Behind the system messages."""
    end: int
    carried: tuple[int, ...] = ()
    """Where the tail starts amid a turn: the positions of that turn's user texts, to be kept before the tail."""
    beside: tuple[int, ...] = ()
    """Positions of user texts of other newest turns that were cut, to be kept word for word."""


def choose_cut(
    messages: Sequence[Message],
    tokens: Sequence[int],
    overhead: int,
    target: int,
    keep_users: int,
    carried_most: int | None = None,
    pinned: Collection[int] = (),
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
        carried_most: Tokens that the carried texts take at most, since they are shortened then; None for no limit.
        pinned: Messages, by `uid`, that the cut does not pass.

    Returns:
        The cut, or None if there is nothing that could be summarised.
    """
    start = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    users = [at for at in range(start, len(messages)) if _says_user(messages[at])]
    wanted = users[-keep_users] if len(users) >= keep_users else start
    if not users:  # a task that the program gave: its text is what a cut inside it carries
        users = [at for at in range(start, len(messages)) if messages[at].origin == "program"]
    first_user = users[0] if users else len(messages)
    allowed = [
        at
        for at in range(start + 1, len(messages))
        # A tail begins with the user's words, or with an answer where texts of its turn stand before it.
        if (messages[at].role == "user" or (messages[at].role == "assistant" and first_user < at))
        and messages[at - 1].origin != "summary"
    ]
    if pinned:
        last = next((at for at in range(start, len(messages)) if messages[at].uid in pinned), len(messages))
        allowed = [at for at in allowed if at <= last]
        wanted = min(wanted, *allowed[-1:]) if allowed else wanted
    candidates = [at for at in allowed if at >= wanted]
    if not candidates:
        return None
    size_from = _sizes(tokens)

    def size(at: int) -> int:
        carried = sum(tokens[user] for user in _texts_of_turn(messages, users, at))
        return overhead + (carried if carried_most is None else min(carried, carried_most)) + size_from[at]

    end = next((at for at in candidates if size(at) <= target), candidates[-1])
    if all(messages[at].origin in ("summary", "acknowledgement", "carried") for at in range(start, end)):
        return None
    carried = _texts_of_turn(messages, users, end)
    return Cut(start, end, carried, tuple(user for user in users if wanted <= user < end and user not in carried))


def cut_at(messages: Sequence[Message], end: int) -> Cut:
    """The cut that ends at a position chosen otherwise, with the texts that it carries."""
    start = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    users = [at for at in range(start, len(messages)) if _says_user(messages[at])]
    return Cut(start, end, _texts_of_turn(messages, users, end))


def _says_user(message: Message) -> bool:
    """Whether these are the user's words, typed now or carried along by an earlier cut."""
    return message.is_users_words or message.origin == "carried"


def _texts_of_turn(messages: Sequence[Message], users: Sequence[int], at: int) -> tuple[int, ...]:
    """Positions of the user texts before `at` of the turn that goes on at it; none if a turn begins there.

    A turn is begun by what was typed; what steers it belongs to it.
    """
    if messages[at].role == "user" and messages[at].origin != "steered":
        return ()
    before = [user for user in users if user < at]
    begin = next((n for n in range(len(before) - 1, -1, -1) if messages[before[n]].origin != "steered"), 0)
    return tuple(before[begin:])


def _sizes(tokens: Sequence[int]) -> list[int]:
    """Tokens from each position to the end."""
    sums = [0] * (len(tokens) + 1)
    for at in range(len(tokens) - 1, -1, -1):
        sums[at] = sums[at + 1] + tokens[at]
    return sums
