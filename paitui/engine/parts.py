"""What a worker is made of, and how its events reach the faces."""

from collections.abc import Callable
from dataclasses import dataclass

from paitui.clock import Clock
from paitui.engine.desk import ApprovalDesk
from paitui.engine.events import Event, SessionOpened
from paitui.engine.extracting import Extractor
from paitui.engine.mcp_desk import McpDesk
from paitui.engine.memory_desk import MemoryDesk
from paitui.engine.models import Models
from paitui.engine.plan.desk import PlanDesk
from paitui.engine.project_desk import ProjectDesk
from paitui.engine.queue import MessageQueue
from paitui.engine.recorder import SessionRecorder
from paitui.engine.session_ops import SessionOps
from paitui.engine.unit import Unit
from paitui.locale import Phrase, Words
from paitui.session.listing import SessionInfo
from paitui.settings import Settings


class EventHub:
    """Hands each event to every face, in order."""

    def __init__(self) -> None:
        self._faces: list[Callable[[Event], None]] = []
        self._early: list[Event] | None = []

    def begin(self) -> list[Event]:
        """Hand events out from now on; gives those that came while nobody could be there to listen."""
        early, self._early = self._early or [], None
        return early

    def subscribe(self, face: Callable[[Event], None]) -> None:
        """Add a face; it gets what is emitted from now on."""
        self._faces.append(face)

    def emit(self, event: Event) -> None:
        """Tell every face; keep it if the session is only being opened."""
        if self._early is not None:
            self._early.append(event)
            return
        for face in self._faces:
            face(event)


@dataclass(slots=True)
class Parts:
    """What a worker is made of."""

    opened: SessionOpened
    unit: Unit
    desk: ApprovalDesk
    memory: MemoryDesk
    project: ProjectDesk
    mcp: McpDesk
    plans: PlanDesk
    extractor: Extractor
    queue: MessageQueue
    recorder: SessionRecorder
    models: Models
    hub: EventHub
    settings: Settings
    words: Words
    clock: Clock
    session_ops: SessionOps
    sessions: Callable[[], list[SessionInfo]]
    """Sessions of this project, newest first."""
    tidy: Callable[[], object]
    """Removes files that no session needs any more; may block, and runs beside everything else."""
    problems: tuple[Phrase, ...] = ()
    """What went wrong while opening, to be told first."""
