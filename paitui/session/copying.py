"""A second session that begins where another one stands."""

import contextlib
import os
import time
from dataclasses import replace
from pathlib import Path

from paitui.atomic import make_folder, sync_folder, write_atomic
from paitui.clock import Clock, iso
from paitui.locale import phrase
from paitui.session.codec import snapshot_bytes
from paitui.session.errors import SessionError
from paitui.session.files import snapshot_path
from paitui.session.info import FORKED_FROM, SessionInfo, ancestors, info_of, read_info, write_info
from paitui.session.listing import new_id
from paitui.session.recovery import newest_state
from paitui.session.removal import remove_folder
from paitui.session.state import SessionState

UNFINISHED = ".fork-"
"""How the folder of a copy begins until it is whole; no list shows it."""
STALE_S = 3_600
"""Such a folder that is older was left by a crash."""


def fork(sessions: Path, session: str, clock: Clock) -> tuple[SessionInfo, SessionState]:
    """Copy a session as it stands; it may be open, and is not changed.

    The copy goes its own way: messages that wait and what was always allowed stay with the original. Files of large
    results are not copied; the copy refers to those of its ancestors, which is noted, so that they are kept.

    Args:
        sessions: The folder that holds a folder per session.
        session: Id of the session.
        clock: For the new id.

    Returns:
        The new session, closed, and its state. It is whole or not there, whatever happens meanwhile.

    Raises:
        SessionError: The session cannot be read, or the copy cannot be written.
    """
    state = _state_of(sessions / session)
    now = iso(clock.now())
    name = new_id(clock)
    extra = {**state.extra, FORKED_FROM: [session, *ancestors(state.extra.get(FORKED_FROM))]}
    copy = replace(state, session=name, created=now, queue=(), approvals=(), extra=extra)
    info = replace(info_of(copy, now), ended=True)
    with contextlib.suppress(OSError, ValueError):  # derived only; what still stands in the history does as well
        info = replace(info, first_words=read_info(sessions / session).first_words or info.first_words)
    made = sessions / f"{UNFINISHED}{os.urandom(4).hex()}"
    try:
        _sweep(sessions)
        make_folder(made)
        write_atomic(snapshot_path(made, 0), snapshot_bytes(copy, 0))
        write_info(made, info)
        os.rename(made, sessions / name)
        sync_folder(sessions)
    except OSError as error:
        remove_folder(made)
        why = error.strerror or str(error)
        raise SessionError(phrase("session.not_copied", session=session, why=why)) from error
    return info, copy


def _state_of(folder: Path) -> SessionState:
    try:
        return newest_state(folder)
    except SessionError:
        # Whoever has it open may have begun a new generation of files just now.
        return newest_state(folder)


def _sweep(sessions: Path) -> None:
    """Remove what copies that were killed left."""
    for left in sessions.glob(f"{UNFINISHED}*"):
        if time.time() - left.stat().st_mtime > STALE_S:
            remove_folder(left)
