"""The terminal's driver: reads keys however terminals send them, and ends well when the terminal goes away."""

import codecs
import os
import selectors
import signal
import sys
from typing import TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

from paitui.ui.keys import InputParser

if TYPE_CHECKING:
    from textual.app import App

    from paitui.ui.contact import Heard

READ_BYTES = 65_536
MODIFY_OTHER_ON = "\x1b[>4;1m\x1b[m"
"""Asks xterm and tmux to tell Shift+Enter from Enter. If ``>`` is overlooked, it sets attributes: hence its end."""
MODIFY_OTHER_OFF = "\x1b[>4m\x1b[m"


class SteadyDriver(LinuxDriver):
    """Ends the program in order when the terminal is gone, also where nobody says so by a signal.

    Textual writes in a thread of its own and reads in another. When the first fails, its queue fills and the program
    would wait for room in it for ever; when the second fails, it would be told as a fault of the program.

    It reads by itself: Textual's own reading ends for good at a byte that is no UTF-8, and its parser at a key that
    is reported with its release.
    """

    _gone = False

    def __init__(
        self, app: "App[Any]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._heard: Heard | None = getattr(app, "heard", None)
        self._heard_once = self._heard  # what was typed before the first reading; there may be others
        if sys.__stdout__ is not None and (self._file is None or not self._file.isatty()):
            self._file = sys.__stdout__  # standard error was sent elsewhere

    def write(self, data: str) -> None:
        """Hand text to the writing thread, unless that is over."""
        if self._writer_thread is None or self._writer_thread.is_alive():
            super().write(data)
        else:
            self._end()

    def start_application_mode(self) -> None:
        """Take the terminal over."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._heard is not None and self.attrs_before is not None and self._heard.attributes is not None:
            self.attrs_before = self._heard.attributes  # the line is in raw mode already, since it was asked things
        if self._asks_for_keys:
            self.write(MODIFY_OTHER_ON)

    def stop_application_mode(self) -> None:
        """Give the terminal back."""
        if self._asks_for_keys:
            self.write(MODIFY_OTHER_OFF)
        super().stop_application_mode()

    @property
    def _asks_for_keys(self) -> bool:
        """Whether to ask for the older of the two newer ways: not beside the other, nor where it draws lines."""
        kitty = self._heard is not None and self._heard.extended
        return not kitty and os.environ.get("TERM_PROGRAM") != "Apple_Terminal" and os.environ.get("TERM") != "linux"

    def run_input_thread(self) -> None:
        """Read until the terminal is let go of, or gone."""
        try:
            self._read_keys()
        except OSError:
            self._end()
        except Exception as error:  # told like any other fault; Textual's way shows all there is on the terminal
            self._app.call_later(self._app._handle_exception, error)

    def _read_keys(self) -> None:
        heard, self._heard_once = self._heard_once, None
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        parser = InputParser(self._debug, heard.awaited if heard else 0)
        data = heard.typed if heard else b""
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                text, data = decode(data), b""
                for event in parser.feed(text) if text else parser.tick():
                    self.process_message(event)
                if selector.select(parser.patience):
                    data = os.read(self.fileno, READ_BYTES)
                    if not data:
                        self._end()
                        return

    def _end(self) -> None:
        if not self._gone:
            self._gone = True
            os.kill(os.getpid(), signal.SIGHUP)  # as the system does for a program that still belongs to it
