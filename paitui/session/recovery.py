"""Reading a session back from its files, whatever state a crash left them in."""

from dataclasses import dataclass
from pathlib import Path

from paitui.appendlog import AppendLog, read_lines
from paitui.jsontext import decode
from paitui.locale import Phrase, phrase
from paitui.reading import open_file
from paitui.session.codec import SCHEMA, change_from_record, state_from_record
from paitui.session.errors import SessionError, unreadable
from paitui.session.files import Part, needed, parts, set_aside
from paitui.session.state import Replay, SessionState


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the files hold."""

    state: SessionState
    """After the last readable change; histories as they were, not repaired."""
    seq: int
    """Number of the last change."""
    snapshot_seq: int
    """Number of the last change in the snapshot it was read from."""
    snapshot_bytes: int
    """Size of that snapshot."""
    journal: Path | None
    """The journal to go on with, if there is one."""
    problems: tuple[Phrase, ...]
    """What was damaged, and where it is kept."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    part: Part
    seq: int
    state: SessionState
    size: int


class _NewerVersion(Exception):
    """Written by a newer program; nothing is damaged."""


def newest_state(folder: Path) -> SessionState:
    """Read the newest whole snapshot and the readable changes after it, changing nothing.

    Raises:
        SessionError: There is none, or it cannot be read.
    """
    chosen = _choose(folder)[0]
    replay, seq = Replay(chosen.state), chosen.seq
    try:
        for part in needed(parts(folder)[1], chosen.seq):
            seq, end, _ = _replay(part, replay, seq)
            if end < part.path.stat().st_size:
                break  # torn or damaged: what follows does not fit
    except OSError as error:
        raise unreadable(Path(error.filename or folder), error) from error
    except _NewerVersion as error:
        raise _newer(folder) from error
    return replay.state()


def recover(folder: Path) -> Recovered:
    """Read a session back. Damaged files and records are set aside beside the others, never deleted.

    A torn last record of the newest journal was never confirmed to anybody; it stays where it is until the
    next append heals the file. From a record damaged in the middle on, nothing after it can be trusted to
    fit, so the rest is set aside.

    Args:
        folder: The session's folder, locked by the caller.

    Returns:
        The state and what was wrong.

    Raises:
        SessionError: No snapshot is whole, the files were written by a newer program, or the system does not
            let us read them or put them in order. Nothing was deleted then.
    """
    chosen, damaged = _choose(folder)
    problems: list[Phrase] = []
    try:
        for part in damaged:
            kept = set_aside(part.path, "corrupt")
            problems.append(phrase("session.snapshot_damaged", kept=str(kept)))
        replay, seq = Replay(chosen.state), chosen.seq
        journals = needed(parts(folder)[1], chosen.seq)
        for at, part in enumerate(journals):
            is_newest = at == len(journals) - 1
            seq, end, whole_lines = _replay(part, replay, seq)
            if end == part.path.stat().st_size:
                continue
            if is_newest and whole_lines == 0:
                problems.append(phrase("session.torn", file=str(part.path)))
            elif whole_lines:
                kept = _cut(part.path, end)
                problems.append(phrase("session.damaged", n=whole_lines, kept=str(kept)))
                problems += [_pass_over(later) for later in journals[at + 1 :]]
                journals = journals[: at + 1]
                break
    except OSError as error:
        raise unreadable(Path(error.filename or folder), error) from error
    except _NewerVersion as error:
        raise _newer(folder) from error
    if replay.unmatched:
        problems.append(phrase("session.unmatched", n=replay.unmatched))
    journal = journals[-1].path if journals else None
    return Recovered(replay.state(), seq, chosen.seq, chosen.size, journal, tuple(problems))


def _choose(folder: Path) -> tuple[_Snapshot, list[Part]]:
    """Find the newest whole snapshot, and the newer ones that are damaged."""
    damaged: list[Part] = []
    try:
        for part in reversed(parts(folder)[0]):
            with open_file(part.path) as file:
                data = file.read()
            try:
                return _read_snapshot(part, data), damaged
            except ValueError:
                damaged.append(part)
    except FileNotFoundError as error:
        raise SessionError(phrase("session.missing", session=folder.name)) from error
    except OSError as error:
        raise unreadable(Path(error.filename or folder), error) from error
    except _NewerVersion as error:
        raise _newer(folder) from error
    raise SessionError(phrase("session.lost", session=folder.name, folder=str(folder)))


def _read_snapshot(part: Part, data: bytes) -> _Snapshot:
    record = decode(data)
    if not isinstance(record, dict) or not isinstance(record.get("state"), dict):
        raise ValueError("not a snapshot")
    _check_version(record.get("v"))
    if record.get("seq") != part.start:
        raise ValueError("the name does not fit the content")
    return _Snapshot(part, part.start, state_from_record(record["state"]), len(data))


def _replay(part: Part, replay: Replay, seq: int) -> tuple[int, int, int]:
    """Apply what follows on in a journal.

    Returns:
        Number of the last change applied; offset behind the last line understood; whole lines from there on
        that cannot be used (0 if there are only torn bytes, or one last line that is no JSON).
    """
    lines = list(read_lines(part.path))
    for at, (offset, line) in enumerate(lines):
        try:
            record = decode(line)
        except ValueError:
            rest = len(lines) - at
            return seq, offset, 0 if rest == 1 else rest
        try:
            if not isinstance(record, dict) or not isinstance(record.get("seq"), int):
                raise ValueError("not a change")
            _check_version(record.get("v"))
            if record["seq"] <= seq:
                continue  # the snapshot holds it already
            if record["seq"] != seq + 1:
                raise ValueError("changes are missing before this one")
            change = change_from_record(record)
        except ValueError:
            return seq, offset, len(lines) - at
        replay.apply(change)
        seq += 1
    return seq, lines[-1][0] + len(lines[-1][1]) + 1 if lines else 0, 0


def _check_version(version: object) -> None:
    if not isinstance(version, int):
        raise ValueError("no version")
    if version > SCHEMA:
        raise _NewerVersion


def _cut(path: Path, offset: int) -> Path:
    log = AppendLog(path)
    try:
        return log.cut(offset)
    finally:
        log.close()


def _pass_over(part: Part) -> Phrase:
    return phrase("session.unused", kept=str(set_aside(part.path, "unread")))


def _newer(folder: Path) -> SessionError:
    return SessionError(phrase("session.newer", session=folder.name))
