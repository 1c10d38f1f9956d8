"""Everything that the next step of a session depends on, and the small changes it is made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from paitui.messages.message import Message, Spans

Key = Literal["model", "trust", "turn", "next_uid", "queue", "approvals"]
"""Parts of the state that are replaced as a whole."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as plain data."""

    session: str
    """Id, and name of the session's folder."""
    project: str
    """Resolved path of the project."""
    created: str
    """UTC, ISO-8601."""
    model: str
    """Name of the model as the user chose it."""
    units: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)
    """The history of each unit: ``react``, plan task ids, team roles."""
    next_uid: int = 1
    """The uid that the next message gets; above every uid in use."""
    turn: int = 0
    """Number of the last turn that began."""
    queue: tuple[tuple[int, str, Spans], ...] = ()
    """Messages that wait to be sent: id, text, and what of it was pasted."""
    approvals: tuple[str, ...] = ()
    """What is always allowed in this session."""
    trust: str = ""
    """Why the session counts as touched by external content; empty if it does not."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Plain data by name for what comes with more modes: plan state, undo state."""


@dataclass(frozen=True, slots=True)
class Append:
    """A message enters the end of a history."""

    unit: str
    message: Message


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Messages of a history are replaced where they stand (offload, clear)."""

    unit: str
    replaced: Mapping[int, Message]
    """New message by the uid of the old one; the new one keeps the uid."""


@dataclass(frozen=True, slots=True)
class ReplaceAll:
    """A whole history is replaced (summary, undo, `/clear`)."""

    unit: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """One part of the state is replaced."""

    key: Key
    value: Any
    """In the type of the field of `SessionState`."""


@dataclass(frozen=True, slots=True)
class SetExtra:
    """One entry of `SessionState.extra` is replaced, or removed by None."""

    name: str
    value: Any


Change = Append | Rewrite | ReplaceAll | Set | SetExtra


class Replay:
    """A state that changes are applied to, each at a cost that does not depend on the length of the history.

    A history is a list here; `state` gives the frozen result.
    """

    def __init__(self, start: SessionState) -> None:
        self._fixed = start
        self._units = {unit: list(messages) for unit, messages in start.units.items()}
        self._extra = dict(start.extra)
        self._places: dict[str, dict[int, int]] = {}
        self._next_uid = start.next_uid
        self.unmatched = 0
        """Replaced messages that were not found; above 0 the records do not fit the histories."""

    def apply(self, change: Change) -> None:
        """Apply one change."""
        match change:
            case Append(unit, message):
                messages = self._units.setdefault(unit, [])
                if unit in self._places:
                    self._places[unit][message.uid] = len(messages)
                messages.append(message)
                self._saw([message])
            case Rewrite(unit, replaced):
                self._rewrite(unit, replaced)
            case ReplaceAll(unit, messages):
                self._units[unit] = list(messages)
                self._places.pop(unit, None)
                self._saw(messages)
            case Set("next_uid", value):
                self._next_uid = max(self._next_uid, value)
            case Set(key, value):
                self._fixed = replace(self._fixed, **{key: value})
            case SetExtra(name, None):
                self._extra.pop(name, None)
            case SetExtra(name, value):
                self._extra[name] = value

    def state(self) -> SessionState:
        """Give the state as it is now."""
        return replace(
            self._fixed,
            units={unit: tuple(messages) for unit, messages in self._units.items()},
            next_uid=self._next_uid,
            extra=dict(self._extra),
        )

    def _rewrite(self, unit: str, replaced: Mapping[int, Message]) -> None:
        messages = self._units.setdefault(unit, [])
        if unit not in self._places:
            self._places[unit] = {message.uid: at for at, message in enumerate(messages)}
        for uid, message in replaced.items():
            at = self._places[unit].get(uid)
            if at is None:
                self.unmatched += 1
            else:
                messages[at] = message

    def _saw(self, messages: Iterable[Message]) -> None:
        # A uid is never given twice, whatever became of the record that counted it.
        self._next_uid = max((self._next_uid, *(message.uid + 1 for message in messages)))


def apply(state: SessionState, change: Change) -> SessionState:
    """Give the state after a change; the old one stays as it is."""
    replay = Replay(state)
    replay.apply(change)
    return replay.state()
