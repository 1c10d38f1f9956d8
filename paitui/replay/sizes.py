"""How large messages really were: what was reported for requests, shared out among what came in between."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from paitui.context.estimate import message_tokens
from paitui.messages.message import Message
from paitui.replay.recording import Recording, Step

FACTOR = 1.3
"""Real tokens for an estimated one, where nothing was reported."""
_LEAST_SHARE = 0.25
"""If less than this share of the estimate is left beside the answer, the report cannot be split that way."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a recording in which every request holds the one before it."""

    reports: tuple[int, ...]
    """Steps with usable reports, in order; the prompt grows from one to the next."""


def segments(recording: Recording) -> Iterator[Segment]:
    """Divide a recording where the agent shortened its history: it says so, or the reported prompt gets smaller.

    Reports of 0 are left out; they belong to requests that were cut off.
    """
    current: list[int] = []
    last = 0
    broken = False
    for at, step in enumerate(recording.steps):
        broken = broken or at in recording.breaks
        if step.usage is None or step.usage.prompt <= 0:
            continue
        if current and (broken or step.usage.prompt < last):
            yield Segment(tuple(current))
            current = []
        current.append(at)
        last, broken = step.usage.prompt, False
    if current:
        yield Segment(tuple(current))


@dataclass(slots=True)
class Sizes:
    """Real sizes of messages, as they were recorded and as they stand after something took parts of them out."""

    fixed: float
    """Tokens of every request besides its messages: what of tools and instructions the recording does not hold."""
    recorded: Sequence[float]
    """Tokens of each step."""
    estimates: Sequence[int]
    """The base estimate of each step."""
    factor: float = FACTOR
    """Real tokens for an estimated one, over the whole recording."""
    _known: dict[int, tuple[Message, float]] = field(default_factory=dict)

    def of(self, message: Message, step: int | None) -> float:
        """Size of a message of the history.

        What a wrapper adds counts by the estimate; what was shortened counts at the rate of the whole.

        Args:
            message: As it stands now.
            step: The step that it was recorded in; None if paitui made it.

        Returns:
            Tokens.
        """
        known = self._known.get(message.uid)
        if known is not None and known[0] is message:
            return known[1]
        now = message_tokens(message)
        if step is None:
            size = now * self.factor
        elif now >= self.estimates[step]:
            size = self.recorded[step] + (now - self.estimates[step]) * self.factor
        else:
            size = self.recorded[step] * now / self.estimates[step]
        self._known[message.uid] = (message, size)
        return size


def measure(recording: Recording, schema_tokens: int) -> Sizes:
    """Share out the reports of a recording.

    Args:
        recording: The session.
        schema_tokens: Estimate of paitui's tool schemas; counts where nothing was reported.

    Returns:
        The sizes.
    """
    steps = recording.steps
    estimates = [message_tokens(step.message) for step in steps]
    sent = [message_tokens(step.sent) for step in steps]
    found = list(segments(recording))
    known: dict[int, float] = {}
    for segment in found:
        for start, end in zip(segment.reports, segment.reports[1:], strict=False):
            known |= dict(enumerate(_shared(steps, start, end, sent), start))
    factor = sum(known.values()) / sum(sent[at] for at in known) if known else FACTOR
    sizes = [known.get(at, sent[at] * factor) * estimates[at] / sent[at] for at in range(len(steps))]
    fixed = schema_tokens * factor
    if found:
        first = found[0].reports[0]
        usage = steps[first].usage
        fixed = max(0.0, (usage.prompt if usage else 0) - factor * sum(sent[:first]))
    return Sizes(fixed, sizes, estimates, factor)


def _shared(steps: Sequence[Step], start: int, end: int, estimates: Sequence[int]) -> list[float]:
    """Divide what came between two reports: the answer takes what was reported for it, the rest goes by estimate."""
    before, after = steps[start].usage, steps[end].usage
    assert before is not None and after is not None
    grown = after.prompt - before.prompt
    others = sum(estimates[start + 1 : end])
    answer: float = min(before.completion, grown)
    if grown - answer < others * _LEAST_SHARE:
        weight = before.completion + others * FACTOR
        answer = grown * before.completion / weight if weight else grown
    rest = grown - answer
    return [answer, *(rest * estimate / others for estimate in estimates[start + 1 : end])]
