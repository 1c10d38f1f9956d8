"""The memory's file: read cheaply, changed by one writer at a time, never lost."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from paitui.clock import Clock
from paitui.locale import Phrase, phrase
from paitui.memory import document as documents
from paitui.memory.changes import Record, Step, apply, line, past, reverse
from paitui.memory.document import Document
from paitui.memory.draft import Draft
from paitui.memory.entry import Entry
from paitui.memory.files import Files, RealFiles, Stamp, temporary_of
from paitui.memory.files import replace as replace_file
from paitui.memory.lock import MemoryLock
from paitui.memory.rescue import keep, rescue
from paitui.memory.salvage import is_blank

T = TypeVar("T")

RACY_NS = 50_000_000
"""File systems stamp in steps of up to some 10 ms: a file read this soon after its last change may have been
changed once more under the same stamp, so it is compared by its bytes."""


class MemoryFault(Exception):
    """The memory cannot be read or changed; nothing was.

    Attributes:
        phrase: What happened and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """What a decision wants done."""

    value: T
    """Whatever the decision has to say; handed back in the outcome."""
    steps: tuple[Step, ...] = ()
    """What to do, in order; nothing means that nothing is written."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a change came to."""

    value: T
    """What the decision said."""
    records: tuple[Record, ...]
    """What was done, each with what can undo it."""
    entries: tuple[Entry, ...]
    """All entries afterwards."""
    problems: tuple[Phrase, ...] = ()
    """What the user should know, although the change was made."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The file as it was last seen."""

    stamp: Stamp | None = None
    settled: bool = False
    data: bytes = b""
    document: Document = field(default_factory=Document)
    problems: tuple[Phrase, ...] = ()
    broken: bool = False


