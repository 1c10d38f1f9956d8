"""The memory browser: a memory a row, what is known of the current one, and what stands above the list."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from paitui.engine.events import MemoriesShown
from paitui.locale import Phrase, phrase
from paitui.memory.view import MemoryView
from paitui.trust.external_words import written_with
from paitui.ui.door import SafeText, joined, own
from paitui.ui.door import line as one_line
from paitui.ui.door import rows as many_lines
from paitui.ui.lines import BLANK, Ink, Line, Span, cells, clip, flow, gap, glyph, pad_left, pad_right, spread
from paitui.ui.look import Look
from paitui.ui.memory_feed import Feed
from paitui.ui.memory_state import Act, Filter, Review, Standing, standing
from paitui.ui.render.bar import fill
from paitui.ui.render.numbers import grouped
from paitui.ui.wrap import cut, width

_STATES: tuple[Standing, ...] = ("conflict", "unconfirmed", "contradicted", "stale", "fresh")
_INKS: dict[Standing, Ink] = {
    "conflict": "danger",
    "unconfirmed": "accent",
    "contradicted": "warning",
    "stale": "warning",
    "fresh": "good",
}
_ACT_INKS: dict[Act, Ink] = {"verified": "good", "deleted": "danger", "edited": "accent", "skipped": "dim"}
_DAY_S = 86_400
RECENT_S = 60
"""So long it is said that another program changed the file."""


def sign(view: MemoryView, look: Look) -> Span:
    """The sign of how an entry stands."""
    stands = standing(view)
    shapes = {"conflict": look.glyphs.bad, "unconfirmed": "?", "contradicted": "!", "stale": "!"}
    return glyph(shapes.get(stands, look.glyphs.good), _INKS[stands])


def ink_of(view: MemoryView) -> Ink:
    """The ink of how an entry stands."""
    return _INKS[standing(view)]


def age(moment: datetime | None, now: datetime, look: Look) -> SafeText:
    """How long ago something was, in one unit."""
    if moment is None:
        return own(look.words("memories.never"))
    seconds = max(0.0, (now - moment).total_seconds())
    if seconds < 60:
        return own(look.words("memories.age_now"))
    if seconds < 3_600:
        return own(look.words("memories.age_minutes", n=int(seconds // 60)))
    if seconds < _DAY_S:
        return own(look.words("memories.age_hours", n=int(seconds // 3_600)))
    return own(look.words("memories.age_days", n=int(seconds // _DAY_S)))


def marked_fact(view: MemoryView, ink: Ink = "text") -> list[Span]:
    """An entry's text on one line, with what answers a search marked."""
    spans: list[Span] = []
    at = 0
    for start, end in sorted(view.matched):
        start, end = max(at, start), max(at, end)
        spans += [Span(one_line(view.content[at:start]), ink), Span(one_line(view.content[start:end]), "found")]
        at = end
    spans.append(Span(one_line(view.content[at:]), ink))
    return [span for span in spans if span.text]


def against_file(view: MemoryView) -> SafeText | None:
    """What a file says that disagrees, in a few words: ``pom.xml: 21``; None if none does."""
    for item in view.evidence:
        if not item.agrees:
            return one_line(f"{item.file}: {item.says}")
    return None


