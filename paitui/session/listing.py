"""Which sessions there are, and which one is meant."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from paitui.clock import Clock, iso
from paitui.locale import Phrase, phrase
from paitui.session.errors import SessionError, unreadable
from paitui.session.files import parts
from paitui.session.info import SessionInfo as SessionInfo
from paitui.session.info import info_of, read_info
from paitui.session.opened import is_open
from paitui.session.recovery import newest_state

SHOWN_CANDIDATES = 5
"""How many sessions an error names where a prefix fits several."""


def new_id(clock: Clock) -> str:
    """Make an id that sorts by time, such as ``20261201-041502-3fa9``; the last part is random.

    Args:
        clock: For the time, in UTC.

    Returns:
        The id; it is made of digits, lower-case letters and hyphens.
    """
    return f"{clock.now().astimezone(UTC):%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"


def session_ids(sessions: Path) -> list[str]:
    """Name every session that has a folder, also those that cannot be read.

    Args:
        sessions: The folder that holds a folder per session; it may be missing.

    Returns:
        Their ids, in no order.

    Raises:
        SessionError: The folder cannot be read.
    """
    try:
        with os.scandir(sessions) as entries:
            return [e.name for e in entries if not e.name.startswith(".") and e.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(sessions, error) from error


def list_sessions(sessions: Path, project: str | None = None) -> tuple[list[SessionInfo], list[Phrase]]:
    """List the sessions that can be resumed. Reads one small file for each.

    Args:
        sessions: The folder that holds a folder per session; it may be missing.
        project: Only sessions of this project (resolved path); None for all.

    Returns:
        The sessions, last changed first, and what was damaged. Sessions in which the user said nothing yet
        have no first words.

    Raises:
        SessionError: The folder cannot be read.
    """
    found: list[SessionInfo] = []
    problems: list[Phrase] = []
    for name in session_ids(sessions):
        folder = sessions / name
        try:
            info = read_info(folder)
        except (OSError, ValueError):
            try:
                made = _made_again(folder)
            except SessionError as error:
                problems.append(error.phrase)
                continue
            if made is None:
                continue
            info = made
        if project is None or info.project == project:
            found.append(info)
    found.sort(key=lambda info: (info.changed, info.id), reverse=True)
    return found, problems


def latest(sessions: Path, project: str) -> str | None:
    """Find the session to continue: the last changed one in which the user said something.

    Args:
        sessions: The folder that holds a folder per session; it may be missing.
        project: Resolved path of the project.

    Returns:
        Its id; None if there is none.

    Raises:
        SessionError: The folder cannot be read.
    """
    return next((info.id for info in list_sessions(sessions, project)[0] if info.first_words), None)


def broken_off(sessions: Path, project: str, but: str = "") -> SessionInfo | None:
    """Find the session that a crash ended, if it is the last one in which the user said something.

    Args:
        sessions: The folder that holds a folder per session; it may be missing.
        project: Resolved path of the project.
        but: Id of a session that does not count: the one that asks.

    Returns:
        What is known of it; None if the last one ended as it should, or is still open somewhere.

    Raises:
        SessionError: The folder cannot be read.
    """
    found = list_sessions(sessions, project)[0]
    last = next((info for info in found if info.first_words and info.id != but), None)
    if last is None or last.ended or is_open(sessions / last.id):
        return None
    return last


def needed_outputs(sessions: Path) -> set[str] | None:
    """Name the sessions whose stored results may still be read: those that exist, and what they were copied from.

    Args:
        sessions: The folder that holds a folder per session; it may be missing.

    Returns:
        Their ids; None if that cannot be said of some session.

    Raises:
        SessionError: The folder cannot be read.
    """
    found, problems = list_sessions(sessions)
    if problems:
        return None
    return {*session_ids(sessions), *(id for info in found for id in info.forked_from)}


def resolve(sessions: Path, prefix: str) -> str:
    """Find the session that a user names by the beginning of its id.

    Args:
        sessions: The folder that holds a folder per session; it may be missing.
        prefix: The id or the beginning of one.

    Returns:
        The id.

    Raises:
        SessionError: None or several begin like that, or the folder cannot be read.
    """
    names = session_ids(sessions)
    if prefix in names:
        return prefix
    fitting = [name for name in names if prefix and name.startswith(prefix)]
    if not fitting:
        raise SessionError(phrase("session.no_match", prefix=prefix))
    if len(fitting) > 1:
        shown = ", ".join(sorted(fitting, reverse=True)[:SHOWN_CANDIDATES])
        raise SessionError(phrase("session.ambiguous", prefix=prefix, n=len(fitting), candidates=shown))
    return fitting[0]


def _made_again(folder: Path) -> SessionInfo | None:
    """Give the facts of a session whose small file is missing or damaged, from its large ones.

    Returns:
        The facts; None if the folder was made and nothing was ever saved in it.
    """
    try:
        snapshots, journals = parts(folder)
        if not snapshots and not journals:
            return None
        changed = max(part.path.stat().st_mtime for part in (*snapshots, *journals))
    except OSError as error:
        raise unreadable(folder, error) from error
    made = info_of(newest_state(folder), iso(datetime.fromtimestamp(changed, UTC)))
    return replace(made, ended=True)  # nobody knows
