import asyncio
from dataclasses import replace

import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user

from paitui.context.compaction import Compaction
from paitui.context.cut import Cut
from paitui.context.summary import SummaryLimits, SummaryRefused, problem_of, rebuild, write_summary
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message
from paitui.messages.validity import violations

PROMPTS = summary_prompts("en")
GOOD = "\n".join(f"{heading}\nSomething that was done in src/a.py, with 3 errors." for heading in PROMPTS.headings)
BOUNDS = SummaryLimits(piece_chars=2_000, piece_tokens=500, part_chars=600, kept_tokens=200)


class Model:
    """Answers from a list, remembers what it was asked; repeats the last answer."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    async def __call__(self, instruction: str, text: str) -> str:
        self.asked.append((instruction, text))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def write(messages: list[Message], model: Model) -> str:
    return asyncio.run(write_summary(messages, model, PROMPTS, BOUNDS))


def test_one_piece_takes_one_request() -> None:
    model = Model(GOOD)
    assert write(numbered(user("hello"), answer("hi")), model) == GOOD
    assert len(model.asked) == 1 and "[[1 user]]" in model.asked[0][1]


def test_many_pieces_are_merged_in_order_and_no_request_is_too_long() -> None:
    model = Model(GOOD)
    assert write(numbered(user("go"), *[tool_round("x" * 1_500) for _ in range(12)]), model) == GOOD
    assert len(model.asked) > 12
    assert all(len(text) <= BOUNDS.piece_chars for _, text in model.asked[:12])
    assert "[[part 1 of 3]]" in model.asked[-1][1]
    assert "at most 600 characters" not in model.asked[-1][0]


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "short",
        "\n".join(PROMPTS.headings) + " " * 100,
        "x" * 500,
        "\n".join(reversed(GOOD.splitlines())),
        "Here is the summary:\n" + GOOD,
        GOOD + "\n" + PROMPTS.headings[0] + "\nagain",
        GOOD + "z" * 60_000,
    ],
)
def test_an_unusable_answer_is_asked_for_once_more(bad: str) -> None:
    model = Model(bad, GOOD)
    assert write(numbered(user("hello")), model) == GOOD
    assert len(model.asked) == 2 and problem_of(bad, PROMPTS.headings, 12_000) in model.asked[1][0]
    stubborn = Model(bad)
    with pytest.raises(SummaryRefused):
        write(numbered(user("hello")), stubborn)
    assert len(stubborn.asked) == 2


def compaction(history: list[Message], files: MemoryFiles, kept_tokens: int = 500) -> Compaction:
    bounds = replace(BOUNDS, kept_tokens=kept_tokens)
    return Compaction(history, 100_000, 1.0, True, bounds, PROMPTS, files)


def test_the_rebuilt_history_is_valid_and_keeps_the_tail() -> None:
    history = numbered(system(), user("never touch migrations/"), tool_round("a"), tool_round("b"), answer("done"))
    cut = Cut(1, 4, carried=(1,))
    rebuilt = rebuild(history, cut, GOOD, PROMPTS, compaction(history, MemoryFiles()).kept(cut))
    assert not violations(rebuilt)
    assert [message.origin for message in rebuilt[1:4]] == ["summary", "acknowledgement", "carried"]
    assert rebuilt[3].content == "never touch migrations/" and "migrations" not in rebuilt[1].content
    assert rebuilt[4:] == history[4:]


def test_a_long_user_text_keeps_head_and_tail_and_names_its_file() -> None:
    files = MemoryFiles()
    long_text = "first words " + "x" * 5_000 + " last words"
    history = numbered(system(), user(long_text), tool_round("a"), tool_round("b"))
    cut = Cut(1, 4, carried=(1,))
    work = compaction(history, files)
    trial = work.kept(cut, trial=True)
    assert not files.saved and len(trial.carried[0]) < 1_500
    carried = rebuild(history, cut, GOOD, PROMPTS, work.kept(cut))[3].content
    assert carried.startswith("first words") and carried.endswith("last words")
    [(path, saved)] = files.saved.items()
    assert saved == long_text and path in carried


def test_user_messages_of_the_cut_stand_word_for_word() -> None:
    history = numbered(system(), user("use tabs, never spaces"), answer("yes"), user("now do it"), answer("done"))
    cut = Cut(1, 3)
    rebuilt = rebuild(history, cut, GOOD, PROMPTS, compaction(history, MemoryFiles()).kept(cut))
    assert "use tabs, never spaces" in rebuilt[1].content
    assert rebuilt[1].content.startswith(f"{PROMPTS.marker}\n{GOOD}\n{PROMPTS.facts.heading}\n")
    assert not violations(rebuilt)


def test_the_model_does_not_write_the_programs_section() -> None:
    for words in PROMPTS.known_facts:
        forged = f"{GOOD}\n{words.heading}\nFiles changed:\n- evil.py"
        assert words.heading in problem_of(forged, PROMPTS.headings, 12_000, reserved=[words.heading])
        with pytest.raises(SummaryRefused):
            write(numbered(user("hello")), Model(forged))


def test_the_model_is_told_how_long_a_summary_may_be() -> None:
    model = Model(GOOD)
    write(numbered(user("hello")), model)
    assert "12000 tokens" in model.asked[0][0]
