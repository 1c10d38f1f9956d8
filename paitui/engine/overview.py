"""Answers to commands that show something: the context, the approvals, the sessions. Pure."""

from collections.abc import Sequence
from datetime import datetime

from paitui.context.manager import ContextManager
from paitui.context.report import ContextReport
from paitui.engine.desk import ApprovalDesk
from paitui.engine.events import CommandOutput, ResultShown
from paitui.engine.models import SHOWN
from paitui.locale import Phrase, phrase
from paitui.messages.message import Message
from paitui.session.listing import SessionInfo
from paitui.trust.boundary import unwrap


def result(history: Sequence[Message], call_id: str) -> ResultShown:
    """The whole result of a call, as far as the history has it."""
    for message in reversed(history):
        if message.role == "tool" and message.tool_call_id == call_id:
            text = unwrap(message.content) if message.state == "live" else None
            return ResultShown(call_id, text, message.stored)
    return ResultShown(call_id, None)


def context(report: ContextReport, manager: ContextManager) -> CommandOutput:
    """How full the context is, by part, and every threshold."""
    lines = [
        phrase(
            "engine.context_used",
            used=report.used,
            window=report.window,
            share=report.share,
            how=phrase("engine.measured" if report.measured else "engine.estimated"),
        ),
        phrase("engine.context_clear_at", n=report.clear_at, left=max(0, report.clear_at - report.used)),
        phrase("engine.context_summary_at", n=report.summary_at, left=report.free),
        phrase("engine.context_reserve", reserve=report.reserve, buffer=report.buffer),
        phrase("engine.context_offload", chars=report.offload_chars, command=manager.limits.command_chars),
        phrase("engine.context_round", chars=manager.limits.round_chars),
    ]
    lines += [
        phrase("engine.context_part", part=phrase(f"parts.{part}"), n=tokens)
        for part, tokens in report.parts
        if tokens
    ]
    if manager.breaker_open:
        lines.append(phrase("engine.context_breaker"))
    return CommandOutput(phrase("engine.context_title"), tuple(lines))


def approvals(desk: ApprovalDesk) -> CommandOutput:
    """What is always allowed in this session."""
    rules = [phrase("engine.approval_rule", rule=rule) for rule in desk.rules.export()]
    return CommandOutput(phrase("engine.approvals_title"), tuple(rules or [phrase("engine.approvals_none")]))


def sessions(found: Sequence[SessionInfo], current: str) -> CommandOutput:
    """Sessions that can be resumed."""
    lines: list[Phrase] = [
        phrase(
            "engine.session_current" if info.id == current else "engine.session_line",
            id=info.id,
            changed=local_minute(info.changed),
            messages=info.messages,
            text=info.first_words,
        )
        for info in found
    ]
    return CommandOutput(phrase("engine.sessions_title"), tuple(lines or [phrase("engine.sessions_none")]))


def models(names: Sequence[str], current: str, prefix: str) -> CommandOutput:
    """Models that can be chosen."""
    lines = [
        phrase("engine.model_current" if name == current else "engine.model_line", name=name)
        for name in names[:SHOWN]
    ]
    if len(names) > SHOWN:
        lines.append(phrase("engine.models_more", n=len(names) - SHOWN))
    if not names:
        lines.append(phrase("engine.models_none", prefix=prefix))
    lines.append(phrase("engine.models_hint"))
    return CommandOutput(phrase("engine.models_title"), tuple(lines))


def local_minute(moment: str) -> str:
    """A recorded UTC time as the user's own clock showed it, to the minute."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%m-%d %H:%M}"
    except ValueError:
        return moment
