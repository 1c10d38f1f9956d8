"""The terminal's driver, for bytes that are no text, and for the day the terminal goes away."""

import codecs
import os
import signal
from functools import partial

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from paitui.ui.pasting import PasteParser


def _forgiving(encoding: str) -> "partial[codecs.IncrementalDecoder]":
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


# One byte that is no UTF-8, from a paste or a terminal of another encoding, ends Textual's reading for good. Its
# reader has no setting for that. To start it anew would not do: it would forget that it was in the middle of a paste.
vars(linux_driver)["getincrementaldecoder"] = _forgiving
# Nor has it one for the parser.
vars(linux_driver)["XTermParser"] = PasteParser


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
        except Exception as error:  # told like any other fault; Textual's way shows all there is on the terminal
            self._app.call_later(self._app._handle_exception, error)

    def _end(self) -> None:
        if not self._gone:
            self._gone = True
            os.kill(os.getpid(), signal.SIGHUP)  # as the system does for a program that still belongs to it
