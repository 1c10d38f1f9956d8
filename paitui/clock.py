"""The one clock. Everything that needs the time is handed one, so that tests decide what time it is."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic time for durations."""

    def now(self) -> datetime:
        """Current UTC time, timezone-aware."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Current UTC time, timezone-aware."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        return time.monotonic()


@dataclass
class FixedClock:
    """A clock that moves only when told to; for tests and replays."""

    time: datetime
    """What `now` returns, timezone-aware."""
    seconds: float = 0.0
    """What `monotonic` returns."""

    def now(self) -> datetime:
        """The fixed UTC time."""
        return self.time

    def monotonic(self) -> float:
        """The fixed seconds."""
        return self.seconds


def read_time(text: str) -> datetime | None:
    """Read a recorded time; None if it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def told_time(text: str, now: datetime) -> str:
    """A recorded time as the user's own clock showed it: to the minute, with the date if that is not today's."""
    found = read_time(text)
    if found is None:
        return text
    local = found.astimezone()
    return f"{local:%H:%M}" if local.date() == now.astimezone().date() else f"{local:%m-%d %H:%M}"


def iso(moment: datetime) -> str:
    """Format a time for a record: ISO-8601, UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
