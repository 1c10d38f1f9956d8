"""What a task without a screen came to, gathered from its events."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import structs

from paitui.context.report import ContextReport
from paitui.engine import events
from paitui.headless.memory_text import MemoryText
from paitui.locale import Words

Status = Literal["done", "partial", "failed", "cancelled"]

EXIT_CODES: dict[Status, int] = {"done": 0, "failed": 1, "partial": 3, "cancelled": 130}


@dataclass
class Record:
    """Grows with every event; read when the task is over."""

    words: Words
    """For the texts of commands and errors."""
    session: str = ""
    status: Status = "failed"
    """Stays so if the stream ends before the task does."""
    answer: str = ""
    """The newest answer; of a cancelled task, what came of it."""
    error: str = ""
    """Why the task is not done, in the user's language."""
    tool_calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Calls by id, in the order in which they began."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    context: ContextReport | None = None
    """The newest report."""
    trust: str = ""
    """What brought content from outside into the session; empty while it is clean."""
    boundaries: list[dict[str, Any]] = field(default_factory=list)
    units: list[dict[str, Any]] = field(default_factory=list)
    """Planner, tasks, steps and reviewers, as they stand."""
    _streamed: str = ""
    _last_warning: str = ""
    _last_info: str = ""
    _is_task: bool = False

    def take(self, event: events.Event) -> None:
        """Add one event."""
        match event:
            case events.SessionOpened(session=session, external=external):
                self.session, self.trust = session, external.export() if external is not None else ""
            case events.TrustChanged(external):
                self.trust = external.export() if external is not None else ""
            case events.ModelStarted():
                self._streamed = ""
            case events.TextDelta(text=text):
                self._streamed += text
            case events.AnswerFinished(text=text):
                self.answer, self._streamed = text or self.answer, ""
            case events.UsageReported(usage=usage):
                self.prompt_tokens += usage.prompt
                self.completion_tokens += usage.completion
            case events.ToolStarted():
                self.tool_calls[event.id] = {
                    "name": event.name,
                    "arguments": parsed(event.arguments),
                    "ok": False,
                }
            case events.ToolFinished():
                self._finish(event)
            case events.ContextChanged(report=report):
                self.context = report
            case events.Boundary():
                self.boundaries.append({"kind": event.kind, "before": event.before, "after": event.after})
            case events.Notice(level="warning" | "error", phrase=what):
                self._last_warning = self.words.say(what)
            case events.Notice(phrase=what):
                self._last_info = self.words.say(what)
            case events.ModelChanged(model=name):
                self.answer = self.words("headless.model", name=name)
                self.status = "done"
            case events.CommandOutput():
                self.answer = "\n".join(map(self.words.say, (event.title, *event.lines)))
                self.status = "done"
            case events.SessionChanged(result="failed", phrase=what):
                self.fail(self.words.say(what))
            case events.SessionChanged(phrase=what):
                self.answer, self.status = self.words.say(what), "done"
            case events.HistoryCleared():
                self.answer = self.words("headless.cleared")
                self.status = "done"
            case events.TurnStarted():
                self._is_task, self.units = True, []
            case events.UnitsChanged():
                self.units = [self._unit(unit) for unit in event.units]
            case events.UnitEvent():
                self._in_unit(event)
            case events.MemoryChanged() if not self._is_task:  # else a step of it, or what was learned
                self._remember(event)
            case events.MemoriesShown():
                self._answered(MemoryText(self.words).shown(event))
            case events.MemoryShown(entry=view):
                self._answered(MemoryText(self.words).entry(view))
            case events.TurnEnded():
                self.status = event.status
                self.error = self.words.say(event.reason) if event.reason else ""
                self.answer = self._streamed or self.answer
            case _:
                pass

    def fail(self, error: str) -> None:
        """Note that the task could not even begin."""
        self.status, self.error = "failed", error

    def compacted(self) -> None:
        """Note that the compaction that was asked for is over: its boundary came, or a warning why not."""
        summary = next((b for b in reversed(self.boundaries) if b["kind"] == "summary"), None)
        if summary is None:
            self.fail(self._last_warning)
            return
        self.status = "done"
        self.answer = self.words("headless.compacted", before=summary["before"], after=summary["after"])

    def carried_out(self) -> None:
        """Note that a command is over: it had an answer, or else what was last told is what came of it."""
        if self.status == "done" or self.error:
            return
        if self._last_warning:
            self.fail(self._last_warning)
        else:
            self.status, self.answer = "done", self._last_info

    def as_object(self) -> dict[str, Any]:
        """Give the whole as the JSON object that `--output json` prints."""
        context = self.context
        whole: dict[str, Any] = {
            "session": self.session,
            "status": self.status,
            "answer": self.answer,
            "tool_calls": list(self.tool_calls.values()),
            "usage": {"prompt": self.prompt_tokens, "completion": self.completion_tokens},
            "context": {
                "used": context.used if context else 0,
                "window": context.window if context else 0,
                "clear_at": context.clear_at if context else 0,
                "summary_at": context.summary_at if context else 0,
            },
            "boundaries": self.boundaries,
            "units": self.units,
        }
        if self.trust:
            whole["trust"] = self.trust
        if self.error:
            whole["error"] = self.error
        return whole

    def _unit(self, unit: events.UnitState) -> dict[str, Any]:
        told = {"id": unit.name, "role": unit.role, "status": unit.status, "answer": unit.answer}
        return {**told, "reason": self.words.say(unit.reason)} if unit.reason else told

    def _in_unit(self, event: events.UnitEvent) -> None:
        """Take what a unit does into the whole; its answers are told by its state."""
        match event.event:
            case events.ToolStarted() | events.ToolFinished() as call:  # ids are unique within a unit alone
                self.take(structs.replace(call, id=f"{event.unit}:{call.id}"))
            case events.UsageReported() | events.Boundary() as told:
                self.take(told)
            case _:
                pass

    def _answered(self, lines: list[str]) -> None:
        self.answer, self.status = "\n".join(lines), "done"

    def _remember(self, event: events.MemoryChanged) -> None:
        """Take what became of a command about memory; what the user was not there to decide was not done."""
        if event.result == "left":
            self.fail(self.words("headless.memory_left"))
        elif event.result in ("refused", "not_found", "failed"):
            self.fail(MemoryText(self.words).changed(event))
        else:
            self._answered([MemoryText(self.words).changed(event)])

    def _finish(self, event: events.ToolFinished) -> None:
        # A call that never began (cancelled before its turn, or unreadable) still gets its line.
        call = self.tool_calls.setdefault(event.id, {"name": event.name, "arguments": {}, "ok": False})
        call["ok"] = event.ok


def parsed(arguments: str) -> Any:
    """Give the arguments of a call as an object, or as the text that the model wrote if it is none."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return value if isinstance(value, dict) else arguments
