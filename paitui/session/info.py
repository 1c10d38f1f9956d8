"""The few facts about a session that a list shows, in a small file of their own."""

from dataclasses import asdict, dataclass
from pathlib import Path

from paitui.atomic import write_atomic
from paitui.jsontext import decode, encode
from paitui.messages.message import Message
from paitui.reading import open_file
from paitui.session.state import SessionState

WORDS_CHARS = 80
"""Most characters of the first words."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as a list shows it. Derived: it can be made again from the session's other files."""

    id: str
    """Also the name of its folder."""
    project: str
    """Resolved path of the project."""
    created: str
    """UTC, ISO-8601."""
    changed: str
    """When it was last saved; UTC, ISO-8601."""
    model: str
    """Name of the model."""
    first_words: str = ""
    """The first words of the user, on one line; empty if there are none yet."""
    messages: int = 0
    """Messages in its histories, without system messages."""


def write_info(folder: Path, info: SessionInfo) -> None:
    """Save the facts.

    Raises:
        OSError: They cannot be written; the old ones stay.
    """
    write_atomic(folder / "meta.json", encode(asdict(info)))


def read_info(folder: Path) -> SessionInfo:
    """Read the facts.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is damaged.
    """
    with open_file(folder / "meta.json") as file:
        found = decode(file.read())
    if not isinstance(found, dict):
        raise ValueError("not an object")
    texts = {name: found.get(name) for name in ("id", "project", "created", "changed", "model", "first_words")}
    messages = found.get("messages")
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(messages, int):
        raise ValueError("a field is missing or has the wrong type")
    return SessionInfo(**{name: str(text) for name, text in texts.items()}, messages=messages)


def first_words_of(message: Message) -> str:
    """Give a user message's words on one line."""
    return " ".join(message.content[: 4 * WORDS_CHARS].split())[:WORDS_CHARS]


def info_of(state: SessionState, changed: str) -> SessionInfo:
    """Make the facts from a state.

    Args:
        state: The session.
        changed: When it was last saved.

    Returns:
        The facts; the first words are those of the first message of the user that still stands in a history.
    """
    everything = [message for messages in state.units.values() for message in messages]
    first = (first_words_of(message) for message in everything if message.is_users_words)
    return SessionInfo(
        id=state.session,
        project=state.project,
        created=state.created,
        changed=changed,
        model=state.model,
        first_words=next(filter(None, first), ""),
        messages=sum(message.role != "system" for message in everything),
    )