class MemoryRows:
    """Memories as the rows of a list; in a review, each with what was done with it."""

    def __init__(
        self, entries: Sequence[MemoryView], look: Look, now: datetime, run: Review | None = None, project: str = ""
    ) -> None:
        self.entries = entries
        self._look = look
        self._now = now
        self._acts = run.acts if run is not None else {}
        self._project = project
        self._places = {view.id: at for at, view in enumerate(entries)}
        states = [self._word(f"state_{name}") for name in _STATES]
        acts = [self._word(f"act_{name}") for name in _ACT_INKS]
        self._state = max(map(width, [*states, *acts, self._word("head_state")]))
        self._scope = max(width(self._word(f"scope_{name}")) for name in ("project", "global"))
        self._age = max(
            map(
                width,
                [self._word("head_verified"), self._word("never"), own(self._look.words("memories.age_days", n=999))],
            )
        )

    def _word(self, key: str) -> SafeText:
        return own(self._look.words(f"memories.{key}"))

    def __len__(self) -> int:
        return len(self.entries)

    def key(self, at: int) -> Hashable:
        """The entry's id."""
        return self.entries[at].id

    def find(self, key: Hashable) -> int | None:
        """Where the entry stands now."""
        return self._places.get(key)  # type: ignore[call-overload, no-any-return]

    def head(self, total: int) -> Line:
        """What the columns hold."""
        head = {
            name: Span(self._word(f"head_{name}"), "dim")
            for name in ("state", "scope", "fact", "written", "verified")
        }
        return self._columns(
            gap(1), head["state"], head["scope"], [head["fact"]], head["written"], head["verified"], total
        )

    def row(self, at: int, total: int) -> Line:
        """Draw one entry."""
        view, act = self.entries[at], self._acts.get(at)
        state = Span(self._word(f"state_{standing(view)}"), ink_of(view))
        mark = sign(view, self._look)
        if act is not None:
            state = Span(self._word(f"act_{act}"), _ACT_INKS[act])
            mark = glyph(self._look.glyphs.bad if act == "deleted" else self._look.glyphs.good, _ACT_INKS[act])
            mark = glyph(self._look.glyphs.bullet, "dim") if act == "skipped" else mark
        fact = marked_fact(view, "dim" if act else "text")
        if (says := against_file(view)) is not None and act is None:
            fact += [gap(2), Span(says, "warning")]
        elif view.against and act is None:
            fact += [
                gap(2),
                Span(
                    joined([own(self._look.words("memories.versus")), own(" "), one_line(view.against[0].content)]),
                    "dim",
                ),
            ]
        verified = Span(age(view.verified, self._now, self._look), "text" if view.verified else "dim")
        written = Span(age(view.written, self._now, self._look), "dim")
        return self._columns(mark, state, self._place(view), fact, written, verified, total)

    def _place(self, view: MemoryView) -> Span:
        if view.scope == "project" and self._project and view.project != self._project:
            return Span(one_line(view.project.rstrip("/").rpartition("/")[2] or view.project), "accent")
        return Span(self._word(f"scope_{view.scope}"), "accent" if view.scope == "global" else "dim")

    def _columns(
        self, mark: Span, state: Span, scope: Span, fact: Sequence[Span], written: Span, verified: Span, total: int
    ) -> Line:
        """Put the columns together; what matters less goes where there is no room for all."""
        left: list[Span] = [mark, gap(1)]
        if total >= 48:
            left += [pad_right(state.text, self._state, state.ink), gap(2)]
        if total >= 64:
            left += [pad_right(scope.text, self._scope, scope.ink), gap(2)]
        right: list[Span] = [gap(2), pad_left(verified.text, self._age, verified.ink)]
        if total >= 80:
            right = [gap(2), pad_left(written.text, self._age, written.ink), *right]
        room = max(0, total - cells(left) - cells(right))
        words = clip(_to_match(fact, room), room)
        return (*left, *words, gap(room - cells(words)), *right)


def _to_match(fact: Sequence[Span], room: int) -> Sequence[Span]:
    """Begin a long text so that what was found in it is in view."""
    found = next((at for at, span in enumerate(fact) if span.ink == "found"), None)
    if found is None or cells(fact[: found + 1]) <= room:
        return fact
    before = fact[found - 1] if found else None
    if before is None:
        return fact[found:]
    kept = before.text[-8:]
    return [Span(joined([own("…"), SafeText(kept)]), before.ink), *fact[found:]]


@dataclass(frozen=True, slots=True)
class Heading:
    """What is said above the list."""

    here: int = 0
    everywhere: int = 0
    """Entries that count everywhere."""
    elsewhere: int = 0
    """Entries of other projects."""
    with_others: bool = False
    """Whether those are listed too."""
    chosen: Filter = "all"
    shown: int = 0
    """Entries that the filter lets through."""
    to_review: int = 0
    query: str = ""
    others_s: float | None = None
    """Seconds since another program changed the file."""
    movable: int = 0
    keys: Mapping[str, str] = field(default_factory=dict)
    """The keys of `relink`, `review` and `all`."""


def figures(feed: Feed, shown: MemoriesShown, chosen: Filter, listed: int, keys: Mapping[str, str]) -> Heading:
    """Count what is said above the list.

    Args:
        feed: What was asked for.
        shown: The answer.
        chosen: The filter.
        listed: Entries that it lets through.
        keys: The keys of `relink`, `review` and `all`.
    """
    everywhere = sum(view.scope == "global" for view in shown.entries)
    return Heading(
        here=max(0, len(shown.entries) - everywhere - (shown.elsewhere if feed.with_others else 0)),
        everywhere=everywhere,
        elsewhere=shown.elsewhere,
        with_others=feed.with_others,
        chosen=chosen,
        shown=listed,
        to_review=feed.to_review,
        query=feed.query,
        others_s=feed.others_s,
        movable=shown.movable,
        keys=keys,
    )


