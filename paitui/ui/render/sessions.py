"""The list of sessions: a session a row, what is known of the current one, and what stands above the list."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from paitui.clock import read_time, told_time
from paitui.engine.session_desk import SessionView
from paitui.locale import Phrase
from paitui.session.info import SessionInfo
from paitui.trust.external import External
from paitui.ui.door import SafeText, joined, own
from paitui.ui.door import line as one_line
from paitui.ui.door import rows as many_lines
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, flow, gap, glyph, pad_left, pad_right, spread
from paitui.ui.look import Look
from paitui.ui.render.memory import age, table, titled
from paitui.ui.render.numbers import grouped
from paitui.ui.wrap import cut, width

_NUMBER = 9
"""Cells of a number of tokens."""
_OFFERED = 16
"""Cells of a request, so that one knows which it was."""
_PROJECT = 16
"""Most cells of a project's name."""


def standing(info: SessionInfo, current: str) -> str:
    """How a session stands: the one that is open here, broken off by a crash, or at rest."""
    if info.id == current:
        return "current"
    return "at_rest" if info.ended else "broken_off"


def folder_name(project: str) -> SafeText:
    """The last part of a project's path."""
    return one_line(project.rstrip("/").rpartition("/")[2] or project)


class SessionRows:
    """Sessions as the rows of a list."""

    def __init__(
        self, sessions: Sequence[SessionInfo], current: str, look: Look, now: datetime, with_project: bool = False
    ) -> None:
        self.sessions = sessions
        self._current = current
        self._look = look
        self._now = now
        self._places = {info.id: at for at, info in enumerate(sessions)}
        self._project = 0
        if with_project:
            self._project = min(_PROJECT, max((width(folder_name(info.project)) for info in sessions), default=0))
        longest = own(look.words("memories.age_days", n=999))
        self._tag = max((width(self._tag_of(info).text) for info in sessions), default=0)
        self._age = max(map(width, (longest, self._word("head_changed"))))

    def _tag_of(self, info: SessionInfo) -> Span:
        """How it stands, in a word; a copy says so where nothing else is to be said."""
        stands = standing(info, self._current)
        if stands != "at_rest":
            return Span(self._word(f"tag_{stands}"), "accent" if stands == "current" else "warning")
        return Span(self._word("tag_copy") if info.forked_from else SafeText(""), "dim")

    def _word(self, key: str, **params: object) -> SafeText:
        return own(self._look.words(f"sessions.{key}", **params))

    def __len__(self) -> int:
        return len(self.sessions)

    def key(self, at: int) -> Hashable:
        """The session's id."""
        return self.sessions[at].id

    def find(self, key: Hashable) -> int | None:
        """Where the session stands now."""
        return self._places.get(str(key))

    def head(self, total: int) -> Line:
        """What the columns hold."""
        head = {name: self._word(f"head_{name}") for name in ("request", "project", "tokens", "messages", "changed")}
        return self._columns(
            gap(1), self._behind_tag(gap(0), Span(head["request"], "dim")), head["project"], head["tokens"],
            head["messages"], Span(head["changed"], "dim"), "dim", total,
        )  # fmt: skip

    def row(self, at: int, total: int) -> Line:
        """Draw one session."""
        info = self.sessions[at]
        stands = standing(info, self._current)
        mark = {
            "current": glyph(self._look.glyphs.bullet, "accent"),
            "broken_off": glyph("!", "warning"),
            "at_rest": gap(1),
        }[stands]
        words = self._behind_tag(self._tag_of(info), Span(one_line(info.first_words), "text"))
        changed = Span(age(read_time(info.changed), self._now, self._look), "text")
        tokens, messages = own(grouped(info.tokens)), own(grouped(info.messages))
        return self._columns(mark, words, folder_name(info.project), tokens, messages, changed, "text", total)

    def _behind_tag(self, tag: Span, words: Span) -> Line:
        return (pad_right(tag.text, self._tag, tag.ink), gap(2), words) if self._tag else (words,)

    def _columns(
        self,
        mark: Span,
        words: Sequence[Span],
        project: SafeText,
        tokens: SafeText,
        messages: SafeText,
        changed: Span,
        ink: Ink,
        total: int,
    ) -> Line:
        """Put the columns together; what matters less goes where there is no room for all."""
        left: list[Span] = [mark, gap(1)]
        if self._project and total >= 48:
            left += [pad_right(project, self._project, "accent" if ink == "text" else ink), gap(2)]
        right: list[Span] = [gap(2), pad_left(changed.text, self._age, changed.ink)]
        if total >= 44:
            right = [gap(2), pad_left(tokens, _NUMBER, "dim"), *right]
        if total >= 72:
            right = [gap(2), pad_left(messages, self._messages, "dim"), *right]
        room = max(0, total - cells(left) - cells(right))
        cropped = clip(words, room)
        return (*left, *cropped, gap(room - cells(cropped)), *right)

    @property
    def _messages(self) -> int:
        return max(5, width(self._word("head_messages")))


@dataclass(frozen=True, slots=True)
class Heading:
    """What is said above the list."""

    listed: int
    everywhere: bool = False
    """Whether those of other projects are among them."""
    broken: int = 0
    """Sessions that a crash ended."""
    query: str = ""
    all_key: str = ""
    """The key that lists other projects too, or no more."""
    problems: Sequence[Phrase] = ()


