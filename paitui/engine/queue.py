"""Messages that wait: queued ones for the end of the turn, steering ones for its next opening."""

from collections.abc import Callable
from dataclasses import dataclass, field

from paitui.engine.events import QueueChanged, QueuedMessage


@dataclass(slots=True)
class MessageQueue:
    """What the user typed while the agent worked. Every change is told, and so kept over a crash."""

    on_change: Callable[["MessageQueue"], None]
    queued: list[QueuedMessage] = field(default_factory=list)
    steering: list[str] = field(default_factory=list)
    _next_id: int = 1

    def restore(self, texts: list[str]) -> None:
        """Take up what a resumed session had waiting."""
        for text in texts:
            self._put(text)

    def add(self, text: str) -> None:
        """Queue a message for the end of the turn."""
        self._put(text)
        self.on_change(self)

    def steer(self, text: str) -> None:
        """Keep a message for the turn's next opening."""
        self.steering.append(text)
        self.on_change(self)

    def edit(self, message_id: int, text: str) -> None:
        """Replace a queued message, or remove it if the text is empty; an unknown id is ignored."""
        kept = [QueuedMessage(q.id, text if q.id == message_id else q.text) for q in self.queued]
        self.queued = [q for q in kept if q.text.strip()]
        self.on_change(self)

    def take_steering(self) -> list[str]:
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
            for text in missed:
                self._put(text)
            self.queued += waiting
            self.on_change(self)

    def first(self) -> QueuedMessage | None:
        """The message that is next in line."""
        return self.queued[0] if self.queued else None

    def drop_first(self) -> None:
        """Forget the first message: it stands in the history now."""
        del self.queued[0]
        self.on_change(self)

    @property
    def texts(self) -> list[str]:
        """Everything that waits, in the order in which it will run."""
        return [*self.steering, *(q.text for q in self.queued)]

    def event(self) -> QueueChanged:
        """The queue as the faces see it."""
        return QueueChanged(tuple(self.queued), tuple(self.steering))

    def _put(self, text: str) -> None:
        self.queued.append(QueuedMessage(self._next_id, text))
        self._next_id += 1
