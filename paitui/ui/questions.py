"""When a question in a box may come up (memory, a plan, the project): never under the fingers of somebody typing."""

from typing import TYPE_CHECKING

from textual.screen import ModalScreen
from textual.timer import Timer

from paitui.clock import Clock
from paitui.engine.events import MemoryAsked, PlanProposed, ProjectAsked
from paitui.ui.keymap import Keymap
from paitui.ui.look import Look
from paitui.ui.state import ViewState
from paitui.ui.widgets.approval import GRACE_S

if TYPE_CHECKING:  # not needed for the first frame
    from paitui.ui.app import PaituiApp
    from paitui.ui.modals.conflict import MemoryQuestion
    from paitui.ui.modals.plan_review import PlanReview
    from paitui.ui.modals.trust import ProjectQuestion


class Questions:
    """Opens and closes the questions of one app, one at a time."""

    def __init__(self, app: "PaituiApp", look: Look, keymap: Keymap, clock: Clock) -> None:
        self._app = app
        self._look = look
        self._keymap = keymap
        self._clock = clock
        self._last_key = clock.monotonic() - GRACE_S
        self._waiting: Timer | None = None
        self._open: MemoryQuestion | PlanReview | ProjectQuestion | None = None
        self._answered: set[str] = set()

    def key(self) -> None:
        """Note that a key was pressed, whatever it was."""
        self._last_key = self._clock.monotonic()

    def show(self, state: ViewState) -> None:
        """Take away what is settled, and let come up what waits once nobody types."""
        asked = {one.id for one in _asked(state)}
        self._answered &= asked
        if self._open is not None and self._open.asked.id not in asked:
            if self._open.is_current:
                self._open.dismiss(None)
            self._open = None
        if self._due(state) is not None and self._waiting is None:
            self._wait()

    def open_now(self) -> bool:
        """Bring the question up: the user wants to answer.

        Returns:
            Whether there is one.
        """
        from paitui.ui.modals.conflict import MemoryQuestion
        from paitui.ui.modals.plan_review import PlanReview
        from paitui.ui.modals.trust import ProjectQuestion

        asked = self._due(self._app.state)
        if asked is None or isinstance(self._app.screen, ModalScreen):
            return False
        typing = self._app.screen is self._app.chat
        if isinstance(asked, ProjectAsked):
            self._open = ProjectQuestion(asked, self._look, self._keymap, self._clock, typing)
        elif isinstance(asked, PlanProposed):
            self._open = PlanReview(asked, self._look, self._keymap, self._clock, typing)
        else:
            self._open = MemoryQuestion(asked, self._look, self._keymap, self._clock, typing)
        self._app.push_screen(self._open, self._closed)
        return True

    def _due(self, state: ViewState) -> MemoryAsked | PlanProposed | ProjectAsked | None:
        if self._open is not None or state.phase in ("closing", "closed"):
            return None
        return next((one for one in _asked(state) if one.id not in self._answered), None)

    def _closed(self, _: None) -> None:
        if self._open is not None:
            if self._open.decided:
                self._answered.add(self._open.asked.id)
            self._open = None
        self.show(self._app.state)

    def _wait(self) -> None:
        self._waiting = self._app.set_timer(GRACE_S, self._look_around)

    def _look_around(self) -> None:
        self._waiting = None
        if self._due(self._app.state) is None or not self._app.screen_stack:  # it is being closed
            return
        chat = self._app.chat
        calm = self._clock.monotonic() - self._last_key >= GRACE_S
        if self._app.screen is chat:
            calm = calm and chat.calm
        if not calm or not self.open_now():
            self._wait()


def _asked(state: ViewState) -> tuple[MemoryAsked | PlanProposed | ProjectAsked, ...]:
    """What waits for the user; the project comes last, since nothing else waits for it."""
    plan = (state.proposal,) if state.proposal is not None else ()
    return (*state.memory_asked, *plan, *((state.project_asked,) if state.project_asked is not None else ()))