def heading(what: Heading, run: Review | None, look: Look, total: int) -> list[Line]:
    """Draw what stands above the list: how much there is, what of it is shown, and where it is kept.

    Args:
        what: The figures.
        run: The review that goes on.
        look: Words and signs.
        total: Cells of a line.
    """

    def word(key: str, ink: Ink = "dim", **params: object) -> Span:
        return Span(own(look.words(f"memories.{key}", **params)), ink)

    if run is not None:
        return [_progress(run, look, total)]
    left: list[Span] = [gap(1)]
    if not what.query:  # a search knows what it found, not how much there is
        left += [word("count_here", "text", n=what.here), gap(2), word("count_global", "text", n=what.everywhere)]
    if what.elsewhere and not what.query:
        left += [gap(2), word("count_elsewhere_shown" if what.with_others else "count_elsewhere", n=what.elsewhere)]
        if not what.with_others and total >= 80:
            left += [gap(1), glyph(what.keys["all"], "key")]
    if what.chosen != "all" or what.query:
        left += [gap(0 if what.query else 2), glyph(f"{look.glyphs.closed} ", "accent")]
        left.append(word(f"filter_{what.chosen}", "accent"))
        if what.query:
            left += [gap(1), Span(joined([own("“"), cut(one_line(what.query), 24), own("”")]), "accent")]
        left.append(glyph(f" {grouped(what.shown)}", "accent"))
    right: list[Span] = []
    if what.to_review:
        right = [word("count_review", "warning", n=what.to_review), glyph(f" {what.keys['review']}", "key"), gap(1)]
    lines = [spread(left, right, total)]
    if what.others_s is not None and what.others_s < RECENT_S:
        lines.append((gap(1), glyph("! ", "warning"), word("changed_by_others", "warning", n=int(what.others_s))))
    if what.movable:
        key: Line = (gap(1), glyph(what.keys["relink"], "key"))
        lines.append(clip((gap(1), glyph("! ", "warning"), word("movable", "warning", n=what.movable), *key), total))
    return lines


def _progress(run: Review, look: Look, total: int) -> Line:
    number = min(run.at + 1, len(run.entries))
    word = own(look.words("memories.review_place", at=grouped(number), n=grouped(len(run.entries))))
    if run.finished:
        word = own(look.words("memories.review_end", n=grouped(len(run.entries))))
    left: Line = (gap(1), Span(own(look.words("memories.review")), "strong"), gap(2), Span(word, "text"))
    counts: list[Span] = []
    for act, ink in _ACT_INKS.items():
        if n := run.count(act):
            counts += [gap(2), Span(own(look.words(f"memories.count_{act}", n=n)), ink)]
    counts.append(gap(1))
    room = max(0, min(24, total - cells(left) - cells(counts) - 3))
    done = len(run.steps) / len(run.entries) if run.entries else 1.0
    filled = fill(done, room, look.glyphs)
    rest = glyph(look.glyphs.track * (room - width(filled)), "faint")
    bar = (gap(2), glyph(filled, "meter"), rest) if room >= 6 else ()
    return spread((*left, *bar), counts, total)


def empty_page(look: Look, keys: dict[str, str], file: str, total: int) -> list[Line]:
    """Say how a memory comes to be, where there is none."""
    lines: list[Line] = [BLANK, (gap(2), Span(own(look.words("memories.empty_title")), "heading")), BLANK]
    lead: Line = (gap(2), glyph(f"{look.glyphs.bullet} ", "accent"))
    for name in ("say", "save", "key", "quiet"):
        text = own(look.words(f"memories.empty_{name}", **keys))
        lines += flow([Span(text)], min(total, 84), lead, (gap(4),))
    if file:
        kept = joined([own(look.words("memories.kept_in")), own(" "), one_line(file)])
        lines += [BLANK, *flow([Span(kept, "dim")], total, (gap(2),))]
    return lines


