"""What the transcript is made of, and a list of it that grows cheaply."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import is_not
from typing import Literal, overload

from paitui.context.report import ContextReport
from paitui.engine.events import BoundaryKind, Level, Mode, TurnStatus, UnitState
from paitui.locale import Phrase
from paitui.messages.message import Spans
from paitui.trust.boundary import unwrap

ToolStatus = Literal["running", "asking", "ok", "failed", "denied", "stopped"]


@dataclass(frozen=True, slots=True)
class UserBlock:
    """What the user said."""

    text: str
    steered: bool = False
    pasted: Spans = ()
    """What of it was pasted."""


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """What the model said."""

    text: str
    live: bool = False
    """More may come."""
    partial: bool = False
    """The stream was cut."""


@dataclass(frozen=True, slots=True)
class ReasoningBlock:
    """What the model thought; folded."""

    text: str
    live: bool = False


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """One call with its result."""

    id: str
    name: str
    subject: str
    status: ToolStatus = "running"
    headline: Phrase | None = None
    chars: int = 0
    """Characters of the whole result."""
    seconds: float = 0.0
    stored: str = ""
    """File of the whole result, if it was offloaded."""
    diff: str = ""
    text: str = ""
    """The live output while it runs, of which only the end is kept; then the result, of a long one head and tail."""
    wrapped: bool = False
    """The text is as the model sees it; it is taken out of its wrapping only where it is shown."""
    reason: str = ""
    """Why the user said no."""
    cleared: bool = False
    """The result no longer stands in the history (known of resumed sessions)."""
    external: bool = False
    """The result comes from outside."""

    @property
    def result(self) -> str:
        """The text as the tool gave it."""
        plain = unwrap(self.text) if self.wrapped else None
        return self.text if plain is None else plain

    @property
    def is_part(self) -> bool:
        """Whether there is more of the result than stands here and in its file."""
        ended = self.status in ("ok", "failed")
        return ended and not (self.stored or self.diff or self.cleared) and self.chars > len(self.text)


@dataclass(frozen=True, slots=True)
class TierBlock:
    """Something was offloaded, cleared or summarised."""

    kind: BoundaryKind
    before: int
    """Tokens, for an offload characters; 0 if not known."""
    after: int
    count: int = 1
    """Results or messages that it took."""
    stored: tuple[str, ...] = ()
    """Files of offloaded results that have no card of their own."""
    text: str = ""
    """The summary."""
    undone: bool = False
    """It was taken back; the numbers say how."""


@dataclass(frozen=True, slots=True)
class NoteBlock:
    """Something the program says in passing."""

    level: Level
    phrase: Phrase


@dataclass(frozen=True, slots=True)
class OutputBlock:
    """The answer to a command."""

    title: Phrase
    lines: tuple[Phrase, ...]
    report: ContextReport | None = None
    """Drawn as a gauge, in place of the lines that say the same in words."""


@dataclass(frozen=True, slots=True)
class EndBlock:
    """A turn that did not simply end well."""

    status: TurnStatus
    reason: Phrase | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One unit of a plan or a team, as it is listed."""

    unit: UnitState
    needs: tuple[str, ...] = ()
    """Names of the units whose results it waits for."""
    used: int = 0
    """Tokens in its context; 0 if not known."""
    window: int = 0
    seconds: float = 0.0
    """How long it took; 0 if not known."""
    phase: str = ""
    """What it does while it runs: a `paitui.ui.state.Phase`."""
    tool: str = ""
    """The tool that it started last."""


@dataclass(frozen=True, slots=True)
class PlanBlock:
    """A plan or a team's work, as far as it is; stays one block however often it changes."""

    mode: Mode
    goal: str
    rows: tuple[PlanRow, ...]
    used: int = 0
    """Tokens in the contexts of all units together."""
    left: bool = False
    """Nobody works on it, and there is something to go on with."""

    @property
    def work(self) -> tuple[PlanRow, ...]:
        """The parts of the work."""
        return tuple(row for row in self.rows if row.unit.role in ("task", "worker"))

    @property
    def done(self) -> int:
        """Parts of the work that are done."""
        return sum(row.unit.status == "done" for row in self.work)


Block = (
    UserBlock | AnswerBlock | ReasoningBlock | ToolBlock | TierBlock | NoteBlock | OutputBlock | EndBlock | PlanBlock
)

_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Blocks(Sequence[Block]):
    """A list that never changes: adding or replacing gives a new one that shares all but one chunk.

    A plain tuple would be copied whole for every piece of a streaming answer; here ten thousand blocks cost
    two short copies, and two versions are compared by comparing chunks for identity.
    """

    chunks: tuple[tuple[Block, ...], ...] = ()
    """Every chunk but the last holds exactly 64 blocks."""
    _length: int = field(default=0, repr=False)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> Block: ...
    @overload
    def __getitem__(self, at: slice) -> list[Block]: ...
    def __getitem__(self, at: int | slice) -> Block | list[Block]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(self._length))]
        index = at + self._length if at < 0 else at
        if not 0 <= index < self._length:
            raise IndexError(at)
        return self.chunks[index // _CHUNK][index % _CHUNK]

    def __iter__(self) -> Iterator[Block]:
        for chunk in self.chunks:
            yield from chunk

    def add(self, block: Block) -> "Blocks":
        """Give a list with one block more."""
        if self._length % _CHUNK:
            return Blocks((*self.chunks[:-1], (*self.chunks[-1], block)), self._length + 1)
        return Blocks((*self.chunks, (block,)), self._length + 1)

    def put(self, at: int, block: Block) -> "Blocks":
        """Give a list with one block replaced."""
        index = at + self._length if at < 0 else at
        if not 0 <= index < self._length:
            raise IndexError(at)
        row, column = divmod(index, _CHUNK)
        chunk = self.chunks[row]
        changed = (*chunk[:column], block, *chunk[column + 1 :])
        return Blocks((*self.chunks[:row], changed, *self.chunks[row + 1 :]), self._length)

    def changed_since(self, old: "Blocks") -> list[int]:
        """Say where this list differs from an older version of it.

        Args:
            old: The older version; it is no longer than this one.

        Returns:
            Positions in ascending order, those of added blocks included.
        """
        shared = min(len(old.chunks), len(self.chunks))
        rows = [*compress(range(shared), map(is_not, self.chunks, old.chunks)), *range(shared, len(self.chunks))]
        found: list[int] = []
        for row in rows:
            before = old.chunks[row] if row < shared else ()
            for column, block in enumerate(self.chunks[row]):
                if column >= len(before) or block is not before[column]:
                    found.append(row * _CHUNK + column)
        return found


def blocks(items: Sequence[Block]) -> Blocks:
    """Make a list of blocks at once."""
    chunks = tuple(tuple(items[at : at + _CHUNK]) for at in range(0, len(items), _CHUNK))
    return Blocks(chunks, len(items))
