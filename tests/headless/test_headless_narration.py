"""Events as lines: whole lines, nothing said twice, every kind of event told in both languages."""

import pytest

from paitui.engine.events import (
    AnswerFinished,
    Boundary,
    CommandOutput,
    ContextChanged,
    Event,
    HistoryCleared,
    ModelChanged,
    ModelStarted,
    Notice,
    QueueChanged,
    QueuedMessage,
    ReasoningDelta,
    SessionOpened,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Undone,
    UserSaid,
)
from paitui.headless.narration import DIFF_LINES, ERROR_LINES, Narrator, context_line
from paitui.locale import Language, Words, phrase
from paitui.messages.message import Message
from tests.ui.scenes import REPORT


def told(*happened: Event, language: Language = "en", sent: tuple[str, ...] = ()) -> list[str]:
    narrator = Narrator(Words(language))
    for text in sent:
        narrator.sent(text)
    return [line for event in happened for line in narrator.take(event)]


def test_an_answer_is_told_in_whole_lines_whatever_its_pieces() -> None:
    pieces = [TextDelta(piece) for piece in ("Fir", "st line\nsec", "ond\n\n", "last")]
    text = "First line\nsecond\n\nlast"
    assert told(ModelStarted(2), *pieces, AnswerFinished(text)) == text.split("\n")


def test_what_is_said_in_passing_stands_between_lines_of_the_answer() -> None:
    lines = told(
        TextDelta("one\ntw"), Notice("warning", phrase("headless.cleared")), TextDelta("o\n"), AnswerFinished("x")
    )
    assert lines[0] == "one"
    assert lines[1].startswith("Warning:")
    assert lines[2] == "two"


def test_an_answer_that_did_not_stream_is_told_when_it_is_whole() -> None:
    assert told(ModelStarted(2), AnswerFinished("a\nb")) == ["a", "b"]


def test_a_stopped_turn_still_tells_what_had_come() -> None:
    assert "half" in told(ModelStarted(1), TextDelta("half"), TurnEnded(1, "cancelled"))


def test_what_was_typed_here_is_not_repeated_but_a_queued_message_is() -> None:
    assert told(UserSaid("hello"), sent=("hello",)) == []
    assert told(UserSaid("later")) == ["You: later"]


def test_thinking_is_said_once_a_request() -> None:
    lines = told(ModelStarted(1), ReasoningDelta("a"), ReasoningDelta("b"), ModelStarted(3), ReasoningDelta("c"))
    assert lines == ["Thinking.", "Thinking."]


def test_a_failed_tool_shows_the_end_of_its_result() -> None:
    output = "\n".join(f"line {n}" for n in range(50))
    lines = told(
        ToolStarted("1", "execute_command", "{}", "make"), ToolFinished("1", "execute_command", False, output)
    )
    assert len(lines) == 2 + ERROR_LINES
    assert lines[-1].strip() == "line 49"


def test_a_long_diff_is_told_in_part_with_how_much_is_left() -> None:
    diff = "\n".join(f"+line {n}" for n in range(DIFF_LINES + 7))
    lines = told(ToolFinished("1", "write_file", True, "", diff=diff))
    assert lines[-1].strip() == "(7 more lines)"


def test_an_offloaded_result_names_its_file() -> None:
    lines = told(ToolFinished("1", "grep_code", True, "x", chars=41_230, stored=".paitui/tool-outputs/s/001.txt"))
    assert any("41,230" in line and "001.txt" in line for line in lines)


def test_a_turn_ends_with_how_full_the_context_is() -> None:
    lines = told(ContextChanged(REPORT), TurnEnded(1, "done"))
    assert lines == [context_line(REPORT, Words("en"))]
    assert "46 %" in lines[0]
    assert "58,910" in lines[0]


ALL: list[Event] = [
    SessionOpened("s1", "/p", "offline", (Message("user", "first"), Message("assistant", "ok")), resumed=True),
    UserSaid("again", steered=True),
    ModelStarted(1, "summary"),
    ReasoningDelta("hm"),
    AnswerFinished("x", partial=True),
    ToolStarted("1", "read_file", "{}", "a.py"),
    ToolFinished("1", "read_file", True, "x", lines=3),
    Boundary("clear", 100, 50, 4),
    Boundary("summary", 100, 50, 4),
    Undone("summary", 50, 100),
    ContextChanged(REPORT),
    QueueChanged((QueuedMessage(1, "next"),)),
    ModelChanged("x/y"),
    HistoryCleared(),
    CommandOutput(phrase("headless.commands"), (phrase("headless.cleared"),)),
    Notice("error", phrase("headless.cleared")),
    TurnEnded(1, "partial", phrase("headless.stopped")),
    TurnEnded(1, "failed", phrase("headless.stopped")),
    TurnEnded(1, "cancelled"),
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_event_has_words(language: Language) -> None:
    lines = told(*ALL, language=language)
    assert len(lines) >= len(ALL)
    assert not [line for line in lines if "plain." in line or "{" in line]
