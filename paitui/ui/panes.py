"""Which panes there are beside the chat; each is made when it is first opened, and kept from then on."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import ModalScreen

from paitui.clock import Clock
from paitui.ui.keymap import Keymap
from paitui.ui.look import Look
from paitui.ui.state import ViewState

if TYPE_CHECKING:  # no pane is needed for the first frame
    from textual.app import App

    from paitui.ui.screens.pane import PaneParts, PaneScreen

CHAT = "chat"
"""The action that leads back to the chat."""


def _context(parts: "PaneParts") -> "PaneScreen":
    from paitui.ui.screens.inspector import ContextInspector

    return ContextInspector(parts)


def _memory(parts: "PaneParts") -> "PaneScreen":
    from paitui.ui.screens.memory import MemoryBrowser

    return MemoryBrowser(parts)


def _ledger(parts: "PaneParts") -> "PaneScreen":
    from paitui.ui.screens.ledger import LedgerViewer

    return LedgerViewer(parts)


def _plan(parts: "PaneParts") -> "PaneScreen":
    from paitui.ui.screens.plan import PlanPane

    return PlanPane(parts)


def _sessions(parts: "PaneParts") -> "PaneScreen":
    from paitui.ui.screens.sessions import SessionBrowser

    return SessionBrowser(parts)


MAKERS: Mapping[str, Callable[["PaneParts"], "PaneScreen"]] = {
    "memory": _memory,
    "ledger": _ledger,
    "context": _context,
    "plan": _plan,
    "sessions": _sessions,
}
"""How each pane is made, by the name of the action that opens it, in the order of the tabs."""


BY_COMMAND = frozenset(MAKERS) - {"plan"}
"""Panes that the command of the same name opens; ``/plan`` has another meaning."""


class Panes:
    """The panes of one app."""

    def __init__(self, app: "App[int]", look: Look, keymap: Keymap, clock: Clock, ledgers: Path) -> None:
        self._app = app
        self._given = (look, keymap, clock, ledgers)
        self._made: dict[str, PaneScreen] = {}

    @property
    def current(self) -> "PaneScreen | None":
        """The pane that is in view, if only below a modal; None in the chat."""
        stack = self._app.screen_stack
        return next((pane for pane in self._made.values() if pane in stack), None)

    def open(self, name: str, state: ViewState) -> None:
        """Bring a pane into view; nothing happens below a modal.

        Args:
            name: Of the action that opens it.
            state: What there is to see.
        """
        pane, current = self._pane(name), self.current
        if pane is current or isinstance(self._app.screen, ModalScreen):
            return
        pane.open(state)
        if current is None:
            self._app.push_screen(pane)
        else:
            self._app.switch_screen(pane)

    def close(self) -> bool:
        """Go back to the chat.

        Returns:
            Whether a pane was in view.
        """
        if self.current is None or isinstance(self._app.screen, ModalScreen):
            return False
        self._app.pop_screen()
        return True

    def show(self, state: ViewState) -> None:
        """Draw another state, if a pane is in view."""
        if (current := self.current) is not None:
            current.show(state)

    def _pane(self, name: str) -> "PaneScreen":
        from paitui.ui.screens.pane import PaneParts

        if name not in self._made:
            pane = self._made[name] = MAKERS[name](PaneParts(*self._given, tabs=(CHAT, *MAKERS)))
            self._app.install_screen(pane, name)  # so that it is kept when it goes out of view
        return self._made[name]
