"""Calling the user back when something waits for them, or a long task is over, and they look elsewhere."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.events import AppBlur, AppFocus, Key, MouseDown, Paste
from textual.events import Event as InputEvent

from paitui.clock import Clock
from paitui.locale import Words
from paitui.ui.door import line
from paitui.ui.state import ViewState

if TYPE_CHECKING:  # it holds one of these
    from paitui.ui.app import PaituiApp

LONG_TASK_S = 20.0
"""Seconds from which the end of a task is worth a call; somebody is still looking at shorter ones."""
AWAY_S = 30.0
"""Without reports of its focus, a terminal counts as left alone this many seconds after the last key."""
_BELL = "\x07"
_SHOWS_TEXT = ("iTerm.app", "WezTerm", "ghostty", "vscode", "WarpTerminal", "rio")
"""Names in ``TERM_PROGRAM`` of terminals that show the text of OSC 9 as a notification of the desktop."""


def way(setting: str, environment: Mapping[str, str]) -> str:
    """Choose how to call.

    Args:
        setting: ``auto``, ``bell``, ``desktop`` or ``off``.
        environment: The process environment, which names the terminal.

    Returns:
        ``bell``, ``desktop`` (OSC 9 with a text, which tmux and others swallow) or ``off``.
    """
    if setting != "auto":
        return setting if setting in ("bell", "desktop") else "off"
    if environment.get("TMUX"):
        return "bell"
    known = environment.get("TERM_PROGRAM") in _SHOWS_TEXT or environment.get("WT_SESSION")
    return "desktop" if known or environment.get("TERM", "") in ("xterm-kitty", "xterm-ghostty") else "bell"


def reason(before: ViewState, after: ViewState, seconds: float) -> str:
    """Say what the user should be called for.

    Args:
        before: What there was to see.
        after: What there is now.
        seconds: How long the task has been running.

    Returns:
        ``waits`` for an approval or another question, ``done`` for the end of a long task; empty for neither.
    """
    if _asked(after) - _asked(before):
        return "waits"
    ended = before.working and not after.working and after.phase == "idle"
    return "done" if ended and seconds >= LONG_TASK_S else ""


def _asked(state: ViewState) -> set[str]:
    plan = {state.proposal.id} if state.proposal is not None else set()
    return {one.id for one in state.approvals} | {one.id for one in state.memory_asked} | plan


class Attention:
    """Watches whether the user is there, and calls if not."""

    def __init__(self, app: "PaituiApp", words: Words, clock: Clock, project: str, how: str) -> None:
        self._app = app
        self._words = words
        self._clock = clock
        self._project = project
        self._how = how
        self._last_key = clock.monotonic()
        self._began = self._last_key
        self._reports_focus = False

    def heard(self, event: InputEvent) -> None:
        """Note a sign of life, or what the terminal says of its focus."""
        if isinstance(event, Key | Paste | MouseDown):
            self._last_key = self._clock.monotonic()
        elif isinstance(event, AppBlur | AppFocus):
            self._reports_focus = True

    def show(self, before: ViewState, after: ViewState) -> None:
        """Call if what changed asks for the user, and nobody looks."""
        now = self._clock.monotonic()
        if after.working and not before.working:
            self._began = now
        why = reason(before, after, now - self._began)
        if why and self._how != "off" and self._is_away(now):
            text = line(self._words(f"attention.{why}", project=self._project))
            self._app.ring(f"\x1b]9;{text}{_BELL}" if self._how == "desktop" else _BELL)

    def _is_away(self, now: float) -> bool:
        if self._reports_focus:
            return not self._app.app_focus
        return now - self._last_key >= AWAY_S
