"""How far a memory can be relied on: who confirmed it, and how long ago."""

from datetime import datetime, timedelta
from typing import Literal

State = Literal["unconfirmed", "stale", "fresh"]
STALE_AFTER = timedelta(days=30)


def is_stale(
    written: datetime | None, verified: datetime | None, now: datetime, after: timedelta = STALE_AFTER
) -> bool:
    """Whether a memory was neither written nor verified lately.

    Args:
        written: When it was written, None if unknown.
        verified: When the user last verified it, None if never.
        now: The present time.
        after: Age from which on it is stale; exactly this age is still fresh.

    Returns:
        True if older, and where neither time is known. A time in the future (another machine's clock) counts as
        fresh.
    """
    last = verified or written
    return last is None or now - last > after


def state(
    written: datetime | None,
    verified: datetime | None,
    confirmed: bool,
    now: datetime,
    after: timedelta = STALE_AFTER,
) -> State:
    """The state that the browser and the model are told.

    Args:
        written: When the memory was written, None if unknown.
        verified: When the user last verified it, None if never.
        confirmed: False for an extracted memory that the user has not confirmed yet.
        now: The present time.
        after: Age from which on it is stale.

    Returns:
        ``unconfirmed`` before ``stale`` before ``fresh``.
    """
    if not confirmed:
        return "unconfirmed"
    return "stale" if is_stale(written, verified, now, after) else "fresh"
