"""What the user wants of the app. Screens say it by these messages; the app carries it out."""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.events import Key, Paste
from textual.message import Message

from paitui.engine.ops import Op
from paitui.locale import Phrase
from paitui.messages.message import Spans

if TYPE_CHECKING:
    from paitui.session.info import SessionInfo


@runtime_checkable
class First(Protocol):
    """A screen that looks at each key at once, before the next one is.

    Where a key moves the keyboard elsewhere, the keys right behind it would else still go to whoever had it.
    """

    def before_input(self, event: Key | Paste) -> bool:
        """Take a key or a paste; says whether it is dealt with."""
        ...


class Ask(Message):
    """Send an op to the worker."""

    def __init__(self, op: Op) -> None:
        super().__init__()
        self.op = op


class Say(Message):
    """Send what was typed: a message, or a slash command."""

    def __init__(self, text: str, steer: bool = False, pasted: Spans = ()) -> None:
        super().__init__()
        self.text = text
        self.steer = steer
        self.pasted = pasted


class Open(Message):
    """Go to a pane, or to the chat."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        """Of the action that leads there."""


class ShowRecord(Message):
    """Show where something stands in the ledger."""

    def __init__(self, role: str, text: str) -> None:
        super().__init__()
        self.role = role
        """Whose message it is; empty for any record."""
        self.text = text
        """Part of it: its first words, or the id of its call."""


class Resume(Message):
    """Go on with another session."""

    def __init__(self, info: "SessionInfo") -> None:
        super().__init__()
        self.info = info


class Warn(Message):
    """Tell what could not be done; it stays until it is dismissed."""

    def __init__(self, what: Phrase) -> None:
        super().__init__()
        self.what = what


class Dismiss(Message):
    """The notices are read."""


class Quit(Message):
    """End the session and the program."""
