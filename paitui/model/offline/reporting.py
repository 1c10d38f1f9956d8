"""Saying what came of a plan's tasks."""

import re
from collections.abc import Sequence

from paitui.messages.message import Message
from paitui.model.offline.speech import Speech
from paitui.trust.boundary import unwrap

SHOWN_CHARS = 600
_BLOCK = re.compile(r'<tool_result tool="task [^"<>]*" trust="untrusted-data">\n.*?\n</tool_result>', re.DOTALL)
_HEAD = re.compile(r"(\S+): (done|failed|skipped|cancelled|waiting|running)(?: \((.*)\))?$")


def report(messages: Sequence[Message], speech: Speech) -> str:
    """Answer the user from the results that the last message brings along.

    Args:
        messages: The main agent's history.
        speech: In the user's language.
    """
    brought = next((message.attached for message in reversed(messages) if message.origin == "results"), "")
    parts: list[str] = []
    done = whole = 0
    for match in _BLOCK.finditer(brought):
        lines = (unwrap(match[0]) or "").splitlines()
        at = next((n for n, line in enumerate(lines[:3]) if _HEAD.match(line)), -1)
        if at < 0 or (head := _HEAD.match(lines[at])) is None:
            continue
        whole += 1
        done += head[2] == "done"
        title = lines[at + 1] if len(lines) > at + 1 else ""
        answer = "\n".join(lines[at + 2 :]).strip()
        says = speech(f"parts_{'done' if head[2] == 'done' else 'skipped' if head[2] == 'skipped' else 'failed'}")
        reason = f" ({head[3]})" if head[3] else ""
        parts.append(f"- {says}{reason}: {title}\n{_indented(answer)}".rstrip())
    return "\n".join([speech("parts_title", done=done, n=whole), *parts])


def _indented(answer: str) -> str:
    short = answer if len(answer) <= SHOWN_CHARS else f"{answer[:SHOWN_CHARS]} [...]"
    return "\n".join(f"  {line}" for line in short.splitlines())
