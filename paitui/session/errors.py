"""What can go wrong with a stored session."""

from pathlib import Path

from paitui.locale import Phrase, phrase


class SessionError(Exception):
    """A session cannot be opened, found or saved.

    Attributes:
        phrase: What happened and what to do.
        first: For a failed save, whether it is the first since one succeeded; the user is told once. What
            could not be saved is kept in memory and saved with the next change.
    """

    def __init__(self, what: Phrase, first: bool = True) -> None:
        super().__init__(what.key)
        self.phrase = what
        self.first = first


def unreadable(path: Path, error: OSError) -> SessionError:
    """Give the error for a file that the system will not let us read or put in order."""
    return SessionError(phrase("session.unreadable", file=str(path), why=error.strerror or str(error)))


def unsaved(path: Path, error: OSError, first: bool = True) -> SessionError:
    """Give the error for a write that failed."""
    why = error.strerror or str(error)
    return SessionError(phrase("session.unsaved", file=str(path), why=why), first)
