"""Events told as lines, one after the other, for a terminal without a screen and for screen readers."""

from paitui.context.report import ContextReport
from paitui.engine import events
from paitui.engine.overview import local_minute
from paitui.headless.memory_text import MemoryText
from paitui.headless.plan_text import PlanText, short_name
from paitui.locale import Phrase, Words, phrase
from paitui.session.info import SessionInfo
from paitui.trust.external_words import began

ERROR_LINES = 8
"""Lines of a failed tool's result that are told; its end says most."""
DIFF_LINES = 40
"""Lines of a diff that are told."""


class Narrator:
    """Turns the stream of events into lines in the user's language.

    A piece of an answer is held back until its line is whole: a screen reader reads lines, not pieces. What is told
    in passing meanwhile stands between two lines of it, never inside one.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._memory = MemoryText(words)
        self._plans = PlanText(words)
        self._growing = ""
        self._streamed = False
        self._thinking = False
        self._own: list[str] = []
        self._report: ContextReport | None = None
        self._queued = 0

    def sent(self, text: str) -> None:
        """Note what the user typed here; it already stands on the terminal and is not told again."""
        self._own.append(text)

    def take(self, event: events.Event) -> list[str]:
        """Tell one event.

        Args:
            event: What happened.

        Returns:
            Lines, not yet safe for a terminal; none if there is nothing to tell.
        """
        if isinstance(event, events.TextDelta):
            return self._text(event.text)
        if isinstance(event, events.ToolStarted | events.TurnEnded):
            return [*self._rest(), *self._told(event)]  # a turn that was stopped need not have finished its line
        return self._told(event)

    def _told(self, event: events.Event) -> list[str]:
        match event:
            case events.SessionOpened():
                return self._opened(event)
            case events.UserSaid():
                return self._user(event)
            case events.ModelStarted():
                self._streamed = self._thinking = False
                return [self._words("plain.summarising")] if event.purpose == "summary" else []
            case events.ReasoningDelta() if not self._thinking:
                self._thinking = True
                return [self._words("plain.thinking")]
            case events.AnswerFinished():
                return self._answer(event)
            case events.ToolStarted():
                return [self._words("plain.tool", name=event.name, subject=event.subject)]
            case events.ToolFinished():
                return self._tool(event)
            case events.UnitsChanged():
                return self._plans.units(event)
            case events.UnitEvent():
                return self._in_unit(event)
            case events.ApprovalResolved(decision="no"):
                return [self._words("plain.denied")]
            case events.Boundary():
                return self._boundary(event)
            case events.Undone():
                return [self._words("plain.undone", before=event.before, after=event.after)]
            case events.ContextChanged():
                self._report = event.report
            case events.QueueChanged():
                return self._queue(event)
            case events.ModelChanged():
                return [self._words("headless.model", name=event.model)]
            case events.HistoryCleared():
                return [self._words("headless.cleared")]
            case events.TrustChanged(external):
                return [self._words.say(began(external) if external is not None else phrase("external.ended"))]
            case events.SessionChanged():
                return [self._words.say(event.phrase)]
            case events.SessionBrokenOff(info):
                return [broken_off(info, self._words)]
            case events.CommandOutput():
                return [self._words.say(event.title), *(f"  {self._words.say(line)}" for line in event.lines)]
            case events.Notice():
                return [self._words(f"plain.{event.level}", what=event.phrase)]
            case events.MemoriesUsed():
                return self._memory.used(event.entries)
            case events.MemoriesShown():
                return self._memory.shown(event)
            case events.MemoryShown():
                return self._memory.entry(event.entry)
            case events.MemoryChanged():
                return [self._memory.changed(event)]
            case events.TurnEnded():
                return self._ended(event)
        return []

    def _in_unit(self, event: events.UnitEvent) -> list[str]:
        """Tell what a unit does, behind its name; its answer is told at its end."""
        told: list[str] = []
        match event.event:
            case events.ToolStarted() | events.Notice():
                told = self._told(event.event)
            case events.ToolFinished():
                told = self._tool(event.event)
            case events.Boundary():
                told = self._boundary(event.event)
            case _:
                pass
        return [f"[{short_name(event.unit)}] {line}" for line in told]

    def _opened(self, event: events.SessionOpened) -> list[str]:
        lines = [self._words("plain.opened", model=event.model, project=event.project, session=event.session)]
        if event.resumed:
            lines.append(self._words("plain.resumed", n=len(event.history)))
            said = [message.content for message in event.history if message.is_users_words]
            lines += [self._words("plain.last_request", text=text) for text in said[-1:]]
        if event.external is not None:
            lines.append(self._words.say(began(event.external, resumed=True)))
        return [*lines, self._words("plain.how")]

    def _user(self, event: events.UserSaid) -> list[str]:
        if event.text in self._own:
            self._own.remove(event.text)
            return []
        return [self._words("plain.steered" if event.steered else "plain.you", text=event.text)]

    def _text(self, text: str) -> list[str]:
        self._streamed = True
        *whole, self._growing = (self._growing + text).split("\n")
        return whole

    def _rest(self) -> list[str]:
        rest, self._growing = self._growing, ""
        return [rest] if rest else []

    def _answer(self, event: events.AnswerFinished) -> list[str]:
        lines = self._rest() if self._streamed else event.text.split("\n") if event.text.strip() else []
        self._growing = ""
        return [*lines, self._words("plain.partial")] if event.partial else lines

    def _tool(self, event: events.ToolFinished) -> list[str]:
        headline = event.headline or phrase("plain.lines", n=event.lines)
        key = "plain.tool_ok" if event.ok else "plain.tool_failed"
        lines = [self._words(key, name=event.name, headline=headline, seconds=event.seconds)]
        if event.stored:
            lines.append(self._words("plain.stored", chars=event.chars, file=event.stored))
        if event.diff:
            lines += _some(event.diff.splitlines(), DIFF_LINES, self._words)
        elif not event.ok:
            lines += [f"    {line}" for line in event.text.splitlines()[-ERROR_LINES:]]
        return lines

    def _boundary(self, event: events.Boundary) -> list[str]:
        if event.kind == "offload":
            return []  # the tool's own lines name the file
        return [self._words(f"plain.{event.kind}", n=event.count, before=event.before, after=event.after)]

    def _queue(self, event: events.QueueChanged) -> list[str]:
        grown = len(event.queued) > self._queued
        self._queued = len(event.queued)
        return [self._words("plain.queued", n=self._queued)] if grown else []

    def _ended(self, event: events.TurnEnded) -> list[str]:
        lines: list[str] = []
        if event.status != "done":
            reason: Phrase | str = event.reason or ""
            lines.append(self._words(f"plain.ended_{event.status}", reason=reason).rstrip(" :："))
        if self._report is not None:
            lines.append(context_line(self._report, self._words))
        return lines


def broken_off(info: SessionInfo, words: Words) -> str:
    """Say in one line that the last session was broken off, and what goes on with it."""
    time = local_minute(info.changed)
    return words("sessions.offer_line", time=time, words=info.first_words, command=f"/resume {info.id}")


def context_line(report: ContextReport, words: Words) -> str:
    """Say in one line how full the context is and what comes next."""
    if report.used >= report.summary_at or report.next_step == "summary":
        step = words("plain.next_summary_now")
    elif report.next_step == "clear":
        step = words("plain.next_clear_now")
    elif report.used < report.clear_at:
        step = words("plain.next_clear", n=report.clear_at - report.used)
    else:
        step = words("plain.next_summary", n=report.summary_at - report.used)
    percent = round(100 * report.share)
    return words("plain.context", percent=percent, used=report.used, window=report.window, step=step)


def _some(lines: list[str], limit: int, words: Words) -> list[str]:
    shown = [f"    {line}" for line in lines[:limit]]
    return [*shown, words("plain.more_lines", n=len(lines) - limit)] if len(lines) > limit else shown
