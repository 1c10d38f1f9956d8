"""Saving a session as it goes, and opening it again."""

import errno
import os
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from paitui.appendlog import AppendLog
from paitui.atomic import make_folder, write_atomic
from paitui.clock import Clock, iso
from paitui.jsontext import encode
from paitui.locale import Phrase, phrase
from paitui.messages.validity import repair
from paitui.session.codec import SCHEMA, change_to_record, snapshot_bytes
from paitui.session.errors import SessionError as SessionError
from paitui.session.errors import unreadable, unsaved
from paitui.session.files import journal_path, prune, snapshot_path
from paitui.session.info import SessionInfo, Tally, first_words_of, info_of, read_info, write_info
from paitui.session.opened import new_lock
from paitui.session.recovery import recover
from paitui.session.state import Append, Change, ReplaceAll, SessionState, Set, apply

if TYPE_CHECKING:
    from filelock import FileLock

_Part = Literal["journal", "snapshot", "info"]

JOURNAL_BYTES = 1 << 20
"""A journal shorter than this is never a reason for a snapshot."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A session that was opened again."""

    state: SessionState
    """Every history obeys the rules of a request."""
    problems: tuple[Phrase, ...] = ()
    """What the user should know: damaged files, interrupted calls."""
    repaired: tuple[str, ...] = ()
    """Units whose history had to be repaired."""


