"""What shortens a unit's history, takes that back, or keeps it from happening: the manager decides, this acts."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from paitui.context.clearing import Clearing
from paitui.context.manager import ContextManager, Fruitless, Summarised
from paitui.context.session_memory import LEAST_NEW, Preparation, Prepared, usable
from paitui.context.summary import Ask, SummaryPrompts, SummaryRefused, write_summary
from paitui.context.undo import UndoKind
from paitui.engine.events import Boundary, Event, HistoryShown, MessageShown, Notice, Undone
from paitui.engine.history import History
from paitui.engine.prompts import language_of, summary_prompts
from paitui.engine.recorder import SessionRecorder
from paitui.engine.undoing import UndoLog
from paitui.locale import Language, phrase
from paitui.model.port import ModelFault

PINS = "pins"
"""Name of the pinned messages in the session's state."""


@dataclass(slots=True)
class Shortener:
    """Works on one history; only at points where no call is open and no request is under way."""

    history: History
    manager: ContextManager
    recorder: SessionRecorder
    language: Language
    emit: Callable[[Event], None]
    ask: Ask
    """Asks the model for a summary."""
    ask_quietly: Ask
    """The same beside a turn, without a word on the screen."""
    waiting: list[Callable[[], None]] = field(default_factory=list)
    """What the user wished while a request was under way."""
    undo_log: UndoLog = field(init=False)
    _told: set[str] = field(default_factory=set)
    _ready: Prepared | None = None
    _preparing: asyncio.Task[None] | None = None
    _planned_at: tuple[int, int] = (-1, 0)

    def __post_init__(self) -> None:
        """Take up what a resumed session brings along."""
        self.undo_log = UndoLog(self.recorder, self.history.unit)
        pins = self.recorder.base.extra.get(PINS, ())
        self.manager.pinned = frozenset(uid for uid in pins if isinstance(uid, int))

    async def make_room(self) -> None:
        """Before a request: what the user wished meanwhile, then the tiers in their order."""
        self.at_rest()
        self.manager.check(self.history.messages, self.history.rewrites)
        if not self._use_prepared():
            self.clear_results()
            if self.manager.must_summarise(self.history.messages, self.history.rewrites):
                await self.summarise()
        self._tell_overhead()
        self._prepare()

    def at_rest(self) -> None:
        """Do what had to wait."""
        while self.waiting:
            self.waiting.pop(0)()

    def used(self) -> int:
        """Tokens of the next request."""
        return self.manager.used(self.history.messages, self.history.rewrites)

    def clear_results(self, forced: bool = False) -> bool:
        """Tier 2, if it is due.

        Args:
            forced: The model found the request too long.

        Returns:
            Whether anything was cleared.
        """
        before = self.used()
        clearing = self.manager.clear(self.history.messages, self.history.rewrites, forced)
        if clearing is None:
            return False
        if clearing.problem:
            self._tell_once(
                "clear_unstored", Notice("warning", phrase("engine.clear_unstored", why=clearing.problem))
            )
        else:
            self._told.discard("clear_unstored")
        if clearing.replaced:
            self._rewrite(clearing, "clear", before)
        return bool(clearing.replaced)

    def _rewrite(self, clearing: Clearing, kind: UndoKind, before: int, by_hand: bool = False) -> None:
        old = list(self.history.messages)
        self.history.rewrite(clearing.replaced)
        after = self.used()
        self.undo_log.push(kind, old, self.history.messages, before, after)
        count = clearing.results + clearing.arguments
        one = next(iter(clearing.replaced.values()))
        stored, call_id = (one.stored, one.tool_call_id) if kind == "offload" else ("", "")
        boundary = Boundary(kind, before, after, count, stored, "", call_id, clearing.arguments, by_hand)
        self.recorder.boundary(boundary, clearing.replaced, self.history.unit, why="by hand" if by_hand else "")
        self.manager.mark(kind, after)
        self.emit(boundary)

    async def summarise(self, by_hand: bool = False, wish: str = "", forced: bool = False) -> bool:
        """Tier 3: have the older part summarised; the history changes only if that succeeds.

        Args:
            by_hand: The user asked for it.
            wish: The user's own instructions.
            forced: The model found the request too long.

        Returns:
            Whether the history is shorter now.
        """
        history, manager = self.history, self.manager
        was_open = manager.breaker_open
        prompts = self._prompts()
        try:
            done = await manager.summarise(
                history.messages, history.rewrites, self.ask, prompts, by_hand, wish, forced
            )
        except Fruitless as fruitless:
            self.recorder.fault("summary", fruitless)
            if by_hand or fruitless.cause != "nothing":
                self.emit(Notice("warning", phrase(f"engine.summary_{fruitless.cause}")))
            done = None
        except ModelFault as fault:
            manager.summary_failed()
            self.emit(Notice("warning", phrase("engine.summary_failed", why=fault.phrase)))
            done = None
        if done is not None:
            self._rebuild(done, by_hand)
        if manager.breaker_open and not was_open and not by_hand:
            n, overhead = manager.marks.summary_at, manager.overhead(history.messages, history.rewrites)
            self.emit(Notice("warning", phrase(f"engine.breaker_{manager.breaker_cause}", n=n, overhead=overhead)))
        return done is not None

    def _rebuild(self, done: Summarised, by_hand: bool = False) -> None:
        history = self.history
        old = list(history.messages)
        removed = {message.uid: message for message in old[done.cut.start : done.cut.end]}
        history.rebuild(done.messages)
        after = self.used()
        self.undo_log.push("summary", old, history.messages, done.before, after)
        boundary = Boundary("summary", done.before, after, count=len(removed), text=done.text, by_hand=by_hand)
        self.recorder.boundary(boundary, removed, history.unit, why="/compact" if by_hand else "")
        self.manager.mark("summary", after)
        self.emit(boundary)

    async def after_overflow(self, fits: Callable[[], bool] = lambda: False) -> bool:
        """The request is too long: clear what can be cleared, and summarise.

        Args:
            fits: Whether it is short enough after clearing, so that no summary is needed; nobody knows where the
                model itself refused it.

        Returns:
            Whether the request is shorter now.
        """
        self.manager.hold = False
        self.emit(Notice("info", phrase("engine.overflow_recovering")))
        cleared = self.clear_results(forced=True)
        if cleared and fits():
            return True
        return await self.summarise(forced=True) or cleared

    def undo(self) -> None:
        """Take back the last thing that shortened the history, or say why that cannot be."""
        found = self.undo_log.restored(self.history.messages)
        if not isinstance(found, tuple):
            self.emit(Notice("info" if found == "nothing" else "error", phrase(f"engine.undo_{found}")))
            return
        step, restored = found
        before, standing = self.used(), {message.uid for message in self.history.messages}
        self.history.rebuild(restored)
        self.undo_log.drop_last()
        self.manager.hold = True
        after = self.used()
        back = [message.uid for message in restored if message.uid not in standing]
        self.recorder.undone(self.history.unit, step.kind, before, after, back)
        self.manager.mark("", after)
        self.emit(Undone(step.kind, before, after))
        self.emit(Notice("info", phrase(f"engine.undone_{step.kind}", n=after)))

    def pin(self, uid: int, pinned: bool) -> None:
        """Keep a message from being cleared, or stop doing so."""
        pins = self.manager.pinned | {uid} if pinned else self.manager.pinned - {uid}
        standing = {message.uid for message in self.history.messages}
        self.manager.pinned = frozenset(pins & standing)
        self.recorder.set_extra(PINS, sorted(self.manager.pinned) or None)
        self.show()

    def one_by_hand(self, uid: int, kind: UndoKind) -> None:
        """Clear or offload one message because the user wishes it."""
        message = next((message for message in self.history.messages if message.uid == uid), None)
        if message is None:
            return
        before = self.used()
        try:
            done = self.manager.clear_one(message) if kind == "clear" else self.manager.offload_one(message)
        except OSError as error:
            self.emit(Notice("warning", phrase("engine.clear_unstored", why=error.strerror or str(error))))
            return
        if done == message:
            self.emit(Notice("info", phrase(f"engine.nothing_to_{kind}")))
            return
        is_result = message.role == "tool"
        shortened = sum(a is not b for a, b in zip(done.tool_calls, message.tool_calls, strict=True))
        self._rewrite(Clearing({uid: done}, "", int(is_result), shortened), kind, before, by_hand=True)
        self.show()

    def show(self) -> None:
        """Tell what the history is, message by message, and what it was before the last boundary."""
        history, manager = self.history, self.manager
        rows = manager.rows(history.messages, history.rewrites)
        cut = manager.next_cut(history.messages, history.rewrites)
        number = cut + 1 if cut else 0
        found = self.undo_log.earlier(history.messages, history.rewrites)
        if not isinstance(found, tuple):
            self.emit(HistoryShown(rows, cut=number))
            return
        step, earlier = found
        self.emit(HistoryShown(rows, step.kind, manager.rows_before(earlier, step.before), number))

    def show_message(self, uid: int) -> None:
        """Tell one message as a whole, also one that the last boundary took out."""
        found = self.undo_log.earlier(self.history.messages, self.history.rewrites)
        earlier = found[1] if isinstance(found, tuple) else []
        now = next((message for message in self.history.messages if message.uid == uid), None)
        then = next((message for message in earlier if message.uid == uid), None)
        if shown := now or then:
            self.emit(MessageShown(shown, then if then != shown else None))

    def cleared_history(self) -> None:
        """The user emptied the history: nothing of it can be taken back, and nothing is pinned."""
        self.undo_log.forget()
        self.manager.pinned = frozenset()
        self.recorder.set_extra(PINS, None)
        self._ready = None

    async def stop(self) -> None:
        """End what runs in the background."""
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait({self._preparing})
            self._preparing = None

    def _prompts(self) -> SummaryPrompts:
        said = [message.content for message in self.history.messages if message.is_users_words]
        return summary_prompts(language_of(said, self.language))

    def _tell_overhead(self) -> None:
        manager, history = self.manager, self.history
        overhead = manager.overhead(history.messages, history.rewrites)
        if overhead < manager.marks.summary_at:
            self._told.discard("overhead")
            return
        why = phrase("engine.overhead", overhead=overhead, n=manager.marks.summary_at, window=manager.marks.window)
        self._tell_once("overhead", Notice("warning", why))

    def _tell_once(self, what: str, notice: Notice) -> None:
        if what not in self._told:
            self._told.add(what)
            self.emit(notice)

    def _use_prepared(self) -> bool:
        history, ready = self.history, self._ready
        if ready is None or not self.manager.must_summarise(history.messages, history.rewrites):
            return False
        done = None
        if usable(ready, history.rewrites):
            done = self.manager.use_prepared(history.messages, history.rewrites, ready, self._prompts())
        if done is not None:
            self._ready = None
            self._rebuild(done)
        return done is not None

    def _prepare(self) -> None:
        """Start preparing a summary beside the turn, if the setting is on and enough is new."""
        history, manager = self.history, self.manager
        if not manager.prepares or (self._preparing is not None and not self._preparing.done()):
            return
        used, (rewrites, planned) = self.used(), self._planned_at
        if rewrites == history.rewrites and used - planned < min(LEAST_NEW, manager.marks.summary_at // 10):
            return
        found = manager.preparation(history.messages, history.rewrites, self._ready)
        if found is not None:
            self._planned_at = (history.rewrites, used)
            self._preparing = asyncio.create_task(self._run_preparation(found))

    async def _run_preparation(self, wanted: Preparation) -> None:
        manager = self.manager
        try:
            bounds = manager.summary_limits(manager.meter.calibration.ratio)
            text = await write_summary(wanted.messages, self.ask_quietly, self._prompts(), bounds)
        except (ModelFault, SummaryRefused) as error:
            self.recorder.fault("prepared summary", error)
            return
        if self.history.rewrites == wanted.rewrites:
            self._ready = Prepared(text, wanted.start, wanted.end, wanted.rewrites)
