"""What a step stands on: the calls made so far for this request, the notes taken, the words to speak in."""

from collections.abc import Sequence
from dataclasses import dataclass

from paitui.model.offline.speech import Note, Speech
from paitui.model.offline.tooling import Wanted
from paitui.model.offline.view import Deed


@dataclass(frozen=True, slots=True)
class Ask:
    """Calls that a step needs next."""

    calls: tuple[Wanted, ...]
    say: str
    """One short sentence for the user, before the calls."""
    thought: str = ""
    """What is planned, shown folded."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A step is at its end."""

    text: str


Step = Ask | Answer


@dataclass(slots=True)
class Ground:
    """The state of a request, derived anew for each decision.

    Intents take their calls from `deeds` in order: what one intent has used, a later one of the same request does
    not take for its own.
    """

    deeds: Sequence[Deed]
    """Calls made for this request, in order."""
    notes: Sequence[Note]
    """Notes taken for this request, in order."""
    speech: Speech
    tools: frozenset[str]
    """Names of the tools that may be called."""
    user_texts: Sequence[str] = ()
    """Everything that the user said and that is still known, newest first."""
    memories: Sequence[str] = ()
    """What long-term memory says, as far as it is attached to the messages: hints, behind the user's words."""
    facts: Sequence[str] = ()
    """Paths that the program's own list, kept with a summary, names as read."""
    window: int = 32_000
    """Context size in tokens."""
    start: int = 0
    """Calls before this one belong to earlier intents."""
    used: int = 0
    """Behind the last call that the running intent has taken for its own."""

    def next_intent(self) -> None:
        """Let the calls that were taken belong to the intent that is done."""
        self.start = max(self.start, self.used)

    def deed(self, tool: str, key: str) -> Deed | None:
        """Find the running intent's call of a tool about something."""
        for at in range(self.start, len(self.deeds)):
            one = self.deeds[at]
            if one.tool == tool and one.key == key:
                self.used = max(self.used, at + 1)
                return one
        return None

    def all(self, tool: str) -> list[Deed]:
        """All calls of a tool that the running intent may take for its own."""
        found = [(at, one) for at, one in enumerate(self.deeds) if at >= self.start and one.tool == tool]
        if found:
            self.used = max(self.used, found[-1][0] + 1)
        return [one for _, one in found]
