"""Puts a session together: which parts there are, and what each is given."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

from paitui.clock import Clock, SystemClock
from paitui.context.estimate import schema_tokens, text_tokens
from paitui.context.manager import ContextManager
from paitui.context.outputs import OutputFolder, remove_old
from paitui.context.thresholds import MIN_WINDOW
from paitui.engine.calls import CallRunner
from paitui.engine.desk import ApprovalDesk
from paitui.engine.events import SessionOpened
from paitui.engine.extracting import Extractor
from paitui.engine.history import History
from paitui.engine.instructions import read_instructions
from paitui.engine.mcp_desk import McpDesk
from paitui.engine.memory_desk import MemoryDesk
from paitui.engine.models import Models, UnknownModel
from paitui.engine.parts import EventHub, Parts
from paitui.engine.plan.crew import Crew
from paitui.engine.plan.desk import PlanDesk
from paitui.engine.project_desk import ProjectDesk
from paitui.engine.prompts import system_prompt
from paitui.engine.queue import MessageQueue
from paitui.engine.recorder import MAIN_UNIT, SessionRecorder
from paitui.engine.session_desk import SessionDesk
from paitui.engine.session_ops import SessionOps
from paitui.engine.unit import Unit
from paitui.engine.worker import Worker
from paitui.ledger.writer import LedgerWriter
from paitui.locale import Phrase, Words, phrase
from paitui.memory.opening import open_library
from paitui.messages.message import Message
from paitui.model.port import Model
from paitui.paths import Paths
from paitui.session.listing import SessionInfo, latest, list_sessions, needed_outputs, new_id, resolve
from paitui.session.store import Loaded, SessionError, SessionStore
from paitui.settings import ContextSettings, Settings, with_environment
from paitui.tools.approval import Approvals, Mode
from paitui.tools.base import Spool, Toolbox, ToolContext
from paitui.tools.environment import command_environment
from paitui.tools.mcp import config as mcp_config
from paitui.tools.mcp.offer import Surroundings
from paitui.tools.mcp.servers import Servers
from paitui.tools.registry import builtin_tools
from paitui.tools.web.setup import web_tools
from paitui.trust.fence import project_fence
from paitui.trust.project import SERVERS, Trust
from paitui.trust.secrets import mask


class OpenError(Exception):
    """A session cannot be opened.

    Attributes:
        phrase: Why, and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """What a session is opened with."""

    settings: Settings
    paths: Paths
    words: Words
    trust: Trust = field(default_factory=Trust)
    """What may count of the project's own files; the settings were read by it."""
    approve: Mode = "ask"
    """What happens with writes and commands: ask, refuse (``reads``), allow (``all``)."""
    resume: str = ""
    """Id of a session, or the beginning of one, to go on with."""
    continue_last: bool = False
    """Go on with this project's newest session."""
    clock: Clock = field(default_factory=SystemClock)
    model: Model | None = None
    """Takes the place of every model, for tests and replays."""
    model_name: str = ""
    """The model that the command line names; else a resumed session keeps its own."""
    problems: tuple[Phrase, ...] = ()
    """What went wrong before, such as a bad settings file; told first."""
    paced: bool = False
    """Somebody watches: the offline engine speaks word by word."""
    asks_about_memory: bool = False
    """The face puts a `MemoryAsked` and a `ProjectAsked` to the user; else what would have to be asked is refused."""

    reviews_plans: bool = False
    """The face puts a `PlanProposed` to the user; else plans run as they are."""


