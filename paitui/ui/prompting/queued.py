"""Taking queued messages back into the prompt, one after the other, to change or remove them where they stand."""

from collections.abc import Callable, Sequence
from typing import Protocol

from paitui.engine.events import QueuedMessage
from paitui.engine.ops import EditQueued, HoldQueued, Op
from paitui.ui.prompting.marks import Draft

Queue = Sequence[QueuedMessage]


class Host(Protocol):
    """What stands around the editing."""

    @property
    def content(self) -> Draft:
        """What stands in the prompt."""
        ...

    def put(self, draft: Draft) -> None:
        """Put another draft into the prompt."""
        ...

    def ask(self, op: Op) -> None:
        """Ask the worker for something."""
        ...

    def edits(self, message_id: int) -> None:
        """Show which message is edited; 0 for none."""
        ...


class QueueEditing:
    """While a message is in the prompt the worker holds it; the draft that was there comes back afterwards."""

    def __init__(self, host: Host, folded: Callable[[QueuedMessage], Draft]) -> None:
        self._host = host
        self._folded = folded
        self.message: QueuedMessage | None = None
        """What is edited."""
        self.aside = Draft()
        """The draft that was put aside for it."""

    def number(self, queue: Queue) -> int:
        """Where the message stands, from 1; 0 if it is gone, or none is edited."""
        places = (at for at, other in enumerate(queue, 1) if self.message and other.id == self.message.id)
        return next(places, 0)

    @property
    def unchanged(self) -> bool:
        """Whether the prompt holds the message as it was."""
        return self.message is not None and self._host.content.said() == (self.message.text, self.message.pasted)

    def go(self, step: int, queue: Queue) -> None:
        """To the message before (-1) or behind (1); from the draft to the last one, and behind that back to it."""
        if self.message is None:
            if step < 0 and queue:
                self.aside = self._host.content
                self._take(queue[-1])
            return
        to = self.number(queue) - 1 + step
        if to < 0:
            return
        aside = self.aside
        self.leave(HoldQueued(0) if self.unchanged else EditQueued(self.message.id, *self._host.content.said()))
        if to < len(queue):
            self.aside = aside
            self._take(queue[to])

    def put_back(self) -> None:
        """Leave it where it stands with its new text, or remove it if there is none."""
        if self.message is not None:
            self.leave(EditQueued(self.message.id, *self._host.content.said()))

    def remove(self) -> None:
        """Take it out of the queue."""
        if self.message is not None:
            self.leave(EditQueued(self.message.id, ""))

    def leave(self, op: Op) -> None:
        """End the editing with an op; the draft comes back."""
        self._host.ask(op)
        self._end()
        self._host.put(self.aside)

    def overtaken(self) -> Draft | None:
        """The message went out before it could be held.

        Returns:
            The draft that was put aside, if the prompt keeps what was changed; None if the draft came back.
        """
        changed = not self.unchanged and bool(self._host.content.text.strip())
        self._end()
        if changed:
            return self.aside
        self._host.put(self.aside)
        return None

    def _take(self, message: QueuedMessage) -> None:
        self.message = message
        self._host.ask(HoldQueued(message.id))
        self._host.edits(message.id)
        self._host.put(self._folded(message))

    def _end(self) -> None:
        self.message = None
        self._host.edits(0)