class MemoryStore:
    """The memories of one file, for any number of threads and processes.

    Reading takes no lock: the file is always whole. A change re-reads it under the lock, so that no one ever writes
    from an old copy; whatever takes long (a model, a question to the user) happens before or after.
    """

    def __init__(self, path: Path, clock: Clock, files: Files | None = None, lock: MemoryLock | None = None) -> None:
        """Remember where the file is; nothing is opened or made.

        Args:
            path: The file; its lock, its history and copies of broken states lie beside it.
            clock: For the history and the names of copies.
            files: The file system; the real one if None.
            lock: The lock; the usual one beside the file if None.
        """
        self.path = path
        """The file."""
        self.history_path = path.with_name("history.jsonl")
        """What replaced or deleted an entry."""
        self.changed_by_others: datetime | None = None
        """When the file was last changed by another process since this one first read it; None if never."""
        self._clock = clock
        self._files = files or RealFiles()
        self._lock = lock or MemoryLock(path.with_name(path.name + ".lock"))
        self._known = _Known()
        self._knowing = threading.Lock()
        self._seen = False
        self._tidy = False
        self._deciding = False
        self._written = b""

    @property
    def problems(self) -> tuple[Phrase, ...]:
        """What was wrong with the file when it was last read."""
        return self._known.problems

    def read(self) -> tuple[Entry, ...]:
        """Give all entries, of every type and project. Costs one `stat` while nobody changes the file.

        A file that cannot be parsed is copied first; then what can be salvaged is given, with what this process still
        knows, and `problems` says so.

        Raises:
            MemoryFault: The file cannot be read.
        """
        return self._load().document.entries

    def change(self, decide: Callable[[tuple[Entry, ...]], Change[T]]) -> Outcome[T]:
        """Change the memories.

        Args:
            decide: Judges the entries as they are now and says what to do. It is called under the lock, so it must
                be quick: no model, no question to the user.

        Returns:
            What was done.

        Raises:
            MemoryFault: Nothing was changed: the lock was held too long, or the file could not be read or written.
            KeyError: A step names an entry that is not there; nothing was changed.
        """
        with self._locked():
            self._remove_leftovers()
            known = self._load()
            change = self._decided(decide, known.document.entries)
            if not change.steps:
                return Outcome(change.value, (), known.document.entries, known.problems)
            draft, now = Draft(known.document), self._clock.now()
            records = tuple(apply(draft, step, now) for step in change.steps)
            new = draft.document()
            problems = self._write(known, new, tuple(record for record in records if record.kept))
            return Outcome(change.value, records, new.entries, problems)

    def undo(self, records: tuple[Record, ...]) -> Outcome[bool]:
        """Take steps back, exactly, also those of an earlier session.

        Args:
            records: What was done in one change, or one record of the past.

        Returns:
            An outcome whose value is false if an entry was changed since; then nothing was done.

        Raises:
            MemoryFault: As for `change`.
        """

        def decide(entries: tuple[Entry, ...]) -> Change[bool]:
            now = {entry.id: entry for entry in entries}
            steps = tuple(reverse(record, now.get(record.id)) for record in reversed(records))
            done = tuple(step for step in steps if step is not None)
            return Change(True, done) if len(done) == len(steps) else Change(False)

        return self.change(decide)

    def log(self, name: str) -> tuple[Record, ...]:
        """Give what became of an entry, oldest first.

        Args:
            name: Its whole id.

        Raises:
            MemoryFault: The history cannot be read.
        """
        try:
            return past(self.history_path, name)
        except OSError as error:
            raise _fault("memory.unreadable", self.history_path, error) from error

    def tidy(self) -> None:
        """Remove the temporary files of writers that were killed; the first change does it by itself.

        Raises:
            MemoryFault: The lock was held too long, or the folder cannot be changed.
        """
        if any(temporary_of(self._target, name) for name in self._names()):
            with self._locked():
                self._remove_leftovers()

    def _locked(self) -> "_Locked":
        return _Locked(self._lock, self.path)

    def _decided(self, decide: Callable[[tuple[Entry, ...]], Change[T]], entries: tuple[Entry, ...]) -> Change[T]:
        if self._deciding:
            raise RuntimeError("a decision must not change the memory itself")
        self._deciding = True
        try:
            return decide(entries)
        finally:
            self._deciding = False

    def _names(self) -> list[str]:
        try:
            return self._files.names(self._target.parent)
        except OSError as error:
            raise _fault("memory.unreadable", self._target.parent, error) from error

    @property
    def _target(self) -> Path:
        """The file itself, where the path is a link to it: a link is not replaced by a file."""
        return Path(os.path.realpath(self.path))

    def _remove_leftovers(self) -> None:
        """Delete temporary files: under the lock, none can be a living writer's."""
        if self._tidy:
            return
        for name in self._names():
            if temporary_of(self._target, name):
                try:
                    self._files.remove(self._target.with_name(name))
                except OSError as error:
                    raise _fault("memory.unsaved", self._target.with_name(name), error) from error
        self._tidy = True

    def _load(self) -> _Known:
        """Read the file if it is not the one that is known, one thread at a time: a broken one is kept once."""
        with self._knowing:
            return self._load_alone()

    def _load_alone(self) -> _Known:
        known = self._known
        try:
            stamp = self._files.stamp(self.path)
            if stamp is None:
                data = b""
            elif stamp == known.stamp and known.settled:
                return known
            else:
                data, stamp = self._files.read(self.path)
        except FileNotFoundError:
            data, stamp = b"", None
        except OSError as error:
            raise _fault("memory.unreadable", self.path, error) from error
        settled = stamp is not None and stamp.mtime_ns + RACY_NS < self._files.wall_ns()
        if stamp is not None and known.stamp is not None and data == known.data and self._seen:
            fresh = replace(known, stamp=stamp, settled=settled)
        else:
            if self._seen and data != self._written and (stamp is not None or known.stamp is not None):
                self._note_others(stamp)
            fresh = replace(self._parse(data, stamp, known), settled=settled)
        self._known, self._seen = fresh, True
        return fresh

    def _note_others(self, stamp: Stamp | None) -> None:
        now = self._clock.now()
        self.changed_by_others = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC) if stamp else now

    def _parse(self, data: bytes, stamp: Stamp | None, known: _Known) -> _Known:
        if stamp is None:
            return _Known()
        try:
            usable = known.data and not known.broken
            new = documents.read(data, known.document if usable else None, known.data)
            return _Known(stamp, False, data, new)
        except ValueError:
            pass  # damaged: what follows keeps it and tells the user
        new, problems = rescue(self._files, self._target, data, known.document.entries, self._clock.now())
        return _Known(stamp, False, data, new, problems, broken=True)

    def _write(self, known: _Known, new: Document, history: tuple[Record, ...]) -> tuple[Phrase, ...]:
        target = self._target
        if known.broken and not is_blank(known.data):
            try:
                keep(self._files, target, known.data, self._clock.now())
            except OSError as error:
                raise _fault("memory.not_kept", target, error) from error
        data = new.data()
        size: int | None = None
        self._written = data
        try:
            self._files.make_folder(target.parent)
            if history:
                # First the history: after a crash it may know of a change that was not made, but nothing is gone.
                size = self._files.append(self.history_path, [line(record) for record in history])
            stamp, unsynced = replace_file(self._files, target, data)
        except OSError as error:
            if size is not None:
                self._take_back(size)
            raise _fault("memory.unsaved", target, error) from error
        with self._knowing:
            self._known, self._seen = _Known(stamp, False, data, new), True
        return (phrase("memory.unsynced", file=str(target), why=_why(unsynced)),) if unsynced else ()

    def _take_back(self, size: int) -> None:
        try:
            self._files.shorten(self.history_path, size)
        except OSError:
            # The history then tells of a change that was not made; undoing it finds nothing to undo.
            return


class _Locked:
    """The lock, with its faults told as the memory's."""

    def __init__(self, lock: MemoryLock, path: Path) -> None:
        self._lock, self._path = lock, path

    def __enter__(self) -> None:
        try:
            self._lock.acquire()
        except TimeoutError as error:  # filelock's Timeout is one
            file, seconds = self._lock.lock_file, int(self._lock.timeout)
            raise MemoryFault(phrase("memory.locked", file=file, seconds=seconds)) from error
        except OSError as error:
            raise _fault("memory.unsaved", Path(self._lock.lock_file), error) from error

    def __exit__(self, *error: Any) -> None:
        self._lock.release()


def _fault(key: str, path: Path, error: OSError) -> MemoryFault:
    return MemoryFault(phrase(key, file=str(path), why=_why(error)))


def _why(error: OSError | None) -> str:
    return (error.strerror or str(error)) if error else ""
