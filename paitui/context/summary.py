"""Tier 3: the older part of the history becomes a summary of four fixed sections, checked by program."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from paitui.context.cut import Cut
from paitui.context.estimate import text_tokens
from paitui.context.factsheet import FactWords, render
from paitui.context.keeping import Kept
from paitui.context.offload import OutputFiles, preview_of
from paitui.context.serialise import longest_prefix, pieces, serialise
from paitui.messages.message import Message

MIN_SUMMARY_CHARS = 80
MAX_SUMMARY_TOKENS = 12_000
_PART_HEAD = 30
"""What the line over a partial summary takes at most, in tokens and in characters."""
_WISH_SHARE = 4
"""One part in so many of a request may be the user's instructions; longer ones keep beginning and end."""

Ask = Callable[[str, str], Awaitable[str]]
"""Sends instruction and text to a model, gives its answer; what it raises passes through."""


@dataclass(frozen=True, slots=True)
class SummaryPrompts:
    """What the model is told, in the conversation's language."""

    instruction: str
    """Asks for a summary of a stretch of conversation."""
    merge: str
    """Asks to merge partial summaries."""
    again: str
    """Added when the first answer failed the check; ``{problem}`` says how."""
    part_limit: str
    """Added for a partial summary; ``{chars}`` is its limit."""
    wish: str
    """Introduces the user's own instructions; ``{text}``."""
    headings: tuple[str, str, str, str]
    """The four headings, as they must stand."""
    marker: str
    """First line of the summary message."""
    acknowledgement: str
    """What the assistant answers to it."""
    limit: str
    """Says how long the summary may be; ``{tokens}``."""
    facts: FactWords
    """The words around what the program keeps beside the summary."""
    known_facts: tuple[FactWords, ...]
    """The same in every language, to read earlier ones back."""
    shortened: str
    """Stands for the middle of a long kept message; ``{path}``."""


