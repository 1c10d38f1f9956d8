"""What a turn is to do: a message, and how it is worked on. Pure."""

from dataclasses import dataclass

from paitui.engine import ops
from paitui.engine.commands import UnknownCommand, parse
from paitui.engine.events import Mode, QueuedMessage
from paitui.messages.message import Spans


@dataclass(frozen=True, slots=True)
class Assignment:
    """The work of one turn."""

    text: str
    """The user's message; when a plan goes on, its goal."""
    pasted: Spans = ()
    mode: Mode = "react"
    queued: bool = False
    """It waited in the queue, and leaves it when it enters the history."""
    goes_on: bool = False
    """The plan that was interrupted goes on."""


def of_op(op: ops.Submit | ops.Steer | ops.StartPlan | ops.StartTeam, next_mode: Mode) -> Assignment:
    """What a message asks for.

    Args:
        op: The message.
        next_mode: How a message is worked on that does not say so itself.
    """
    match op:
        case ops.StartPlan():
            return Assignment(op.text, op.pasted, "plan")
        case ops.StartTeam():
            return Assignment(op.text, op.pasted, "team")
        case _:
            return Assignment(op.text, op.pasted, next_mode)


def as_typed(work: Assignment) -> tuple[str, Spans]:
    """Write it as a user would type it, for the queue, where it can still be edited."""
    if work.mode == "react":
        return work.text, work.pasted
    command = f"/{work.mode} "
    return command + work.text, tuple((start + len(command), end + len(command)) for start, end in work.pasted)


def of_queued(message: QueuedMessage) -> Assignment:
    """Read what waits in the queue."""
    try:
        found = parse(message.text)
    except UnknownCommand:
        found = None
    modes: dict[str, Mode] = {"plan": "plan", "team": "team"}
    mode = modes.get(found[0].name) if found else None
    if found is None or mode is None or not found[1]:
        return Assignment(message.text, message.pasted, queued=True)
    text, begin = found[1], message.text.index(found[1], len(found[0].name) + 1)
    pasted = tuple((max(start - begin, 0), min(end - begin, len(text))) for start, end in message.pasted)
    return Assignment(text, tuple(span for span in pasted if span[0] < span[1]), mode, queued=True)
