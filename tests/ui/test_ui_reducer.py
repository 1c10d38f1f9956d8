"""From event to state, without a screen."""

from dataclasses import replace

import pytest

from paitui.engine import events as e
from paitui.locale import phrase
from paitui.messages.message import Message, ToolCall
from paitui.ui.blocks import (
    AnswerBlock,
    EndBlock,
    NoteBlock,
    OutputBlock,
    ReasoningBlock,
    TierBlock,
    ToolBlock,
    UserBlock,
)
from paitui.ui.reducer import LIVE_CHARS, dismiss, reduce, subject_of
from paitui.ui.state import ViewState
from tests.ui.scenes import EMPTY, REPORT, SCENES


def play(*events: e.Event, state: ViewState | None = None) -> ViewState:
    state = state or ViewState()
    for event in events:
        state = reduce(state, event)
    return state


OPEN = e.SessionOpened("s", "/p", "offline")
TURN = (OPEN, e.TurnStarted(1), e.UserSaid("hello"), e.ModelStarted(2))


def test_text_streams_into_one_block_and_the_finished_text_replaces_it():
    state = play(*TURN, e.TextDelta("Hel"), e.TextDelta("lo"))
    assert state.blocks[-1] == AnswerBlock("Hello", live=True) and state.phase == "answering"
    state = play(e.AnswerFinished("Hello!", final=True), state=state)
    assert list(state.blocks)[1:] == [AnswerBlock("Hello!")]


def test_an_aside_in_the_middle_of_a_reply_does_not_double_it():
    info = e.Notice("info", phrase("x"))
    state = play(*TURN, e.TextDelta("Hel"), info, e.TextDelta("lo"), e.AnswerFinished("Hello"))
    assert [type(block) for block in state.blocks] == [UserBlock, AnswerBlock, NoteBlock]
    assert state.blocks[1] == AnswerBlock("Hello")


def test_text_between_thoughts_stays_where_it_was_said():
    state = play(
        *TURN,
        e.TextDelta("one"),
        e.ReasoningDelta("hm"),
        e.TextDelta("two"),
        e.AnswerFinished("onetwo", "hm", partial=True),
    )
    assert list(state.blocks)[1:] == [AnswerBlock("one"), ReasoningBlock("hm"), AnswerBlock("two", partial=True)]


def test_an_answer_that_never_streamed_is_shown_with_its_reasoning():
    state = play(*TURN, e.AnswerFinished("done", "because"))
    assert list(state.blocks)[1:] == [ReasoningBlock("because"), AnswerBlock("done")]


def test_blank_deltas_make_no_block():
    assert len(play(*TURN, e.TextDelta("\n"), e.AnswerFinished("")).blocks) == 1


def test_a_card_goes_from_running_to_its_result():
    state = play(*TURN, e.ToolStarted("c", "grep", "{}", "x"), e.ToolOutput("c", "a" * 9_000))
    assert isinstance(card := state.blocks[-1], ToolBlock)
    assert card.status == "running" and len(card.text) == LIVE_CHARS and state.phase == "tool"
    finished = e.ToolFinished("c", "grep", True, "3 hits", phrase("h"), chars=9_000, seconds=0.5)
    state = play(finished, e.Boundary("offload", 9_000, 800, 1, "f.txt", call_id="c"), state=state)
    assert state.blocks[1] == ToolBlock("c", "grep", "x", "ok", phrase("h"), 9_000, 0.5, "f.txt", "", "3 hits")
    assert state.blocks[2] == TierBlock("offload", 9_000, 800), "the card names the file"


def test_what_one_round_offloads_is_one_step_for_the_reader():
    first = e.Boundary("offload", 9_000, 800, 1, "a.txt")
    state = play(*TURN, first, e.Boundary("offload", 11_000, 900, 1, "b.txt"), e.Boundary("clear", 9, 5, 3))
    assert list(state.blocks)[1:] == [
        TierBlock("offload", 20_000, 1_700, 2, ("a.txt", "b.txt")),
        TierBlock("clear", 9, 5, 3),
    ]


def test_a_call_that_was_cut_off_keeps_what_it_had_put_out():
    cut = e.ToolFinished("c", "grep", False, "[interrupted]", phrase("engine.call_cancelled"))
    state = play(*TURN, e.ToolStarted("c", "grep", "{}", "x"), e.ToolOutput("c", "half"), cut)
    assert isinstance(card := state.blocks[-1], ToolBlock) and (card.status, card.text) == ("stopped", "half")


def test_the_answer_about_the_context_carries_the_gauge():
    title = phrase("engine.context_title")
    state = play(e.ContextChanged(EMPTY), e.CommandOutput(title, ()), e.CommandOutput(phrase("other"), ()))
    assert list(state.blocks) == [OutputBlock(title, (), EMPTY), OutputBlock(phrase("other"), ())]


