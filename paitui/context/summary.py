"""Tier 3: the older part of the history becomes a summary of four fixed sections, checked by program."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from paitui.context.cut import Cut
from paitui.context.estimate import text_tokens
from paitui.context.offload import OutputFiles, preview_of
from paitui.context.serialise import longest_prefix, pieces, serialise
from paitui.messages.message import Message

MIN_SUMMARY_CHARS = 80
MAX_SUMMARY_TOKENS = 12_000

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
    beside: str
    """Heading of user messages that are kept word for word beside the summary."""
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
    """User texts kept word for word, together."""
    max_tokens: int = MAX_SUMMARY_TOKENS
    """Longest summary."""


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
    extra = "\n" + prompts.wish.format(text=wish) if wish else ""
    texts = pieces(serialise(messages), bounds.piece_chars, bounds.piece_tokens)
    part_note = "\n" + prompts.part_limit.format(chars=bounds.part_chars)
    parts = [
        await _checked(
            ask,
            prompts.instruction + extra + (part_note if len(texts) > 1 else ""),
            text,
            prompts,
            bounds,
            bounds.part_chars if len(texts) > 1 else 0,
        )
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
                0 if last else bounds.part_chars,
            )
            for group in groups
        ]
    return parts[0]


async def _checked(
    ask: Ask, instruction: str, text: str, prompts: SummaryPrompts, bounds: SummaryLimits, max_chars: int
) -> str:
    answer = (await ask(instruction, text)).strip()
    problem = problem_of(answer, prompts.headings, bounds.max_tokens, max_chars)
    if problem:
        answer = (await ask(instruction + "\n" + prompts.again.format(problem=problem), text)).strip()
        problem = problem_of(answer, prompts.headings, bounds.max_tokens, max_chars)
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


def problem_of(answer: str, headings: Sequence[str], max_tokens: int, max_chars: int = 0) -> str:
    """Check a summary.

    Args:
        answer: What the model wrote.
        headings: The headings that must stand, each on a line of its own, in this order.
        max_tokens: Longest summary in estimated tokens.
        max_chars: Longest in characters; 0 means no such limit.

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
    messages: Sequence[Message],
    cut: Cut,
    summary: str,
    prompts: SummaryPrompts,
    kept_tokens: int,
    files: OutputFiles,
) -> list[Message]:
    """Put the summary in place of what was cut.

    Args:
        messages: The history; it is not changed.
        cut: What was summarised.
        summary: The checked text.
        prompts: Marker, acknowledgement, heading.
        kept_tokens: User texts kept word for word, together, in estimated tokens.
        files: Where the whole of a shortened user text goes.

    Returns:
        System messages, summary, acknowledgement, where the cut lies inside a turn that turn's user text, and
        the tail unchanged. The new messages have no `uid` yet.
    """
    room = kept_tokens
    carried: list[Message] = []
    if cut.carried:
        texts = "\n\n".join(messages[at].content for at in cut.carried)
        text = _within(texts, room, prompts, files)
        room -= text_tokens(text)
        images = tuple(image for at in cut.carried for image in messages[at].images)
        carried.append(Message("user", text, images=images, origin="carried"))
    kept: list[str] = []
    for at in reversed(cut.beside):
        if room < 50:
            break
        text = _within(messages[at].content, room, prompts, files)
        room -= text_tokens(text)
        kept.insert(0, text)
    body = "\n".join([prompts.marker, summary, *([prompts.beside, *kept] if kept else [])])
    return [
        *messages[: cut.start],
        Message("user", body, origin="summary"),
        Message("assistant", prompts.acknowledgement, origin="acknowledgement"),
        *carried,
        *messages[cut.end :],
    ]


def _within(text: str, room: int, prompts: SummaryPrompts, files: OutputFiles) -> str:
    if text_tokens(text) <= room:
        return text
    try:
        path = files.save("user-message", text)
    except OSError as error:
        path = f"({error.strerror or error})"
    chars = longest_prefix(text, max(50, room - text_tokens(prompts.shortened) - 20))
    head, tail = preview_of(text, chars * 2 // 3, chars // 3)
    return f"{head}\n{prompts.shortened.format(path=path)}\n{tail}"
