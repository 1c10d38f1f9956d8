"""Messages that wait: queued ones for the end of the turn, steering ones for its next opening."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from paitui.engine.events import QueueChanged, QueuedMessage
from paitui.messages.message import Spans

Said = tuple[str, Spans]
"""A text, and what of it was pasted."""


@dataclass(slots=True)
class MessageQueue:
    """What the user typed while the agent worked. Every change is told, and so kept over a crash."""

    on_change: Callable[["MessageQueue"], None]
    queued: list[QueuedMessage] = field(default_factory=list)
    steering: list[Said] = field(default_factory=list)
    held_id: int = 0
    """A message that is being edited: it and those behind it stay where they are."""
    _next_id: int = 1

    def restore(self, waiting: Iterable[Said]) -> None:
        """Take up what a resumed session had waiting."""
        for text, pasted in waiting:
            self._put(text, pasted)

    def add(self, text: str, pasted: Spans = ()) -> None:
        """Queue a message for the end of the turn."""
        self._put(text, pasted)
        self.on_change(self)

    def steer(self, text: str, pasted: Spans = ()) -> None:
        """Keep a message for the turn's next opening."""
        self.steering.append((text, pasted))
        self.on_change(self)

    def edit(self, message_id: int, text: str, pasted: Spans = ()) -> None:
        """Replace a queued message, or remove it if the text is empty; an unknown id is ignored."""
        edited = QueuedMessage(message_id, text, pasted)
        kept = [edited if message.id == message_id else message for message in self.queued]
        self.queued = [message for message in kept if message.text.strip()]
        if self.held_id == message_id:
            self.held_id = 0
        self.on_change(self)

    def hold(self, message_id: int) -> None:
        """Keep a message from being run; 0 lets go of the one that is held."""
        self.held_id = message_id

    def take_steering(self) -> list[Said]:
        """Give the steering messages, and forget them once `commit` is called."""
        return list(self.steering)

    def commit_steering(self, count: int) -> None:
        """Forget the first steering messages: they stand in the history now."""
        del self.steering[:count]
        self.on_change(self)

    def steering_missed(self) -> None:
        """The turn ended without an opening: what should have steered it is next in line."""
        if self.steering:
            missed, self.steering = self.steering, []
            waiting, self.queued = self.queued, []
            for text, pasted in missed:
                self._put(text, pasted)
            self.queued += waiting
            self.on_change(self)

    def first(self) -> QueuedMessage | None:
        """The message that is next in line, unless it is held."""
        first = self.queued[0] if self.queued else None
        return None if first is None or first.id == self.held_id else first

    def drop_first(self) -> None:
        """Forget the first message: it stands in the history now."""
        del self.queued[0]
        self.on_change(self)

    @property
    def waiting(self) -> list[Said]:
        """Everything that waits, in the order in which it will run."""
        return [*self.steering, *((message.text, message.pasted) for message in self.queued)]

    @property
    def texts(self) -> list[str]:
        """The texts of all that waits."""
        return [text for text, _ in self.waiting]

    def event(self) -> QueueChanged:
        """The queue as the faces see it."""
        return QueueChanged(tuple(self.queued), tuple(text for text, _ in self.steering))

    def _put(self, text: str, pasted: Spans) -> None:
        self.queued.append(QueuedMessage(self._next_id, text, pasted))
        self._next_id += 1
