"""The memory of one project for reading: listed, searched, and chosen for a message."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from paitui.clock import Clock
from paitui.locale import Language
from paitui.memory.attached import NOTHING, Attached
from paitui.memory.changes import Record
from paitui.memory.describe import describe
from paitui.memory.disputes import Disputes
from paitui.memory.entry import Entry
from paitui.memory.evidence import Reader, findings
from paitui.memory.pairs import Stopped
from paitui.memory.past import past_of
from paitui.memory.recall import Recall, mark
from paitui.memory.retrieval.choose import budget, choose
from paitui.memory.retrieval.explain import Found
from paitui.memory.service import Attempt, MemoryService
from paitui.memory.view import Against, Evidence, MemoryView
from paitui.tokens import text_tokens
from paitui.trust.memory_block import wrap_memories


@dataclass(slots=True)
class Library:
    """Reads what the service holds, and adds what files, time and use say about it."""

    service: MemoryService
    recall: Recall
    clock: Clock
    language: Language
    """In which entries are described to the model."""
    read_file: Reader
    """Gives the text of a file of the project."""
    disputes: Disputes = field(default_factory=Disputes)

    def views(self, everywhere: bool = False) -> tuple[MemoryView, ...]:
        """List what this project sees, in the order of the file.

        Args:
            everywhere: Also what belongs to other projects.

        Raises:
            MemoryFault: The memory cannot be read.
        """
        return self._views((entry, ()) for entry in self.service.entries(everywhere))

    def compare_all(self) -> bool:
        """Find out which entries disagree, where that was put off since it takes long.

        Returns:
            Whether anything was left to find out; then `views` say more than before.

        Raises:
            MemoryFault: The memory cannot be read.
        """
        entries = self.service.store.read()
        if self.disputes.known(entries) is not None:
            return False
        try:
            self.disputes.find(entries)
        except Stopped:
            return False
        return True

    def search(self, query: str, everywhere: bool = False) -> tuple[MemoryView, ...]:
        """Give what has something of a query in it, best first; everything for an empty query.

        Raises:
            MemoryFault: The memory cannot be read.
        """
        return self._views(self.found(query, everywhere))

    def found(self, query: str, everywhere: bool = False) -> list[tuple[Entry, tuple[Found, ...]]]:
        """Give the bare entries of a `search`, each with the places that answer it."""
        entries = self.service.entries(everywhere)
        return self.recall.search(entries, query) if query.strip() else [(entry, ()) for entry in entries]

    def view(self, entry: Entry) -> MemoryView:
        """Give one entry with all that is known about it."""
        return self._views([(entry, ())])[0]

    def opposed(self, fact: str, attempt: Attempt) -> tuple[MemoryView, ...]:
        """Give what disagrees with a fact that is to be saved, the closest first, each with the reason."""
        return tuple(
            replace(self.view(entry), against=(Against("", fact, clash.reason),)) for entry, clash in attempt.against
        )

    def describe(self, entry: Entry) -> str:
        """Say an entry in one line for the model: the fact, its dates, and what speaks against it."""
        return describe(entry, self.clock.now(), findings(entry.content, self.read_file), self.language)

    def attach(self, text: str, window: int, standing: Iterable[str]) -> Attached:
        """Choose what goes with a message.

        Args:
            text: The user's words, or the description of a task.
            window: The model's context size in tokens.
            standing: Marks of the entries that still stand in the history; they are not repeated.

        Returns:
            The block; counted as a use of each entry in it.

        Raises:
            MemoryFault: The memory cannot be read.
            OSError: The use could not be written down.
        """
        entries = self.service.entries()
        if not entries:
            return NOTHING
        lines = {entry: self.describe(entry) for entry in self.recall.candidates(entries, text)}
        chosen = choose([(entry, text_tokens(line)) for entry, line in lines.items()], budget(window))
        there = set(standing)
        new = [entry for entry in chosen if mark(entry) not in there]
        self.recall.usage.note((entry.id for entry in new), self.clock.now())
        return Attached(
            wrap_memories(lines[entry] for entry in new),
            tuple(mark(entry) for entry in new),
            self._views((entry, ()) for entry in chosen),
        )

    def past(self, name: str, everywhere: bool = False) -> tuple[str, tuple[Record, ...]]:
        """Give the history of an entry, also of one that is gone.

        Args:
            name: Its id, or the beginning of one.
            everywhere: Also look at other projects.

        Returns:
            Its whole id, and what became of it, oldest first.

        Raises:
            Unknown: No entry is meant, or more than one.
            MemoryFault: The memory cannot be read.
        """
        return past_of(self.service, name, everywhere)

    def _views(self, entries: Iterable[tuple[Entry, Sequence[Found]]]) -> tuple[MemoryView, ...]:
        against = self.disputes.known(self.service.store.read()) or {}
        return tuple(
            self.recall.view(entry, against.get(entry.id, ()), _evidence(entry, self.read_file), matched)
            for entry, matched in entries
        )


def _evidence(entry: Entry, read: Reader) -> tuple[Evidence, ...]:
    return tuple(Evidence(one.agrees, one.file, one.line, one.says) for one in findings(entry.content, read))
