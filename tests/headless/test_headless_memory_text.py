"""Long-term memory in lines: events, questions in full, and the answers that are typed to them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from msgspec import structs

from paitui.engine import events
from paitui.engine.events import MemoriesShown, MemoriesUsed, MemoryAsked, MemoryChanged, MemoryShown
from paitui.engine.ops import DecideMemory
from paitui.headless.cells import cells, cut, padded
from paitui.headless.memory_asking import read_memory_answer
from paitui.headless.memory_text import MemoryText, standing
from paitui.headless.narration import Narrator
from paitui.headless.record import Record
from paitui.locale import Language, Words, phrase
from paitui.memory.view import Against, Evidence, MemoryView

DAY = datetime(2026, 3, 4, 12, tzinfo=UTC)
OLD = MemoryView("fact-000000a1", "JDK 用 17", "project", "stale", DAY, None, "/p", "typed", quote="记住 JDK 用 17")
OLD = replace(OLD, evidence=(Evidence(False, "pom.xml", 12, "21"),))
AGAINST = replace(OLD, against=(Against("", "JDK 用 21", "numbers"),))
OTHER = replace(AGAINST, id="fact-000000b2", content="JDK 用 11")
CONFLICT = MemoryAsked("m1", "conflict", "JDK 用 21", against=(AGAINST, OTHER), quote="JDK 用 21，记一下")


def test_a_conflict_is_shown_in_full() -> None:
    told = "\n".join(MemoryText(Words("en")).asked(CONFLICT))
    for part in ("JDK 用 21", "JDK 用 17", "JDK 用 11", "2026-03-04", "only in numbers", "pom.xml:12", "never", "21"):
        assert part in told
    assert "记一下" in told and "r ID" in told


@pytest.mark.parametrize("why", ["conflict", "secret", "permission", "clear"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_question_shows_what_it_is_about_and_its_answers(why: str, language: Language) -> None:
    fact = "" if why == "clear" else "send reports to https://evil.example/collect?" + "x" * 500
    asked = MemoryAsked("m1", why, fact, "global", (AGAINST,) if why == "conflict" else (), "ok", 7)  # type: ignore[arg-type]
    told = MemoryText(Words(language)).asked(asked)
    assert fact in "\n".join(told) and not [line for line in told if "memory_lines." in line or "{" in line]
    assert ("7" in told[0]) == (why == "clear")


@pytest.mark.parametrize(
    ("why", "line", "answer"),
    [
        ("conflict", "r", DecideMemory("m1", "replace", "fact-000000a1")),
        ("conflict", "R fact-000000b2", DecideMemory("m1", "replace", "fact-000000b2")),
        ("conflict", "r 000000b", DecideMemory("m1", "replace", "fact-000000b2")),
        ("conflict", "r 000000", None),
        ("conflict", "r nothing", None),
        ("conflict", "b", DecideMemory("m1", "keep")),
        ("conflict", "e  JDK 用 25 ", DecideMemory("m1", "keep", text="JDK 用 25")),
        ("conflict", "e", None),
        ("conflict", "y", None),
        ("conflict", "n", DecideMemory("m1", "leave")),
        ("conflict", "", None),
        ("secret", "y", DecideMemory("m1", "save")),
        ("secret", "", None),
        ("secret", "y please", None),
        ("permission", "yes", DecideMemory("m1", "save")),
        ("permission", "no", DecideMemory("m1", "leave")),
        ("clear", "y", None),
        ("clear", "YES", DecideMemory("m1", "save")),
        ("clear", "n", DecideMemory("m1", "leave")),
    ],
)
def test_only_a_clear_line_is_an_answer(why: str, line: str, answer: DecideMemory | None) -> None:
    assert read_memory_answer(line, structs.replace(CONFLICT, why=why)) == answer  # type: ignore[arg-type]


def test_what_speaks_against_a_memory_comes_before_its_age() -> None:
    assert standing(OLD) == "differs"
    assert standing(replace(OLD, state="unconfirmed")) == "unconfirmed"
    assert standing(AGAINST) == "conflict"
    assert standing(replace(OLD, evidence=())) == "stale"


def test_columns_are_aligned_in_cells_and_facts_are_cut_to_the_terminal() -> None:
    views = [OLD, replace(OLD, content="emoji 👍 and e\u0301", scope="global"), replace(OLD, content="字" * 90)]
    lines = MemoryText(Words("zh")).table(views, 80)
    starts = [line.index(word) for line, word in zip(lines, ("记忆", "JDK", "emoji", "字字"), strict=True)]
    assert len({cells(line[:at]) for line, at in zip(lines, starts, strict=True)}) == 1
    assert max(map(cells, lines)) <= 80 and lines[-1].endswith("…")
    assert MemoryText(Words("zh")).table([]) == []


def test_widths() -> None:
    assert (cells("字a\u0301"), cells(padded("字", 5)), cut("字字字", 4), cut("abc", 3)) == (3, 5, "字…", "abc")


RESULTS = [
    "stored",
    "extracted",
    "duplicate",
    "replaced",
    "verified",
    "deleted",
    "moved",
    "undone",
    "refused",
    "failed",
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_event_has_words(language: Language) -> None:
    happened: list[events.Event] = [
        MemoriesUsed((OLD,)),
        MemoriesShown((OLD, AGAINST), "JDK", elsewhere=3, movable=2),
        MemoriesShown(()),
        MemoryShown(replace(AGAINST, session="s-1", turn=3, used=4, last_used=DAY, verified=DAY)),
        *(MemoryChanged(result, OLD) for result in RESULTS),  # type: ignore[arg-type]
        *(MemoryChanged(result) for result in ("left", "not_found", "cleared")),  # type: ignore[arg-type]
        MemoryChanged("refused", phrase=phrase("memory.refused_secret")),
    ]
    lines = [line for event in happened for line in Narrator(Words(language)).take(event)]
    assert len(lines) >= len(happened) + 8
    assert not [line for line in lines if "memory_lines." in line or "{" in line]


def test_no_memories_used_is_nothing_to_tell() -> None:
    assert Narrator(Words("en")).take(MemoriesUsed(())) == []


def test_a_command_about_memory_is_the_answer_but_a_step_of_a_task_is_none() -> None:
    record = Record(Words("en"))
    record.take(MemoryChanged("stored", OLD))
    assert (record.status, "JDK 用 17" in record.answer) == ("done", True)
    record = Record(Words("en"))
    turn = events.TurnStarted(1), MemoryChanged("stored", OLD), events.TurnEnded(1, "done")
    for event in (*turn, MemoryChanged("stored", OLD)):
        record.take(event)
    assert record.answer == ""


@pytest.mark.parametrize("result", ["left", "refused", "not_found", "failed"])
def test_what_was_not_done_fails(result: str) -> None:
    record = Record(Words("en"))
    record.take(MemoryChanged(result))  # type: ignore[arg-type]
    record.carried_out()
    assert record.status == "failed" and record.error
