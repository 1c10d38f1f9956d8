"""What of the user's messages is looked at for lasting facts; no model sees the rest."""

from collections.abc import Iterable
from dataclasses import dataclass

from paitui.memory.extraction.quotes import Judge
from paitui.memory.extraction.sentences import Span, sentences
from paitui.memory.extraction.words import pattern
from paitui.messages.message import Spans
from paitui.trust.asking import typed_text
from paitui.trust.secrets import find

SHORTEST = 5
"""Characters below which a message says nothing that lasts."""
LONGEST = 4_000
"""Characters above which it is material, not a statement."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What may be sent, and how an answer to it is judged."""

    text: str
    """The user's words without what is private; never empty."""
    judge: Judge
    """Judges quotes by the words as the user wrote them."""


def prepare(said: Iterable[tuple[str, Spans]]) -> Prepared | None:
    """Choose what is looked at.

    Args:
        said: The user's messages of one task, each with what of it was pasted.

    Returns:
        What is left, or None if that holds no sign of a lasting fact.
    """
    typed = [typed_text(text, pasted) for text, pasted in said]
    own = "\n\n".join(text for text in typed if SHORTEST <= len(text.strip()) <= LONGEST)
    withheld = private(own)
    kept: list[str] = []
    at = 0
    for start, end in withheld:
        kept += (own[at:start], "\n")
        at = end
    text = "".join((*kept, own[at:])).strip()
    if not pattern("cues", "lasting").search(text):
        return None
    return Prepared(text, Judge(own, tuple(withheld)))


def private(text: str) -> list[Span]:
    """Find the sentences that hold credentials or personal data, by their words or by the shape of a value."""
    values = [(span.start, span.end) for span in find(text)]
    values += [match.span() for match in pattern("private", "words").finditer(text)]
    values += [match.span() for match in pattern("private", "shapes").finditer(text)]
    return [
        (start, end) for start, end in sentences(text) if any(first < end and start < last for first, last in values)
    ]
