"""The few facts about a session that a list shows, in a small file of their own."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from paitui.atomic import write_atomic
from paitui.jsontext import decode, encode
from paitui.messages.message import Message
from paitui.reading import open_file
from paitui.session.state import Append, Change, ReplaceAll, Rewrite, SessionState
from paitui.tokens import text_tokens

WORDS_CHARS = 80
"""Most characters of the first words."""
FORKED_FROM = "forked_from"
"""Name, in `SessionState.extra`, of the ids of the sessions that a session was copied from, the nearest first."""
_MESSAGE_TOKENS = 4
"""What a message costs besides its text."""


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
    tokens: int = 0
    """Estimate of what its histories take now."""
    ended: bool = False
    """Whether it was closed as it should be; also true where nobody knows. False while it is open, and for good
    after a crash."""
    forked_from: tuple[str, ...] = ()
    """Ids of the sessions that it was copied from, the nearest first; it refers to files of theirs."""


class Tally:
    """Counts what the histories hold, change by change, at a cost that does not depend on their length."""

    def __init__(self, units: Iterable[tuple[str, Iterable[Message]]] = ()) -> None:
        self._counts: dict[str, int] = {}
        self._sizes: dict[str, dict[int, int]] = {}
        self.tokens = 0
        """Estimate of all messages."""
        for unit, messages in units:
            self._replace(unit, messages)

    @property
    def messages(self) -> int:
        """How many there are, without system messages."""
        return sum(self._counts.values())

    def note(self, change: Change) -> None:
        """Keep in step with a change."""
        match change:
            case Append(unit, message):
                self._counts[unit] = self._counts.get(unit, 0) + (message.role != "system")
                self._size(unit, message.uid, message)
            case Rewrite(unit, replaced):
                for uid, message in replaced.items():
                    self._size(unit, uid, message)
            case ReplaceAll(unit, messages):
                self._replace(unit, messages)
            case _:
                pass

    def _replace(self, unit: str, messages: Iterable[Message]) -> None:
        self.tokens -= sum(self._sizes.pop(unit, {}).values())
        self._counts[unit] = 0
        for message in messages:
            self._counts[unit] += message.role != "system"
            self._size(unit, message.uid, message)

    def _size(self, unit: str, uid: int, message: Message) -> None:
        sizes = self._sizes.setdefault(unit, {})
        size = message_tokens(message)
        self.tokens += size - sizes.get(uid, 0)
        sizes[uid] = size


def message_tokens(message: Message) -> int:
    """Estimate a message as it is sent, without images."""
    texts = (message.sent_text, message.reasoning, *(f"{call.name}{call.arguments}" for call in message.tool_calls))
    return _MESSAGE_TOKENS + sum(map(text_tokens, texts))


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
    messages, tokens = found.get("messages"), found.get("tokens", 0)
    fits = all(isinstance(text, str) for text in texts.values())
    if not (fits and isinstance(messages, int) and isinstance(tokens, int)):
        raise ValueError("a field is missing or has the wrong type")
    return SessionInfo(
        id=str(texts["id"]),
        project=str(texts["project"]),
        created=str(texts["created"]),
        changed=str(texts["changed"]),
        model=str(texts["model"]),
        first_words=str(texts["first_words"]),
        messages=messages,
        tokens=tokens,
        ended=found.get("ended") is not False,  # an older program did not say
        forked_from=ancestors(found.get(FORKED_FROM)),
    )


def ancestors(value: object) -> tuple[str, ...]:
    """Read the ids of the sessions that a session was copied from."""
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()


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
    tally = Tally(state.units.items())
    first = (first_words_of(message) for message in everything if message.is_users_words)
    return SessionInfo(
        id=state.session,
        project=state.project,
        created=state.created,
        changed=changed,
        model=state.model,
        first_words=next(filter(None, first), ""),
        messages=tally.messages,
        tokens=tally.tokens,
        forked_from=ancestors(state.extra.get(FORKED_FROM)),
    )
