"""Writes down what happens: for resuming (the session's store) and for audit (the raw ledger).

The work goes on when a disk is full: each kind of record says so once, and again only after it worked in between.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from paitui.engine.events import Boundary, Event, Notice, TrustChanged, TurnEnded
from paitui.ledger.writer import LedgerError, LedgerWriter
from paitui.messages.message import Message, ToolCall, Usage
from paitui.session.state import Append, Change, Key, ReplaceAll, Rewrite, SessionState, Set, SetExtra
from paitui.session.store import SessionError, SessionStore
from paitui.tools.base import Effect
from paitui.trust.external import External

MAIN_UNIT = "react"
"""Name of the main agent's unit."""
_WHY = {
    "clear": "over the clear threshold",
    "offload": "over the limit of one result",
    "summary": "over the summary threshold",
}


@dataclass(slots=True)
class SessionRecorder:
    """The recorder of a session; `paitui.engine.history.Recorder` for its histories, and more."""

    store: SessionStore
    ledger: LedgerWriter
    emit: Callable[[Event], None]
    base: SessionState
    """The state without the histories; `set` keeps it true."""
    histories: dict[str, Callable[[], Sequence[Message]]] = field(default_factory=dict)
    """Give the live histories, for a snapshot."""

    def appended(self, unit: str, message: Message, usage: Usage | None = None) -> None:
        """A message entered a history."""
        self._save(Append(unit, message))
        self._log(lambda: self.ledger.message(unit, message, usage))

    def rewritten(self, unit: str, replaced: Mapping[int, Message]) -> None:
        """Messages of a history were put in place of others."""
        self._save(Rewrite(unit, dict(replaced)))

    def rebuilt(self, unit: str, messages: Sequence[Message]) -> None:
        """A history was put in place of another."""
        self._save(ReplaceAll(unit, tuple(messages)))

    def set(self, key: Key, value: Any) -> None:
        """A part of the state changed."""
        self.base = replace(self.base, **{key: value})
        self._save(Set(key, value))

    def set_extra(self, name: str, value: Any) -> None:
        """A named part of the state changed; None removes it."""
        extra = {key: old for key, old in self.base.extra.items() if key != name}
        self.base = replace(self.base, extra=extra if value is None else {**extra, name: value})
        self._save(SetExtra(name, value))

    def boundary(
        self, boundary: Boundary, touched: Mapping[int, Message], unit: str = MAIN_UNIT, why: str = ""
    ) -> None:
        """A history was shortened.

        Args:
            boundary: What happened.
            touched: The messages taken out or changed, by uid, each with what stands there now.
            unit: Whose history.
            why: What made it happen; the usual cause if empty.
        """
        texts = [boundary.text] if boundary.kind == "summary" else [m.content for m in touched.values()]
        self._log(
            lambda: self.ledger.boundary(
                unit,
                boundary.kind,
                why or _WHY[boundary.kind],
                boundary.before,
                boundary.after,
                ids=list(touched),
                texts=texts,
            )
        )
        if boundary.kind != "offload":
            self.snapshot()

    def cleared_history(self, unit: str, before: int, after: int, ids: Sequence[int]) -> None:
        """The user emptied a history."""
        self._log(lambda: self.ledger.boundary(unit, "cleared_history", "/clear", before, after, ids=ids))
        self.snapshot()

    def undone(self, unit: str, kind: str, before: int, after: int, ids: Sequence[int]) -> None:
        """The user took the last step back.

        Args:
            unit: Whose history.
            kind: What was taken back.
            before: Tokens before the undo.
            after: Tokens afterwards.
            ids: Messages that stand in the history again, by uid.
        """
        self._log(lambda: self.ledger.boundary(unit, "undo", kind, before, after, ids=ids))
        self.snapshot()

    def approval(self, call: ToolCall, effect: Effect, decision: str, allowed: bool, unit: str = MAIN_UNIT) -> None:
        """A decision on a call."""
        payload = {
            "tool": call.name,
            "call": call.id,
            "subject": effect.subject,
            "decision": decision,
            "allowed": allowed,
        }
        self._log(lambda: self.ledger.event("approval", payload, unit))

    def memory_changed(self, what: str, entry: str) -> None:
        """Long-term memory was changed from this session.

        Args:
            what: What was done.
            entry: Id of the entry; empty where it is about many.
        """
        self._log(lambda: self.ledger.event("memory", {"did": what, "id": entry}))

    @property
    def external(self) -> External | None:
        """What brought content from outside into the session; None while it is clean."""
        return External.restore(self.base.trust) if self.base.trust else None

    def touched(self, external: External) -> None:
        """Content from outside entered a history; the first one is kept as the cause until the user starts anew."""
        if not self.base.trust:
            self.set("trust", external.export())
            self._log(lambda: self.ledger.event("trust", {"kind": external.kind, "source": external.source}))
            self.emit(TrustChanged(external))

    def trusted_again(self) -> None:
        """The user emptied the history: nothing of what came from outside is left in it."""
        if self.base.trust:
            self.set("trust", "")
            self._log(lambda: self.ledger.event("trust", {}))
            self.emit(TrustChanged(None))

    def turn_started(self, turn: int) -> None:
        """A turn begins."""
        self.set("turn", turn)
        self._log(lambda: self.ledger.event("turn", {"turn": turn, "state": "started"}, "react"))

    def turn_ended(self, ended: TurnEnded) -> None:
        """A turn is over; everything is flushed to the disk."""
        payload = {"turn": ended.turn, "state": ended.status, "reason": ended.reason.key if ended.reason else ""}
        self._log(lambda: self.ledger.event("turn", payload, MAIN_UNIT))
        if self.store.wants_snapshot:
            self.snapshot()
        self.sync()

    def session(self, state: str) -> None:
        """The session was opened, resumed or closed."""
        self._log(lambda: self.ledger.event("session", {"state": state, "model": self.base.model}))

    def fault(self, where: str, error: BaseException) -> None:
        """Something failed that should not have."""
        self._log(lambda: self.ledger.event("fault", {"where": where, "error": f"{type(error).__name__}: {error}"}))

    def forget_unit(self, unit: str) -> None:
        """A unit of its own is needed no more; the ledger keeps what it did."""
        self.histories.pop(unit, None)
        self._save(ReplaceAll(unit, ()))

    def snapshot(self) -> None:
        """Write the whole state, so that the journal starts anew."""
        units = {unit: tuple(messages()) for unit, messages in self.histories.items()}
        self._store(lambda: self.store.snapshot(replace(self.base, units=units)))

    def sync(self) -> None:
        """Flush everything to the disk."""
        self._store(self.store.sync)
        self._log(self.ledger.sync)

    def close(self, finished: bool = True) -> None:
        """Flush, and let go of the files.

        Args:
            finished: It ends as it should; else it will be offered to be resumed.
        """
        self.session("closed")
        self.sync()
        if finished:
            self._store(self.store.finish)
        self.ledger.close()
        self.store.close()

    def _save(self, change: Change) -> None:
        self._store(lambda: self.store.append(change))

    def _store(self, write: Callable[[], None]) -> None:
        try:
            write()
        except SessionError as error:
            if error.first:
                self.emit(Notice("error", error.phrase))

    def _log(self, write: Callable[[], None]) -> None:
        try:
            write()
        except LedgerError as error:
            if error.first:
                self.emit(Notice("error", error.phrase))