async def open_worker(options: OpenOptions) -> Worker:
    """Open a session.

    Args:
        options: What to open, and how.

    Returns:
        Its worker; subscribe to it, then run it.

    Raises:
        OpenError: The session is unknown, open elsewhere or of another project.
    """
    settings = with_environment(options.settings, os.environ)
    paths, words, clock = options.paths, options.words, options.clock
    fence = project_fence(paths)
    try:
        store, loaded = _open_store(options)
    except SessionError as error:
        raise OpenError(error.phrase) from error
    state = loaded.state
    hub = EventHub()
    ledger = LedgerWriter(paths.ledgers / f"{state.session}.jsonl", state.session, clock, mask)
    recorder = SessionRecorder(store, ledger, hub.emit, replace(state, units={}))
    instructions = read_instructions(paths, fence)
    uids = count(state.next_uid)
    history = History(MAIN_UNIT, recorder, lambda: next(uids), state.units.get(MAIN_UNIT, ()))
    kept = {unit: messages for unit, messages in state.units.items() if unit != MAIN_UNIT and messages}
    recorder.histories.update({unit: partial(tuple, messages) for unit, messages in kept.items()})
    recorder.histories[MAIN_UNIT] = lambda: history.messages
    if not history.messages:
        text = system_prompt(words.language, paths.project, clock.now(), instructions.text)
        history.append(Message("system", text))
    recorder.session("resumed" if _is_resumed(options) else "opened")

    memory = _memory_desk(options, hub, state.session, recorder)
    web, web_problems = web_tools(settings.web, settings.search, os.environ, clock.monotonic)
    toolbox = builtin_tools(memory, web)
    pace_s = settings.offline_pace_ms / 1_000 if options.paced else 0.0
    models = Models(settings, toolbox.specs, os.environ, pace_s, options.model)
    name = state.model if _is_resumed(options) and not options.model_name else settings.model
    try:
        model = models.open(name)
        background = models.open(settings.small_model) if settings.small_model else None
    except UnknownModel as unknown:
        recorder.close()
        raise OpenError(unknown.phrase) from unknown
    if name != state.model:
        recorder.set("model", name)
    outputs = OutputFolder(fence, state.session)
    manager = ContextManager(
        settings.context,
        settings.context.window or model.info.window,
        outputs,
        models.calibration(name),
        schema_tokens(toolbox.specs),
        model.info.sends_reasoning_back,
    )
    manager.summary_window = background.info.window if background else 0
    manager.meter.instructions_tokens = text_tokens(instructions.text)
    desk = ApprovalDesk(
        options.approve,
        Approvals.restore(state.approvals),
        hub.emit,
        lambda rules: recorder.set("approvals", tuple(rules.export())),
    )

    def open_spool(tool: str) -> Spool:
        return Spool(*outputs.open(tool))

    context = ToolContext(
        project=paths.project,
        home=paths.home,
        memory_folder=paths.memory_folder,
        words=words,
        slice_chars=manager.limits.slice_chars,
        command=settings.command,
        open_spool=open_spool,
    )

    def follow(tools: Toolbox) -> None:
        models.tools = tools.specs
        manager.meter.change_schemas(schema_tokens(tools.specs))

    mcp = _mcp_desk(options, hub, recorder, toolbox, follow, lambda: manager.limits.result_chars)
    calls = CallRunner(toolbox, context, manager, desk, recorder, settings.agent, clock, hub.emit)

    def queue_changed(queue: MessageQueue) -> None:
        recorder.set("queue", tuple((at, *said) for at, said in enumerate(queue.waiting, 1)))
        hub.emit(queue.event())

    queue = MessageQueue(queue_changed)
    queue.restore([(text, pasted) for _, text, pasted in state.queue])
    opened = SessionOpened(
        session=state.session,
        project=str(paths.project),
        model=model.info.name,
        history=tuple(message for message in history.messages if message.role != "system"),
        resumed=_is_resumed(options),
        external=recorder.external,
    )
    unit = Unit(history, manager, model, calls, recorder, words.language, hub.emit, background)
    crew = Crew(unit, models, settings, outputs, memory, words, lambda: next(uids), kept)
    plans = PlanDesk(crew, recorder, hub.emit, words, settings.plan, options.reviews_plans)
    plans.restore()
    extractor = Extractor(
        memory.library,
        recorder,
        hub.emit,
        state.session,
        words.language,
        lambda: unit.background or unit.model,
        settings.memory.extraction,
    )
    return Worker(
        Parts(
            opened=opened,
            unit=unit,
            desk=desk,
            memory=memory,
            mcp=mcp,
            plans=plans,
            project=ProjectDesk(paths, options.trust, hub.emit, clock, options.asks_about_memory),
            extractor=extractor,
            queue=queue,
            recorder=recorder,
            models=models,
            hub=hub,
            settings=settings,
            words=words,
            clock=clock,
            session_ops=SessionOps(SessionDesk(paths, clock, words), state.session, hub.emit, recorder.fault),
            sessions=lambda: _sessions(paths),
            tidy=lambda: clean_outputs(paths, settings.context, clock),
            problems=(
                *options.problems,
                *loaded.problems,
                *instructions.problems,
                *_window_problem(settings.context),
                *web_problems,
            ),
        )
    )


