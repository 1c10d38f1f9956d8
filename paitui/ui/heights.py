"""How tall every block is, and which block a row belongs to: a Fenwick tree, so that both stay cheap."""

from collections.abc import Iterable


class Heights:
    """Heights of a growing list of blocks. Changing one and finding a row take logarithmic time."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._tree = [0, *self._heights]
        for at in range(1, len(self._tree)):
            parent = at + (at & -at)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[at]
        self._total = sum(self._heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, at: int) -> int:
        return self._heights[at]

    @property
    def total(self) -> int:
        """Rows of all blocks."""
        return self._total

    def add(self, height: int) -> None:
        """Append a block."""
        self._heights.append(height)
        at = len(self._heights)
        value, step = height, 1
        while step < (at & -at):
            value += self._tree[at - step]
            step *= 2
        self._tree.append(value)
        self._total += height

    def put(self, at: int, height: int) -> int:
        """Change one height.

        Returns:
            By how much it grew.
        """
        grown = height - self._heights[at]
        if grown:
            self._heights[at] = height
            self._total += grown
            node = at + 1
            while node < len(self._tree):
                self._tree[node] += grown
                node += node & -node
        return grown

    def before(self, at: int) -> int:
        """Rows above a block."""
        rows = 0
        while at > 0:
            rows += self._tree[at]
            at -= at & -at
        return rows

    def find(self, row: int) -> tuple[int, int]:
        """Say which block a row belongs to.

        Args:
            row: From 0.

        Returns:
            The block's place and the row within it; beyond the end the place is the number of blocks.
        """
        at, left = 0, row
        step = 1 << len(self._heights).bit_length()
        while step:
            nxt = at + step
            if nxt < len(self._tree) and self._tree[nxt] <= left:
                at = nxt
                left -= self._tree[nxt]
            step //= 2
        return at, left
