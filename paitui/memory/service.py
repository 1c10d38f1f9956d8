"""Long-term memory as everything else uses it: one service per process, for every unit and every face.

Each way in runs through the same checks: is it a secret, is it there already, does it contradict what is there. The
service never decides for the user: it says what stands against a fact, and does what it is then told. All of it may
wait for files; call it in a thread.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

from paitui.clock import Clock
from paitui.locale import Phrase, phrase
from paitui.memory.changes import Drop, Put, Record, Step
from paitui.memory.conflict import Conflict
from paitui.memory.entry import FACT, Entry, Scope, Source, new_entry
from paitui.memory.identity import Identity, Relink, relink_candidates
from paitui.memory.judging import MOST_CHARS, excerpt, find_against, find_same, holds_secret, tidy
from paitui.memory.store import Change, MemoryStore, Outcome
from paitui.trust import secrets

_T = TypeVar("_T")

Result = Literal["stored", "duplicate", "conflict", "secret", "replaced", "not_found", "done", "empty", "long"]
"""What became of an attempt; with ``conflict`` and ``secret`` nothing was written, and the user has to decide;
``empty`` and ``long`` are no facts."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fact comes from."""

    source: Source
    session: str = ""
    turn: int = 0
    quote: str = ""
    """The user's words that it rests on."""
    tainted: str = ""
    """What foreign text the session had read; empty if none."""

    def metadata(self, fact: str = "") -> dict[str, str]:
        """Give what the entry notes: of long words the part around the fact, secrets masked as in the ledger."""
        turn = str(self.turn) if self.turn else ""
        quote = secrets.mask(excerpt(self.quote, fact))
        tainted = secrets.mask(self.tainted)
        notes = {"source": self.source, "session": self.session, "turn": turn, "quote": quote, "trust": tainted}
        return {key: note for key, note in notes.items() if note}


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of saving or changing something."""

    result: Result
    entry: Entry | None = None
    """The entry as it is now; for a duplicate the one that was there."""
    against: tuple[tuple[Entry, Conflict], ...] = ()
    """What disagrees with the fact, the closest first."""
    problems: tuple[Phrase, ...] = ()


class Unknown(Exception):
    """No entry, or more than one, is meant by an id.

    Attributes:
        phrase: What to tell the user.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(slots=True)