def _memory_desk(options: OpenOptions, hub: EventHub, session: str, recorder: SessionRecorder) -> MemoryDesk:
    return MemoryDesk(
        library=open_library(options.paths, options.clock, options.words.language),
        emit=hub.emit,
        session=session,
        clock=options.clock,
        words=options.words,
        can_ask=options.asks_about_memory,
        on_change=recorder.memory_changed,
        external=lambda: recorder.external,
    )


def clean_outputs(paths: Paths, settings: ContextSettings, clock: Clock) -> list[str]:
    """Remove offloaded results of this project that no session needs any more.

    Returns:
        The sessions whose files were removed.

    Raises:
        SessionError: Nobody can say which sessions there are; nothing is removed.
    """
    known = needed_outputs(paths.sessions)
    if known is None:
        return []  # a session that cannot be read may refer to any of them
    limit = settings.keep_outputs_mb * 1_000_000
    return remove_old(paths.tool_outputs, known, clock.now(), settings.keep_outputs_days, limit)


def _mcp_desk(
    options: OpenOptions,
    hub: EventHub,
    recorder: SessionRecorder,
    toolbox: Toolbox,
    follow: Callable[[Toolbox], None],
    resource_chars: Callable[[], int],
) -> McpDesk:
    paths, settings = options.paths, options.settings
    loaded = mcp_config.load(paths, options.trust.data(SERVERS), os.environ)

    environment = command_environment(os.environ, settings.command.env_allow)
    around = Surroundings(paths.project, environment, settings.mcp.start_timeout_s, settings.mcp.call_timeout_s)
    desk = McpDesk(
        servers=Servers(loaded.servers, around, lambda view: desk.changed(view)),
        toolbox=toolbox,
        follow=follow,
        touched=recorder.touched,
        emit=hub.emit,
        settings=settings.mcp,
        words=options.words,
        problems=loaded.problems,
        watched=options.paced,
        resource_chars=resource_chars,
    )
    return desk


def _open_store(options: OpenOptions) -> tuple[SessionStore, Loaded]:
    paths, clock, project = options.paths, options.clock, str(options.paths.project)
    name = options.resume and resolve(paths.sessions, options.resume)
    if options.continue_last and not name:
        name = latest(paths.sessions, project) or ""
        if not name:
            raise SessionError(phrase("engine.no_session"))
    if not name:
        store = SessionStore(paths.sessions / new_id(clock), clock)
        return store, store.create(project, options.settings.model)
    store = SessionStore(paths.sessions / name, clock)
    loaded = store.load()
    if loaded.state.project != project:
        store.close()
        raise SessionError(phrase("engine.other_project", id=name, project=loaded.state.project))
    return store, loaded


def _is_resumed(options: OpenOptions) -> bool:
    return bool(options.resume or options.continue_last)


def _sessions(paths: Paths) -> list[SessionInfo]:
    return [info for info in list_sessions(paths.sessions, str(paths.project))[0] if info.first_words]


def _window_problem(settings: ContextSettings) -> tuple[Phrase, ...]:
    if 0 < settings.window < MIN_WINDOW:
        return (phrase("engine.window_small", window=settings.window, least=MIN_WINDOW),)
    return ()