class SummaryRefused(Exception):
    """The model's summary failed the check twice; the text says how."""


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """How long requests and answers may be."""

    piece_chars: int
    """Longest stretch that one request covers, in characters."""
    piece_tokens: int
    """The same in estimated tokens, so that no request exceeds the window."""
    part_chars: int
    """Longest partial summary."""
    kept_tokens: int
    """What the program keeps beside a summary, the user's own texts included."""
    max_tokens: int = MAX_SUMMARY_TOKENS
    """Longest summary."""
    told_tokens: int = MAX_SUMMARY_TOKENS
    """The length that the model is told, and that the cut reckons with."""

    @property
    def part_tokens(self) -> int:
        """Longest partial summary in estimated tokens: two of them fit one request, so that the levels end."""
        return self.piece_tokens // 2 - _PART_HEAD

    def part_limit(self, prompts: SummaryPrompts) -> int:
        """Longest partial summary in characters, for the language that it is written in."""
        # The instruction is more mixed than a summary may be.
        rate = 0.85 * len(prompts.instruction) / text_tokens(prompts.instruction)
        return min(self.part_chars, self.piece_chars // 2 - _PART_HEAD, int(self.part_tokens * rate))


async def write_summary(
    messages: Sequence[Message], ask: Ask, prompts: SummaryPrompts, bounds: SummaryLimits, wish: str = ""
) -> str:
    """Have a stretch of history summarised.

    Long stretches are divided, summarised piece by piece and merged in order, level by level.

    Args:
        messages: The stretch.
        ask: The model.
        prompts: Instructions and headings.
        bounds: Lengths.
        wish: The user's own instructions.

    Returns:
        A summary that passes `problem_of`.

    Raises:
        SummaryRefused: Two answers in a row failed the check.
    """
    extra = "\n" + prompts.limit.format(tokens=bounds.told_tokens)
    if wish:
        most = bounds.piece_tokens // _WISH_SHARE
        wish = wish if text_tokens(wish) <= most else shortened(wish, most, "[...]")
        extra += "\n" + prompts.wish.format(text=wish)
        bounds = replace(bounds, piece_tokens=bounds.piece_tokens - text_tokens(wish))
    texts = pieces(serialise(messages), bounds.piece_chars, bounds.piece_tokens)
    most_chars = bounds.part_limit(prompts)
    part_note = "\n" + prompts.part_limit.format(chars=most_chars)
    if len(texts) == 1:
        return await _checked(ask, prompts.instruction + extra, texts[0], prompts, bounds)
    parts = [
        await _checked(ask, prompts.instruction + extra + part_note, text, prompts, bounds, most_chars)
        for text in texts
    ]
    while len(parts) > 1:
        groups = _group(parts, bounds)
        last = len(groups) == 1
        parts = [
            await _checked(
                ask,
                prompts.merge + extra + ("" if last else part_note),
                _numbered(group),
                prompts,
                bounds,
                0 if last else most_chars,
            )
            for group in groups
        ]
    return parts[0]


async def _checked(
    ask: Ask, instruction: str, text: str, prompts: SummaryPrompts, bounds: SummaryLimits, max_chars: int = 0
) -> str:
    reserved = [words.heading for words in prompts.known_facts]
    max_tokens = bounds.part_tokens if max_chars else bounds.max_tokens

    def check(answer: str) -> str:
        return problem_of(answer, prompts.headings, max_tokens, max_chars, reserved)

    answer = (await ask(instruction, text)).strip()
    problem = check(answer)
    if problem:
        answer = (await ask(instruction + "\n" + prompts.again.format(problem=problem), text)).strip()
        problem = check(answer)
    if problem:
        raise SummaryRefused(problem)
    return answer


def _group(parts: Sequence[str], bounds: SummaryLimits) -> list[list[str]]:
    """Put neighbours together as far as they fit one request, at least two each so that the levels end."""
    groups: list[list[str]] = [[]]
    for part in parts:
        group = [*groups[-1], part]
        text = _numbered(group)
        fits = len(text) <= bounds.piece_chars and text_tokens(text) <= bounds.piece_tokens
        if len(group) <= 2 or fits:
            groups[-1] = group
        else:
            groups.append([part])
    if len(groups) > 1 and len(groups[-1]) == 1 and len(groups[-2]) > 2:
        groups[-1].insert(0, groups[-2].pop())
    return groups


def _numbered(parts: Sequence[str]) -> str:
    return "\n".join(f"[[part {n} of {len(parts)}]]\n{part}" for n, part in enumerate(parts, 1))


def problem_of(
    answer: str, headings: Sequence[str], max_tokens: int, max_chars: int = 0, reserved: Sequence[str] = ()
) -> str:
    """Check a summary.

    Args:
        answer: What the model wrote.
        headings: The headings that must stand, each on a line of its own, in this order.
        max_tokens: Longest summary in estimated tokens.
        max_chars: Longest in characters; 0 means no such limit.
        reserved: Headings that only the program writes.

    Returns:
        What is wrong, in words for the model; empty if nothing is.
    """
    if len(answer) < MIN_SUMMARY_CHARS:
        return f"it has {len(answer)} characters, at least {MIN_SUMMARY_CHARS} are needed"
    if max_chars and len(answer) > max_chars:
        return f"it has {len(answer)} characters, at most {max_chars} are allowed"
    if text_tokens(answer) > max_tokens:
        return f"it is longer than {max_tokens} tokens"
    lines = [line.strip() for line in answer.splitlines()]
    for heading in reserved:
        if heading in lines:
            return f"the heading {heading!r} must not stand in it"
    positions = []
    for heading in headings:
        if lines.count(heading) != 1:
            return f"the heading {heading!r} must stand exactly once"
        positions.append(lines.index(heading))
    if positions != sorted(positions):
        return "the headings are not in the given order"
    if any(lines[: positions[0]]):
        return "text stands before the first heading"
    for heading, start, end in zip(headings, positions, [*positions[1:], len(lines)], strict=True):
        if not any(lines[start + 1 : end]):
            return f"the section {heading!r} is empty"
    return ""


def rebuild(
    messages: Sequence[Message], cut: Cut, summary: str, prompts: SummaryPrompts, kept: Kept
) -> list[Message]:
    """Put the summary in place of what was cut.

    Args:
        messages: The history; it is not changed.
        cut: What was summarised.
        summary: The checked text.
        prompts: Marker, acknowledgement, words around facts.
        kept: What stands beside the summary, and the texts of the turn that was cut.

    Returns:
        System messages, summary, acknowledgement, where the cut lies inside a turn that turn's user text, and
        the tail unchanged. The new messages have no `uid` yet.
    """
    carried: list[Message] = []
    if cut.carried:
        images = tuple(image for at in cut.carried for image in messages[at].images)
        carried.append(Message("user", "\n\n".join(kept.carried), images=images, origin="carried"))
    body = "\n".join(filter(None, [prompts.marker, summary, render(kept.facts, prompts.facts)]))
    return [
        *messages[: cut.start],
        Message("user", body, origin="summary"),
        Message("assistant", prompts.acknowledgement, origin="acknowledgement"),
        *carried,
        *messages[cut.end :],
    ]


def shortened(text: str, limit: int, note: str) -> str:
    """Keep head and tail of a text around a note that says where the whole of it is.

    Args:
        text: A text of more than `limit` tokens.
        limit: Estimated tokens of head, note and tail together.
        note: The line between them.
    """
    chars = longest_prefix(text, max(50, limit - text_tokens(note) - 20))
    head, tail = preview_of(text, chars * 2 // 3, chars // 3)
    return f"{head}\n{note}\n{tail}"


def saved_and_shortened(text: str, limit: int, prompts: SummaryPrompts, files: OutputFiles) -> str:
    """Shorten a user's text, the whole of it in a file; where that fails the reason stands in place of the path."""
    try:
        path = files.save("user-message", text)
    except OSError as error:
        path = f"({error.strerror or error})"
    return shortened(text, limit, prompts.shortened.format(path=path))