def test_interleaved_reads_find_their_own_cards():
    state = play(
        *TURN,
        e.ToolStarted("a", "read_file", "{}", "1"),
        e.ToolStarted("b", "read_file", "{}", "2"),
        e.ToolFinished("b", "read_file", False, "no such file"),
        e.ToolFinished("a", "read_file", True, "text"),
    )
    assert [(b.id, b.status) for b in state.blocks if isinstance(b, ToolBlock)] == [("a", "ok"), ("b", "failed")]


def test_approval_waits_and_a_no_is_shown_as_denied():
    ask = e.ApprovalRequested("q", "c", "execute_command", "command", "rm x")
    state = play(*TURN, e.ToolStarted("c", "execute_command", "{}", "rm x"), ask)
    assert state.approvals == (ask,) and state.phase == "approval" and state.busy
    state = play(
        e.ApprovalResolved("q", "no", "keep it"), e.ToolFinished("c", "execute_command", False, ""), state=state
    )
    assert isinstance(card := state.blocks[-1], ToolBlock)
    assert (card.status, card.reason, state.approvals) == ("denied", "keep it", ())


def test_a_cancelled_turn_stops_what_ran():
    state = play(
        *TURN,
        e.TextDelta("half"),
        e.ToolStarted("c", "grep", "{}", "x"),
        e.TurnEnded(1, "cancelled", phrase("r"), 2.0),
    )
    assert isinstance(card := state.blocks[2], ToolBlock) and card.status == "stopped"
    assert state.blocks[1] == AnswerBlock("half") and state.blocks[3] == EndBlock("cancelled", phrase("r"), 2.0)
    assert not state.busy and not state.working


def test_a_done_turn_says_nothing_more():
    assert len(play(*TURN, e.AnswerFinished("a", final=True), e.TurnEnded(1, "done")).blocks) == 2


@pytest.mark.parametrize("end", [e.Boundary("summary", 9, 3, 4), e.Notice("error", phrase("x"))])
def test_a_compaction_outside_a_turn_comes_to_rest(end):
    state = play(OPEN, e.ModelStarted(9, "summary"))
    assert state.phase == "summary" and state.busy
    assert play(end, state=state).phase == "idle"


def test_warnings_stay_until_dismissed_and_news_go_to_the_transcript():
    state = play(
        OPEN, e.Notice("warning", phrase("w")), e.Notice("error", phrase("x")), e.Notice("info", phrase("i"))
    )
    assert [notice.level for notice in state.notices] == ["warning", "error"]
    assert list(state.blocks) == [NoteBlock("info", phrase("i"))]
    assert dismiss(state).notices == () and dismiss(dismiss(state)) is not None


def test_the_gauge_gets_the_report_itself():
    assert play(OPEN, e.ContextChanged(REPORT)).report is REPORT


def test_clearing_empties_the_transcript_and_resuming_fills_it():
    state = play(*TURN, e.HistoryCleared())
    assert list(state.blocks) == [NoteBlock("info", phrase("ui.cleared"))]
    history = (
        Message("user", "## Goal", origin="summary"),
        Message("assistant", "ok", origin="acknowledgement"),
        Message("user", "go", origin="typed"),
        Message("assistant", "", tool_calls=(ToolCall("c", "read_file", '{"path": "a.py"}'),), reasoning="hm"),
        Message("tool", "[cleared]", tool_call_id="c", name="read_file", state="cleared", body_chars=900),
        Message("assistant", "done"),
    )
    state = play(e.SessionOpened("s", "/p", "m", history, True))
    assert list(state.blocks) == [
        TierBlock("summary", 0, 0, 0, text="## Goal"),
        UserBlock("go"),
        ReasoningBlock("hm"),
        ToolBlock("c", "read_file", "a.py", "ok", chars=900, cleared=True),
        AnswerBlock("done"),
    ]


@pytest.mark.parametrize("arguments", ["not json", "[1]", "{}"])
def test_a_recorded_call_without_text_shows_its_arguments(arguments):
    assert subject_of(arguments) == arguments


def test_command_output_and_queue():
    queued = (e.QueuedMessage(1, "next"),)
    state = play(OPEN, e.CommandOutput(phrase("t"), (phrase("l"),)), e.QueueChanged(queued, ("now",)))
    assert state.blocks[-1] == OutputBlock(phrase("t"), (phrase("l"),))
    assert (state.queued, state.steering) == (queued, ("now",))


def test_events_of_unknown_calls_change_nothing():
    state = play(*TURN)
    assert play(e.ToolOutput("?", "x"), e.ToolFinished("?", "x", True, ""), state=state) is state


def test_reducing_never_changes_the_old_state():
    for scene in SCENES.values():
        state = ViewState()
        for event in scene.events:
            before = replace(state)
            reduce(state, event)
            assert state == before
            state = reduce(state, event)
