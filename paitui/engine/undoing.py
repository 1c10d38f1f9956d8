"""The steps that `Undo` can take back, kept with the session so that they survive a restart."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from paitui.context.undo import CannotUndo, UndoKind, UndoStep, step_from_record, step_to_record, undo_step, undone
from paitui.engine.recorder import SessionRecorder
from paitui.messages.message import Message

STEPS = 3
"""So many steps can be taken back, one after another: often a clear comes just before a summary."""


Restored = tuple[UndoStep, list[Message]] | Literal["nothing", "changed", "damaged"]
"""A step with the history from before it, or why there is none."""


class UndoLog:
    """The last steps of one unit.

    Args:
        recorder: Keeps them with the session's state.
        unit: Whose history.
    """

    def __init__(self, recorder: SessionRecorder, unit: str) -> None:
        self._recorder = recorder
        self._name = f"undo:{unit}"
        kept = recorder.base.extra.get(self._name, ())
        self._records: list[Mapping[str, Any]] = [r for r in kept if isinstance(r, Mapping)]
        self._looked: tuple[Mapping[str, Any] | None, int, Restored] | None = None

    def push(self, kind: UndoKind, old: Sequence[Message], new: Sequence[Message], before: int, after: int) -> None:
        """Remember how a history was before it was shortened."""
        step = undo_step(kind, old, new, before, after)
        self._keep([*self._records, step_to_record(step)][-STEPS:])

    def restored(self, messages: Sequence[Message]) -> Restored:
        """What taking the last step back would give.

        Args:
            messages: The history as it is.

        Returns:
            The step and the history from before it, or why there is none.
        """
        if not self._records:
            return "nothing"
        try:
            step = step_from_record(self._records[-1])
            return step, undone(step, messages)
        except ValueError:
            return "damaged"
        except CannotUndo as cannot:
            return cannot.fault

    def earlier(self, messages: Sequence[Message], rewrites: int) -> Restored:
        """What taking the last step back would give, for looking at: asked again, it costs only what came since.

        Args:
            messages: The history as it is.
            rewrites: How often something before its end was changed.
        """
        last = self._records[-1] if self._records else None
        if self._looked is None or self._looked[0] is not last or self._looked[1] != rewrites:
            self._looked = (last, rewrites, self.restored(messages))
        found = self._looked[2]
        if not isinstance(found, tuple):
            return found
        step, restored = found
        return step, [*restored[: len(step.items)], *messages[step.length_after :]]

    def drop_last(self) -> None:
        """The last step was taken back."""
        self._keep(self._records[:-1])

    def forget(self) -> None:
        """Nothing can be taken back any more."""
        if self._records:
            self._keep([])

    def _keep(self, records: list[Mapping[str, Any]]) -> None:
        self._records = records
        self._recorder.set_extra(self._name, records or None)
