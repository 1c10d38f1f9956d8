"""What a face may ask of the worker. Frozen data, sent through `Worker.send`, handled in order of arrival.

`Interrupt`, `Decide`, `Steer`, the queue's ops and those that show something take effect while a turn runs; `Submit`
then queues; `Undo`, `ClearOne` and `OffloadOne` take effect before the turn's next request; `Compact`, `Clear` and
`SwitchModel` wait for the turn's end. `StartPlan`, `StartTeam` and `ContinuePlan` begin a turn as `Submit` does:
while one runs, the first two join the queue as the command that was typed, the third is refused. `DecidePlan` and
`ShowUnit` take effect while a turn runs. An op that makes no sense any more (a decision on a request that is gone) is
ignored.
"""

from typing import Literal

from msgspec import Struct

from paitui.messages.message import Spans

Decision = Literal["once", "always", "no"]


class Submit(Struct, frozen=True):
    """A message of the user. Starts a turn, or joins the queue while one runs."""

    text: str
    pasted: Spans = ()
    """What of the text was pasted; the rest is the user's own wording."""


class Steer(Struct, frozen=True):
    """Words for the turn that runs.

    They enter the history as a user message at the next point where the pairing of calls and results allows
    it. Without a running turn this is a `Submit`.
    """

    text: str
    pasted: Spans = ()


class StartPlan(Struct, frozen=True):
    """A message that is worked on by a plan. Without a text, the next message is (`ModeChosen`)."""

    text: str
    pasted: Spans = ()


class StartTeam(Struct, frozen=True):
    """A message that is worked on by a team. Without a text, the next message is (`ModeChosen`)."""

    text: str
    pasted: Spans = ()


class ContinuePlan(Struct, frozen=True):
    """Go on with the plan or the team's work that was interrupted; what is finished is not done again."""


class DecidePlan(Struct, frozen=True):
    """The user's answer to a `PlanProposed`."""

    id: str
    decision: Literal["run", "change", "cancel"]
    text: str = ""
    """With ``change``: what else the plan should mind."""


class ShowUnit(Struct, frozen=True):
    """Answer with a `UnitShown`: a unit's history as it is now, also of a resumed session."""

    unit: str
    """As `UnitState.history` has it."""


class EditQueued(Struct, frozen=True):
    """Replace the text of a queued message where it stands; empty text removes it. A hold on it ends."""

    id: int
    text: str
    pasted: Spans = ()


class HoldQueued(Struct, frozen=True):
    """Keep a queued message, and those behind it, from being run while it is edited."""

    id: int
    """0 lets go."""


class RunQueue(Struct, frozen=True):
    """Start the queued messages of a resumed session (they never start by themselves after a restart)."""


class Interrupt(Struct, frozen=True):
    """Stop the turn or the compaction that runs. The history stays valid; queued messages stay queued."""


class Decide(Struct, frozen=True):
    """The user's answer to an `ApprovalRequested`."""

    id: str
    decision: Decision
    reason: str = ""
    """With ``no``: what the model is told."""


class Compact(Struct, frozen=True):
    """Summarise now, whatever the thresholds say."""

    instructions: str = ""
    """What the summary should mind."""


class Undo(Struct, frozen=True):
    """Take back the last thing that shortened the history: a compaction, a clear, one of the user's own.

    It is not repeated by itself before the user's next message, unless the model finds the request too long.
    """


class Pin(Struct, frozen=True):
    """Never clear this message, by its `uid`; automatic summaries stop before it."""

    uid: int


class Unpin(Struct, frozen=True):
    """Treat this message like any other again."""

    uid: int


class ClearOne(Struct, frozen=True):
    """Clear this message now: a result, or the long arguments of an answer's calls."""

    uid: int


class OffloadOne(Struct, frozen=True):
    """Put this result into a file now; its beginning and end stay."""

    uid: int


class ShowHistory(Struct, frozen=True):
    """Answer with a `HistoryShown`: the history as it will be sent."""


class ShowMessage(Struct, frozen=True):
    """Answer with a `MessageShown`: one message as a whole, also one that the last boundary took out."""

    uid: int


class ShowResult(Struct, frozen=True):
    """Answer with a `ResultShown`: the whole result of a call, as the history has it."""

    call_id: str


class Clear(Struct, frozen=True):
    """Empty the history and reset the approvals. Ledger and files stay."""


class ShowContext(Struct, frozen=True):
    """Answer with a `CommandOutput`: estimate, parts, thresholds."""


class ShowApprovals(Struct, frozen=True):
    """Answer with a `CommandOutput`: what is always allowed in this session."""