class MemoryService:
    """Reads and changes the memories that one project sees."""

    store: MemoryStore
    clock: Clock
    project: Path
    """Resolved folder of the project."""
    identify: Callable[[], Identity]
    """Asks what project this is; may take seconds, and is asked once, when it is first needed."""
    _identity: Identity | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _done: list[tuple[Record, ...]] = field(default_factory=list)

    # -- looking

    @property
    def identity(self) -> Identity:
        """What project this is."""
        with self._lock:
            if self._identity is None:
                self._identity = self.identify()
            return self._identity

    def entries(self, everywhere: bool = False) -> list[Entry]:
        """Give the facts that this project sees, in the order of the file.

        Args:
            everywhere: Also those of other projects.

        Raises:
            MemoryFault: The file cannot be read.
        """
        return [entry for entry in self.store.read() if self._counts(entry, everywhere)]

    def find(self, name: str, everywhere: bool = False) -> Entry:
        """Give the entry that an id or the beginning of one stands for.

        Args:
            name: ``fact-3f2a91c0``, ``fact-3f`` or ``3f``.
            everywhere: Also look at other projects.

        Raises:
            Unknown: There is none, or more than one.
            MemoryFault: The file cannot be read.
        """
        entries = self.entries(everywhere)
        given = name.strip()
        exact = [entry for entry in entries if entry.id == given]
        found = exact or [entry for entry in entries if given and entry.id.startswith((given, f"fact-{given}"))]
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(entry.id for entry in found[:5])
            raise Unknown(phrase("memory.ambiguous", id=name, n=len(found), some=some))
        raise Unknown(phrase("memory.not_found", id=name))

    def opposing(self, fact: str, scope: Scope, but: str = "") -> tuple[tuple[Entry, Conflict], ...]:
        """Say what disagrees with a fact, the closest first.

        Args:
            fact: What would be saved.
            scope: Where it would count.
            but: Id of an entry that is left out.
        """
        group = [entry for entry in self.store.read() if entry.id != but and self._beside(entry, scope)]
        return find_against(fact, group)

    def movable(self) -> tuple[Relink, ...]:
        """Say which entries of other folders seem to be this project's, since its folder was renamed or moved."""
        entries = self.store.read()
        if all(entry.project in ("", str(self.project)) for entry in entries):
            return ()
        return relink_candidates(entries, self.identity)

    # -- changing

    def save(
        self,
        fact: str,
        origin: Origin,
        scope: Scope = "project",
        *,
        force: bool = False,
        secret_agreed: bool = False,
        refresh: bool = True,
    ) -> Attempt:
        """Save a fact, unless it is there already or the user has to decide first.

        Args:
            fact: One fact.
            origin: Where it comes from.
            scope: Where it counts.
            force: Keep it beside what it disagrees with: the user said so.
            secret_agreed: Save it although it looks like a credential or personal data: the user said so.
            refresh: Whether a duplicate counts as the user's verifying the old entry.

        Raises:
            MemoryFault: Nothing was written.
        """
        fact = tidy(fact)
        if unfit := _unfit(fact, secret_agreed):
            return Attempt(unfit)
        place = self.identity.metadata() if scope == "project" else {"scope": "global"}
        metadata = {**place, **origin.metadata(fact)}

        def decide(entries: tuple[Entry, ...]) -> Change[Attempt]:
            group = [entry for entry in entries if self._beside(entry, scope)]
            if (same := find_same(fact, group)) is not None:
                steps = (Put(self._verified(same), "verify"),) if refresh else ()
                return Change(Attempt("duplicate", same), steps)
            if not force and (against := find_against(fact, group)):
                return Change(Attempt("conflict", against=against))
            entry = new_entry(fact, metadata, self.clock.now())
            return Change(Attempt("stored", entry), (Put(entry),))

        return self._attempt(decide)

    def replace(
        self, name: str, fact: str, origin: Origin, *, force: bool = False, secret_agreed: bool = False
    ) -> Attempt:
        """Put another fact in the place of an entry, which keeps its id; the old one stays in the history.

        Args:
            name: Whole id of the entry.
            fact: What holds now; checked against all others.
            origin: Where it comes from.
            force: Keep it beside others that it disagrees with.
            secret_agreed: As for `save`.

        Raises:
            MemoryFault: Nothing was written.
        """
        fact = tidy(fact)
        if unfit := _unfit(fact, secret_agreed):
            return Attempt(unfit)

        def decide(entries: tuple[Entry, ...]) -> Change[Attempt]:
            old = _named(entries, name)
            if old is None:
                return Change(Attempt("not_found"))
            group = [entry for entry in entries if entry.id != name and _together(entry, old)]
            if (same := find_same(fact, group)) is not None:
                # What holds now is there already: the old one goes, the other is verified.
                steps = (Put(self._verified(same), "verify"), Drop(name, "delete"))
                return Change(Attempt("replaced", same), steps)
            if not force and (against := find_against(fact, group)):
                return Change(Attempt("conflict", against=against))
            kept = {key: note for key, note in old.metadata.items() if key not in _OF_ORIGIN}
            new = replace(old.reworded(fact), written=self.clock.now(), verified=None)
            new = replace(new, metadata={**kept, **origin.metadata(fact)})
            return Change(Attempt("replaced", new), (Put(new, "replace"),))

        return self._attempt(decide)

    def verify(self, name: str) -> Attempt:
        """Note that the user stands behind an entry as of now.

        Args:
            name: Its whole id.

        Raises:
            MemoryFault: Nothing was written.
        """

        def decide(entries: tuple[Entry, ...]) -> Change[Attempt]:
            old = _named(entries, name)
            if old is None:
                return Change(Attempt("not_found"))
            return Change(Attempt("done"), (Put(self._verified(old), "verify"),))

        return self._attempt(decide)

    def move(self, name: str, scope: Scope) -> Attempt:
        """Let an entry count for this project, or everywhere; one that others there say already is left.

        Args:
            name: Its whole id.
            scope: Where it counts from now on.

        Raises:
            MemoryFault: Nothing was written.
        """
        place = self.identity.metadata() if scope == "project" else {"scope": "global"}

        def decide(entries: tuple[Entry, ...]) -> Change[Attempt]:
            old = _named(entries, name)
            if old is None:
                return Change(Attempt("not_found"))
            if self._beside(old, scope):
                return Change(Attempt("done", old))  # it counts there already
            group = [entry for entry in entries if entry.id != name and self._beside(entry, scope)]
            if (same := find_same(old.content, group)) is not None:
                return Change(Attempt("duplicate", same))
            kept = {key: note for key, note in old.metadata.items() if key not in _OF_PLACE}
            new = replace(old, metadata={**kept, **place})
            return Change(Attempt("done", new, find_against(new.content, group)), (Put(new, "rescope"),))

        return self._attempt(decide)

    def delete(self, name: str) -> Attempt:
        """Take an entry out; the history keeps it.

        Args:
            name: Its whole id.

        Raises:
            MemoryFault: Nothing was written.
        """

        def decide(entries: tuple[Entry, ...]) -> Change[Attempt]:
            old = _named(entries, name)
            return Change(Attempt("done", old), (Drop(name),)) if old else Change(Attempt("not_found"))

        return self._attempt(decide)

    def clear(self, everywhere: bool = False) -> int:
        """Take out all facts that this project sees.

        Args:
            everywhere: Also those of other projects.

        Returns:
            How many.

        Raises:
            MemoryFault: Nothing was written.
        """

        def decide(entries: tuple[Entry, ...]) -> Change[int]:
            steps = tuple(Drop(entry.id, "clear") for entry in entries if self._counts(entry, everywhere))
            return Change(len(steps), steps)

        return self.keep(self.store.change(decide)).value

    def relink(self) -> int:
        """Let the entries of a folder that is gone count for this project, whose repository it was.

        One that says what is known here already is taken out; the history keeps it.

        Returns:
            How many.

        Raises:
            MemoryFault: Nothing was written.
        """
        ids = {name for candidate in self.movable() if candidate.gone for name in candidate.ids}
        place = self.identity.metadata()

        def decide(entries: tuple[Entry, ...]) -> Change[int]:
            group = [entry for entry in entries if self._beside(entry, "project")]
            steps: list[Step] = []
            for entry in entries:
                if entry.id in ids and entry.type == FACT and find_same(entry.content, group) is not None:
                    steps.append(Drop(entry.id))
                elif entry.id in ids:
                    steps.append(Put(replace(entry, metadata={**entry.metadata, **place}), "rescope"))
                    group.append(entry)
            return Change(len(steps), tuple(steps))

        return self.keep(self.store.change(decide)).value

    def undo(self, name: str = "") -> tuple[Record, ...] | None:
        """Take back the last change of this session.

        Args:
            name: Whole id of an entry whose last change is meant, whatever came after it; empty for the last of all.

        Returns:
            What was taken back; empty if there is nothing, None if an entry was changed since.

        Raises:
            MemoryFault: Nothing was written.
        """
        meant = [at for at, records in enumerate(self._done) if not name or any(one.id == name for one in records)]
        if not meant:
            return ()
        outcome = self.store.undo(self._done[meant[-1]])
        if not outcome.value:
            return None
        return self._done.pop(meant[-1])

    # -- within

    def _counts(self, entry: Entry, everywhere: bool) -> bool:
        return entry.type == FACT and (everywhere or entry.visible_in(str(self.project)))

    def _beside(self, entry: Entry, scope: Scope) -> bool:
        """Whether an entry is compared with one of this project's, or with a global one."""
        return (
            entry.type == FACT and entry.scope == scope and (scope == "global" or entry.project == str(self.project))
        )

    def _verified(self, entry: Entry) -> Entry:
        """An entry that the user stands behind as of now, whatever was noted of it before."""
        noted = {"confirmed": "true"} if "confirmed" in entry.metadata else {}
        return replace(entry, verified=self.clock.now(), metadata={**entry.metadata, **noted})

    def _attempt(self, decide: Callable[[tuple[Entry, ...]], Change[Attempt]]) -> Attempt:
        outcome = self.keep(self.store.change(decide))
        attempt = replace(outcome.value, problems=outcome.problems)
        after = next((record.after for record in outcome.records if record.after is not None), None)
        return replace(attempt, entry=after) if after is not None else attempt

    def keep(self, outcome: Outcome[_T]) -> Outcome[_T]:
        """Remember what was done in this session, for `undo`; gives the outcome back."""
        if outcome.records:
            self._done.append(outcome.records)
        return outcome


_OF_ORIGIN = ("source", "session", "turn", "quote", "trust", "confirmed")
_OF_PLACE = ("scope", "project", "projectRemote", "projectCommit")


def _unfit(fact: str, secret_agreed: bool) -> Literal["empty", "long", "secret"] | None:
    """Why a fact is not saved, whatever else there is; None if it may be."""
    if not fact:
        return "empty"
    if len(fact) > MOST_CHARS:
        return "long"
    return "secret" if not secret_agreed and holds_secret(fact) else None


def _named(entries: tuple[Entry, ...], name: str) -> Entry | None:
    return next((entry for entry in entries if entry.id == name), None)


def _together(one: Entry, other: Entry) -> bool:
    return one.type == other.type and one.scope == other.scope and one.project == other.project
