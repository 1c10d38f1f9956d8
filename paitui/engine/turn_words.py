"""What the user typed in one turn, and what of it may become a memory."""

from dataclasses import dataclass

from paitui.memory.extraction.own_words import is_own_words
from paitui.messages.message import Spans
from paitui.trust.asking import asks_to_remember, typed_pieces


@dataclass(frozen=True, slots=True)
class TurnWords:
    """The user's own words; what was pasted is not among them."""

    pieces: tuple[str, ...] = ()
    """What stood before, between and behind pasted parts, of all messages of the turn."""
    ask: bool = False
    """Whether they ask to remember something."""

    def and_said(self, text: str, pasted: Spans = ()) -> "TurnWords":
        """Add a message of the same turn."""
        return TurnWords((*self.pieces, *typed_pieces(text, pasted)), self.ask or asks_to_remember(text, pasted))

    @property
    def text(self) -> str:
        """All of them."""
        return "\n".join(self.pieces)

    def hold(self, fact: str) -> bool:
        """Whether a fact stands in them word for word, in the sense that the user gave it."""
        return is_own_words(fact, self.pieces)
