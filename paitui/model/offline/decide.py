"""The next step, from the messages alone: which request is open, what was done about it, what comes next."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from paitui.messages.message import ToolCall
from paitui.messages.tasks import FAILED
from paitui.model.offline import changing, fetching, reading, remembering, running, searching, talking
from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import (
    Continue,
    CreateProject,
    Edit,
    Fetch,
    Find,
    Glob,
    Greet,
    Help,
    Intent,
    ListDir,
    Read,
    Recall,
    Recap,
    Remember,
    Run,
    Search,
    Survey,
    Unknown,
    WebSearch,
    Write,
)
from paitui.model.offline.parse import parse
from paitui.model.offline.record import Record, behind_sections, read_summary
from paitui.model.offline.speech import Note, Speech
from paitui.model.offline.survey import survey
from paitui.model.offline.tooling import make_calls
from paitui.model.offline.view import Deed, Turn, View, deeds, look
from paitui.model.port import Request

_IDLE = (Continue, Greet, Help, Recap, Unknown)
_READ = re.compile(r"^[^`|:：]*(?:\bread\b|读)[^`|:：]*[:：]", re.IGNORECASE)
_FACT = re.compile(r"[\w./@+-]+\.[A-Za-z]\w*|`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Decision:
    """What the engine answers."""

    text: str
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class _Task:
    """The open request."""

    intents: Sequence[Intent]
    made: Sequence[Deed]
    notes: Sequence[Note]


def decide(request: Request, speech: Speech, window: int) -> Decision:
    """Take the next step.

    Args:
        request: The request; its purpose is ``turn`` or ``final``.
        speech: In the user's language.
        window: Context size in tokens.

    Returns:
        Text, and calls where the work is not done.
    """
    view = look(request.messages)
    record = read_summary(view.summary, speech) if view.summary else Record()
    task = _open_task(view, record, speech)
    ground = Ground(
        task.made,
        task.notes,
        speech,
        frozenset(spec.name for spec in request.tools),
        _user_texts(view, record),
        view.memories,
        _facts(view.summary),
        window,
    )
    if request.purpose == "final":
        return Decision(_last_words(task, ground, view))
    text: list[tuple[str, bool]] = []
    for intent in task.intents:
        ground.next_intent()
        step = _step(intent, ground, view, record)
        owns = ground.used > ground.start
        if isinstance(step, Ask):
            # What stands before the calls of this intent was said when its first calls were made.
            parts = [] if owns else _unsaid(text)
            missing = next((want.tool for want in step.calls if want.tool not in ground.tools), "")
            if missing:
                text.append((speech("no_tool", tool=missing), owns))
                continue
            calls = make_calls(step.calls, request.tools, request.messages)
            return Decision("\n\n".join([*parts, step.say]), step.thought, calls)
        text.append((step.text, owns))
    answer = "\n\n".join(_unsaid(text)) or speech("what_i_am")
    failed = _is_part(request) and (_failed(task.made) or any(isinstance(one, Unknown) for one in task.intents))
    return Decision(f"{FAILED} {answer}" if failed else answer)


def _is_part(request: Request) -> bool:
    """Whether the request is that of a unit that was told how to say that its task failed."""
    return any(message.role == "system" and FAILED in message.content for message in request.messages)


def _failed(made: Sequence[Deed]) -> bool:
    """Whether something that was to be done was done last without success."""
    last = {(deed.tool, deed.key): deed for deed in made}
    changing = ("execute_command", "write_file", "edit_file")
    return any(deed.failed for deed in last.values() if deed.tool in changing) or all(
        deed.failed for deed in list(last.values())[-1:] or (Deed("", ""),)
    )


def _unsaid(answers: Sequence[tuple[str, bool]]) -> list[str]:
    """The answers not given yet: from the last intent that made calls; those before it were given with its calls."""
    first = max((at for at, (_, owns) in enumerate(answers) if owns), default=0)
    return [text for text, _ in answers[first:] if text]


def _open_task(view: View, record: Record, speech: Speech) -> _Task:
    if not view.turns:
        return _Task((Help(),), (), ())
    turn = view.turns[-1]
    intents = _intents(turn.texts)
    from_summary = turn.carried and bool(record.open or record.goes_on)
    messages = list(turn.messages)
    if intents and isinstance(intents[0], Continue):
        began = _unfinished(view.turns[:-1])
        rest = intents[1:]
        if began is not None:
            source = view.turns[began]
            intents = (*_intents(source.texts), *rest)
            messages = [message for one in view.turns[began:] for message in one.messages]
            from_summary = source.carried and bool(record.open or record.goes_on)
        elif record.open and not any(_closes_summary(one) for one in view.turns[:-1]):
            asked = [text for text in record.open if not isinstance(_intents([text])[0], Continue)]
            intents = (*_intents(asked), *rest) if asked else intents
            from_summary = bool(asked)
            messages = [message for one in view.turns for message in one.messages]
    elif from_summary and len(record.open) > 1:
        # What was added while the work went on is carried along alone; the request itself stands in the summary.
        intents = tuple(dict.fromkeys((*_intents(record.open), *intents)))
    made = deeds(messages)
    notes = [note for message in messages if message.role == "assistant" for note in speech.notes(message.content)]
    if from_summary:
        told = [Deed(item.tool, item.key, item.note, failed=item.failed) for item in record.now]
        made, notes = [*told, *made], [*record.notes, *notes]
    return _Task(intents, made, notes)


def _intents(texts: Iterable[str]) -> tuple[Intent, ...]:
    return tuple(intent for text in texts for intent in parse(text))


def _is_work(intents: Sequence[Intent]) -> bool:
    return any(not isinstance(intent, _IDLE) for intent in intents)


def _closes_summary(turn: Turn) -> bool:
    """Whether the request that a summary calls open is open no more: it was answered, or another took its place."""
    intents = _intents(turn.texts)
    goes_on = turn.carried or isinstance(intents[0], Continue)
    return _is_work(intents) or (goes_on and turn.answered and not turn.broken_off)


def _unfinished(turns: Sequence[Turn]) -> int | None:
    """Position of the newest request that asked for work, if it has no full answer yet."""
    for at in range(len(turns) - 1, -1, -1):
        if _is_work(_intents(turns[at].texts)):
            later = turns[at:]
            done = any(turn.answered and not turn.broken_off for turn in later[:1]) or any(
                turn.answered and not turn.broken_off and isinstance(_intents(turn.texts)[0], Continue)
                for turn in later[1:]
            )
            return None if done else at
    return None


def _user_texts(view: View, record: Record) -> list[str]:
    """What the user said, newest first, as far as it is known."""
    said = [text for turn in view.turns for text in turn.texts]
    beside = behind_sections(view.summary).said
    return [
        *reversed(said),
        *reversed(beside),
        *reversed(record.wishes),
        *reversed(record.open),
        *reversed(record.asked),
    ]


def _facts(summary: str) -> tuple[str, ...]:
    """Paths that the program's lines behind the sections of a summary name as read."""
    lines = [line for line in behind_sections(summary).lines if _READ.match(line)]
    return tuple(match[1] or match[0] for line in lines for match in _FACT.finditer(line))


