"""From one state of the screen to the next. Pure; no widget, no clock, no colour."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from paitui.engine import events
from paitui.locale import phrase
from paitui.messages.message import Message
from paitui.trust.external_words import began
from paitui.ui.blocks import (
    AnswerBlock,
    Block,
    Blocks,
    EndBlock,
    NoteBlock,
    OutputBlock,
    ReasoningBlock,
    TierBlock,
    ToolBlock,
    ToolStatus,
    UserBlock,
    blocks,
)
from paitui.ui.memory_said import ALWAYS_TOLD, found, note, shown, told
from paitui.ui.memory_state import changed
from paitui.ui.session_state import told_of_session
from paitui.ui.state import Phase, ViewState
from paitui.ui.unit_state import asked, begun, ended, told_of_units

if TYPE_CHECKING:
    from paitui.trust.external import External

LIVE_CHARS = 4_000
"""What a card keeps of the output of a tool that still runs; no more is ever visible."""
CUT_OFF = "engine.call_cancelled"
"""Headline of a call that an interrupt cut off; it did not fail."""
UNDONE = "engine.undone_"
"""What is said of a step that was taken back."""
CONTEXT = "engine.context_title"
"""Title of the answer that is drawn as a gauge."""
MEMORY = "memory"
"""The pane that shows by itself what is said about memory."""
MEMORY_LOG = "memory.log_title"
"""Title of the answer that the memory browser shows beside the entry."""
MAX_NOTICES = 50
"""Notices kept until dismissed; beyond this the oldest go, they stand in the log."""


def reduce(state: ViewState, event: events.Event) -> ViewState:
    """Apply one event.

    Args:
        state: What there was to see.
        event: What happened.

    Returns:
        What there is to see now; the same object if nothing changed.
    """
    match event:
        case events.SessionOpened():
            return replace(
                state,
                phase="idle",
                session=event.session,
                project=event.project,
                model=event.model,
                resumed=event.resumed,
                external=event.external,
                blocks=blocks([*from_history(event.history), *_brought(event.external)]),
                held=(),
            )
        case events.SessionClosed():
            return replace(state, phase="closed", working=False)
        case events.TurnStarted():
            state = begun(state, event.mode)
            return replace(state, phase="waiting", working=True, turn=event.turn, cards={}, broken_off=None)
        case events.UserSaid():
            return _add(state, UserBlock(event.text, event.steered, event.pasted))
        case events.ModelStarted():
            phase: Phase = "summary" if event.purpose == "summary" else "waiting"
            return replace(state, phase=phase, reply_at=len(state.blocks))
        case events.TextDelta():
            return _text(state, event.text)
        case events.ReasoningDelta():
            return _reasoning(state, event.text)
        case events.AnswerFinished():
            return _answer(state, event)
        case events.ToolStarted():
            card = ToolBlock(event.id, event.name, event.subject)
            cards = {**state.cards, event.id: len(state.blocks)}
            return replace(_add(state, card), phase="tool", tool=event.name, cards=cards)
        case events.ToolOutput():
            if (card_at := _card(state, event.id)) is None:
                return state
            at, card = card_at
            return _put(state, at, replace(card, text=(card.text + event.text)[-LIVE_CHARS:]))
        case events.ToolFinished():
            return _finished(state, event)
        case events.ApprovalRequested():
            state = replace(state, phase="approval", approvals=(*state.approvals, event))
            state = asked(state, event, reduce)
            return _status(state, event.call_id, "asking")
        case events.ApprovalResolved():
            return _resolved(asked(state, event, reduce), event)
        case events.Boundary():
            return _boundary(state, event)
        case events.HistoryShown():
            return replace(state, history=event)
        case events.MessageShown():
            return replace(state, message=event, message_of=state.history)
        case events.ResultShown():
            return replace(state, result=event)
        case events.Undone():
            return _aside(state, TierBlock(event.kind, event.before, event.after, undone=True))
        case events.SessionsShown() | events.SessionShown() | events.SessionChanged() | events.SessionBrokenOff():
            return told_of_session(state, event)
        case events.SessionFound():
            return state  # the app goes there
        case events.OpDone():
            return state
        case events.ServersChanged(servers):
            return replace(state, servers=servers)
        case events.ContextChanged():
            return replace(state, report=event.report)
        case events.QueueChanged():
            return replace(state, queued=event.queued, steering=event.steering)
        case events.HistoryCleared():
            cleared = Blocks().add(NoteBlock("info", phrase("ui.cleared")))
            state = replace(state, plan=None, proposal=None)
            return replace(state, blocks=cleared, cards={}, approvals=(), history=None, message=None)
        case events.TrustChanged(external):
            state = replace(state, external=external)
            return state if external is None else _aside(state, NoteBlock("info", began(external)))
        case events.MemoriesUsed():
            return replace(state, memories_used=event.entries)
        case events.MemoriesShown():
            return _memories(state, event)
        case events.MemoryShown():
            return _aside(state, shown(event))
        case events.MemoryAsked():
            state = replace(state, memory_asked=(*state.memory_asked, event))
            return replace(state, phase="approval") if state.working else state
        case events.MemoryResolved():
            return _decided(state, event)
        case events.ProjectAsked():
            return replace(state, project_asked=event)
        case events.ProjectResolved():
            return replace(state, project_asked=None)
        case events.MemoryChanged():
            return _memory(state, event)
        case events.CommandOutput() if state.pane == MEMORY and event.title.key == MEMORY_LOG:
            return replace(state, memory_log=event)
        case events.CommandOutput() if state.pane == MEMORY and event.title.key.startswith("memory."):
            return replace(state, said=event.title)
        case events.CommandOutput():
            report = state.report if event.title.key == CONTEXT else None
            return _aside(state, OutputBlock(event.title, event.lines, report))
        case events.Notice():
            if event.level == "info" and event.phrase.key.startswith(UNDONE):
                return replace(state, said=event.phrase)  # the block above says it
            if event.level == "info":
                return _aside(replace(state, said=event.phrase), NoteBlock("info", event.phrase))
            return _rested(replace(state, notices=(*state.notices, event)[-MAX_NOTICES:]))
        case events.TurnEnded():
            return ended(_ended(state, event), event)
        case events.ModelChanged():
            return replace(state, model=event.model)
        case events.UsageReported():
            return replace(state, spent=state.spent.plus(event.usage))
        case (
            events.UnitEvent()
            | events.UnitsChanged()
            | events.UnitShown()
            | events.PlanProposed()
            | events.PlanResolved()
            | events.ModeChosen()
        ):
            return told_of_units(state, event, reduce)


def look_at(state: ViewState, pane: str) -> ViewState:
    """Another pane is in view; empty for the chat."""
    return replace(state, pane=pane) if pane != state.pane else state


def want(state: ViewState, query: str) -> ViewState:
    """Memories are looked for in the chat, and are to be listed there."""
    return replace(state, memories_wanted=(*state.memories_wanted, query))


def dismiss(state: ViewState) -> ViewState:
    """Take away the notices, and the offer of a session; the user has read them."""
    return replace(state, notices=(), broken_off=None) if state.notices or state.broken_off else state


def hold(state: ViewState, text: str) -> ViewState:
    """Remember a text that waits for the session to be ready."""
    return replace(state, held=(*state.held, text))


def closing(state: ViewState) -> ViewState:
    """The user wants to leave."""
    return replace(state, phase="closing")


def _add(state: ViewState, block: Block) -> ViewState:
    return replace(state, blocks=_settled(state.blocks).add(block))


def _aside(state: ViewState, block: Block) -> ViewState:
    """Add what the program says in passing; a reply that streams goes on in its own block."""
    state = replace(state, blocks=state.blocks.add(block))
    return _rested(state)


def _rested(state: ViewState) -> ViewState:
    """A compaction outside a turn has no end of its own: its result or its failure is the end."""
    return replace(state, phase="idle") if state.phase == "summary" and not state.working else state


def _put(state: ViewState, at: int, block: Block) -> ViewState:
    return replace(state, blocks=state.blocks.put(at, block))


def _live_at(items: Blocks) -> int | None:
    """Where the block stands that still streams; only asides may follow it."""
    for at in range(len(items) - 1, -1, -1):
        block = items[at]
        if isinstance(block, AnswerBlock | ReasoningBlock):
            return at if block.live else None
        if not isinstance(block, NoteBlock | OutputBlock):
            return None
    return None


def _settled(items: Blocks) -> Blocks:
    """What streamed last is whole once something else follows."""
    at = _live_at(items)
    if at is None or not isinstance(last := items[at], AnswerBlock | ReasoningBlock):
        return items
    return items.put(at, replace(last, live=False))


def _text(state: ViewState, text: str) -> ViewState:
    state = state if state.phase == "answering" else replace(state, phase="answering")
    at = _live_at(state.blocks)
    if at is not None and isinstance(last := state.blocks[at], AnswerBlock):
        return _put(state, at, replace(last, text=last.text + text))
    return _add(state, AnswerBlock(text, live=True)) if text.strip() else state


def _reasoning(state: ViewState, text: str) -> ViewState:
    state = state if state.phase == "thinking" else replace(state, phase="thinking")
    at = _live_at(state.blocks)
    if at is not None and isinstance(last := state.blocks[at], ReasoningBlock):
        return _put(state, at, replace(last, text=last.text + text))
    return _add(state, ReasoningBlock(text, live=True)) if text.strip() else state


def _answer(state: ViewState, event: events.AnswerFinished) -> ViewState:
    """The finished text is the truth where it can stand in one place; what streamed may have been cut."""
    since = range(min(state.reply_at, len(state.blocks)), len(state.blocks))
    answers = [at for at in since if isinstance(state.blocks[at], AnswerBlock)]
    thoughts = any(isinstance(state.blocks[at], ReasoningBlock) for at in since)
    state = replace(state, blocks=_settled(state.blocks))
    if event.reasoning.strip() and not thoughts and not answers:
        state = _add(state, ReasoningBlock(event.reasoning))
    if not answers:
        return _add(state, AnswerBlock(event.text, partial=event.partial)) if event.text.strip() else state
    if len(answers) == 1:
        return _put(state, answers[0], AnswerBlock(event.text, partial=event.partial))
    last = state.blocks[answers[-1]]
    assert isinstance(last, AnswerBlock)
    return _put(state, answers[-1], replace(last, partial=event.partial))


def _brought(external: "External | None") -> list[Block]:
    """What a resumed session says of content from outside that came with it."""
    return [NoteBlock("info", began(external, resumed=True))] if external is not None else []


def _card(state: ViewState, call_id: str) -> tuple[int, ToolBlock] | None:
    at = state.cards.get(call_id)
    if at is None or at >= len(state.blocks):
        return None
    block = state.blocks[at]
    return (at, block) if isinstance(block, ToolBlock) and block.id == call_id else None


def _status(state: ViewState, call_id: str, status: ToolStatus, reason: str = "") -> ViewState:
    if (found := _card(state, call_id)) is None:
        return state
    return _put(state, found[0], replace(found[1], status=status, reason=reason))


def _finished(state: ViewState, event: events.ToolFinished) -> ViewState:
    if (found := _card(state, event.id)) is None:
        return state
    at, card = found
    if event.headline is not None and event.headline.key == CUT_OFF:
        # Its text is a word to the model; what the tool had put out until then says more.
        return _put(state, at, replace(card, status="stopped"))
    status: ToolStatus = "ok" if event.ok else "denied" if card.status == "denied" else "failed"
    return _put(
        state,
        at,
        replace(
            card,
            status=status,
            headline=event.headline,
            chars=event.chars,
            seconds=event.seconds,
            stored=event.stored or card.stored,
            diff=event.diff,
            text=event.text,
            external=event.external,
        ),
    )


def _resolved(state: ViewState, event: events.ApprovalResolved) -> ViewState:
    asked = [request for request in state.approvals if request.id == event.id]
    left = tuple(request for request in state.approvals if request.id != event.id)
    state = replace(state, approvals=left, phase="approval" if left else "tool" if state.working else "idle")
    for request in asked:
        state = _status(state, request.call_id, "denied" if event.decision == "no" else "running", event.reason)
    return state


def _memories(state: ViewState, event: events.MemoriesShown) -> ViewState:
    state = replace(state, memories=event)
    if event.query not in state.memories_wanted:
        return state
    wanted = list(state.memories_wanted)
    wanted.remove(event.query)
    return _aside(replace(state, memories_wanted=tuple(wanted)), found(event))


def _memory(state: ViewState, event: events.MemoryChanged) -> ViewState:
    """Nothing is written unseen: the chat says it, even if the browser does too."""
    listed = changed(state.memories, event) if state.memories is not None else None
    if event.result == "extracted":  # how many there were is told once, by a notice
        return replace(state, memory_changed=event, memories=listed)
    state = replace(state, memory_changed=event, memories=listed, said=told(event, "/memory undo"))
    told_here = event.result in ALWAYS_TOLD or state.pane != MEMORY
    return _aside(state, note(event)) if told_here else state


def _decided(state: ViewState, event: events.MemoryResolved) -> ViewState:
    left = tuple(asked for asked in state.memory_asked if asked.id != event.id)
    state = replace(state, memory_asked=left)
    if state.phase != "approval" or left or state.approvals:
        return state
    return replace(state, phase="tool" if state.working else "idle")


def _boundary(state: ViewState, event: events.Boundary) -> ViewState:
    stored = (event.stored,) if event.stored else ()
    if event.kind == "offload" and event.call_id and (found := _card(state, event.call_id)):
        state = _put(state, found[0], replace(found[1], stored=event.stored or found[1].stored))
        stored = ()  # the card names it
    tier = TierBlock(event.kind, event.before, event.after, event.count, stored, event.text)
    if event.kind == "offload" and state.blocks:
        above = state.blocks[-1]
        if isinstance(above, TierBlock) and above.kind == "offload" and not above.undone:
            # The results of one round go one by one; for the reader it is one step.
            return _put(state, len(state.blocks) - 1, _together(above, tier))
    return _rested(_add(state, tier)) if event.kind == "summary" else _add(state, tier)


def _together(first: TierBlock, second: TierBlock) -> TierBlock:
    return replace(
        first,
        before=first.before + second.before,
        after=first.after + second.after,
        count=first.count + second.count,
        stored=first.stored + second.stored,
    )


def _ended(state: ViewState, event: events.TurnEnded) -> ViewState:
    state = replace(state, phase="idle", working=False, approvals=(), blocks=_settled(state.blocks))
    for call_id in state.cards:
        if (found := _card(state, call_id)) and found[1].status in ("running", "asking"):
            state = _put(state, found[0], replace(found[1], status="stopped"))
    state = replace(state, cards={})
    if event.status == "done":
        return state
    return _add(state, EndBlock(event.status, event.reason, event.seconds))


def from_history(history: tuple[Message, ...]) -> list[Block]:
    """Show the history of a resumed session; the words stand as they were, results as folded cards."""
    found: list[Block] = []
    subjects: dict[str, str] = {}
    for message in history:
        if message.role == "user":
            if message.origin == "summary":
                found.append(TierBlock("summary", 0, 0, 0, text=message.content))
            elif message.is_users_words:
                found.append(UserBlock(message.content, message.origin == "steered", message.pasted))
        elif message.role == "assistant":
            if message.origin == "acknowledgement":
                continue
            if message.reasoning:
                found.append(ReasoningBlock(message.reasoning))
            if message.content.strip():
                found.append(AnswerBlock(message.content, partial=message.partial))
            subjects.update({call.id: subject_of(call.arguments) for call in message.tool_calls})
        elif message.role == "tool":
            cleared = message.state == "cleared"
            found.append(
                ToolBlock(
                    message.tool_call_id,
                    message.name,
                    subjects.get(message.tool_call_id, ""),
                    status="ok" if message.ok else "failed",
                    chars=message.body_chars,
                    stored=message.stored,
                    text="" if cleared else message.content,
                    wrapped=not cleared,
                    cleared=cleared,
                    external=message.external,
                )
            )
    return found


def subject_of(arguments: str) -> str:
    """Say in one line what a recorded call was about: its first text argument.

    Args:
        arguments: JSON text as the model wrote it.

    Returns:
        The text; the raw arguments if they hold none or do not parse.
    """
    try:
        parsed = json.loads(arguments)
    except ValueError:
        return arguments
    if isinstance(parsed, dict):
        for value in parsed.values():
            if isinstance(value, str) and value:
                return value
    return arguments