def detail(
    view: MemoryView, look: Look, now: datetime, total: int, file: str = "", past: Sequence[Phrase] = ()
) -> list[Line]:
    """Draw all that is known of an entry.

    Args:
        view: The entry.
        look: Words and signs.
        now: For ages.
        total: Cells of a line.
        file: Where memories are kept.
        past: What became of it, if that was asked for.
    """
    words = look.words
    lines: list[Line] = []
    whole = MemoryView(view.id, view.content, view.scope, view.state, matched=view.matched)
    lines += flow(marked_fact(whole, "strong"), total)
    lines.append(BLANK)
    state = own(words(f"memories.why_{standing(view)}"))
    lines += flow([Span(state, ink_of(view))], total, (sign(view, look), gap(1)), (gap(2),))
    lines.append(BLANK)
    for item in view.evidence:
        place = one_line(f"{item.file}:{item.line}" if item.line else item.file)
        says = own(words("memories.file_agrees" if item.agrees else "memories.file_says"))
        mark = glyph(f"{look.glyphs.good if item.agrees else look.glyphs.bad} ", "good" if item.agrees else "warning")
        told = [Span(place, "text"), gap(1), Span(says, "dim"), gap(1), Span(one_line(item.says), "strong")]
        lines += flow(told, total, (mark,), (gap(2),))
    for other in view.against:
        mark = glyph(f"{look.glyphs.bad} ", "danger")
        spans = [Span(own(words("memories.disagrees")), "dim"), gap(1), Span(one_line(other.content), "text")]
        spans += [gap(1), Span(joined([own("("), own(words(f"memories.reason_{other.reason}")), own(")")]), "dim")]
        lines += flow(spans, total, (mark,), (gap(2),))
    if view.evidence or view.against:
        lines.append(BLANK)
    lines += table(_facts(view, look, now, file), total)
    if past:
        lines += [BLANK, titled(own(words("memories.past")), look, total)]
        for step in past:
            for row in many_lines(words.say(step)):
                lines += flow([Span(row)], total, (), (gap(2),))
    return lines


def titled(title: SafeText, look: Look, total: int) -> Line:
    """A rule with a title at its left."""
    rest = look.glyphs.rule * max(0, total - width(title) - 1)
    return (Span(title, "title"), gap(1), glyph(rest, "border"))


def _facts(view: MemoryView, look: Look, now: datetime, file: str) -> list[tuple[SafeText, list[Span]]]:
    words = look.words

    def label(key: str) -> SafeText:
        return own(words(f"memories.label_{key}"))

    def date(moment: datetime) -> list[Span]:
        return [glyph(f"{moment.astimezone():%Y-%m-%d}"), gap(2), Span(age(moment, now, look), "dim")]

    found: list[tuple[SafeText, list[Span]]] = []
    source = Span(own(words(f"memories.source_{view.source or 'unknown'}")), "text")
    written = [*date(view.written), gap(2)] if view.written else []
    found.append((label("written"), [*written, source]))
    verified = date(view.verified) if view.verified else [Span(own(words("memories.never")), "dim")]
    found.append((label("verified"), verified))
    if view.quote:
        found.append((label("quote"), [Span(joined([own("“"), one_line(view.quote), own("”")]))]))
    if view.session:
        where = words("memories.in_turn", session=view.session, n=view.turn) if view.turn else view.session
        found.append((label("session"), [Span(one_line(where))]))
    if view.external:
        told = look.say(phrase("external.written", cause=written_with(view.external)))
        mark = glyph(f"{look.glyphs.hatch} ", "warning")
        found.append((own(words("external.label")), [mark, Span(told, "warning")]))
    used = [Span(own(words("memories.used_times", n=view.used)))]
    if view.last_used is not None:
        used += [
            gap(2),
            Span(own(words("memories.used_last")), "dim"),
            gap(1),
            Span(age(view.last_used, now, look), "dim"),
        ]
    found.append((label("used"), used))
    place = [Span(own(words(f"memories.scope_{view.scope}")))]
    if view.scope == "project" and view.project:
        place += [gap(2), Span(one_line(view.project), "dim")]
    found.append((label("scope"), place))
    found.append((label("tokens"), [glyph(grouped(view.tokens))]))
    found.append((label("id"), [Span(one_line(view.id))]))
    if file:
        found.append((label("kept"), [Span(one_line(file), "dim")]))
    return found


def table(rows: Sequence[tuple[SafeText, list[Span]]], total: int) -> list[Line]:
    """Draw names with their values, a pair a line or more."""
    column = max(width(label) for label, _ in rows) + 2
    lines: list[Line] = []
    for label, spans in rows:
        lines += flow(spans, total, (pad_right(label, column, "dim"),), (gap(column),))
    return lines
