"""Where a summary would cut if it came now: for looking at, so reckoned in a moment and only about right."""

from collections.abc import Collection, Sequence

from paitui.context.compaction import LEAST_GAIN
from paitui.context.cut import choose_cut
from paitui.context.summary import SummaryLimits
from paitui.messages.message import Message


def next_cut(
    messages: Sequence[Message],
    costs: Sequence[int],
    used: int,
    ratio: float,
    bounds: SummaryLimits,
    target: int,
    keep_users: int,
    pinned: Collection[int] = (),
) -> int:
    """Choose the cut as a compaction would.

    A compaction measures what it keeps beside the summary, which takes as long as reading the whole history; here
    half of the cap is taken for it.

    Args:
        messages: The history.
        costs: Tokens of each message.
        used: Tokens of the next request.
        ratio: What estimates are multiplied by.
        bounds: Lengths of the summary and of what is kept beside it.
        target: Tokens that the rebuilt request should not exceed.
        keep_users: From which user message, counted back from the newest, the tail is kept if it fits.
        pinned: Messages that the cut does not pass, by `uid`.

    Returns:
        Position of the first message that would stay as it is; 0 if no summary would help.
    """
    system = sum(cost for cost, message in zip(costs, messages, strict=True) if message.role == "system")
    beside = round((bounds.told_tokens + bounds.kept_tokens // 2) * ratio)
    fixed = max(0, used - sum(costs)) + system + beside
    cut = choose_cut(messages, costs, fixed, target, keep_users, round(bounds.kept_tokens * ratio), pinned)
    if cut is None or sum(costs[cut.start : cut.end]) - beside < used * LEAST_GAIN:
        return 0
    return cut.end
