"""The signals that end a program, handed to the event loop instead."""

import asyncio
import signal
from collections.abc import Callable


def caught(stop: Callable[[], None], names: tuple[str, ...] = ("SIGINT", "SIGTERM", "SIGHUP")) -> Callable[[], None]:
    """Have signals call `stop` on the running loop.

    Args:
        stop: Called once per signal.
        names: Which signals; those that the system lacks are left out.

    Returns:
        What undoes it.
    """
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    previous = {number: signal.getsignal(number) for number in numbers}
    # signal.signal and not loop.add_signal_handler, which Windows lacks.
    for number in numbers:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))

    def undo() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    return undo
