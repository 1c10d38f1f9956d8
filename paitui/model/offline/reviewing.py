"""Judging a worker's step by what can be checked: exit codes, and whether the files it speaks of are there."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from paitui.messages.message import Message, ToolSpec
from paitui.messages.tasks import failure_of
from paitui.messages.validity import CANCELLED, INTERRUPTED
from paitui.model.offline.ground import Ask
from paitui.model.offline.intents import CreateProject, Write
from paitui.model.offline.parse import parse
from paitui.model.offline.speech import Speech
from paitui.model.offline.tooling import Wanted
from paitui.model.offline.view import arguments_of
from paitui.trust.boundary import unwrap

MOST_FILES = 12
_BLOCK = re.compile(r'<tool_result tool="(worker|record)" trust="untrusted-data">\n.*?\n</tool_result>', re.DOTALL)
_CLAIM = re.compile(
    r"(?:\b(?:wrote|written|created|saved|changed|edited|updated)\b|写入|写好|创建|新建|保存|修改|更新)[^\n`]{0,40}?`?"
    r"([\w./-]+\.[A-Za-z]\w{0,9})`?",
    re.IGNORECASE,
)


def review(messages: Sequence[Message], tools: Sequence[ToolSpec], speech: Speech) -> Ask | str:
    """Take the next step of a review.

    Args:
        messages: The reviewer's history; its last task brings the worker's answer and the program's record along.
        tools: What may be called.
        speech: In the user's language.

    Returns:
        The files that are still to be looked at, or the verdict as JSON.
    """
    at = max((n for n, message in enumerate(messages) if message.origin == "task" and message.attached), default=0)
    step = messages[at]
    blocks = {match[1]: unwrap(match[0]) or "" for match in _BLOCK.finditer(step.attached)}
    answer, record = blocks.get("worker", ""), _object(blocks.get("record", ""))
    looked = _looked_at(messages[at + 1 :])
    claimed = _claimed(step.content, answer, record)
    unseen = [path for path in claimed if path not in looked]
    if unseen and any(tool.name == "read_file" for tool in tools):
        calls = tuple(Wanted("read_file", {"path": path, "offset": 1, "limit": 20}) for path in unseen)
        return Ask(calls, speech("review_looks", files=", ".join(unseen)))
    reasons = [speech("review_missing", file=path) for path in claimed if looked.get(path) is False]
    failure = failure_of(answer)
    if failure is not None:
        reasons.append(speech("review_failed", why=failure.splitlines()[0] if failure else "-"))
    for ran in record.get("failed", ()):
        if isinstance(ran, dict):
            lines = " / ".join(map(str, ran.get("lines", ())))[:300]
            reasons.append(speech("review_exit", command=ran.get("command"), status=ran.get("status"), lines=lines))
    if not answer.strip():
        reasons.append(speech("review_silent"))
    return json.dumps({"approved": not reasons, "reasons": reasons}, ensure_ascii=False)


def _claimed(step: str, answer: str, record: Mapping[str, Any]) -> list[str]:
    """Files that should be there now: asked for, noted as written, or spoken of as written."""
    wanted = [intent.path for intent in parse(step) if isinstance(intent, Write)]
    wanted += [] if any(isinstance(intent, CreateProject) for intent in parse(step)) else _CLAIM.findall(answer)
    changed = record.get("changed", ())
    wanted += [str(path) for path in changed] if isinstance(changed, list) else []
    return list(dict.fromkeys(path.removeprefix("./") for path in wanted))[:MOST_FILES]


def _looked_at(messages: Sequence[Message]) -> dict[str, bool]:
    """Which files were read in this review, and whether they are there."""
    answers = {message.tool_call_id: message for message in messages if message.role == "tool"}
    found: dict[str, bool] = {}
    for message in messages:
        for call in message.tool_calls:
            answer = answers.get(call.id)
            if answer is not None and answer.content not in (CANCELLED, INTERRUPTED):
                found[str(arguments_of(call.arguments).get("path", ""))] = answer.ok
    return found


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
