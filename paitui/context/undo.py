"""Taking back a clear or a compaction: how the history was, as a step that can be kept and checked.

A step names by `uid` what still stands unchanged afterwards, and holds the rest; two hashes make sure that what
comes back is what was there, byte for byte.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from paitui.jsontext import encode
from paitui.messages.codec import from_record, to_record
from paitui.messages.message import Message
from paitui.messages.validity import repair

UndoKind = Literal["offload", "clear", "summary"]
UndoFault = Literal["changed", "damaged"]
"""``changed``: the history was changed since, so that the step no longer fits. ``damaged``: what was kept of the
earlier history is not what it was."""


class CannotUndo(Exception):
    """A step cannot be taken back; the history is as it was.

    Attributes:
        fault: Why.
    """

    def __init__(self, fault: UndoFault) -> None:
        super().__init__(fault)
        self.fault: UndoFault = fault


@dataclass(frozen=True, slots=True)
class UndoStep:
    """How a history was before something shortened it."""

    kind: UndoKind
    before: int
    """Tokens before."""
    after: int
    """Tokens afterwards."""
    items: tuple[int | Message, ...]
    """The history before: the `uid` of what stands unchanged afterwards, else the message."""
    length_after: int
    """Messages afterwards; what stands behind them came since."""
    hash_before: str
    hash_after: str


def fingerprint(messages: Sequence[Message]) -> str:
    """A hash over everything of every message."""
    digest = hashlib.sha256()
    for message in messages:
        digest.update(encode(to_record(message)) + b"\n")
    return digest.hexdigest()


def undo_step(kind: UndoKind, old: Sequence[Message], new: Sequence[Message], before: int, after: int) -> UndoStep:
    """Remember how a history was.

    Args:
        kind: What was done.
        old: The history before.
        new: The history afterwards, every message with its `uid`.
        before: Tokens before.
        after: Tokens afterwards.
    """
    stands = {message.uid: message for message in new}
    items = tuple(message.uid if stands.get(message.uid) == message else message for message in old)
    return UndoStep(kind, before, after, items, len(new), fingerprint(old), fingerprint(new))


def undone(step: UndoStep, messages: Sequence[Message]) -> list[Message]:
    """Give the history from before a step, with what came since.

    Args:
        step: The last thing that shortened the history.
        messages: The history as it is.

    Returns:
        The earlier history exactly, then the later messages; calls among these whose ids stand in the earlier part
        (providers repeat ids) are renamed together with their answers.

    Raises:
        CannotUndo: It would not be exact.
    """
    stands = messages[: step.length_after]
    if len(stands) != step.length_after or fingerprint(stands) != step.hash_after:
        raise CannotUndo("changed")
    by_uid = {message.uid: message for message in stands}
    earlier: list[Message] = []
    for item in step.items:
        message = by_uid.get(item) if isinstance(item, int) else item
        if message is None:
            raise CannotUndo("damaged")
        earlier.append(message)
    if fingerprint(earlier) != step.hash_before:
        raise CannotUndo("damaged")
    restored = repair([*earlier, *messages[step.length_after :]])
    if restored[: len(earlier)] != earlier:
        raise CannotUndo("damaged")
    return restored


def step_to_record(step: UndoStep) -> dict[str, Any]:
    """Give a step as a JSON-ready object."""
    return {
        "kind": step.kind,
        "before": step.before,
        "after": step.after,
        "items": [item if isinstance(item, int) else to_record(item) for item in step.items],
        "length_after": step.length_after,
        "hash_before": step.hash_before,
        "hash_after": step.hash_after,
    }


def step_from_record(record: Mapping[str, Any]) -> UndoStep:
    """Read what `step_to_record` wrote.

    Raises:
        ValueError: It is not that.
    """
    try:
        kind = record["kind"]
        if kind not in ("offload", "clear", "summary"):
            raise ValueError(f"unknown kind: {kind!r}")
        return UndoStep(
            kind,
            int(record["before"]),
            int(record["after"]),
            tuple(item if isinstance(item, int) else from_record(item) for item in record["items"]),
            int(record["length_after"]),
            str(record["hash_before"]),
            str(record["hash_after"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("no undo step") from error
