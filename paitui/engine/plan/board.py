"""How far the units of a plan or a team are: told to the faces, and kept with the session, at each change.

Each unit is a record of its own in the session's state, so that a change writes what changed and not the whole plan.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from paitui.engine.events import Event, Mode, UnitRole, UnitsChanged, UnitState, UnitStatus
from paitui.engine.plan.graph import Task
from paitui.engine.recorder import SessionRecorder
from paitui.locale import Phrase, Words, phrase
from paitui.messages.message import Spans

PLAN = "plan"
"""Name, in the session's state, of what is known of the whole; each unit stands under this name and its own."""
SHOWN_CHARS = 400
"""What an event carries of an answer."""
Stage = Literal["planning", "review", "running", "over"]
WORKING: tuple[UnitRole, ...] = ("task", "worker")
"""Roles of units that do a part of the work."""


@dataclass(slots=True)
class Entry:
    """One unit, as far as it is."""

    id: str
    """Unique in the session."""
    name: str
    role: UnitRole
    title: str
    history: str
    kind: str = ""
    needs: tuple[str, ...] = ()
    """Ids of other entries."""
    status: UnitStatus = "waiting"
    tries: int = 0
    answer: str = ""
    """What came of it, at most as long as a tool's result may be."""
    notice: str = ""
    """Where the whole answer is, if it is longer."""
    reason: str = ""
    """Why it failed, was skipped or sent back, in the user's language."""
    replaced: bool = False
    """Another plan took its place."""

    @property
    def task(self) -> Task:
        """What the planner wrote; dependencies by the ids of entries."""
        return Task(self.name, self.title, self.kind, self.needs)


@dataclass(slots=True)
class Board:
    """Every unit of one plan or one team, in the order in which they are shown."""

    recorder: SessionRecorder
    emit: Callable[[Event], None]
    words: Words
    mode: Mode
    number: int
    """Counts plans and teams in the session."""
    goal: str
    """The user's message."""
    pasted: Spans = ()
    stage: Stage = "planning"
    replans: int = 0
    """How often another plan took the place of one that failed."""
    entries: dict[str, Entry] = field(default_factory=dict)

    def named(self, name: str) -> str:
        """The name of a unit of this plan, unique in the session."""
        return f"{self.mode}{self.number}{'' if not self.replans else chr(ord('a') + self.replans)}.{name}"

    def add(self, entries: Iterable[Entry], behind: str = "") -> None:
        """Put entries at the end, or behind another one."""
        new = {entry.id: entry for entry in entries}
        if behind in self.entries:
            at = list(self.entries).index(behind) + 1
            items = list(self.entries.items())
            self.entries = dict([*items[:at], *new.items(), *items[at:]])
        else:
            self.entries |= new
        for entry in new.values():
            self._keep(entry)
        self._changed()

    def drop(self, ids: Iterable[str]) -> None:
        """Take entries away: they were proposed, and are not wanted."""
        for name in list(ids):
            del self.entries[name]
            self.recorder.set_extra(f"{PLAN}:{name}", None)
        self._changed()

    def change(self, name: str, *, reason: Phrase | None = None, **values: Any) -> Entry:
        """Note how far an entry is.

        Args:
            name: Its id.
            reason: Why it is so; None says nothing.
            values: Fields with their new values.
        """
        entry = self.entries[name]
        for key, value in values.items():
            setattr(entry, key, value)
        entry.reason = self.words.say(reason) if reason else ""
        self._keep(entry)
        self.tell()
        return entry

    def move_to(self, stage: Stage) -> None:
        """Note how far the whole is."""
        self.stage = stage
        self._changed()

    @property
    def work(self) -> list[Entry]:
        """The parts of the work, without those that another plan replaced."""
        return [entry for entry in self.entries.values() if entry.role in WORKING and not entry.replaced]

    def ready(self) -> list[Entry]:
        """Parts whose needs are done and which nobody has begun."""
        return [
            entry
            for entry in self.work
            if entry.status == "waiting" and all(self.entries[need].status == "done" for need in entry.needs)
        ]

    def skip_hopeless(self) -> None:
        """Skip what waits for something that will not be done."""
        for entry in self.work:  # behind what they need, so one pass is enough
            lost = [need for need in entry.needs if self.entries[need].status in ("failed", "skipped")]
            if entry.status == "waiting" and lost:
                self.change(
                    entry.id, status="skipped", reason=phrase("plan.skipped", name=self.entries[lost[0]].name)
                )

    def set_back(self) -> None:
        """After an interruption: what was being done waits again."""
        for entry in self.entries.values():
            if entry.status in ("running", "cancelled"):
                self.change(entry.id, status="waiting")

    def count(self, *statuses: UnitStatus) -> int:
        """How many parts of the work are in one of these states."""
        return sum(entry.status in statuses for entry in self.work)

    def tell(self) -> None:
        """Tell all units as they stand."""
        self.emit(UnitsChanged(self.mode, self.goal, tuple(map(_told, self.entries.values()))))

    def forget(self) -> None:
        """Let nothing of it be kept with the session; the ledger has it all."""
        for entry in self.entries.values():
            self.recorder.set_extra(f"{PLAN}:{entry.id}", None)
            self.recorder.set_extra(f"undo:{entry.history}", None)
        for history in {entry.history for entry in self.entries.values()}:
            self.recorder.forget_unit(history)
        self.recorder.set_extra(PLAN, {"number": self.number})
        self.entries = {}

    def _changed(self) -> None:
        whole = {
            "mode": self.mode,
            "number": self.number,
            "goal": self.goal,
            "pasted": [list(span) for span in self.pasted],
            "stage": self.stage,
            "replans": self.replans,
            "units": list(self.entries),
        }
        self.recorder.set_extra(PLAN, whole)
        self.tell()

    def _keep(self, entry: Entry) -> None:
        self.recorder.set_extra(f"{PLAN}:{entry.id}", {**asdict(entry), "needs": list(entry.needs)})