def heading(what: Heading, look: Look, total: int) -> list[Line]:
    """Draw what stands above the list.

    Args:
        what: The figures.
        look: Words and signs.
        total: Cells of a line.
    """
    words = look.words
    scope = "everywhere" if what.everywhere else "here"
    left: list[Span] = [gap(1)]
    if what.query:
        quoted = joined([own("“"), cut(one_line(what.query), 24), own("”")])
        left += [Span(own(words("sessions.found")), "dim"), gap(1), Span(quoted, "accent")]
        left.append(glyph(f" {grouped(what.listed)}", "accent"))
    else:
        one = "_one" if what.listed == 1 else ""
        left.append(Span(own(words(f"sessions.count_{scope}{one}", n=what.listed)), "text"))
    turn = own(words("sessions.show_here" if what.everywhere else "sessions.show_everywhere"))
    left += [gap(2), Span(turn, "dim"), glyph(f" {what.all_key}", "key")]
    right: list[Span] = []
    if what.broken:
        right = [glyph("! ", "warning"), Span(own(words("sessions.count_broken", n=what.broken)), "warning"), gap(1)]
    lines = [spread(left, right, total)]
    for problem in what.problems[:1]:
        lines.append(clip((gap(1), glyph("! ", "warning"), Span(look.say(problem), "warning")), total))
    return lines


def detail(
    info: SessionInfo, view: SessionView | None, current: str, look: Look, now: datetime, total: int
) -> list[Line]:
    """Draw all that is known of a session.

    Args:
        info: What the list has.
        view: What was read of it; None while it is read.
        current: Id of the session that is open here.
        look: Words and signs.
        now: For ages.
        total: Cells of a line.
    """
    words = look.words
    lines = [*flow([Span(one_line(info.first_words), "strong")], total), BLANK]
    stands = standing(info, current)
    if view is not None and view.open and stands != "current":
        stands = "open"
    ink: Ink = {"current": "accent", "broken_off": "warning", "open": "accent", "at_rest": "dim"}[stands]  # type: ignore[assignment]
    lines += [*flow([Span(own(words(f"sessions.why_{stands}")), ink)], total), BLANK]
    lines += table(_facts(info, view, look, now), total)
    if view is None:
        return lines
    for name, text in (("asked", view.asked), ("answer", view.answer)):
        if text.strip():
            lines += [BLANK, titled(own(words(f"sessions.{name}")), look, total)]
            lines += [row for line in many_lines(text.strip("\n")) for row in flow([Span(line)], total)]
    return lines


def _facts(
    info: SessionInfo, view: SessionView | None, look: Look, now: datetime
) -> list[tuple[SafeText, list[Span]]]:
    words = look.words

    def date(at: str) -> list[Span]:
        when = read_time(at)
        if when is None:
            return [Span(one_line(at))]
        return [glyph(f"{when.astimezone():%Y-%m-%d %H:%M}"), gap(2), Span(age(when, now, look), "dim")]

    found: list[tuple[str, list[Span]]] = [
        ("changed", date(info.changed)),
        ("created", date(info.created)),
        ("model", [Span(one_line(info.model))]),
        ("size", [Span(own(words("sessions.size", messages=info.messages, tokens=info.tokens)))]),
    ]
    if view is not None:
        if view.turns:
            found.append(("turns", [glyph(grouped(view.turns))]))
        if len(view.units) > 1:
            told = [
                words("sessions.unit", n=unit.messages, tokens=unit.tokens, name=unit.name) for unit in view.units
            ]
            found.append(("units", [Span(one_line(", ".join(told)))]))
        if view.queued:
            found.append(("queued", [glyph(grouped(view.queued), "accent")]))
        if view.trust:
            source = one_line(External.restore(view.trust).short)
            found.append(("external", [glyph(f"{look.glyphs.hatch} ", "warning"), Span(source, "warning")]))
    found.append(("project", [Span(one_line(info.project), "dim")]))
    if info.forked_from:
        found.append(("forked_from", [Span(one_line(info.forked_from[0]))]))
    found.append(("id", [Span(one_line(info.id))]))
    if view is not None:
        found.append(("disk", [Span(own(_bytes(view.size)), "dim")]))
        ledger = one_line(view.ledger) if view.ledger else own(words("sessions.no_ledger"))
        found.append(("ledger", [Span(ledger, "dim"), gap(2), Span(own(_bytes(view.ledger_size)), "dim")]))
    return [(own(words(f"sessions.label_{name}")), spans) for name, spans in found]


def _bytes(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:,.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def offer(info: SessionInfo, now: datetime, look: Look, total: int) -> list[Line]:
    """Say above the prompt that the last session was broken off, in one line.

    Args:
        info: The session.
        now: A session of another day is told with its date.
        look: Words and signs.
        total: Cells of the line.
    """
    before = one_line(look.words("sessions.offer", time=told_time(info.changed, now)))
    how: Line = (gap(1), Span(own(look.words("sessions.offer_how")), "dim"))
    head: Line = (glyph("! ", "warning"), Span(before, "warning"), gap(1))
    key: Line = (gap(2), glyph("/resume", "key"))
    room = max(0, total - cells(head) - cells(key))
    after = (*key, *how) if room - cells(how) >= _OFFERED else key
    words = clip((Span(one_line(info.first_words), "text"),), max(0, total - cells(head) - cells(after)))
    return [clip((*head, *words, *after), total)]
