"""`/export` and `/resume`, read into ops."""

import shlex
from pathlib import PurePath
from typing import TYPE_CHECKING

from paitui.engine.ops import Sessions
from paitui.locale import Phrase, phrase

if TYPE_CHECKING:  # the screen loads the commands before its first frame
    from paitui.session.info import SessionInfo

FORMS = ("markdown", "html")
_BY_ENDING = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


class SessionUsage(Exception):
    """The command cannot be read.

    Attributes:
        phrase: What is wrong and how it is written.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def read_export(text: str) -> Sessions:
    """Read the argument of `/export`.

    Args:
        text: ``[markdown|html] [file]``; the ending of a file names the form, else it is Markdown.
    """
    word, _, rest = text.strip().partition(" ")
    word, rest = (word, rest.strip()) if word in FORMS else ("", text.strip())
    return Sessions("export", text=rest, form=form_of(word, rest))


def form_of(word: str, file: str) -> str:
    """Decide what is written: as it was asked for, else by the file's ending, else Markdown."""
    return word or _BY_ENDING.get(PurePath(file).suffix.lower(), FORMS[0])


def read_resume(text: str) -> Sessions:
    """Read the argument of `/resume`: the beginning of an id; without one, the last other session.

    Raises:
        SessionUsage: There is more than an id.
    """
    if len(text.split()) > 1:
        raise SessionUsage(phrase("commands.resume_usage"))
    return Sessions("resume", id=text.strip())


def refusal(info: "SessionInfo", session: str, project: str, busy: bool, face: str = "") -> Phrase | None:
    """Say why a face cannot go on with another session now; None if it can.

    Args:
        info: The other session.
        session: Id of the one that is open.
        project: Resolved path of the project.
        busy: Whether something is being worked on.
        face: The option that opens such a face.
    """
    if info.id == session:
        return phrase("session.is_here", id=info.id)
    if info.project != project:
        command = shlex.join(["paitui", *([face] if face else []), "--project", info.project, "--resume", info.id])
        return phrase("session.elsewhere", id=info.id, command=command)
    return phrase("session.busy") if busy else None
