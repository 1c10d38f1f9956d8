"""What the memory browser shows of a list of memories, and how a review goes. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from msgspec import structs

if TYPE_CHECKING:  # the reducer loads this file before the first frame, and needs no memory for that
    from paitui.engine.events import MemoriesShown, MemoryChanged
    from paitui.memory.view import MemoryView

Standing = Literal["conflict", "unconfirmed", "contradicted", "stale", "fresh"]
"""What there is to say of an entry first, the most pressing first."""
Filter = Literal["all", "review", "unconfirmed", "stale", "conflict", "fresh", "project", "global"]
FILTERS: tuple[Filter, ...] = get_args(Filter)
Act = Literal["verified", "deleted", "edited", "skipped"]
"""What was done with an entry in a review."""


def standing(view: "MemoryView") -> Standing:
    """Say how an entry stands."""
    if view.against:
        return "conflict"
    if view.state == "unconfirmed":
        return "unconfirmed"
    if any(not item.agrees for item in view.evidence):
        return "contradicted"
    return view.state


def passes(view: "MemoryView", chosen: Filter) -> bool:
    """Whether a filter lets an entry through."""
    match chosen:
        case "all":
            return True
        case "review":
            return view.to_review
        case "unconfirmed" | "stale":
            return view.state == chosen
        case "conflict":
            return bool(view.against) or any(not item.agrees for item in view.evidence)
        case "fresh":
            return not view.to_review
        case "project" | "global":
            return view.scope == chosen


def arranged(shown: "MemoriesShown | None", chosen: Filter) -> "tuple[MemoryView, ...]":
    """Give the entries that a filter lets through: the newest first, for a search the best first."""
    if shown is None:
        return ()
    entries = shown.entries if shown.query else reversed(shown.entries)
    return tuple(view for view in entries if passes(view, chosen))


def changed(shown: "MemoriesShown", event: "MemoryChanged") -> "MemoriesShown":
    """Give the list as it is after a change, as far as the change itself says; the worker tells the whole later.

    Args:
        shown: The list before.
        event: What changed.
    """
    if event.result == "cleared":
        return structs.replace(shown, entries=())
    entry = event.entry
    if entry is None:
        return shown
    if event.result == "deleted":
        return structs.replace(shown, entries=tuple(view for view in shown.entries if view.id != entry.id))
    if event.result not in ("stored", "extracted", "duplicate", "replaced", "verified", "moved"):
        return shown
    if any(view.id == entry.id for view in shown.entries):
        entries = tuple(
            replace(entry, matched=view.matched if view.content == entry.content else ())
            if view.id == entry.id
            else view
            for view in shown.entries
        )
        return structs.replace(shown, entries=entries)
    if event.result in ("stored", "extracted") and not shown.query:
        return structs.replace(shown, entries=(*shown.entries, entry))
    return shown


@dataclass(frozen=True, slots=True)
class Step:
    """One entry dealt with."""

    at: int
    act: Act
    changes: bool = True
    """Whether it changed the memory, so that there is something to take back."""


@dataclass(frozen=True, slots=True)
class Review:
    """A walk through all that the user should look at, an entry a key."""

    entries: "tuple[MemoryView, ...]"
    """In order, each as it stood when it was last seen."""
    at: int = 0
    """The entry that keys act on; as many as there are once all are dealt with."""
    steps: tuple[Step, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether none is left."""
        return self.at >= len(self.entries)

    @property
    def current(self) -> "MemoryView | None":
        """The entry that keys act on."""
        return None if self.finished else self.entries[self.at]

    @property
    def acts(self) -> dict[int, Act]:
        """What was done, by place."""
        return {step.at: step.act for step in self.steps}

    def count(self, act: Act) -> int:
        """How many entries that was done with."""
        return sum(step.act == act for step in self.steps)

    def done(self, act: Act) -> "Review":
        """Deal with the current entry, and go to the next one that was not dealt with."""
        steps = (*self.steps, Step(self.at, act, act != "skipped"))
        dealt = {step.at for step in steps}
        order = [*range(self.at + 1, len(self.entries)), *range(self.at)]
        return replace(self, steps=steps, at=next((at for at in order if at not in dealt), len(self.entries)))

    def back(self) -> "tuple[Review, Step | None]":
        """Go back to the entry that was dealt with last; gives the step that is taken back."""
        if not self.steps:
            return self, None
        step = self.steps[-1]
        return replace(self, steps=self.steps[:-1], at=step.at), step

    def came_to_nothing(self, id: str) -> "Review":
        """Note that what was done with an entry changed nothing after all."""
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            if self.entries[step.at].id == id:
                steps = (*self.steps[:number], Step(step.at, "skipped", False), *self.steps[number + 1 :])
                return replace(self, steps=steps)
        return self

    def seen(self, entries: "Iterable[MemoryView]") -> "Review":
        """Bring what is known of the entries up to date; one that is gone stays as it was."""
        now = {view.id: view for view in entries}
        return replace(self, entries=tuple(now.get(view.id, view) for view in self.entries))


def review(entries: "Sequence[MemoryView]") -> Review:
    """Begin a walk through those that the user should look at."""
    return Review(tuple(view for view in entries if view.to_review))
