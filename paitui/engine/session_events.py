"""What the worker tells of stored sessions; a part of `paitui.engine.events`."""

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from paitui.locale import Phrase

if TYPE_CHECKING:  # as there
    from paitui.engine.session_desk import SessionView
    from paitui.session.info import SessionInfo


class SessionsShown(Struct, frozen=True):
    """The answer to `Sessions("list")`: those in which the user said something, last changed first."""

    sessions: "tuple[SessionInfo, ...]"
    current: str
    """Id of the one that is open here."""
    project: str
    everywhere: bool = False
    """Whether those of other projects are among them."""
    problems: tuple[Phrase, ...] = ()
    """What could not be read."""


class SessionShown(Struct, frozen=True):
    """The answer to `Sessions("show")`."""

    view: "SessionView"


class SessionFound(Struct, frozen=True):
    """The answer to `Sessions("resume")`: the face is to go on with this one, if it can."""

    info: "SessionInfo"


class SessionChanged(Struct, frozen=True):
    """What became of a session that was to be copied, deleted or exported."""

    result: Literal["forked", "deleted", "exported", "failed"]
    id: str
    """The session; of a copy, the new one."""
    phrase: Phrase
    """The same in words."""
    file: str = ""
    """What was written."""


class SessionBrokenOff(Struct, frozen=True):
    """The last session of this project ended in a crash, and can be gone on with. Told once, soon after opening."""

    info: "SessionInfo"
