"""What the worker tells its faces. Frozen data; every face sees the same stream in the same order.

The classes are msgspec's, here and in `ops`: the screen loads all of them before its first frame, and a frozen
dataclass takes fifty times as long to make.

Order::

    SessionOpened ContextChanged QueueChanged
    ( TurnStarted
        ( [Boundary ContextChanged]* ModelStarted (ReasoningDelta | TextDelta)* AnswerFinished UsageReported?
          ContextChanged
          ( ToolStarted [ApprovalRequested ApprovalResolved]? ToolOutput* ToolFinished [Boundary] )*
          ContextChanged
          [UserSaid (steered)] )*
      TurnEnded QueueChanged )*
    SessionClosed

A turn with a mode of its own (`TurnStarted.mode`) works through units, and answers as any other turn at its end::

    TurnStarted UserSaid MemoriesUsed
      ( UnitsChanged | UnitEvent | PlanProposed PlanResolved | ApprovalRequested ApprovalResolved )*
      ModelStarted TextDelta* AnswerFinished UsageReported? ContextChanged
    TurnEnded

Every event of a unit's own stream (from its `UserSaid`, which is its task, to its last `ContextChanged`) comes as a
`UnitEvent`, so a face that knows nothing of units sees one answer and no mixture of several. What concerns the whole
session is never wrapped: requests for approval, questions about memory, `TrustChanged`. `UnitsChanged` comes before
the first `UnitEvent` of a unit that it names. `PlanProposed` waits for a `DecidePlan`; with ``change`` another one
follows. A resumed session whose plan was interrupted tells it by `UnitsChanged` right after its first `QueueChanged`.

`TurnStarted` is followed at once by the `UserSaid` that began it. `Notice`, `QueueChanged`, `ModelChanged`, `Undone`,
`HistoryShown`, `MessageShown`, `ResultShown`, `TrustChanged`, `UnitShown`, `ModeChosen`, the events of memory, of
sessions and of the project's files, `CommandOutput` and `OpDone` may come between any two; `MemoriesUsed` comes right
after the `UserSaid` that began a turn. Tools of one round that only read run side by side, so their events
interleave; each carries the id of its call.
A cancelled turn ends with `TurnEnded("cancelled")` after the `ToolFinished` of every tool that had started.
"""

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from paitui.context.report import ContextReport, HistoryRow
from paitui.engine.memory_events import MemoriesShown as MemoriesShown
from paitui.engine.memory_events import MemoriesUsed as MemoriesUsed
from paitui.engine.memory_events import MemoryAsked as MemoryAsked
from paitui.engine.memory_events import MemoryChanged as MemoryChanged
from paitui.engine.memory_events import MemoryResolved as MemoryResolved
from paitui.engine.memory_events import MemoryShown as MemoryShown
from paitui.engine.session_events import SessionBrokenOff as SessionBrokenOff
from paitui.engine.session_events import SessionChanged as SessionChanged
from paitui.engine.session_events import SessionFound as SessionFound
from paitui.engine.session_events import SessionShown as SessionShown
from paitui.engine.session_events import SessionsShown as SessionsShown
from paitui.engine.unit_events import Mode as Mode
from paitui.engine.unit_events import ModeChosen as ModeChosen
from paitui.engine.unit_events import PlannedTask as PlannedTask
from paitui.engine.unit_events import PlanProposed as PlanProposed
from paitui.engine.unit_events import PlanResolved as PlanResolved
from paitui.engine.unit_events import UnitRole as UnitRole
from paitui.engine.unit_events import UnitsChanged as UnitsChanged
from paitui.engine.unit_events import UnitShown as UnitShown
from paitui.engine.unit_events import UnitState as UnitState
from paitui.engine.unit_events import UnitStatus as UnitStatus
from paitui.locale import Phrase
from paitui.messages.message import Message, Spans, Usage

if TYPE_CHECKING:  # the screen loads this file before its first frame, and needs no tools for that
    from paitui.tools.base import Access
    from paitui.tools.mcp.offer import ServerView
    from paitui.trust.external import External
    from paitui.trust.project_told import Item

TurnStatus = Literal["done", "partial", "failed", "cancelled"]
BoundaryKind = Literal["offload", "clear", "summary"]
Level = Literal["info", "warning", "error"]


class SessionOpened(Struct, frozen=True):
    """A session is ready. First event of every stream."""

    session: str
    project: str
    model: str
    history: tuple[Message, ...] = ()
    """What a resumed session brings along, without system messages; empty for a new one."""
    resumed: bool = False
    external: "External | None" = None
    """What brought content from outside into a resumed session; None if it is clean."""