class SessionStore:
    """One session's folder, open in this process alone.

    The store holds no history. Whoever does reports each change with `append`, and hands over the whole state
    for a `snapshot`, at best when a history was shortened or `wants_snapshot` says so. Everything appended
    survives the end of the process; everything before a `sync` survives the end of the machine.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Remember where the session is; nothing is opened or made.

        Args:
            folder: The session's own folder, named by its id.
            clock: For the times that a list of sessions shows.
        """
        self.folder = folder
        self._clock = clock
        self._lock: FileLock | None = None
        self._journal = AppendLog(journal_path(folder, 0))
        self._seq = 0
        self._snapshot_seq = -1
        self._snapshot_bytes = 0
        self._journal_bytes = 0
        self._owed: deque[bytes] = deque()
        self._failing: set[_Part] = set()
        self._cause = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._in_doubt = False
        self._info = SessionInfo(folder.name, "", "", "", "")
        self._tally = Tally()
        self._next_uid = 1

    def create(self, project: str, model: str) -> Loaded:
        """Begin a new session.

        Args:
            project: Resolved path of the project.
            model: Name of the model.

        Returns:
            Its empty state. If it could not be written, a problem says so; the session can go on unsaved, and
            the first `snapshot` that succeeds saves all of it.

        Raises:
            SessionError: There is one of that name.
        """
        now = iso(self._clock.now())
        state = SessionState(self.folder.name, project, now, model)
        self._info = info_of(state, now)
        if self.folder.exists():
            raise SessionError(phrase("session.exists", session=self.folder.name))
        try:
            self.snapshot(state)
        except SessionError as error:
            return Loaded(state, (error.phrase,))
        return Loaded(state)

    def load(self) -> Loaded:
        """Open a session again, as it was after the last change that was appended.

        Returns:
            Its state and what was wrong with it. What was repaired is saved with the next change.

        Raises:
            SessionError: It does not exist, is open elsewhere, or cannot be read.
        """
        if not self.folder.is_dir():
            raise SessionError(phrase("session.missing", session=self.folder.name))
        self._take_lock()
        try:
            found = recover(self.folder)
        except BaseException:
            self.close()
            raise
        self._seq, self._snapshot_seq = found.seq, found.snapshot_seq
        self._snapshot_bytes = found.snapshot_bytes
        journal = found.journal or journal_path(self.folder, found.snapshot_seq)
        self._journal = AppendLog(journal)
        self._journal_bytes = journal.stat().st_size if found.journal else 0
        state, problems = found.state, list(found.problems)
        repairs = _repairs(state)
        for change in repairs:
            state = apply(state, change)
            self._owe(change)
        if repairs:
            added = sum(len(change.messages) - len(found.state.units[change.unit]) for change in repairs)
            problems.append(phrase("session.repaired", n=added) if added > 0 else phrase("session.mended"))
        self._next_uid = state.next_uid
        self._info = self._known_info(state)
        self._tally = Tally(state.units.items())
        return Loaded(state, tuple(problems), tuple(change.unit for change in repairs))

    def append(self, change: Change) -> None:
        """Save one change, with one write whose cost does not depend on the length of the session.

        Args:
            change: What changed.

        Raises:
            SessionError: It could not be written now. It is kept and written before the next change, so
                nothing has to be repeated; the user should know.
        """
        self._owe(change)
        self._note(change)
        self._flush()
        if isinstance(change, Append) and change.message.is_users_words:
            self._save_info()

    @property
    def wants_snapshot(self) -> bool:
        """Whether a snapshot is due.

        The journal has outgrown the last one (so snapshots stay in proportion to what was written), there is
        none yet, or the disk reported that it may have lost a part of the journal.
        """
        outgrown = self._journal_bytes > max(JOURNAL_BYTES, self._snapshot_bytes)
        return outgrown or self._in_doubt or self._snapshot_seq < 0

    def snapshot(self, state: SessionState) -> None:
        """Save the whole state, and begin a new journal. The last snapshot and its journal are kept beside.

        Args:
            state: The state after every change appended so far. (Of `next_uid` the store keeps count itself,
                so that a uid is not given twice after a history was emptied.)

        Raises:
            SessionError: It could not be written; what was saved before still holds.
        """
        if self._seq == self._snapshot_seq and not self._in_doubt:
            return
        path = snapshot_path(self.folder, self._seq)
        state = replace(state, next_uid=max(state.next_uid, self._next_uid))
        data = snapshot_bytes(state, self._seq)
        try:
            self._make_folder()
            write_atomic(path, data)
        except OSError as error:
            raise self._failed("snapshot", path, error) from error
        self._journal.close()
        self._journal = AppendLog(journal_path(self.folder, self._seq))
        self._snapshot_seq, self._snapshot_bytes, self._journal_bytes = self._seq, len(data), 0
        self._owed.clear()
        self._in_doubt = False
        self._failing.clear()
        self._tally = Tally(state.units.items())
        prune(self.folder)
        self._save_info()

    def sync(self) -> None:
        """Flush to the disk; once per turn is enough.

        Raises:
            SessionError: Something could not be written or flushed. It is tried again with the next change;
                after a failed flush `wants_snapshot` is true, because a disk that failed once may report
                success later without having kept the bytes.
        """
        self._flush()
        try:
            self._journal.sync()
        except OSError as error:
            self._in_doubt = True
            raise self._failed("journal", self._journal.path, error) from error
        self._save_info()

    def finish(self) -> None:
        """Note that the session ends as it should; a change after it takes the note back.

        Raises:
            SessionError: It cannot be written; the session will count as broken off.
        """
        if self._snapshot_seq >= 0:
            self._save_info(ended=True)

    def close(self) -> None:
        """Let go of the files and of the lock. Nothing is written."""
        self._journal.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _make_folder(self) -> None:
        if self._lock is None:
            make_folder(self.folder)
            self._take_lock()

    def _take_lock(self) -> None:
        try:
            lock = new_lock(self.folder)
        except OSError as error:
            raise unreadable(self.folder / "lock", error) from error
        if lock is None:
            raise SessionError(phrase("session.locked", session=self.folder.name))
        self._lock = lock

    def _owe(self, change: Change) -> None:
        record: Mapping[str, Any] = {"v": SCHEMA, "seq": self._seq + 1, **change_to_record(change)}
        self._owed.append(encode(record))
        self._seq += 1

    def _flush(self) -> None:
        if self._snapshot_seq < 0:
            # Changes mean nothing without the state they change; only a snapshot can save this session.
            self._owed.clear()
            raise self._failed("journal", self.folder, self._cause)
        while self._owed:
            try:
                self._journal.append(self._owed[0])
            except OSError as error:
                raise self._failed("journal", self._journal.path, error) from error
            self._journal_bytes += len(self._owed.popleft()) + 1
        self._failing.discard("journal")

    def _failed(self, what: _Part, path: Path, error: OSError) -> SessionError:
        first = not self._failing
        self._failing.add(what)
        self._cause = error
        return unsaved(path, error, first)

    def _note(self, change: Change) -> None:
        """Keep the next uid, and what a list of sessions shows, in step with a change."""
        self._tally.note(change)
        match change:
            case Append(_, message):
                self._next_uid = max(self._next_uid, message.uid + 1)
                if not self._info.first_words and message.is_users_words:
                    self._info = replace(self._info, first_words=first_words_of(message))
            case ReplaceAll(_, messages):
                self._next_uid = max((self._next_uid, *(message.uid + 1 for message in messages)))
            case Set("next_uid", value):
                self._next_uid = max(self._next_uid, value)
            case Set("model", value):
                self._info = replace(self._info, model=value)

    def _save_info(self, ended: bool = False) -> None:
        changed = self._info.changed if ended else iso(self._clock.now())  # leaving is no change
        messages, tokens = self._tally.messages, self._tally.tokens
        self._info = replace(self._info, changed=changed, messages=messages, tokens=tokens, ended=ended)
        try:
            write_info(self.folder, self._info)
        except OSError as error:
            raise self._failed("info", self.folder / "meta.json", error) from error
        self._failing.discard("info")

    def _known_info(self, state: SessionState) -> SessionInfo:
        fresh = info_of(state, iso(self._clock.now()))
        try:
            # The first words of the user may have been summarised since, so the file knows better.
            words = read_info(self.folder).first_words
        except (OSError, ValueError):
            return fresh
        return replace(fresh, first_words=words or fresh.first_words)


def _repairs(state: SessionState) -> list[ReplaceAll]:
    """Give the changes that make every history obey the rules of a request."""
    next_uid = state.next_uid
    changes: list[ReplaceAll] = []
    for unit, messages in state.units.items():
        mended = repair(messages)
        if tuple(mended) == messages:
            continue
        for at, message in enumerate(mended):
            if message.uid == 0:
                mended[at] = replace(message, uid=next_uid)
                next_uid += 1
        changes.append(ReplaceAll(unit, tuple(mended)))
    return changes
