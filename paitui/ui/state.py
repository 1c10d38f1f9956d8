"""Everything that the screen shows, as one frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from paitui.context.report import ContextReport
from paitui.engine.events import (
    ApprovalRequested,
    CommandOutput,
    HistoryShown,
    MemoriesShown,
    MemoryAsked,
    MemoryChanged,
    MessageShown,
    Mode,
    Notice,
    PlanProposed,
    ProjectAsked,
    QueuedMessage,
    ResultShown,
    SessionChanged,
    SessionShown,
    SessionsShown,
)
from paitui.locale import Phrase
from paitui.messages.message import Usage
from paitui.ui.blocks import Blocks

if TYPE_CHECKING:  # no memory is needed for the first frame
    from paitui.memory.view import MemoryView
    from paitui.session.info import SessionInfo
    from paitui.tools.mcp.offer import ServerView
    from paitui.trust.external import External
    from paitui.ui.unit_state import PlanView

Phase = Literal[
    "opening", "idle", "waiting", "thinking", "answering", "tool", "approval", "summary", "closing", "closed"
]
"""What goes on: `waiting` is for the model's first word, `tool` for a tool, `approval` for the user."""


@dataclass(frozen=True, slots=True)
class ViewState:
    """What there is to see. Made by `paitui.ui.reducer`, read by widgets."""

    phase: Phase = "opening"
    session: str = ""
    project: str = ""
    model: str = ""
    resumed: bool = False
    turn: int = 0
    """The running turn, or the last one."""
    working: bool = False
    """A turn is under way (a compaction that the user asked for is none)."""
    tool: str = ""
    """Name of the tool that was started last, for the activity line."""
    blocks: Blocks = field(default_factory=Blocks)
    report: ContextReport | None = None
    queued: tuple[QueuedMessage, ...] = ()
    steering: tuple[str, ...] = ()
    approvals: tuple[ApprovalRequested, ...] = ()
    """Requests that wait for an answer, oldest first."""
    notices: tuple[Notice, ...] = ()
    """Warnings and errors that were not dismissed yet, oldest first."""
    said: Phrase | None = None
    """What the program said last in passing; in the chat it is a block, a pane shows it as the answer to a key."""
    history: HistoryShown | None = None
    """The history as it will be sent, as the context inspector asked for it last."""
    message: MessageShown | None = None
    """The message that it asked for last."""
    result: ResultShown | None = None
    """The whole result that was asked for last."""
    message_of: HistoryShown | None = None
    """The history that was shown when that message came; of another one it may not be the same any more."""
    pane: str = ""
    """Name of the pane in view; empty in the chat."""
    memories: MemoriesShown | None = None
    """What was listed or found last."""
    memories_wanted: tuple[str, ...] = ()
    """Searches that were typed in the chat and wait for an answer there; empty text for a list."""
    memories_used: "tuple[MemoryView, ...]" = ()
    """What went with the last message, or still stands in the history."""
    servers: "tuple[ServerView, ...]" = ()
    """How the MCP servers stand."""
    external: "External | None" = None
    """What brought content from outside into the session; None while it is clean."""
    memory_asked: tuple[MemoryAsked, ...] = ()
    """What the user has to decide before it is remembered, oldest first."""
    project_asked: ProjectAsked | None = None
    """Whether the project's own files are trusted, where the user has to decide it."""
    memory_changed: MemoryChanged | None = None
    """What became of the last attempt to change memory."""
    memory_log: CommandOutput | None = None
    """What became of an entry over time, as the browser asked for it last."""
    sessions: SessionsShown | None = None
    """The stored sessions as they were listed last."""
    session_shown: SessionShown | None = None
    """The session that was looked at last."""
    session_changed: SessionChanged | None = None
    """What became of the last attempt to copy, delete or export a session."""
    broken_off: "SessionInfo | None" = None
    """The last session of the project, which a crash ended, until the user begins to work."""
    mode: Mode = "react"
    """How the running turn is worked on."""
    next_mode: Mode = "react"
    """How the next message will be."""
    plan: "PlanView | None" = None
    """The last plan or team's work of the session, with its units."""
    proposal: PlanProposed | None = None
    """A plan that waits for the user's decision."""
    held: tuple[str, ...] = ()
    """Texts sent before the session was ready; they go out when it is."""
    cards: Mapping[str, int] = field(default_factory=dict)
    """Where the card of a call stands in `blocks`, for the calls of the running turn."""
    spent: Usage = field(default_factory=Usage)
    """What providers reported in this session, added up."""
    reply_at: int = 0
    """Where in `blocks` the reply that streams began."""

    @property
    def busy(self) -> bool:
        """Whether there is something to interrupt; a message sent now is queued."""
        return self.phase not in ("opening", "idle", "closing", "closed")
