"""Keeps the list of completions in step with what is typed. What takes time is done elsewhere and comes in later."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from paitui.clock import Clock
from paitui.engine.commands import UnknownCommand, parse
from paitui.locale import Words
from paitui.ui.prompting import completion
from paitui.ui.prompting.completion import Choice, Wish, wish
from paitui.ui.prompting.files import Listing
from paitui.ui.prompting.fuzzy import Match, best
from paitui.ui.prompting.picker import Picker

FRESH_S = 10.0
"""A list of files that is older is read anew, while the old one serves."""
MAX_MATCHES = 50
"""Files in the list."""


class Host(Protocol):
    """What a completer needs of the prompt's surroundings."""

    def errand(self, job: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do something that takes time in another thread, then tell the result here."""
        ...

    def complete(self, start: int, end: int, text: str) -> None:
        """Put a text in place of a part of the draft."""
        ...

    def listed(self, picker: Picker | None) -> None:
        """Show this list, or none."""
        ...


class Completer:
    """The list for the text before the caret."""

    def __init__(
        self,
        host: Host,
        words: Words,
        list_files: Callable[[], Listing],
        names: Callable[[str, str], Sequence[str]],
        clock: Clock,
    ) -> None:
        """Set up; nothing is read yet.

        Args:
            host: The prompt's surroundings.
            words: For what commands mean.
            list_files: Lists the project's files; slow.
            names: Possible arguments of a command, given its name and what stands there; may be slow.
            clock: For the age of the list of files.
        """
        self._host = host
        self._words = words
        self._list_files = list_files
        self._names = names
        self._clock = clock
        self.picker: Picker | None = None
        """What is shown."""
        self._wish: Wish | None = None
        self._settled = True
        self._take_when_settled = False
        self._whole = False
        self._put_away: tuple[str, int] | None = None
        self._files: Listing | None = None
        self._listed_at = 0.0
        self._listing = False

    # -- in step with the draft

    def look(self, text: str, caret: int) -> None:
        """The draft or the caret changed."""
        found = wish(text, caret)
        if found == self._wish:
            return
        self._wish = found
        self._take_when_settled = False
        if found is None or (found.kind, found.start) != self._put_away:
            self._put_away = None
        if found is None or self._put_away:
            self._show(None)
        elif found.kind == "command":
            self._whole = self._is_whole(text)
            self._offer(completion.commands(found.partial, self._words))
        else:
            self._settled = False
            self._search(found)

    def close(self) -> None:
        """Put the list away; it stays away until something else is to be completed."""
        if self._wish is not None:
            self._put_away = (self._wish.kind, self._wish.start)
        self._take_when_settled = False
        self._show(None)

    def rest(self, text: str, caret: int) -> None:
        """Another draft was put in place; nothing is offered for what it ends with."""
        self._wish = wish(text, caret)
        self.close()

    def _search(self, asked: Wish) -> None:
        if asked.kind == "argument":

            def arrived(names: Sequence[str]) -> None:
                if asked == self._wish and not self._put_away:
                    self._whole = asked.partial in names
                    self._offer(completion.arguments(asked.partial, names))

            self._host.errand(lambda: self._names(asked.command, asked.partial), arrived)
            return
        if self._files is None or self._clock.monotonic() - self._listed_at > FRESH_S:
            self._list()
        if (files := self._files) is not None:

            def matched(matches: Sequence[Match]) -> None:
                if asked == self._wish and not self._put_away:
                    self._whole = False
                    self._offer(completion.files(asked.partial, matches))

            def match() -> list[Match]:
                return best(asked.partial, files.paths, MAX_MATCHES) if asked == self._wish else []

            self._host.errand(match, matched)

    def _list(self) -> None:
        if self._listing:
            return
        self._listing = True

        def arrived(listing: Listing) -> None:
            self._listing = False
            changed = self._files is None or listing.paths != self._files.paths
            self._files, self._listed_at = listing, self._clock.monotonic()
            if changed and self._wish is not None and self._wish.kind == "file":
                self._search(self._wish)

        self._host.errand(self._list_files, arrived)

    def _is_whole(self, text: str) -> bool:
        try:
            return parse(text) is not None
        except UnknownCommand:
            return False

    def _offer(self, choices: Sequence[Choice]) -> None:
        self._settled = True
        assert self._wish is not None
        self._show(Picker(self._wish.kind, tuple(choices)) if choices else None)
        if self._take_when_settled:
            self._take_when_settled = False
            self.take()

    def _show(self, picker: Picker | None) -> None:
        if picker is not self.picker:
            self.picker = picker
            self._host.listed(picker)

    # -- keys

    def move(self, step: int) -> None:
        """Choose another one."""
        if self.picker is not None:
            self._show(self.picker.move(step))

    def enter(self) -> bool:
        """Take the choice, unless what stands there is whole and can be sent.

        Returns:
            False if it is to be sent.
        """
        if self.picker is None or self._wish is None:
            return False
        nothing_typed = self._wish.kind == "argument" and not self._wish.partial
        if self._wish.kind == "argument" and not self._settled and not self.picker.chosen:
            return False  # typed faster than the names of what may stand there are known
        if self._settled and not self.picker.chosen and (self._whole or nothing_typed):
            return False
        self.take()
        return True

    def take(self) -> None:
        """Put the choice into the draft; if the list is about to change, what it then offers."""
        if not self._settled:
            self._take_when_settled = True
        elif self.picker is not None and self._wish is not None and (choice := self.picker.choice) is not None:
            self._host.complete(self._wish.start, self._wish.end, choice.text)
            if not choice.goes_on:
                self.close()