def last_number(extra: Mapping[str, Any]) -> int:
    """The number of the session's last plan or team; 0 if there was none."""
    kept = extra.get(PLAN)
    number = kept.get("number") if isinstance(kept, Mapping) else 0
    return number if isinstance(number, int) else 0


def restored(recorder: SessionRecorder, emit: Callable[[Event], None], words: Words) -> Board | None:
    """Take up what a session has of its last plan or team; None if there is nothing, or it cannot be read."""
    kept = recorder.base.extra.get(PLAN)
    if not isinstance(kept, Mapping) or not isinstance(kept.get("units"), list):
        return None
    try:
        board = Board(
            recorder,
            emit,
            words,
            _one_of(kept["mode"], get_args(Mode)),
            int(kept["number"]),
            str(kept["goal"]),
            tuple((int(start), int(end)) for start, end in kept["pasted"]),
            _one_of(kept["stage"], get_args(Stage)),
            int(kept["replans"]),
        )
        for entry in _entries(recorder.base.extra, kept["units"]):
            board.entries[entry.id] = entry
    except (KeyError, TypeError, ValueError):
        return None
    return board


def _entries(extra: Mapping[str, Any], names: Iterable[Any]) -> Iterator[Entry]:
    for name in names:
        values = dict(extra[f"{PLAN}:{name}"])
        values["needs"] = tuple(map(str, values["needs"]))
        _one_of(values["status"], get_args(UnitStatus))
        _one_of(values["role"], get_args(UnitRole))
        yield Entry(**values)


def _one_of(value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise ValueError(value)
    return value


def _told(entry: Entry) -> UnitState:
    return UnitState(
        id=entry.id,
        name=entry.name,
        role=entry.role,
        title=entry.title,
        history=entry.history,
        kind=entry.kind,
        needs=entry.needs,
        status=entry.status,
        tries=entry.tries,
        answer=entry.answer[:SHOWN_CHARS] + ("…" if len(entry.answer) > SHOWN_CHARS else ""),
        reason=phrase("plan.said", text=entry.reason) if entry.reason else None,
    )
