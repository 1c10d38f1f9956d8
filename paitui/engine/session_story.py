"""A session's story from its ledger, which has everything that was ever said; else from its history as it stands."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from paitui.ledger.pages import LedgerPages
from paitui.ledger.records import Record
from paitui.messages.codec import from_record
from paitui.messages.message import Image, Message, ToolCall
from paitui.session.info import SessionInfo, ancestors
from paitui.session.state import SessionState
from paitui.session.told import Mark, Story, Teller
from paitui.trust.memory_block import without_memories
from paitui.trust.secrets import mask

MAIN = "react"
"""The main agent's unit."""
_MARKS = ("offload", "clear", "summary", "cleared_history", "undo")


def story(state: SessionState, info: SessionInfo, ledger: Path) -> Story:
    """Tell what happened in a session; known secrets are masked.

    Args:
        state: The session as it stands.
        info: What a list shows of it.
        ledger: Its ledger; it may be missing.

    Raises:
        OSError: The ledger is there and cannot be read.
    """
    teller = Teller(MAIN, mask)
    for record in LedgerPages(ledger).records():
        if record is None:
            teller.mark(Mark("gap", count=1))
        else:
            _tell(teller, record)
    steps = teller.steps
    if not steps:
        teller = Teller(MAIN, mask)
        for unit, messages in state.units.items():
            teller.messages(messages, unit)
        steps = teller.steps
    return Story(
        session=state.session,
        project=state.project,
        model=state.model,
        created=state.created,
        changed=info.changed,
        title=mask(info.first_words),
        forked_from=next(iter(ancestors(info.forked_from)), ""),
        steps=steps,
    )


def _tell(teller: Teller, record: Record) -> None:
    payload = record.payload
    match record.event:
        case "message":
            try:
                message = _message(payload)
            except (ValueError, TypeError, KeyError, AttributeError):
                teller.mark(Mark("gap", count=1, at=record.time))
                return
            teller.message(message, record.unit, record.time)
        case "boundary":
            for kind in _MARKS:
                if payload.get("kind") == kind:
                    teller.mark(_mark(kind, record))
        case "gap":
            teller.mark(Mark("gap", count=_number(payload.get("lost")), at=record.time))
        case _:
            pass


def _mark(kind: Any, record: Record) -> Mark:
    payload = record.payload
    ids, texts = payload.get("ids"), payload.get("texts")
    return Mark(
        kind,
        before=_number(payload.get("before")),
        after=_number(payload.get("after")),
        count=len(ids) if isinstance(ids, list) else 0,
        text="\n".join(map(str, texts)) if kind == "summary" and isinstance(texts, list) else "",
        at=record.time,
        unit=record.unit,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _message(payload: Mapping[str, Any]) -> Message:
    """Read a message as it was sent; what the program attached to the user's words is told apart."""
    content = payload.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    text = "\n".join(str(part["text"]) for part in parts if part.get("type") == "text")
    message = from_record({"role": payload.get("role"), "origin": payload.get("origin") or ""})
    words = without_memories(text) if message.role == "user" else text
    return replace(
        message,
        content=words,
        memories=text[len(words) :].lstrip("\n"),
        images=tuple(Image("") for part in parts if part.get("type") == "image_url"),
        tool_calls=tuple(map(_call, payload.get("tool_calls") or ())),
        tool_call_id=str(payload.get("tool_call_id") or ""),
        name=str(payload.get("name") or ""),
        reasoning=str(payload.get("reasoning_content") or ""),
        stored=str(payload.get("stored") or ""),
    )


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    return ToolCall(str(call.get("id") or ""), str(function["name"]), str(function.get("arguments") or ""))
