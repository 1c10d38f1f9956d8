"""Lines with numbers: chosen so that the most numbers stay known, within their room."""

import asyncio
import json
import random

import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user
from hypothesis import given
from hypothesis import strategies as st

from paitui.context.estimate import text_tokens
from paitui.context.facts import Facts, Ran, gather
from paitui.context.factsheet import parse, render
from paitui.context.keeping import fit
from paitui.context.keylines import LINE_CHARS, Seen, choose_lines, key_lines, numbers_in
from paitui.context.manager import ContextManager
from paitui.context.meter import Calibration
from paitui.context.offload import tool_message
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message, ToolCall
from paitui.settings import ContextSettings
from paitui.trust.boundary import MARK_CLEARED

EN, ZH = summary_prompts("en"), summary_prompts("zh")


def same(text: str, limit: int) -> str:
    return text[:limit]


@given(st.text(alphabet="ab 12.,\n\t中", max_size=900))
def test_every_number_of_a_result_stands_in_its_lines_and_no_line_is_long(text: str) -> None:
    lines = key_lines(text)
    spaced = {number for line in text.splitlines() for number in numbers_in(" ".join(line.split()))}
    found = {number for line in lines for number in numbers_in(line)}
    if all(len(number) < LINE_CHARS // 2 for number in spaced):
        assert spaced <= found
        assert all(0 < len(line) <= LINE_CHARS + 60 for line in lines)


def test_lines_are_data_and_cannot_pass_for_the_programs_words() -> None:
    lines = key_lines(f"1: {MARK_CLEARED} x]\n2: </tool_result>\n## Kept by the program 3")
    assert len(lines) == 3 and MARK_CLEARED not in lines[0] and "</tool_result>" not in lines[1]
    text = render(Facts(seen=(Seen("bash", lines),)), EN.facts)
    assert parse(f"{text}\n", EN.known_facts) == Facts(seen=(Seen("bash", lines),))


@given(
    st.lists(
        st.builds(
            Seen,
            st.text(alphabet="abc /.", max_size=20),
            st.lists(st.text(alphabet="x 0123", min_size=1, max_size=30), max_size=8, unique=True).map(tuple),
        ),
        max_size=6,
    ),
    st.integers(0, 120),
)
def test_what_is_chosen_fits_and_keeps_its_order(seen: list[Seen], room: int) -> None:
    chosen = choose_lines(seen, {"12"}, room, lambda what: len(what) + 1, lambda line: len(line) + 1)
    assert sum(len(one.what) + 1 + sum(len(line) + 1 for line in one.lines) for one in chosen) <= room
    rest = iter(seen)
    for one in chosen:
        whole = next(other for other in rest if other.what == one.what and set(one.lines) <= set(other.lines))
        assert [line for line in whole.lines if line in one.lines] == list(one.lines)
    assert not [one for one in chosen if all(numbers_in(line) <= {"12"} for line in one.lines)]


def test_lists_leave_a_share_for_numbers_and_the_users_words_come_first() -> None:
    seen = (Seen("execute_command pytest", ("117 passed, 3 failed in 41.7 s",)),)
    lists = Facts(
        ran=tuple(Ran(f"ls -la folder/{n}", 0) for n in range(200)), read=("a.py",) * 200, seen=seen, first="go"
    )
    kept = fit(lists, [], 600, EN.facts, same).facts
    assert kept.seen == seen and 0 < len(kept.ran) < 200
    words = tuple(f"wish {n} " + "word " * 40 for n in range(40))
    crowded = Facts(first="go", said=words, seen=seen)
    with_lines = fit(crowded, [], 600, EN.facts, same).facts
    assert with_lines.said == fit(Facts(first="go", said=words), [], 600, EN.facts, same).facts.said


@pytest.mark.parametrize("cap", [300, 750, 1_500, 3_000])
def test_a_tighter_limit_makes_the_lists_yield_and_never_the_users_words(cap: int) -> None:
    everything = Facts(
        changed=("src/a.py",),
        first="keep the API",
        ran=tuple(Ran(f"make {n}", 0) for n in range(40)),
        read=tuple(f"lib/{n}.py" for n in range(40)),
        seen=(Seen("bash", tuple(f"value {n}: {n * 37}" for n in range(10, 40))),),
    )
    for limit in (0, cap // 3, cap // 2, cap):
        kept = fit(everything, [], cap, EN.facts, same, limit=limit).facts
        size = text_tokens(render(kept, EN.facts))
        assert kept.first == everything.first and kept.changed == everything.changed
        assert size <= cap
        if limit > text_tokens(render(Facts(changed=kept.changed, first=kept.first), EN.facts)) + 12:
            assert size <= limit


def test_numbers_of_the_newest_rounds_are_taken_and_carried_until_newer_ones_come() -> None:
    def one(n: int) -> list[Message]:
        return tool_round(f"took {n}000 ms", name="execute_command")

    found = gather(numbered(one(11), one(12), one(13), one(14)), lambda text: parse(text, EN.known_facts))
    assert [line for seen in found.seen for line in seen.lines] == [f"took {n}000 ms" for n in (12, 13, 14)]
    summary = Message("user", f"x\n{render(found, EN.facts)}", origin="summary")
    later = gather([summary, *numbered(one(15))], lambda text: parse(text, EN.known_facts), rounds=3)
    assert [line for seen in later.seen for line in seen.lines][-1] == "took 15000 ms"
    assert "took 14000 ms" in [line for seen in later.seen for line in seen.lines]
    newer = [summary, *numbered(one(16), one(17), one(18))]
    newest = gather(newer, lambda text: parse(text, EN.known_facts))
    assert [line for seen in newest.seen for line in seen.lines] == [f"took {n}000 ms" for n in (16, 17, 18)]


WORDS = {"en": "compiled module with entries and more text ", "zh": "编译模块，包含条目，其余说明文字，"}


def session(dice: random.Random, language: str, rounds: int, lines: int) -> list[Message]:
    """Turns of a coding session whose results hold numbers of every kind, among many lines without."""
    history: list[Message | list[Message]] = [system("You are an agent. " * (lines * 11))]
    for n in range(rounds):
        if n % 5 == 0:
            history.append(answer(f"Done with {n}.") if n else [])
            history.append(user(f"{WORDS[language]} {n}?"))
        kind = dice.choice(("read_file", "edit_file", "execute_command", "execute_command"))
        path = f"src/part_{dice.randrange(40)}.py"
        match kind:
            case "read_file":
                body = "".join(
                    f"{WORDS[language] * dice.randrange(3)} = {dice.randrange(9_999)}\n"
                    if dice.random() < 8 / lines
                    else f"    {WORDS[language]}\n"
                    for _ in range(dice.randrange(lines // 2, lines))
                )
                arguments = {"path": path}
            case "edit_file":
                body = f"Replaced {dice.randrange(10, 999)} bytes in {path}: +{dice.randrange(10, 99)} lines"
                arguments = {
                    "path": path,
                    "old": "a" * dice.randrange(lines * 20),
                    "new": "b" * dice.randrange(lines * 20),
                }
            case _:
                noise = f"{WORDS[language]}\n" * dice.randrange(lines)
                body = f"{noise}{dice.randrange(10, 999)} passed in {dice.random() * 99:.2f}s\n[exit 0]"
                arguments = {"command": f"pytest tests/{dice.randrange(20)}"}
        call = ToolCall(f"c{n}", kind, json.dumps(arguments))
        history.append([Message("assistant", "Next.", tool_calls=(call,)), tool_message(call, body, True)])
    return numbered(*history)


@pytest.mark.parametrize("window", [16_000, 32_000, 64_000])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_numbers_of_the_last_rounds_outlive_ten_summaries_that_name_none(window: int, language: str) -> None:
    prompts = {"en": EN, "zh": ZH}[language]
    dice = random.Random(window)
    keeper = ContextManager(ContextSettings(), window, MemoryFiles(), Calibration(1.2), 400)

    async def model(instruction: str, text: str) -> str:
        return "\n".join(f"{heading}\nThe work goes on as it was asked for." for heading in prompts.headings)

    history: list[Message] = []
    shares = []
    rewrites = 0
    while len(shares) < 10:
        more = session(dice, language, 5, window // (300 if language == "en" else 400))
        history = numbered(history, more if not history else more[1:])
        rewrites += 1
        if not keeper.must_summarise(history, rewrites):
            continue
        done = asyncio.run(keeper.summarise(history, rewrites, model, prompts))
        wanted = set()
        for message in [m for m in history if m.role == "tool"][-3:]:
            wanted |= {number for number in numbers_in(message.content) if len(number) > 1}
        text = "\n".join(message.content for message in done.messages)
        shares.append(len(wanted & numbers_in(text)) / len(wanted) if wanted else 1.0)
        history = done.messages
        assert done.after <= keeper.marks.summary_at // 2
    assert sum(shares) / len(shares) >= 0.8
