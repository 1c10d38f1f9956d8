"""What a face may ask of the worker. Frozen data, sent through `Worker.send`, handled in order of arrival.

`Interrupt`, `Decide`, `Steer`, the queue's ops and those that show something take effect while a turn runs; `Submit`
then queues; `Undo`, `ClearOne` and `OffloadOne` take effect before the turn's next request; `Compact`, `Clear` and
`SwitchModel` wait for the turn's end. An op that makes no sense any more (a decision on a request that is gone) is
ignored.
"""

from dataclasses import dataclass
from typing import Literal

from paitui.messages.message import Spans

Decision = Literal["once", "always", "no"]


@dataclass(frozen=True, slots=True)
class Submit:
    """A message of the user. Starts a turn, or joins the queue while one runs."""

    text: str
    pasted: Spans = ()
    """What of the text was pasted; the rest is the user's own wording."""


@dataclass(frozen=True, slots=True)
class Steer:
    """Words for the turn that runs.

    They enter the history as a user message at the next point where the pairing of calls and results allows
    it. Without a running turn this is a `Submit`.
    """

    text: str
    pasted: Spans = ()


@dataclass(frozen=True, slots=True)
class EditQueued:
    """Replace the text of a queued message where it stands; empty text removes it. A hold on it ends."""

    id: int
    text: str
    pasted: Spans = ()


@dataclass(frozen=True, slots=True)
class HoldQueued:
    """Keep a queued message, and those behind it, from being run while it is edited."""

    id: int
    """0 lets go."""


@dataclass(frozen=True, slots=True)
class RunQueue:
    """Start the queued messages of a resumed session (they never start by themselves after a restart)."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Stop the turn or the compaction that runs. The history stays valid; queued messages stay queued."""


@dataclass(frozen=True, slots=True)
class Decide:
    """The user's answer to an `ApprovalRequested`."""

    id: str
    decision: Decision
    reason: str = ""
    """With ``no``: what the model is told."""


@dataclass(frozen=True, slots=True)
class Compact:
    """Summarise now, whatever the thresholds say."""

    instructions: str = ""
    """What the summary should mind."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last thing that shortened the history: a compaction, a clear, one of the user's own.

    It is not repeated by itself before the user's next message, unless the model finds the request too long.
    """


@dataclass(frozen=True, slots=True)
class Pin:
    """Never clear this message, by its `uid`; automatic summaries stop before it."""

    uid: int


@dataclass(frozen=True, slots=True)
class Unpin:
    """Treat this message like any other again."""

    uid: int


@dataclass(frozen=True, slots=True)
class ClearOne:
    """Clear this message now: a result, or the long arguments of an answer's calls."""

    uid: int


@dataclass(frozen=True, slots=True)
class OffloadOne:
    """Put this result into a file now; its beginning and end stay."""

    uid: int


@dataclass(frozen=True, slots=True)
class ShowHistory:
    """Answer with a `HistoryShown`: the history as it will be sent."""


@dataclass(frozen=True, slots=True)
class ShowMessage:
    """Answer with a `MessageShown`: one message as a whole, also one that the last boundary took out."""

    uid: int


@dataclass(frozen=True, slots=True)
class Clear:
    """Empty the history and reset the approvals. Ledger and files stay."""


@dataclass(frozen=True, slots=True)
class ShowContext:
    """Answer with a `CommandOutput`: estimate, parts, thresholds."""


@dataclass(frozen=True, slots=True)
class ShowApprovals:
    """Answer with a `CommandOutput`: what is always allowed in this session."""


@dataclass(frozen=True, slots=True)
class ShowSessions:
    """Answer with a `CommandOutput`: sessions of this project that can be resumed."""


@dataclass(frozen=True, slots=True)
class ShowModels:
    """Answer with a `CommandOutput`: models that can be chosen."""

    prefix: str = ""
    """Only names that begin so."""


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """Go on with another model; waits for the turn's end."""

    name: str
    """``offline`` or ``provider/name``."""


@dataclass(frozen=True, slots=True)
class RevokeApproval:
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


@dataclass(frozen=True, slots=True)
class Memory:
    """Something about long-term memory, by the user's own hand."""

    verb: MemoryVerb
    id: str = ""
    """The entry's id, or the beginning of one."""
    text: str = ""
    """The fact (save, replace), the query (search) or the file (export, import)."""
    scope: Literal["", "project", "global"] = ""
    """Where it counts (save, scope); empty for the project on save."""
    force: bool = False
    """Save beside what it disagrees with, without a question."""
    everywhere: bool = False
    """Also what belongs to other projects (list, search, clear)."""


@dataclass(frozen=True, slots=True)
class DecideMemory:
    """The user's answer to a `MemoryAsked`."""

    id: str
    decision: Literal["replace", "keep", "save", "leave"]
    """``replace`` an older entry, ``keep`` both, ``save`` what only had to be confirmed, ``leave`` all as it is."""
    replaced: str = ""
    """With ``replace``: id of the older entry."""
    text: str = ""
    """The new fact as the user edited it, which is checked again; empty if it stays."""


@dataclass(frozen=True, slots=True)
class Close:
    """End the session: a running turn is interrupted, everything is saved, then `SessionClosed` follows."""


Op = (
    Submit
    | Steer
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
    | Clear
    | ShowContext
    | ShowApprovals
    | ShowSessions
    | ShowModels
    | SwitchModel
    | RevokeApproval
    | Memory
    | DecideMemory
    | Close
)
