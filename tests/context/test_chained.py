"""Compactions in a row, on histories of real shape: nothing that the program vouches for gets lost or grows."""

import asyncio
import json

import pytest
from context_builders import MemoryFiles, answer, numbered, system, user

from paitui.context.estimate import text_tokens
from paitui.context.factsheet import parse
from paitui.context.manager import ContextManager
from paitui.context.meter import Calibration
from paitui.context.offload import tool_message
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import violations
from paitui.settings import ContextSettings

PROMPTS = {language: summary_prompts(language) for language in ("en", "zh")}


def good(language: str) -> str:
    return "\n".join(f"{heading}\nWork on the parser, 3 errors left." for heading in PROMPTS[language].headings)


def called(name: str, body: str, ok: bool = True, **arguments: str) -> list[Message]:
    call = ToolCall(f"{name}-{next(NUMBERS)}", name, json.dumps(arguments))
    return [Message("assistant", "Next.", tool_calls=(call,)), tool_message(call, body, ok)]


NUMBERS = iter(range(10**6))


def work(n: int) -> list[Message]:
    """One turn: a request, an edit, a failing command, reading, an answer."""
    return [
        user(f"request {n}: never touch migrations/{n}"),
        *called("edit_file", "+1 -1", path=f"src/part_{n}.py", old="a", new="b" * 900),
        *called(
            "execute_command", f"{'log ' * 400}\nE   value {n} != 42\n[exit {n}]", ok=False, command=f"pytest t{n}"
        ),
        *called("read_file", "line\n" * 600, path=f"lib/{n}.py"),
        *called("read_file", "line\n" * 600, path=f"lib/more_{n}.py"),
        answer(f"Done with {n}. " * 400),
    ]


@pytest.mark.parametrize("window", [32_000, 128_000])
@pytest.mark.parametrize("cleared_first", [False, True])
def test_ten_compactions_in_a_row_lose_nothing_and_stay_under_the_cap(window: int, cleared_first: bool) -> None:
    files = MemoryFiles()
    keeper = ContextManager(ContextSettings(), window, files, Calibration(1.0), 500)
    history = numbered([system()], *[work(n) for n in range(1, 4)])
    cap = keeper.summary_limits(1.0).kept_tokens
    sizes = []
    for n in range(4, 14):
        history = numbered(history, work(n))
        if cleared_first and (done := keeper.clear(history, 2 * n, forced=True)):
            history = [done.replaced.get(message.uid, message) for message in history]
        language = "zh" if n % 3 == 0 else "en"

        async def model(instruction: str, text: str, language: str = language) -> str:
            return good(language)

        made = asyncio.run(keeper.summarise(history, 2 * n + 1, model, PROMPTS[language], by_hand=True))
        history = made.messages
        assert not violations(history)
        [summary] = [message for message in history if message.origin == "summary"]
        whole = "\n".join(message.content for message in history)
        for old in range(1, n + 1):
            assert whole.count(f"never touch migrations/{old}\n") + whole.endswith(f"migrations/{old}") >= 1
            if old < n:
                assert f"src/part_{old}.py" in summary.content
        for old in range(max(1, n - 5), n):
            assert f"E   value {old} != 42" in summary.content and f"[exit {old}] pytest t{old}" in summary.content
        facts = summary.content.partition(good(language))[2]
        sizes.append(text_tokens(facts))
        assert sizes[-1] <= cap
    assert sizes[-1] < 1.3 * sizes[-4] + 200
    if cleared_first:
        assert parse(summary.content, PROMPTS["en"].known_facts).stored


def test_a_compaction_ends_at_half_of_the_trigger() -> None:
    for window in (32_000, 64_000, 128_000, 200_000):
        keeper = ContextManager(ContextSettings(), window, MemoryFiles(), Calibration(1.3), 1_500)
        history = numbered(system("You. " * 300), *[work(n) for n in range(1, window // 2_400)])
        assert keeper.used(history, 0) >= keeper.marks.summary_at
        long = "\n".join(
            f"{h}\n" + "word " * (keeper.summary_limits(1.3).told_tokens // 6) for h in PROMPTS["en"].headings
        )

        async def model(instruction: str, text: str, long: str = long) -> str:
            return good("en") if "Use at most" in instruction else long

        done = asyncio.run(keeper.summarise(history, 0, model, PROMPTS["en"]))
        assert done.after <= keeper.marks.summary_at // 2
        assert keeper.used(done.messages, 1) == pytest.approx(done.after, rel=0.01)
