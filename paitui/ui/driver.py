"""The terminal's driver, for the day the terminal goes away: the window was closed, the connection was cut."""

import os
import signal

from textual.drivers.linux_driver import LinuxDriver


class SteadyDriver(LinuxDriver):
    """Ends the program in order when the terminal is gone, also where nobody says so by a signal.

    Textual writes in a thread of its own and reads in another. When the first fails, its queue fills and the program
    would wait for room in it for ever; when the second fails, it would be told as a fault of the program.
    """

    _gone = False

    def write(self, data: str) -> None:
        """Hand text to the writing thread, unless that is over."""
        if self._writer_thread is None or self._writer_thread.is_alive():
            super().write(data)
        else:
            self._end()

    def run_input_thread(self) -> None:
        """Read until the terminal is let go of, or gone."""
        try:
            super().run_input_thread()
        except OSError:
            self._end()

    def _end(self) -> None:
        if not self._gone:
            self._gone = True
            os.kill(os.getpid(), signal.SIGHUP)  # as the system does for a program that still belongs to it
