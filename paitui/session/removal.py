"""Removing a session."""

import os
import shutil
from pathlib import Path

from paitui.locale import phrase
from paitui.session.errors import SessionError
from paitui.session.opened import new_lock

GONE = ".deleted-"
"""How the folder of a deleted session begins until it is removed; no list shows it."""


def delete(sessions: Path, session: str) -> None:
    """Delete a session for good. Its ledger and the files of its large results are somebody else's to remove.

    Args:
        sessions: The folder that holds a folder per session.
        session: Id of the session.

    Raises:
        SessionError: It does not exist, is open here or elsewhere, or cannot be removed; then it is still whole.
    """
    folder = sessions / session
    if not folder.is_dir():
        raise SessionError(phrase("session.missing", session=session))
    gone = sessions / f"{GONE}{os.urandom(4).hex()}"
    try:
        lock = new_lock(folder)
        if lock is None:
            raise SessionError(phrase("session.open_elsewhere", session=session))
        try:
            os.rename(folder, gone)  # in one step: what is left of a removal that was killed is no session
        finally:
            lock.release()
    except OSError as error:
        why = error.strerror or str(error)
        raise SessionError(phrase("session.not_deleted", session=session, why=why)) from error
    for left in sessions.glob(f"{GONE}*"):
        remove_folder(left)


def remove_folder(folder: Path) -> None:
    """Remove a folder that is no session; what cannot be removed is left to the next time."""
    shutil.rmtree(folder, ignore_errors=True)
