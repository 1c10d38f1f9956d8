"""Signals that ask the screen to end: the session is closed and the terminal given back, as when the user leaves."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE_S = 10
"""If the program still runs this long after such a signal, the system ends it."""


@contextmanager
def told_by_signals(end: Callable[[], None]) -> Iterator[list[int]]:
    """Have `end` called when the program is asked to end, as long as the block runs.

    A second request ends the program at once. A terminal that is gone may say so more than once. Where the end does
    not come, because such a terminal blocks whoever writes to it, the system brings it.

    Args:
        end: Called at any moment, in the main thread.

    Yields:
        The signals that came.
    """
    came: list[int] = []
    hangup = getattr(signal, "SIGHUP", None)

    def told(number: int, frame: FrameType | None) -> None:
        if number == hangup and number in came:
            return  # said again before it could be ignored: the system and the reading thread say it at one moment
        came.append(number)
        signal.signal(number, signal.SIG_IGN if number == hangup else signal.SIG_DFL)
        if hasattr(signal, "alarm"):
            signal.alarm(PATIENCE_S)
        end()

    names = ("SIGTERM", "SIGHUP", "SIGQUIT") if threading.current_thread() is threading.main_thread() else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    previous = {number: signal.getsignal(number) for number in numbers}
    for number in previous:
        signal.signal(number, told)
    try:
        yield came
    finally:
        if came and hasattr(signal, "alarm"):
            signal.alarm(0)
        for number, old in previous.items():
            signal.signal(number, old)
