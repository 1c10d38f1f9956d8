"""The memory desk: who may change long-term memory, and when the user is asked first.

The user's own commands come here, and the model's calls. What the user has to decide is asked as a `MemoryAsked` and
waits for a `DecideMemory`; the model decides nothing, whatever its arguments say.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgspec import structs

from paitui.clock import Clock
from paitui.engine import events, ops
from paitui.engine.events import Event, MemoryAsked, MemoryChanged
from paitui.engine.memory_words import imported, past, refused_outside
from paitui.engine.turn_words import TurnWords
from paitui.locale import Phrase, Words, phrase
from paitui.memory.attached import NOTHING, Attached
from paitui.memory.entry import Entry, Scope, Source
from paitui.memory.exchange import export, import_from
from paitui.memory.judging import MOST_CHARS, tidy
from paitui.memory.library import Library
from paitui.memory.service import Attempt, Origin, Unknown
from paitui.memory.store import MemoryFault
from paitui.memory.view import MemoryView
from paitui.messages.message import Spans
from paitui.tools.base import ToolError, ToolOutcome
from paitui.trust.external import External

QUERY_CHARS = 4_000
"""Characters of a message that memories are searched by; what follows in a longer one is material, not a request."""
Answer = Literal["replace", "keep", "save", "leave"]


@dataclass(slots=True)
class MemoryDesk:
    """Carries out what is asked of long-term memory, in one session."""

    library: Library
    emit: Callable[[Event], None]
    session: str
    clock: Clock
    words: Words
    can_ask: bool
    """Whether there is a user who can be asked; else what would have to be asked is refused."""
    on_change: Callable[[str, str], None] = lambda what, id: None
    """Told of each change, for the ledger: what was done, and the entry's id."""
    external: Callable[[], External | None] = lambda: None
    """What brought content from outside into the session; None while it is clean."""
    _turn: int = 0
    _said: TurnWords = field(default_factory=TurnWords)
    _count: int = 0
    _told_problems: list[Phrase] = field(default_factory=list)
    _open: dict[str, "asyncio.Future[ops.DecideMemory]"] = field(default_factory=dict)

    async def start(self) -> None:
        """Look after the memory's file, and load what searching needs before somebody waits for it."""
        try:
            await asyncio.to_thread(self._prepare)
        except MemoryFault as error:
            self.emit(events.Notice("warning", error.phrase))
        self._tell_problems()

    def _prepare(self) -> None:
        self.library.service.store.tidy()
        if entries := self.library.service.entries():
            self.library.recall.warm(entries)

    def _tell_problems(self) -> None:
        """Say what is wrong with the file, once."""
        for problem in self.library.service.store.problems:
            if problem not in self._told_problems:
                self._told_problems.append(problem)
                self.emit(events.Notice("warning", problem))

    def begin_turn(self, turn: int, text: str, pasted: Spans = ()) -> None:
        """Note what the user typed; it decides what the model may save in this turn."""
        self._turn, self._said = turn, TurnWords().and_said(text, pasted)

    def steered(self, text: str, pasted: Spans = ()) -> None:
        """Note what the user typed while the turn ran."""
        self._said = self._said.and_said(text, pasted)

    def answer(self, op: ops.DecideMemory) -> None:
        """Take the user's answer; one for a question that is gone is ignored."""
        future = self._open.get(op.id)
        if future is not None and not future.done():
            future.set_result(op)

    def close(self) -> None:
        """Leave what is being asked, and ask no more: the session ends."""
        self.can_ask = False
        self.library.disputes.stop()
        for name, future in self._open.items():
            if not future.done():
                future.set_result(ops.DecideMemory(name, "leave"))

    async def attach(self, text: str, window: int, standing: set[str]) -> Attached:
        """Choose the memories that go with a message; a memory that cannot be read is told, and the work goes on.

        Args:
            text: The user's words.
            window: The model's context size in tokens.
            standing: Marks of the memories that still stand in the history.
        """
        try:
            attached = await asyncio.to_thread(self.library.attach, text[:QUERY_CHARS], window, standing)
            self._tell_problems()
            return attached
        except MemoryFault as error:
            self.emit(events.Notice("warning", error.phrase))
        except OSError as error:
            self.emit(events.Notice("warning", phrase("memory.usage_unsaved", why=error.strerror or str(error))))
        return NOTHING

    # -- the user's own commands

    async def carry_out(self, op: ops.Memory) -> None:
        """Do what the user asks; whatever comes of it is told as an event."""
        try:
            await self._carry_out(op)
        except Unknown as error:
            self.emit(MemoryChanged("not_found", phrase=error.phrase))
        except MemoryFault as error:
            self.emit(MemoryChanged("failed", phrase=error.phrase))
        self._tell_problems()

    async def compare(self, op: ops.Memory) -> None:
        """After a list: find out which of very many entries disagree, and tell the list anew if that was left to do.

        Takes seconds for ten thousand, and nothing else waits for it.
        """
        if op.verb not in ("list", "search"):
            return
        try:
            if await asyncio.to_thread(self.library.compare_all):
                self.emit(await asyncio.to_thread(self._shown, op.text, op.everywhere))
        except MemoryFault as error:
            self.emit(events.Notice("warning", error.phrase))

    async def _carry_out(self, op: ops.Memory) -> None:
        service = self.library.service
        match op.verb:
            case "save":
                await self._keep(op.text, self._origin("typed", op.text), _scope(op), op.force)
            case "list" | "search":
                self.emit(await asyncio.to_thread(self._shown, op.text, op.everywhere))
            case "show":
                entry = await self._find(op.id)
                self.emit(events.MemoryShown(await asyncio.to_thread(self.library.view, entry)))
            case "log":
                self.emit(past(*await asyncio.to_thread(self.library.past, op.id)))
            case "verify":
                entry = await self._find(op.id)
                await self._tell("verified", await asyncio.to_thread(service.verify, entry.id))
            case "replace":
                entry = await self._find(op.id)
                await self._exchange(entry, op.text, self._origin("typed", op.text))
            case "scope":
                entry = await self._find(op.id)
                await self._tell("moved", await asyncio.to_thread(service.move, entry.id, _scope(op)))
            case "delete":
                entry = await self._find(op.id)
                await self._tell("deleted", await asyncio.to_thread(service.delete, entry.id))
            case "clear":
                await self._clear(op.everywhere)
            case "undo":
                await self._undo(op.id)
            case "export":
                count = await asyncio.to_thread(export, service, _path(op.text, service.project))
                self._say(phrase("memory.exported", n=count, file=op.text))
            case "import":
                done = await asyncio.to_thread(import_from, service, _path(op.text, service.project), self.session)
                self.on_change("imported", "")
                self.emit(imported(done))
            case "relink":
                count = await asyncio.to_thread(service.relink)
                self.on_change("relinked", "")
                self._say(phrase("memory.relinked", n=count))

    async def _clear(self, everywhere: bool) -> None:
        entries = await asyncio.to_thread(self.library.service.entries, everywhere)
        if entries and await self._ask(MemoryAsked("", "clear", "", count=len(entries))) != "save":
            self.emit(MemoryChanged("left"))
            return
        count = await asyncio.to_thread(self.library.service.clear, everywhere)
        self.on_change("cleared", "")
        self.emit(MemoryChanged("cleared", phrase=phrase("memory.cleared", n=count)))

    async def _undo(self, name: str) -> None:
        records = await asyncio.to_thread(self.library.service.undo, name)
        if records is None:
            self.emit(MemoryChanged("failed", phrase=phrase("memory.undo_changed")))
        elif not records:
            self.emit(MemoryChanged("failed", phrase=phrase("memory.undo_nothing")))
        else:
            entry = records[0].before or records[0].after
            view = await asyncio.to_thread(self.library.view, entry) if entry else None
            self.on_change("undone", records[0].id)
            act = phrase(f"memory.act_{records[0].act}")
            self.emit(MemoryChanged("undone", view, phrase("memory.undone", act=act)))

    # -- the model's calls

    async def save(self, fact: str, scope: str, replace_id: str, keep_both: bool) -> ToolOutcome:
        """Save a fact for the model, if the user wants it saved.

        Args:
            fact: What it wants to save.
            scope: ``project`` or ``global``.
            replace_id: Decides nothing: where something disagrees, the user is asked, or told how to decide.
            keep_both: Likewise.

        Returns:
            What became of it, for the model.

        Raises:
            ToolError: The user does not want it, cannot be asked, or it could not be written.
        """
        fact = tidy(fact)
        if not fact:
            raise ToolError(phrase("memory.tool_empty"))
        said = self._said
        if (cause := self.external()) is not None:
            self._only_own_words(fact, cause)
        elif not said.ask:
            if not self.can_ask:
                raise ToolError(phrase("memory.tool_not_asked"))
            if await self._ask(MemoryAsked("", "permission", fact, _named(scope), quote=said.text)) != "save":
                raise ToolError(phrase("memory.tool_left"))
        origin = self._origin("tool", said.text)
        try:
            changed = await self._keep(fact, origin, _named(scope), refresh=said.ask)
        except MemoryFault as error:
            raise ToolError(error.phrase) from error
        return self._told(changed)

    def _only_own_words(self, fact: str, cause: External) -> None:
        """Refuse, without asking, what may have been put into the model's mouth by what it read.

        Raises:
            ToolError: The user did not ask to remember anything, or these are not the user's words.
        """
        if not (self._said.ask and self._said.hold(fact)):
            user, model = refused_outside(fact, cause, self._said.ask)
            self.emit(MemoryChanged("refused", phrase=user))
            raise ToolError(model)

    def _origin(self, source: Source, words: str) -> Origin:
        cause = self.external()
        return Origin(source, self.session, self._turn, words, cause.export() if cause is not None else "")

    async def search(self, query: str) -> ToolOutcome:
        """Give what is remembered, for the model.

        Raises:
            ToolError: The memory cannot be read.
        """
        try:
            lines = await asyncio.to_thread(self._lines, query)
        except MemoryFault as error:
            raise ToolError(error.phrase) from error
        text = "\n".join(lines) or self.words("memory.tool_nothing")
        return ToolOutcome(text, headline=phrase("memory.found", n=len(lines)))

    def _told(self, changed: MemoryChanged) -> ToolOutcome:
        entry = changed.entry
        if changed.result in ("left", "refused"):
            raise ToolError(changed.phrase or phrase("memory.tool_left"))
        name, content = (entry.id, entry.content) if entry else ("", "")
        known = phrase(f"memory.tool_{changed.result}", id=name, fact=content)
        return ToolOutcome(self.words.say(known), headline=phrase(f"memory.did_{changed.result}"))

    def _lines(self, query: str) -> list[str]:
        return [self.library.describe(entry) for entry, _ in self.library.found(query)]

    def _shown(self, query: str, everywhere: bool) -> events.MemoriesShown:
        service, store = self.library.service, self.library.service.store
        entries = self.library.search(query, everywhere)
        others = store.changed_by_others
        movable = sum(len(candidate.ids) for candidate in service.movable() if candidate.gone)
        return events.MemoriesShown(
            entries=entries,
            query=query,
            file=str(store.path),
            changed_by_others=(self.clock.now() - others).total_seconds() if others else None,
            elsewhere=len(service.entries(everywhere=True)) - len(service.entries()),
            movable=movable,
        )

    # -- the way of a fact into memory

    async def _keep(
        self, fact: str, origin: Origin, scope: Scope, force: bool = False, *, refresh: bool = True
    ) -> MemoryChanged:
        """Save a fact; ask as often as there is something to decide."""
        service, secret = self.library.service, False
        while True:
            attempt = await asyncio.to_thread(
                service.save, fact, origin, scope, force=force, secret_agreed=secret, refresh=refresh
            )
            if attempt.result not in ("conflict", "secret"):
                return await self._tell(attempt.result, attempt)
            asked = await self._question(attempt, fact, scope, origin)
            if not self.can_ask:
                return self._refused(asked)
            decided = await self._decision(asked)
            fact = tidy(decided.text) or fact
            match decided.decision:
                case "replace" if asked.against:
                    old = await self._replaced(asked, decided)
                    if old is not None:
                        return await self._exchange(old, fact, origin, secret=secret)
                case "keep" if not decided.text:
                    force = True
                case "save" if asked.why == "secret":
                    secret = True
                case _ if not decided.text:
                    return self._left()  # an answer to another question
                case _:
                    pass  # edited: checked again

    async def _exchange(self, old: Entry, fact: str, origin: Origin, *, secret: bool = False) -> MemoryChanged:
        """Replace an entry; what the new fact says is checked against the others too."""
        service, force = self.library.service, False
        while True:
            attempt = await asyncio.to_thread(
                service.replace, old.id, fact, origin, force=force, secret_agreed=secret
            )
            if attempt.result not in ("conflict", "secret"):
                return await self._tell(attempt.result, attempt)
            asked = await self._question(attempt, fact, old.scope, origin)
            if not self.can_ask:
                return self._refused(asked)
            decided = await self._decision(asked)
            fact = tidy(decided.text) or fact
            match decided.decision:
                case "keep" if not decided.text:
                    force = True
                case "save" if asked.why == "secret":
                    secret = True
                case "replace" if asked.against:
                    # The other one goes too: it is replaced by the same fact, which then is there once.
                    other = await self._replaced(asked, decided)
                    if other is not None:
                        await asyncio.to_thread(service.delete, other.id)
                case _ if not decided.text:
                    return self._left()
                case _:
                    pass

    async def _question(self, attempt: Attempt, fact: str, scope: Scope, origin: Origin) -> MemoryAsked:
        if attempt.result == "secret":
            return MemoryAsked("", "secret", fact, scope, quote=origin.quote)
        against = await asyncio.to_thread(self.library.opposed, fact, attempt)
        return MemoryAsked("", "conflict", fact, scope, against, origin.quote)

    async def _ask(self, asked: MemoryAsked) -> Answer:
        return (await self._decision(asked)).decision if self.can_ask else "leave"

    async def _decision(self, asked: MemoryAsked) -> ops.DecideMemory:
        self._count += 1
        name = f"m{self._count}"
        future: asyncio.Future[ops.DecideMemory] = asyncio.get_running_loop().create_future()
        self._open[name] = future
        self.emit(structs.replace(asked, id=name))
        try:
            return await future
        finally:
            del self._open[name]
            self.emit(events.MemoryResolved(name))

    async def _replaced(self, asked: MemoryAsked, decided: ops.DecideMemory) -> Entry | None:
        """Give what the user wants replaced; None if it was taken out meanwhile, then the fact is checked anew."""
        try:
            return await self._find(decided.replaced or asked.against[0].id)
        except Unknown:
            return None

    async def _find(self, name: str) -> Entry:
        return await asyncio.to_thread(self.library.service.find, name)

    async def _tell(self, result: str, attempt: Attempt) -> MemoryChanged:
        problems: tuple[Phrase, ...] = attempt.problems
        for problem in problems:
            self.emit(events.Notice("warning", problem))
        view: MemoryView | None = None
        if attempt.entry is not None:
            view = await asyncio.to_thread(self.library.view, attempt.entry)
        if attempt.result in ("not_found", "empty"):
            changed = MemoryChanged("not_found", phrase=phrase(f"memory.{attempt.result}_now"))
        elif attempt.result == "long":
            changed = MemoryChanged("refused", phrase=phrase("memory.long_now", limit=MOST_CHARS))
        elif attempt.result == "duplicate" and result != "duplicate":
            changed = MemoryChanged("refused", view, phrase("memory.duplicate_there"))
        else:
            changed = MemoryChanged(_CHANGED[result], view)
            self.on_change(result, attempt.entry.id if attempt.entry else "")
        self.emit(changed)
        return changed

    def _refused(self, asked: MemoryAsked) -> MemoryChanged:
        if asked.why == "secret":
            said = phrase("memory.refused_secret")
        else:
            said = phrase("memory.refused_conflict", id=asked.against[0].id, fact=asked.against[0].content)
        changed = MemoryChanged("refused", phrase=said)
        self.emit(changed)
        return changed

    def _left(self) -> MemoryChanged:
        changed = MemoryChanged("left")
        self.emit(changed)
        return changed

    def _say(self, what: Phrase) -> None:
        self.emit(events.CommandOutput(what, ()))


_CHANGED: dict[str, Literal["stored", "duplicate", "replaced", "verified", "deleted", "moved"]] = {
    "stored": "stored",
    "duplicate": "duplicate",
    "replaced": "replaced",
    "verified": "verified",
    "deleted": "deleted",
    "moved": "moved",
}


def _scope(op: ops.Memory) -> Scope:
    return "global" if op.scope == "global" else "project"


def _named(scope: str) -> Scope:
    return "global" if scope == "global" else "project"


def _path(text: str, project: Path) -> Path:
    return project / Path(text).expanduser()