class ShowSessions(Struct, frozen=True):
    """Answer with a `CommandOutput`: sessions of this project that can be resumed."""


class ShowModels(Struct, frozen=True):
    """Answer with a `CommandOutput`: models that can be chosen."""

    prefix: str = ""
    """Only names that begin so."""


class SwitchModel(Struct, frozen=True):
    """Go on with another model; waits for the turn's end."""

    name: str
    """``offline`` or ``provider/name``."""


class RevokeApproval(Struct, frozen=True):
    """Ask again from now on for one program or folder; all of them if `rule` is empty."""

    rule: str = ""


MemoryVerb = Literal[
    "save",
    "list",
    "search",
    "show",
    "log",
    "verify",
    "replace",
    "delete",
    "scope",
    "clear",
    "export",
    "import",
    "undo",
    "relink",
]
"""`list` and `search` are answered by `MemoriesShown`, `show` by `MemoryShown`, `log`, `export` and `import` by a
`CommandOutput`, the others by `MemoryChanged`; before it a `MemoryAsked` may come."""


class Memory(Struct, frozen=True):
    """Something about long-term memory, by the user's own hand."""

    verb: MemoryVerb
    id: str = ""
    """The entry's id, or the beginning of one; with `undo`, the whole id of the entry whose last change is taken
    back, or empty for the last change of all."""
    text: str = ""
    """The fact (save, replace), the query (search) or the file (export, import)."""
    scope: Literal["", "project", "global"] = ""
    """Where it counts (save, scope); empty for the project on save."""
    force: bool = False
    """Save beside what it disagrees with, without a question."""
    everywhere: bool = False
    """Also what belongs to other projects (list, search, clear)."""


class DecideMemory(Struct, frozen=True):
    """The user's answer to a `MemoryAsked`."""

    id: str
    decision: Literal["replace", "keep", "save", "leave"]
    """``replace`` an older entry, ``keep`` both, ``save`` what only had to be confirmed, ``leave`` all as it is."""
    replaced: str = ""
    """With ``replace``: id of the older entry."""
    text: str = ""
    """The new fact as the user edited it, which is checked again; empty if it stays."""


class Servers(Struct, frozen=True):
    """Something about the MCP servers, answered by a `CommandOutput`; counts for this session."""

    verb: Literal["list", "restart", "disable", "enable", "logs", "prompts"]
    name: str = ""
    """Which server; empty with `list`, and with `prompts` for all."""


class Sessions(Struct, frozen=True):
    """Something about stored sessions, beside whatever runs. An empty id is the session that is open."""

    verb: Literal["list", "show", "resume", "fork", "delete", "export"]
    """`list` is answered by `SessionsShown`, `show` by `SessionShown`, `resume` by `SessionFound` (the face goes
    there), the others by `SessionChanged`."""
    id: str = ""
    """The session's id, or the beginning of one; with `resume`, empty for the last other one."""
    text: str = ""
    """With `export`: the file; empty for a new one in the project."""
    form: str = "markdown"
    """With `export`: ``markdown`` or ``html``."""
    everywhere: bool = False
    """With `list`: also those of other projects."""
    shown: bool = False
    """Somebody looks at the list: what fails is a `SessionChanged`, and no `Notice`."""


class ShowTrust(Struct, frozen=True):
    """Answer with a `CommandOutput`: what came from outside, and how the project's own files stand.

    Where there is something to decide, a `ProjectAsked` follows.
    """


class DecideProject(Struct, frozen=True):
    """The user's answer to a `ProjectAsked`."""

    id: str
    trusted: bool


class RevokeTrust(Struct, frozen=True):
    """Trust this project's own files no more, from the next session on."""


class Close(Struct, frozen=True):
    """End the session: a running turn is interrupted, everything is saved, then `SessionClosed` follows."""

    wait_s: float = 0.0
    """Seconds that the search for lasting facts may still take; else it is cancelled."""


Op = (
    Submit
    | Steer
    | StartPlan
    | StartTeam
    | ContinuePlan
    | DecidePlan
    | ShowUnit
    | EditQueued
    | HoldQueued
    | RunQueue
    | Interrupt
    | Decide
    | Compact
    | Undo
    | Pin
    | Unpin
    | ClearOne
    | OffloadOne
    | ShowHistory
    | ShowMessage
    | ShowResult
    | Clear
    | ShowContext
    | ShowApprovals
    | ShowSessions
    | Sessions
    | ShowModels
    | SwitchModel
    | RevokeApproval
    | Memory
    | DecideMemory
    | ShowTrust
    | DecideProject
    | RevokeTrust
    | Servers
    | Close
)
