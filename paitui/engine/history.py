"""THE list. What a unit sends is this list, and nothing else keeps a copy that could drift from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from paitui.messages.message import Message, Usage


class Recorder(Protocol):
    """Writes down what happens to a history, for resuming and for audit; never raises."""

    def appended(self, unit: str, message: Message, usage: Usage | None = None) -> None:
        """A message entered at the end; of an answer with what was reported for its request."""
        ...

    def rewritten(self, unit: str, replaced: Mapping[int, Message]) -> None:
        """Messages were put in place of those with the same `uid`."""
        ...

    def rebuilt(self, unit: str, messages: Sequence[Message]) -> None:
        """The whole list was put in place of another."""
        ...


class History:
    """The messages of one unit, in the order in which they are sent.

    Args:
        unit: Name of the execution unit that owns it.
        recorder: Is told of every change, after it was made.
        next_uid: Gives each new message its identity.
        messages: What a resumed session brings along.
    """

    def __init__(
        self, unit: str, recorder: Recorder, next_uid: Callable[[], int], messages: Iterable[Message] = ()
    ) -> None:
        self.unit = unit
        self._recorder = recorder
        self._next_uid = next_uid
        self._messages = list(messages)
        self._rewrites = 0

    @property
    def messages(self) -> Sequence[Message]:
        """The list; read it, do not change it."""
        return self._messages

    @property
    def rewrites(self) -> int:
        """How often something before the end was changed; a cached count of the prefix holds while it stays."""
        return self._rewrites

    def append(self, message: Message, usage: Usage | None = None) -> Message:
        """Add a message at the end.

        Args:
            message: The message.
            usage: For an answer: what the provider reported for the request, to be written down with it.

        Returns:
            The message with its `uid`.
        """
        message = replace(message, uid=self._next_uid())
        self._messages.append(message)
        self._recorder.appended(self.unit, message, usage)
        return message

    def rewrite(self, replaced: Mapping[int, Message]) -> None:
        """Put messages in place of those with the same `uid`; order and number stay."""
        self._messages = [replaced.get(message.uid, message) for message in self._messages]
        self._rewrites += 1
        self._recorder.rewritten(self.unit, replaced)

    def rebuild(self, messages: Iterable[Message]) -> None:
        """Put another list in place; messages without a `uid` get one."""
        self._messages = [m if m.uid else replace(m, uid=self._next_uid()) for m in messages]
        self._rewrites += 1
        self._recorder.rebuilt(self.unit, self._messages)
