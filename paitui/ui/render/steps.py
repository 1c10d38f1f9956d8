"""What happens next to the context, and when: in lines for the pane, in a few words for the one-line gauge."""

from dataclasses import dataclass
from typing import Literal

from paitui.context.report import ContextReport
from paitui.ui.door import SafeText, own
from paitui.ui.lines import Line, Span, flow, gap, glyph
from paitui.ui.look import Look
from paitui.ui.render.numbers import grouped, short
from paitui.ui.wrap import width

Threshold = Literal["clear", "summary"]


@dataclass(frozen=True, slots=True)
class Step:
    """A threshold that is ahead."""

    kind: Threshold
    away: int
    """Tokens until it comes; 0 means that the next check takes the step."""
    calls: int | None = None
    """About so many model calls until then, if things go on as they did; None while nothing is known of that."""


def upcoming(report: ContextReport) -> list[Step]:
    """Say which steps come by themselves, the next one first."""
    if report.paused == "undone":
        return []
    if report.next_step == "summary":
        return [Step("summary", 0, 0)]
    foreseen = {one.step: one.calls for one in report.forecast}
    found: list[Step] = []
    if report.next_step == "clear":
        found.append(Step("clear", 0, 0))
    elif report.used < report.clear_at:
        found.append(Step("clear", report.clear_at - report.used, foreseen.get("clear")))
    if report.paused != "breaker" and report.used < report.summary_at:
        found.append(Step("summary", report.summary_at - report.used, foreseen.get("summary")))
    return found


def steps(report: ContextReport, look: Look, total: int) -> list[Line]:
    """Draw what comes next, then what after that, and why something does not come that a threshold promises.

    Args:
        report: The manager's account.
        look: Words and signs.
        total: Cells of a line.
    """
    labels = [look.word("step_next"), look.word("step_then")]
    column = max(width(label) for label in labels) + 1
    names = max(width(look.word(f"step_{kind}")) for kind in ("clear", "summary"))
    ahead = upcoming(report)
    rows = [(label, step.kind, _when(step, look), step.away == 0) for label, step in zip(labels, ahead, strict=False)]
    blank = own("")
    if report.paused == "undone":
        return flow([Span(own(look.words("gauge.held")), "warning")], total)
    if report.clear_at <= report.used < report.summary_at and report.next_step == "none":
        waits = own(look.words("gauge.clear_waits", tokens=grouped(report.freeable)))
        rows.insert(0, (blank, "clear", waits, False))
    if report.paused == "breaker":
        rows.append((blank, "summary", own(look.words("gauge.given_up")), True))
    lines: list[Line] = []
    for label, kind, when, soon in rows:
        lead: Line = (
            Span(label, "dim"),
            gap(column - width(label)),
            glyph(f"{look.glyphs.tier(kind)} ", kind),
            Span(name := look.word(f"step_{kind}"), kind),
            gap(names - width(name) + 2),
        )
        lines += flow([Span(when, "text" if soon else "dim")], total, lead, (gap(column + names + 4),))
    return lines


def next_words(report: ContextReport, look: Look) -> tuple[list[Span], list[Span]]:
    """Say in a few words what comes next.

    Returns:
        Label and sign; then name and moment, which may stand without the name.
    """
    ahead = upcoming(report)
    if not ahead:
        held = look.words("gauge.line_held") if report.paused == "undone" else look.words("gauge.line_nothing")
        return [], [Span(own(held), "warning" if report.paused else "dim")]
    step = ahead[0]
    sign = glyph(f"{look.glyphs.tier(step.kind)} ", step.kind)
    label: list[Span] = [Span(look.word("step_next"), "dim"), gap(1), sign]
    if step.away == 0:
        when = look.word("line_now")
    elif step.calls is not None:
        when = own(look.words("gauge.line_call" if step.calls <= 1 else "gauge.line_calls", n=grouped(step.calls)))
    else:
        when = look.word("line_away", tokens=short(step.away))
    name = Span(SafeText(look.word(f"step_{step.kind}") + " "), step.kind)
    return label, [name, Span(when, "text" if step.away == 0 else "dim")]


def _when(step: Step, look: Look) -> SafeText:
    if step.away == 0:
        return look.word("step_now")
    if step.calls is None:
        return look.word("step_away", tokens=grouped(step.away))
    return own(look.words("gauge.step_call" if step.calls <= 1 else "gauge.step_calls", n=grouped(step.calls)))
