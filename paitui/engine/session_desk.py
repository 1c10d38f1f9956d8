"""What can be done with stored sessions: look at them, copy, delete, export. It blocks; run it beside the loop."""

import contextlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from paitui.atomic import FILE_MODE, write_all
from paitui.clock import Clock
from paitui.ledger.writer import LedgerError, LedgerWriter
from paitui.locale import Phrase, Words, phrase
from paitui.paths import Paths
from paitui.session import copying, removal
from paitui.session.info import SessionInfo, info_of, message_tokens, read_info
from paitui.session.listing import broken_off, list_sessions, resolve
from paitui.session.opened import is_open
from paitui.session.recovery import newest_state
from paitui.session.state import SessionState
from paitui.session.store import SessionError
from paitui.trust.secrets import mask

Form = Literal["markdown", "html"]
ENDINGS: dict[Form, str] = {"markdown": ".md", "html": ".html"}
SHOWN_CHARS = 4_000
"""Most characters of an answer that a view holds."""


@dataclass(frozen=True, slots=True)
class UnitView:
    """The history of a unit in figures."""

    name: str
    messages: int
    """Without system messages."""
    tokens: int


@dataclass(frozen=True, slots=True)
class SessionView:
    """All that is worth knowing of a session before going on with it."""

    info: SessionInfo
    asked: str = ""
    """The user's last message."""
    answer: str = ""
    """The last answer, or its beginning."""
    turns: int = 0
    units: tuple[UnitView, ...] = ()
    queued: int = 0
    """Messages that wait."""
    trust: str = ""
    """What brought content from outside in; empty if it is clean."""
    size: int = 0
    """Bytes of its files."""
    ledger: str = ""
    """Path of its ledger; empty if there is none."""
    ledger_size: int = 0
    """Bytes."""
    open: bool = False
    """Whether it is open, here or elsewhere."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    file: Path
    steps: int
    """Messages and marks in it."""


class SessionDesk:
    """The sessions of one home, as one project sees them."""

    def __init__(self, paths: Paths, clock: Clock, words: Words) -> None:
        """Set up; nothing is read.

        Args:
            paths: Home and project.
            clock: For new sessions and their records.
            words: The language of exports.
        """
        self.paths = paths
        self._clock = clock
        self._words = words

    @property
    def project(self) -> str:
        """Resolved path of the project."""
        return str(self.paths.project)

    def listed(self, everywhere: bool = False) -> tuple[list[SessionInfo], list[Phrase]]:
        """List the sessions in which the user said something, last changed first, and what was damaged.

        One that is open, here or elsewhere, has not ended, but is not broken off either: it counts as ended.

        Raises:
            SessionError: The folder cannot be read.
        """
        found, problems = list_sessions(self.paths.sessions, None if everywhere else self.project)
        return [self._at_rest(info) for info in found if info.first_words], problems

    def _at_rest(self, info: SessionInfo) -> SessionInfo:
        return info if info.ended or not is_open(self._folder(info.id)) else replace(info, ended=True)

    def find(self, prefix: str) -> str:
        """Find the session that the beginning of an id names.

        Raises:
            SessionError: None or several begin like that.
        """
        return resolve(self.paths.sessions, prefix)

    def broken_off(self, but: str = "") -> SessionInfo | None:
        """Find the session of this project that a crash ended, if it is the last one.

        Raises:
            SessionError: The folder cannot be read.
        """
        return broken_off(self.paths.sessions, self.project, but)

    def look(self, session: str) -> SessionView:
        """Look at one session as a whole.

        Args:
            session: Its id.

        Raises:
            SessionError: It cannot be read.
        """
        state = newest_state(self._folder(session))
        messages = [message for unit in state.units.values() for message in unit]
        main = next(iter(state.units.values()), ())
        asked = next((message.content for message in reversed(main) if message.is_users_words), "")
        answers = (message.content for message in reversed(main) if message.role == "assistant")
        units = [
            UnitView(name, sum(one.role != "system" for one in unit), sum(map(message_tokens, unit)))
            for name, unit in state.units.items()
        ]
        ledger = self._ledger(session)
        return SessionView(
            info=self._at_rest(self._info(session, state)),
            asked=asked[:SHOWN_CHARS],
            answer=next(filter(str.strip, answers), "")[:SHOWN_CHARS] if messages else "",
            turns=state.turn,
            units=tuple(units),
            queued=len(state.queue),
            trust=state.trust,
            size=sum(_size(file) for file in self._folder(session).glob("*")),
            ledger=str(ledger) if ledger.exists() else "",
            ledger_size=_size(ledger),
            open=is_open(self._folder(session)),
        )

    def fork(self, session: str) -> tuple[SessionInfo, tuple[Phrase, ...]]:
        """Copy a session as it stands. The copy has a ledger of its own, which begins with what it took over.

        Args:
            session: Its id.

        Returns:
            The copy, and what else the user should know.

        Raises:
            SessionError: It cannot be read, or the copy cannot be written.
        """
        info, state = copying.fork(self.paths.sessions, session, self._clock)
        ledger = LedgerWriter(self._ledger(info.id), info.id, self._clock, mask)
        try:
            ledger.event("session", {"state": "forked", "from": session, "model": state.model})
            for unit, messages in state.units.items():
                for message in messages:
                    ledger.message(unit, message)
            ledger.sync()
        except LedgerError as error:
            return info, (error.phrase,)
        finally:
            ledger.close()
        return info, ()

    def delete(self, session: str, with_ledger: bool = False) -> Path | None:
        """Delete a session for good; files of its large results go with age.

        Args:
            session: Its id.
            with_ledger: Also its ledger, which else is kept for audit.

        Returns:
            The ledger that is left; None if there is none.

        Raises:
            SessionError: It is open, or cannot be removed.
        """
        removal.delete(self.paths.sessions, session)
        ledger = self._ledger(session)
        if with_ledger:
            try:
                ledger.unlink(missing_ok=True)
            except OSError as error:
                why = error.strerror or str(error)
                raise SessionError(phrase("session.not_deleted", session=str(ledger), why=why)) from error
        return ledger if ledger.exists() else None

    def export(self, session: str, form: Form, file: str = "", folder: Path | None = None) -> Exported:
        """Write a session to a new file; known secrets in it are masked.

        Args:
            session: Its id.
            form: What to write.
            file: Where to; empty for a name of its own in the folder.
            folder: What a relative path begins at; the project if None.

        Raises:
            SessionError: It cannot be read, the file is there already, or it cannot be written.
        """
        from paitui.engine.session_story import story  # only needed here, like what writes the file

        try:
            state = newest_state(self._folder(session))
            told = story(state, self._info(session, state), self._ledger(session))
            if form == "html":
                from paitui.session.export_html import page as write
            else:
                from paitui.session.export_markdown import markdown as write
            text = write(told, self._words)
        except OSError as error:
            raise _not_exported(str(error.filename), error) from error
        begin = self.paths.project if folder is None else folder
        path = begin / Path(file).expanduser() if file else self._free_name(begin, session, form)
        _write_new(path, text)
        return Exported(path, len(told.steps))

    def default_file(self, session: str, form: Form) -> str:
        """Name the file that an export would go to, relative to the project."""
        return self._free_name(self.paths.project, session, form).name

    def _free_name(self, folder: Path, session: str, form: Form) -> Path:
        at, path = 1, folder / f"paitui-{session}{ENDINGS[form]}"
        while path.exists() or path.is_symlink():
            at += 1
            path = folder / f"paitui-{session}-{at}{ENDINGS[form]}"
        return path

    def info(self, session: str) -> SessionInfo:
        """Give what a list shows of a session.

        Raises:
            SessionError: It cannot be read.
        """
        return self._info(session)

    def _info(self, session: str, state: SessionState | None = None) -> SessionInfo:
        with contextlib.suppress(OSError, ValueError):  # derived: what stands in the state says the same
            return read_info(self._folder(session))
        state = state or newest_state(self._folder(session))
        return info_of(state, state.created)

    def _folder(self, session: str) -> Path:
        return self.paths.sessions / session

    def _ledger(self, session: str) -> Path:
        return self.paths.ledgers / f"{session}.jsonl"


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, for its owner alone; half of one is removed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        fd = os.open(path, flags, FILE_MODE)
    except FileExistsError as error:
        raise SessionError(phrase("session.export_exists", file=str(path))) from error
    except OSError as error:
        raise _not_exported(str(path), error) from error
    try:
        write_all(fd, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _not_exported(str(path), error) from error
    finally:
        os.close(fd)


def _not_exported(path: str, error: OSError) -> SessionError:
    return SessionError(phrase("session.not_exported", file=path, why=error.strerror or str(error)))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
