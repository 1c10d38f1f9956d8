"""What the memory browser asked the worker for, and what it knows from its answers."""

import os
from collections.abc import Callable

from paitui.clock import Clock
from paitui.engine.events import MemoriesShown, MemoryChanged
from paitui.engine.ops import Memory, MemoryVerb
from paitui.ui.actions import MEMORY
from paitui.ui.memory_state import Review

_EXPECTED: dict[MemoryVerb, tuple[str, ...]] = {
    "verify": ("verified", "not_found", "failed"),
    "delete": ("deleted", "not_found", "failed"),
    "replace": ("replaced", "duplicate", "refused", "left", "not_found", "failed"),
}
"""How the worker may answer what a review sends."""
_NOTHING = ("refused", "left", "not_found", "failed")
"""Answers after which everything is as it was."""

_LETTERS = frozenset(action.name for action in MEMORY)
_NOT_IN_REVIEW = frozenset(
    ("read", *(f"memory_{name}" for name in ("scope", "search", "filter", "review", "new", "log", "all", "relink")))
)


class Feed:
    """The list as the worker told it last."""

    def __init__(self, clock: Clock, stat: Callable[[str], os.stat_result] = os.stat) -> None:
        """Set up.

        Args:
            clock: For how long ago something was.
            stat: Looks whether a file was changed.
        """
        self._clock = clock
        self._stat = stat
        self._told_at = 0.0
        self._stamp: tuple[int, ...] | None = None
        self._sent: list[tuple[MemoryVerb, str]] = []
        self.query = ""
        """What is looked for; empty for everything."""
        self.with_others = False
        """Whether memories of other projects are listed too."""
        self.shown: MemoriesShown | None = None
        """The list; None before the first answer."""
        self.to_review = 0
        """Entries of it that the user should look at."""

    def asks(self) -> Memory:
        """Give what is to be asked."""
        return Memory("search" if self.query else "list", text=self.query, everywhere=self.with_others)

    def take(self, shown: MemoriesShown | None) -> bool:
        """Take an answer; one to another question is left.

        Returns:
            Whether the list is another one now.
        """
        if shown is None or shown is self.shown or shown.query != self.query:
            return False
        if self.shown is None or shown.changed_by_others != self.shown.changed_by_others:
            self._told_at = self._clock.monotonic()
        self.shown = shown
        self.to_review = sum(view.to_review for view in shown.entries)
        self._stamp = self._stamp_of(shown.file)
        return True

    def file_changed(self) -> bool:
        """Look whether the file is another than when it was listed; says so once."""
        if self.shown is None or not self.shown.file:
            return False
        before, self._stamp = self._stamp, self._stamp_of(self.shown.file)
        return self._stamp != before

    def _stamp_of(self, file: str) -> tuple[int, ...] | None:
        try:
            found = self._stat(file)
        except OSError:
            return None  # not written yet, or for the worker to say
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    @property
    def file(self) -> str:
        """Where memories are kept."""
        return self.shown.file if self.shown is not None else ""

    @property
    def others_s(self) -> float | None:
        """Seconds since another program changed the file; None if none did."""
        if self.shown is None or self.shown.changed_by_others is None:
            return None
        return self.shown.changed_by_others + self._clock.monotonic() - self._told_at

    @property
    def nothing(self) -> bool:
        """Whether there is no memory at all."""
        return self.shown is not None and not self.shown.entries and not self.query

    def sent(self, verb: MemoryVerb, id: str) -> None:
        """Note what was asked of an entry."""
        if verb in _EXPECTED:
            self._sent.append((verb, id))

    def came_to_nothing(self, event: MemoryChanged) -> str:
        """Find what an answer belongs to.

        Returns:
            Id of the entry of which something was asked in vain; empty if it was done, or is somebody else's.
        """
        for at, (verb, id) in enumerate(self._sent):
            whose = event.entry is None or event.entry.id == id or verb == "replace"
            if event.result in _EXPECTED[verb] and whose:
                del self._sent[at]
                return id if event.result in _NOTHING else ""
        return ""


def idle_keys(feed: Feed, run: Review | None, any_current: bool, typing: bool = False) -> frozenset[str]:
    """Name the actions that would do nothing now.

    Args:
        feed: The list.
        run: The review that goes on.
        any_current: Whether there is an entry under the cursor.
        typing: Whether a field has the keyboard; letters are text then.
    """
    if typing:
        return _LETTERS if any_current else _LETTERS | {"read"}
    if run is not None:
        return _NOT_IN_REVIEW
    idle = {"memory_skip"}
    if feed.shown is None or not feed.shown.movable:
        idle.add("memory_relink")
    if feed.shown is None or not feed.shown.elsewhere:
        idle.add("memory_all")
    if not feed.to_review:
        idle.add("memory_review")
    if not any_current:
        idle |= {"memory_verify", "memory_edit", "memory_delete", "memory_scope", "memory_log", "read"}
    if feed.nothing:
        idle |= {"memory_search", "memory_filter"}
    return frozenset(idle)
