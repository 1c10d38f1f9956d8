"""What a request must look like so that no provider refuses it.

One function states the rules (`violations`), one makes a damaged list obey them (`repair`), and one gives the
calls of an arriving reply ids of their own (`with_unique_ids`). The rules are those on which the
chat-completions and messages APIs agree: each of them was a refused request somewhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from paitui.messages.message import Message, ToolCall

INTERRUPTED = "[interrupted: this call did not finish, and its effect is unknown]"
CANCELLED = "[cancelled by the user: this call did not run]"


class InvalidRequest(ValueError):
    """A list of messages that must not be sent; the text names the first rule it breaks."""


def violations(messages: Sequence[Message]) -> list[str]:
    """Name every rule that a list of messages breaks.

    Args:
        messages: The list as it would be sent.

    Returns:
        One line per fault, with the position of the message; empty if the list may be sent.
    """
    found: list[str] = []
    seen: set[str] = set()
    open_ids: list[str] = []
    body_started = False
    previous = ""
    for at, message in enumerate(messages):
        if open_ids and message.role != "tool":
            found.append(f"{at}: {message.role} message before the answers to {', '.join(open_ids)}")
            open_ids = []
        match message.role:
            case "system":
                if body_started:
                    found.append(f"{at}: system message after the conversation began")
            case "assistant":
                if previous == "assistant":
                    found.append(f"{at}: two assistant messages side by side")
                for call in message.tool_calls:
                    if not call.id or call.id in seen:
                        found.append(f"{at}: call id {call.id!r} is empty or not unique")
                    seen.add(call.id)
                open_ids = [call.id for call in message.tool_calls]
            case "tool":
                if message.tool_call_id in open_ids:
                    open_ids.remove(message.tool_call_id)
                else:
                    found.append(f"{at}: tool message {message.tool_call_id!r} answers no open call")
        if is_empty(message):
            found.append(f"{at}: empty {message.role} message")
        body_started = body_started or message.role != "system"
        previous = message.role
    if open_ids:
        found.append(f"end: no answers to {', '.join(open_ids)}")
    return found


def guard(messages: Sequence[Message]) -> None:
    """Refuse a list that must not be sent.

    Raises:
        InvalidRequest: A rule is broken.
    """
    found = violations(messages)
    if found:
        raise InvalidRequest(found[0])


def is_empty(message: Message) -> bool:
    """Whether nothing would be sent: no text but white space, no call, no image, no signed block."""
    return not (message.content.strip() or message.tool_calls or message.images or message.signed_reasoning)


def repair(messages: Iterable[Message], answer: str = INTERRUPTED) -> list[Message]:
    """Make a list obey the rules, losing as little as possible.

    Used when a session is loaded: a process that was killed leaves calls without answers. Missing answers are
    added in call order, answers without a call are dropped, repeated ids are renamed together with their
    answers, empty messages are dropped, neighbouring assistant texts are joined, late system messages move to
    the front.

    Args:
        messages: The list as it was found.
        answer: The content of an added tool message.

    Returns:
        A list without `violations`; a valid one comes back with the same messages, answers in call order.
    """
    everything = list(messages)
    system = [message for message in everything if message.role == "system" and not is_empty(message)]
    body = [message for message in everything if message.role != "system"]
    result: list[Message] = system
    used: set[str] = set()
    at = 0
    while at < len(body):
        message = body[at]
        at += 1
        if message.role == "tool":
            continue  # its call is not directly before it: an orphan
        if message.role != "assistant" or not message.tool_calls:
            _append_text(result, message)
            continue
        answers: list[Message] = []
        while at < len(body) and body[at].role == "tool":
            answers.append(body[at])
            at += 1
        renamed = with_unique_ids(message, used)
        used.update(call.id for call in renamed.tool_calls)
        if result and result[-1].role == "assistant":
            previous = result.pop()
            renamed = replace(renamed, content="\n\n".join(filter(str.strip, (previous.content, renamed.content))))
        result.append(renamed)
        for old, new in zip(message.tool_calls, renamed.tool_calls, strict=True):
            result.append(_take_answer(answers, old, new, answer))
    return result


def _append_text(result: list[Message], message: Message) -> None:
    if is_empty(message):
        return
    last = result[-1] if result else None
    if last and message.role == last.role == "assistant" and not last.tool_calls:
        result[-1] = replace(last, content=f"{last.content}\n\n{message.content}".strip())
    else:
        result.append(message)


def _take_answer(answers: list[Message], old: ToolCall, new: ToolCall, missing: str) -> Message:
    for at, candidate in enumerate(answers):
        if candidate.tool_call_id == old.id:
            found = answers.pop(at)
            content = found.content if found.content.strip() else "[empty result]"
            return replace(found, tool_call_id=new.id, content=content)
    return Message("tool", missing, tool_call_id=new.id, name=new.name, ok=False)


def with_unique_ids(reply: Message, used: Iterable[str]) -> Message:
    """Give the calls of a reply ids that no other call of the history has.

    Args:
        reply: An assistant message.
        used: The ids that stand in the history already.

    Returns:
        The same message if its ids are unique and not empty, else one with those ids rewritten.
    """
    taken = set(used)
    calls: list[ToolCall] = []
    for number, call in enumerate(reply.tool_calls):
        new_id, suffix = call.id or f"call_{len(taken)}_{number}", 1
        while new_id in taken:
            suffix += 1
            new_id = f"{call.id or 'call'}_{suffix}"
        taken.add(new_id)
        calls.append(call if new_id == call.id else replace(call, id=new_id))
    return reply if tuple(calls) == reply.tool_calls else replace(reply, tool_calls=tuple(calls))