def _step(intent: Intent, ground: Ground, view: View, record: Record) -> Step:
    match intent:
        case Unknown():
            return talking.unknown(intent, ground)
        case Recap():
            return talking.recap(
                view.turns, [d for turn in view.turns for d in deeds(turn.messages)], view.summary, ground.speech
            )
        case _:
            return _STEPS[type(intent)](intent, ground)


_STEPS: Mapping[type[Intent], Callable[..., Step]] = MappingProxyType(
    {
        Read: reading.read,
        Fetch: fetching.fetch,
        WebSearch: fetching.web_search,
        ListDir: reading.list_dir,
        Glob: reading.glob,
        Find: searching.find,
        Search: searching.search,
        Run: running.run,
        Write: changing.write,
        Edit: changing.edit,
        CreateProject: changing.create,
        Remember: remembering.remember,
        Recall: remembering.recall,
        Survey: lambda intent, ground: survey(ground),
        Continue: lambda intent, ground: Answer(ground.speech("nothing_open")),
        Greet: lambda intent, ground: talking.greet(ground),
        Help: lambda intent, ground: talking.help_(ground),
    }
)


def _last_words(task: _Task, ground: Ground, view: View) -> str:
    """A stated partial result: what was asked, what was done, what would come next."""
    say = ground.speech
    asked = " / ".join(" ".join(text.split())[:200] for text in view.turns[-1].texts) if view.turns else "-"
    next_ = say("final_nothing")
    for intent in task.intents:
        ground.next_intent()
        if isinstance(intent, (Unknown, Recap)):
            continue
        # With every tool granted, a step says what it would do.
        step = _STEPS[type(intent)](intent, ground)
        if isinstance(step, Ask):
            next_ = step.say.rpartition("\n")[2]
            break
    return "\n".join(
        [
            say("final_title"),
            say("final_asked", text=asked),
            talking.tally(task.made, say),
            say("final_next", text=next_),
        ]
    )
