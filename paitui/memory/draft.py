"""A document in the course of being changed, however many steps the change has."""

from dataclasses import dataclass, replace

from paitui.memory.document import Document, Item
from paitui.memory.entry import Entry, parse, render


@dataclass(slots=True, eq=False)
class _Node:
    item: Item | None
    before: "_Node | None" = None
    after: "_Node | None" = None


class Draft:
    """Adds, replaces and takes out entries, each in constant time; all other elements keep place and bytes."""

    def __init__(self, document: Document) -> None:
        """Begin with a document; it is not changed."""
        self._document = document
        self._ids = {entry.id for entry in document.entries}
        self._added: list[Entry] = []
        self._start: _Node | None = None
        self._end = _Node(None)
        self._nodes: dict[str, _Node] = {}

    def __contains__(self, name: str) -> bool:
        """Whether there is an entry of that id."""
        return name in self._ids

    def add(self, entry: Entry, behind: str | None = None) -> Entry:
        """Add an entry whose id is not taken.

        Args:
            entry: New, or one that comes back.
            behind: Id of the entry to stand behind, empty for the first place; at the end if None, or if there is
                none of that id.

        Returns:
            The entry as the file has it.
        """
        item = self._document.item(entry)
        written = item.entry or entry
        self._ids.add(written.id)
        if self._start is None and behind is None:
            self._added.append(written)
            return written
        start, node = self._linked(), _Node(item)
        self._nodes[written.id] = node
        previous = start if behind == "" else self._nodes.get(behind or "", self._end.before or start)
        self._insert(node, previous)
        return written

    def replace(self, entry: Entry) -> tuple[Entry, Entry]:
        """Put an entry's new state in its place.

        Returns:
            The old state and the new one, as the file has them.

        Raises:
            KeyError: There is none of that id.
        """
        node = self._node(entry.id)
        item = node.item
        if item is None or item.entry is None:
            raise KeyError(entry.id)
        raw = render(entry)
        after = parse(raw) or entry
        node.item = replace(item, raw=raw, entry=after)
        return item.entry, after

    def drop(self, name: str) -> Entry:
        """Take an entry out.

        Returns:
            It, as the file had it.

        Raises:
            KeyError: There is none of that id.
        """
        node = self._node(name)
        del self._nodes[name]
        self._ids.remove(name)
        if node.before is not None and node.after is not None:
            node.before.after, node.after.before = node.after, node.before
        if node.item is None or node.item.entry is None:
            raise KeyError(name)
        return node.item.entry

    def behind(self, name: str) -> str:
        """Give the id of the entry that stands before the one of that id; empty if it is the first."""
        node = self._node(name).before
        while node is not None and (node.item is None or node.item.entry is None):
            node = node.before
        return node.item.entry.id if node is not None and node.item and node.item.entry else ""

    def document(self) -> Document:
        """Give the document as it is now."""
        if self._start is None:
            return self._document.grown(self._added)
        items, node = [], self._start.after
        while node is not None and node.item is not None:
            items.append(node.item)
            node = node.after
        return self._document.of(items)

    def _node(self, name: str) -> _Node:
        self._linked()
        return self._nodes[name]

    def _linked(self) -> _Node:
        if self._start is None:
            self._start = _Node(None, None, self._end)
            self._end.before = self._start
            for item in self._document.grown(self._added).items:
                node = _Node(item)
                if item.entry is not None:
                    self._nodes[item.entry.id] = node
                self._insert(node, self._end.before or self._start)
        return self._start

    def _insert(self, node: _Node, previous: _Node) -> None:
        following = previous.after or self._end
        node.before, node.after = previous, following
        previous.after = following.before = node
