"""Files of the project, read to hold memories against them: inside the fence, in part, and not again and again."""

from dataclasses import dataclass, field

from paitui.clock import Clock
from paitui.trust.fence import Fence, FenceError

MOST_BYTES = 200_000
"""What is read of one file; what a project says of itself stands near its beginning."""
FRESH_S = 2.0
"""Seconds for which a file counts as known: a list of many memories asks for the same few files."""


@dataclass(slots=True)
class ProjectFiles:
    """A `Reader` of evidence."""

    fence: Fence
    clock: Clock
    _known: dict[str, tuple[float, str | None]] = field(default_factory=dict)

    def __call__(self, path: str) -> str | None:
        """Give the text of a file of the project; None if there is none that may be read."""
        now = self.clock.monotonic()
        at, text = self._known.get(path, (-FRESH_S, None))
        if now - at >= FRESH_S:
            text = self._read(path)
            self._known[path] = (now, text)
        return text

    def _read(self, path: str) -> str | None:
        try:
            with self.fence.open_read(path) as file:
                return file.read(MOST_BYTES).decode("utf-8", "replace")
        except (FenceError, OSError):
            return None  # nothing that can be read says anything
