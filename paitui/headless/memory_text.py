"""Long-term memory in lines: what faces without a screen say of its events, questions and entries. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from paitui.engine.events import MemoriesShown, MemoryAsked, MemoryChanged
from paitui.headless.cells import cells, cut, padded
from paitui.locale import Words
from paitui.memory.view import Against, Evidence, MemoryView
from paitui.trust.external_words import written_with
from paitui.trust.safe_text import safe_text

GAP = "  "
LEAST_FACT = 20
"""Cells that a fact gets in a table however narrow the terminal is."""


def standing(view: MemoryView) -> str:
    """Say in one word how a memory stands: what speaks against it comes before its age."""
    if view.against:
        return "conflict"
    if view.state == "unconfirmed":
        return "unconfirmed"
    return "differs" if any(not item.agrees for item in view.evidence) else view.state


class MemoryText:
    """Says it in one language. What it gives is not yet safe for a terminal, but for the lines of tables."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def table(self, views: Sequence[MemoryView], width: int = 0) -> list[str]:
        """List memories in columns that are aligned in cells.

        Args:
            views: What is listed.
            width: Cells that a line may take, facts being cut; 0 for no limit.

        Returns:
            A head and a line for each, safe for a terminal; nothing for no memories.
        """
        if not views:
            return []
        say = self._words
        head = [say(f"memory_lines.head_{name}") for name in ("id", "state", "scope", "date")]
        rows = [
            [view.id, say(f"memory_lines.state_{standing(view)}"), self.scope(view), date(view.age_from)]
            for view in views
        ]
        rows = [[safe_text(cell, keep_newlines=False) for cell in row] for row in (head, *rows)]
        widths = [max(cells(row[column]) for row in rows) for column in range(len(head))]
        facts = [say("memory_lines.head_fact"), *(safe_text(view.content, keep_newlines=False) for view in views)]
        room = max(LEAST_FACT, width - sum(widths) - len(GAP) * len(widths)) if width else 0
        return [
            GAP.join([*map(padded, row, widths), cut(fact, room) if room else fact])
            for row, fact in zip(rows, facts, strict=True)
        ]

    def shown(self, event: MemoriesShown) -> list[str]:
        """Tell what a list or a search gave."""
        say, n = self._words, len(event.entries)
        if event.query:
            title = say("memory_lines.found", n=n, query=event.query)
        else:
            title = say("memory_lines.listed", n=n) if n else say("memory_lines.nothing")
        return [title, *self.table(event.entries), *self.besides(event.elsewhere, event.movable)]

    def besides(self, elsewhere: int, movable: int) -> list[str]:
        """Tell how many there are that were not listed."""
        lines = [self._words("memory_lines.elsewhere", n=elsewhere)] if elsewhere else []
        return [*lines, self._words("memory_lines.movable", n=movable)] if movable else lines

    def entry(self, view: MemoryView) -> list[str]:
        """Tell all that is known about one memory."""
        say = self._words
        source = say(f"memory_lines.source_{view.source or 'unknown'}")
        pairs = [
            ("state", say(f"memory_lines.state_{standing(view)}")),
            ("scope", self.scope(view) if not view.project else f"{self.scope(view)}  {view.project}"),
            ("written", f"{date(view.written)}  {source}"),
            ("verified", date(view.verified) if view.verified else say("memory_lines.never")),
            ("said", say("memory_lines.quoted", quote=view.quote) if view.quote else ""),
            ("session", self._session(view)),
            ("outside", say.say(written_with(view.external)) if view.external else ""),
            ("used", say("memory_lines.used_times", n=view.used, date=date(view.last_used)) if view.used else ""),
            *(("file", self.evidence(item)) for item in view.evidence),
            *(("against", self.against(item)) for item in view.against),
        ]
        names = {name: say(f"memory_lines.label_{name}") for name, _ in pairs}
        width = max(map(cells, names.values()))
        lines = [f"{GAP}{padded(names[name], width)}{GAP}{value}" for name, value in pairs if value]
        return [f"{view.id}{GAP}{view.content}", *lines]

    def scope(self, view: MemoryView) -> str:
        """Name where it counts."""
        return self._words(f"memory_lines.scope_{view.scope}")

    def evidence(self, item: Evidence) -> str:
        """Say what a file says about a memory."""
        place = f"{item.file}:{item.line}" if item.line else item.file
        return self._words(f"memory_lines.file_{'agrees' if item.agrees else 'differs'}", file=place, says=item.says)

    def against(self, item: Against) -> str:
        """Say what disagrees with a memory, and why."""
        reason = self._words(f"memory_lines.reason_{item.reason}")
        return self._words("memory_lines.against", id=item.id, fact=item.content, reason=reason)

    def used(self, views: Iterable[MemoryView]) -> list[str]:
        """Tell which memories go with a message."""
        lines = [
            self._words(
                "memory_lines.used_one",
                id=view.id,
                fact=view.content,
                state=self._words(f"memory_lines.state_{standing(view)}"),
            )
            for view in views
        ]
        return [self._words("memory_lines.used_title", n=len(lines)), *lines] if lines else []

    def changed(self, event: MemoryChanged) -> str:
        """Say what became of an attempt to change something."""
        told = self._words.say(event.phrase) if event.phrase else ""
        if event.entry is None:
            return told or self._words(f"memory_lines.did_{event.result}")
        key = f"memory_lines.did_{event.result}"
        if event.result == "moved":
            key += f"_{event.entry.scope}"
        said = self._words("memory_lines.did", what=self._words(key), id=event.entry.id, fact=event.entry.content)
        return f"{told} {said}".strip() if event.result in ("refused", "failed", "undone") else said

    def conflicting(self, fact: str, against: Iterable[MemoryView]) -> list[str]:
        """Show a new fact and what disagrees with it, each with its dates, and why."""
        lines = [self._words("memory_lines.new", fact=fact)]
        for view in against:
            lines.append(self._words("memory_lines.old", id=view.id, fact=view.content))
            lines.append(GAP + self._words("memory_lines.old_dates", **self._dates(view)))
            lines += [2 * GAP + self._words(f"memory_lines.reason_{item.reason}") for item in view.against[:1]]
            lines += [2 * GAP + self.evidence(item) for item in view.evidence]
        return lines

    def asked(self, event: MemoryAsked) -> list[str]:
        """Put a question, in full, with the answers that there are."""
        say, title = self._words, self._words(f"memory_lines.ask_{event.why}", n=event.count)
        match event.why:
            case "conflict":
                lines = [title, *self.conflicting(event.fact, event.against)]
            case "clear":
                return [title, say("memory_lines.choices_clear")]
            case _:
                lines = [title, say("memory_lines.new", fact=event.fact)]
        if event.quote and event.quote != event.fact:
            lines.append(say("memory_lines.you_said", quote=event.quote))
        lines.append(say(f"memory_lines.would_count_{event.scope}"))
        several = event.why == "conflict" and len(event.against) > 1
        return [*lines, say(f"memory_lines.choices_{event.why}{'_several' if several else ''}")]

    def _session(self, view: MemoryView) -> str:
        if not view.turn:
            return view.session
        return self._words("memory_lines.in_turn", session=view.session, turn=view.turn)

    def _dates(self, view: MemoryView) -> dict[str, str]:
        verified = date(view.verified) if view.verified else self._words("memory_lines.never")
        return {
            "written": date(view.written),
            "verified": verified,
            "source": self._words(f"memory_lines.source_{view.source or 'unknown'}"),
        }


def date(moment: datetime | None) -> str:
    """Give the day, where the user is; a question mark if nobody knows."""
    return f"{moment.astimezone():%Y-%m-%d}" if moment else "?"
