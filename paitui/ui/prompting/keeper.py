"""Keeps what the user types: what was sent for recall and search, what was not sent for the case of a crash."""

from collections.abc import Callable, Sequence
from functools import partial

from paitui import diagnostics
from paitui.locale import Phrase, phrase
from paitui.ui.prompting.desk import Desk
from paitui.ui.prompting.drafts import Text
from paitui.ui.prompting.errands import Errands
from paitui.ui.prompting.history import Entry, Recall
from paitui.ui.prompting.history_file import MAX_CHARS
from paitui.ui.prompting.marks import Draft


class Keeper:
    """Reads and writes in another thread; what fails is told once of each kind."""

    def __init__(self, desk: Desk, errands: Errands, trouble: Callable[[Phrase], object]) -> None:
        """Set up; nothing is read yet.

        Args:
            desk: The files.
            errands: The thread.
            trouble: Told what could not be read or written.
        """
        self._desk = desk
        self._errands = errands
        self._trouble = trouble
        self._told: set[str] = set()
        self.recall = Recall(desk.project)
        """What was sent, in this session and before."""

    def wake(self, offer: Callable[[Entry], bool]) -> None:
        """Read what earlier sessions left.

        Args:
            offer: Given the draft that the last one did not send; says whether it was taken. If not it is among what
                can be recalled, as older ones are.
        """

        def read() -> tuple[list[Entry], list[Text]]:
            return self._desk.history.load(), self._desk.drafts.take_up()

        def arrived(left: tuple[list[Entry], list[Text]]) -> None:
            entries, drafts = left
            unsent = [Entry(*text, self._desk.project) for text in reversed(drafts) if text[0].strip()]
            taken = bool(unsent) and offer(unsent[0])
            self.recall.take_up([*unsent[taken:], *entries])

        self._errands.write(read, arrived, partial(self._failed, "prompt.history_read", file=self._desk.history.path))

    def remember(self, draft: Draft) -> None:
        """Keep what is sent or cleared."""
        entry = self.recall.add(draft)
        if entry is None:
            return
        if len(entry.text) > MAX_CHARS:  # kept with the name of its long part
            entry = Entry(draft.text, (), entry.project)
        failed = partial(self._failed, "prompt.history_write", file=self._desk.history.path)
        self._errands.write(partial(self._desk.history.add, entry), _nothing, failed)

    def save(self, drafts: Sequence[Draft]) -> None:
        """Keep what is typed and not sent, in place of what was kept."""
        failed = partial(self._failed, "prompt.draft_write", folder=self._desk.drafts.folder)
        self._errands.write(partial(self._desk.drafts.save, _texts(drafts)), _nothing, failed)

    def close(self, drafts: Sequence[Draft]) -> None:
        """Keep the drafts, and finish what is being written."""
        self.save(drafts)
        self._errands.close()

    def _failed(self, key: str, error: OSError, **place: object) -> None:
        diagnostics.fault(key, error)
        if key not in self._told:
            self._told.add(key)
            where = {name: str(path) for name, path in place.items()}
            self._trouble(phrase(key, why=error.strerror or str(error), **where))


def _texts(drafts: Sequence[Draft]) -> list[Text]:
    return [said for said in (draft.said() for draft in drafts) if said[0].strip()]


def _nothing(result: object) -> None:
    """Nothing follows from it."""
