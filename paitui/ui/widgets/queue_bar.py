"""What was sent while the agent works, as rows above the prompt."""

from paitui.ui.keymap import Keymap, label
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.render.prompting import queue_rows
from paitui.ui.state import ViewState
from paitui.ui.widgets.chrome import StateWidget


class QueueBar(StateWidget):
    """Steering and queue, told apart and numbered; the message that is being edited stands out."""

    def __init__(self, look: Look, keymap: Keymap) -> None:
        super().__init__(look, id="queue")
        self._keymap = keymap
        self._editing = 0

    def watched(self, state: ViewState) -> tuple[object, ...]:
        """What waits."""
        return (state.queued, state.steering, state.held)

    def editing(self, message_id: int) -> None:
        """Which message is in the prompt; 0 for none."""
        if message_id != self._editing:
            self._editing = message_id
            self.redraw()

    def draw(self, total: int) -> list[Line]:
        """One row a message."""
        edit = (label(self._keymap.keys("take_back")[0]), self.look.words("prompt.queue_edit"))
        return queue_rows(self.state, self._editing, edit, self.look, total)