class SessionClosed(Struct, frozen=True):
    """Everything is saved; nothing follows."""


class TurnStarted(Struct, frozen=True):
    """A turn begins."""

    turn: int
    """Counts from 1 in the session."""
    mode: Mode = "react"
    """How it is worked on."""


class UserSaid(Struct, frozen=True):
    """A message of the user entered the history."""

    text: str
    steered: bool = False
    pasted: Spans = ()
    """What of the text was pasted."""


class ModelStarted(Struct, frozen=True):
    """A request is on its way."""

    messages: int
    """Messages in the request."""
    purpose: Literal["turn", "final", "summary", "plan", "review", "report"] = "turn"


class TextDelta(Struct, frozen=True):
    """More of the answer."""

    text: str


class ReasoningDelta(Struct, frozen=True):
    """More of the reasoning."""

    text: str


class AnswerFinished(Struct, frozen=True):
    """The answer is whole and in the history."""

    text: str
    reasoning: str = ""
    partial: bool = False
    """The stream was cut; the text is what came until then."""
    final: bool = False
    """No tool calls follow: the turn's answer."""


class UsageReported(Struct, frozen=True):
    """What the provider says the request took."""

    usage: Usage


class ToolStarted(Struct, frozen=True):
    """A call is taken up (it may still have to be approved)."""

    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it."""
    subject: str
    """The arguments in one line, for the card: a path, a pattern, a command line."""


class ToolOutput(Struct, frozen=True):
    """A piece of live output of a running tool."""

    id: str
    text: str


class ToolFinished(Struct, frozen=True):
    """A call is answered; the result is in the history."""

    id: str
    name: str
    ok: bool
    text: str
    """The result as it came, at most 4,000 characters of head and tail; not wrapped."""
    headline: Phrase | None = None
    chars: int = 0
    """Characters of the whole result."""
    lines: int = 0
    """Lines of the whole result."""
    seconds: float = 0.0
    stored: str = ""
    """Path of the file that holds the whole result, if it was offloaded."""
    diff: str = ""
    """Unified diff, if files were changed."""
    external: bool = False
    """Whether the result comes from outside, such as a page that was fetched."""


class AskedPart(Struct, frozen=True):
    """One of several things that a request is about: a command of a chain, or a file that a redirect fills."""

    text: str
    rule: str = ""
    """What ``always`` would cover of it: a program or a folder; empty if it is asked each time."""
    allowed: bool = False
    """Whether it is always allowed already."""


class ApprovalRequested(Struct, frozen=True):
    """The turn waits for a `Decide` with this id."""

    id: str
    call_id: str
    tool: str
    access: "Access"
    subject: str
    """In full what would be done."""
    detail: str = ""
    """A diff, for writes."""
    always: str = ""
    """What ``always`` would cover; empty if it is not on offer."""
    unit: str = ""
    """The unit that asks; empty for the main agent."""
    parts: tuple[AskedPart, ...] = ()
    """What a chain of commands does, one by one; empty if it is one thing, or cannot be told apart."""


class ApprovalResolved(Struct, frozen=True):
    """A request was answered, by the user or by policy."""

    id: str
    decision: Literal["once", "always", "no"]
    reason: str = ""


class Boundary(Struct, frozen=True):
    """The context manager shortened something."""

    kind: BoundaryKind
    before: int
    """Tokens before (for an offload: characters of the whole result)."""
    after: int
    """Tokens after (for an offload: characters kept)."""
    count: int = 1
    """Results that went to a file, results cleared, or messages summarised."""
    stored: str = ""
    """For an offload: the path of the file."""
    text: str = ""
    """For a summary: its text."""
    call_id: str = ""
    """For an offload: the call whose result it was."""
    arguments: int = 0
    """For a clear: calls whose long arguments went to files; `count` counts results and these."""
    by_hand: bool = False
    """The user asked for it."""


class Undone(Struct, frozen=True):
    """The last boundary was taken back; what came since still stands."""

    kind: BoundaryKind
    """What was taken back."""
    before: int
    """Tokens before the undo."""
    after: int
    """Tokens afterwards."""


class HistoryShown(Struct, frozen=True):
    """The answer to `ShowHistory`; told anew after each change of a pin or of one message."""

    rows: tuple[HistoryRow, ...]
    """The history as it will be sent."""
    undo: BoundaryKind | None = None
    """What `Undo` would take back; None if there is nothing, or it would not be exact any more."""
    before: tuple[HistoryRow, ...] = ()
    """The history as it was before that."""
    cut: int = 0
    """Number of the first message that a summary would leave as it is if it came now; 0 if none would help."""


class MessageShown(Struct, frozen=True):
    """The answer to `ShowMessage`."""

    message: Message
    before: Message | None = None
    """How it stood before the step that `Undo` would take back, where that was otherwise."""


class ResultShown(Struct, frozen=True):
    """The answer to `ShowResult`."""

    call_id: str
    text: str | None
    """The result as it came, not wrapped; None if it no longer stands in the history."""
    stored: str = ""
    """Path of the file that holds the whole, if there is one."""


class ContextChanged(Struct, frozen=True):
    """The report the manager decides by."""

    report: ContextReport


class QueuedMessage(Struct, frozen=True):
    """A message that waits for the running turn to end."""

    id: int
    text: str
    pasted: Spans = ()
    """What of the text was pasted."""


class QueueChanged(Struct, frozen=True):
    """What is queued now, and what waits to steer."""

    queued: tuple[QueuedMessage, ...] = ()
    steering: tuple[str, ...] = ()
    """Steering texts that have not entered the history yet."""


class ModelChanged(Struct, frozen=True):
    """Another model answers from now on; the window may be another one too."""

    model: str


class HistoryCleared(Struct, frozen=True):
    """The user emptied the history."""


class TrustChanged(Struct, frozen=True):
    """Content from outside entered the session for the first time, or `Clear` made it clean again."""

    external: "External | None"
    """What brought it in; None for a clean session."""


class CommandOutput(Struct, frozen=True):
    """The answer to a command: titled lines, made by the program."""

    title: Phrase
    lines: tuple[Phrase, ...]


class Notice(Struct, frozen=True):
    """Something the user should know; stays on screen until dismissed if it is a warning or an error."""

    level: Level
    phrase: Phrase


class ServersChanged(Struct, frozen=True):
    """The MCP servers stand otherwise than before; told anew, as a whole. May come between any two events."""

    servers: "tuple[ServerView, ...]"


class ProjectAsked(Struct, frozen=True):
    """The project brings files of its own that do not count; the user may trust them by a `DecideProject`."""

    id: str
    project: str
    """The folder."""
    files: tuple[str, ...]
    """Which files, relative to it."""
    changed: tuple[str, ...]
    """Those that are not what was trusted before; empty if they never were."""
    items: "tuple[Item, ...]"
    """In full what they would set, what is dangerous first."""


class ProjectResolved(Struct, frozen=True):
    """A `ProjectAsked` was answered, or another one takes its place."""

    id: str


class OpDone(Struct, frozen=True):
    """An op that begins no turn was carried out, or could not be; whatever it had to say came before."""


class UnitEvent(Struct, frozen=True):
    """Something happened in a unit of its own: what it is, in the words of any other stream."""

    unit: str
    """Name of the history it happened in, as `UnitState.history` has it."""
    event: "Event"
    """Never another `UnitEvent`."""


class TurnEnded(Struct, frozen=True):
    """A turn is over."""

    turn: int
    status: TurnStatus
    reason: Phrase | None = None
    """Why, unless it is simply done."""
    seconds: float = 0.0


Event = (
    SessionOpened
    | SessionClosed
    | TurnStarted
    | UserSaid
    | ModelStarted
    | TextDelta
    | ReasoningDelta
    | AnswerFinished
    | UsageReported
    | ToolStarted
    | ToolOutput
    | ToolFinished
    | ApprovalRequested
    | ApprovalResolved
    | Boundary
    | Undone
    | HistoryShown
    | MessageShown
    | ResultShown
    | ContextChanged
    | QueueChanged
    | ModelChanged
    | HistoryCleared
    | TrustChanged
    | CommandOutput
    | Notice
    | MemoriesUsed
    | MemoriesShown
    | MemoryShown
    | MemoryAsked
    | MemoryResolved
    | MemoryChanged
    | ProjectAsked
    | ProjectResolved
    | ServersChanged
    | SessionsShown
    | SessionShown
    | SessionFound
    | SessionChanged
    | SessionBrokenOff
    | OpDone
    | UnitEvent
    | UnitsChanged
    | UnitShown
    | PlanProposed
    | PlanResolved
    | ModeChosen
    | TurnEnded
)
