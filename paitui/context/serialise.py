"""A stretch of history as text for a summary request, and its division into pieces that fit one."""

from collections.abc import Iterable, Sequence

from paitui.context.estimate import text_tokens
from paitui.context.offload import body_of
from paitui.messages.message import Message


def serialise(messages: Iterable[Message]) -> list[str]:
    """Write each message as a block of text, its calls with their arguments.

    Blocks begin with a line in double brackets that says what they are: ``[[3 user]]``, ``[[4 assistant]]``,
    ``[[5 result of read_file, 5,120 characters, stored in PATH]]``, ``[[2 summary]]``.

    Args:
        messages: A stretch of a history.

    Returns:
        One block per message, in order.
    """
    return [_block(number, message) for number, message in enumerate(messages, 1)]


def _block(number: int, message: Message) -> str:
    match message.role:
        case "tool":
            kind = f"{'' if message.ok else 'failed '}result of {message.name}, {message.body_chars} characters"
            kind += f", stored in {message.stored}" if message.stored else ""
            body = body_of(message) if message.state == "live" else message.content
        case "user":
            named = {
                "summary": "summary",
                "carried": "carried user texts",
                "program": "program",
                "results": "program",
            }
            kind = named.get(message.origin, "user")
            images = "".join(f"\n[image: {image.url[:80]}]" for image in message.images)
            body = message.content + images
        case role:
            kind = str(role)
            calls = [f"[[call {call.name}]] {call.arguments}" for call in message.tool_calls]
            body = "\n".join(filter(None, [message.content, *calls]))
    return f"[[{number} {kind}]]\n{body}"


def pieces(blocks: Sequence[str], max_chars: int, max_tokens: int) -> list[str]:
    """Divide blocks into consecutive pieces; a block that is too long by itself is divided, nothing is dropped.

    Args:
        blocks: What `serialise` gave.
        max_chars: Longest piece in characters.
        max_tokens: Longest piece in estimated tokens.

    Returns:
        The pieces in order; joined with a line break they hold every character of the blocks.
    """
    found: list[str] = []
    current: list[str] = []
    chars = tokens = 0
    for part in (part for block in blocks for part in split_text(block, max_chars, max_tokens)):
        size, cost = len(part) + 1, text_tokens(part) + 1
        if current and (chars + size > max_chars or tokens + cost > max_tokens):
            found.append("\n".join(current))
            current, chars, tokens = [], 0, 0
        current.append(part)
        chars, tokens = chars + size, tokens + cost
    if current:
        found.append("\n".join(current))
    return found


def split_text(text: str, max_chars: int, max_tokens: int) -> list[str]:
    """Divide a text that is too long, at line ends where one is near."""
    parts: list[str] = []
    while len(text) >= max_chars or text_tokens(text) >= max_tokens:
        end = min(max_chars - 1, longest_prefix(text, max_tokens - 1))
        at = text.rfind("\n", end * 4 // 5, end)
        end = at + 1 if at > 0 else max(1, end)
        parts.append(text[:end])
        text = text[end:]
    return [*parts, text] if text or not parts else parts


def longest_prefix(text: str, max_tokens: int) -> int:
    """How many characters of a text fit a number of estimated tokens."""
    low, high = 0, min(len(text), max_tokens * 4)
    while low < high:
        middle = (low + high + 1) // 2
        if text_tokens(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return low
