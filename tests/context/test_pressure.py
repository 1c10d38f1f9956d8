"""At the edge: small windows, Chinese texts, arguments larger than the window, passes that free little."""

import asyncio
import json
import random
import re

import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user

from paitui.context.estimate import text_tokens
from paitui.context.manager import SMALL_PASSES, ContextManager, Fruitless
from paitui.context.meter import Calibration
from paitui.context.offload import Arrival, tool_message
from paitui.context.stubs import stub_paths
from paitui.context.summary import SummaryLimits
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import violations
from paitui.settings import ContextSettings

PROMPTS = {language: summary_prompts(language) for language in ("en", "zh")}
CHINESE = "这个模块负责读取配置并检查每一项设置是否有效，"


def keeper_for(
    window: int, files: MemoryFiles | None = None, settings: ContextSettings | None = None
) -> ContextManager:
    return ContextManager(settings or ContextSettings(), window, files or MemoryFiles(), Calibration(1.3), 400)


@pytest.mark.parametrize("window", [8_000, 16_000])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("wish", ["", "保留所有数字。" * 3_000], ids=["plain", "long wish"])
def test_no_summary_request_exceeds_a_small_window_whatever_is_written(window: int, language: str, wish: str) -> None:
    keeper, prompts = keeper_for(window), PROMPTS[language]
    dice = random.Random(window)
    history = numbered(
        system("规则。" * 100),
        *[
            [user(CHINESE * dice.randrange(1, 60) + str(n)), answer(CHINESE * dice.randrange(1, 200))]
            for n in range(40)
        ],
        user("继续"),
    )
    asked: list[tuple[str, str]] = []

    async def model(instruction: str, text: str) -> str:
        """As long as it is allowed to be: what is merged fits too."""
        asked.append((instruction, text))
        filler = "数" if language == "zh" else "some word "
        part = re.search(r"(?:at most|最多) (\d+)", instruction)
        told = re.search(r"(?:longer than|不要超过) (\d+)", instruction)
        assert told is not None
        room = int(part[1]) if part else int(int(told[1]) * (1.4 if language == "zh" else 3.5))
        filler = "数" if language == "zh" else "word "
        least = "\n".join(prompts.headings)
        size = max(20, (room - len(least)) // 4 // len(filler) - 2)
        return "\n".join(f"{heading}\n{filler * size}" for heading in prompts.headings)

    done = asyncio.run(keeper.summarise(history, 0, model, prompts, by_hand=True, wish=wish))
    assert not violations(done.messages)
    assert len(asked) > 3
    for instruction, text in asked:
        # Room is left for the answer, by the count in force.
        assert (text_tokens(instruction) + text_tokens(text)) * 1.3 < window - keeper.marks.reserve


def test_two_partial_summaries_always_fit_one_request() -> None:
    for prompts in PROMPTS.values():
        for room in (900, 2_800, 40_000):
            bounds = SummaryLimits(60_000, room, 8_000, 750)
            chars = bounds.part_limit(prompts)
            assert 0 < chars <= 8_000
            rate = len(prompts.instruction) / text_tokens(prompts.instruction)
            assert 2 * (chars / rate + 12) <= room


def test_arguments_larger_than_the_window_go_to_a_file_when_the_request_is_too_long() -> None:
    files = MemoryFiles()
    keeper = keeper_for(16_000, files)
    written = CHINESE * 2_000
    call = ToolCall("w", "write_file", json.dumps({"path": "src/a.py", "content": written}, ensure_ascii=False))
    asking = Message("assistant", "Writing.", tool_calls=(call,))
    history = numbered(system(), user("write it"), asking, tool_message(call, "Wrote it.", True))
    assert keeper.used(history, 0) > 16_000
    assert keeper.clear(history, 0) is None  # the newest round is protected
    done = keeper.clear(history, 0, forced=True)
    assert done is not None and done.arguments == 1 and done.results == 0
    history = [done.replaced.get(message.uid, message) for message in history]
    assert not violations(history) and keeper.used(history, 1) < 5_000
    [path] = stub_paths(history[2].tool_calls[0])
    assert files.saved[path] == written
    assert json.loads(history[2].tool_calls[0].arguments)["path"] == "src/a.py"


def test_arguments_of_the_newest_round_stay_where_the_rest_is_enough() -> None:
    keeper = keeper_for(16_000)
    call = ToolCall("w", "write_file", json.dumps({"path": "src/a.py", "content": "x" * 2_000}))
    history = numbered(
        system(),
        user("go"),
        *[tool_round("line\n" * 900) for _ in range(9)],
        Message("assistant", "Writing.", tool_calls=(call,)),
        tool_message(call, "Wrote it.", True),
    )
    done = keeper.clear(history, 0, forced=True)
    assert done is not None and done.results and done.arguments == 0


def test_small_passes_at_the_trigger_end_in_a_summary() -> None:
    """Clearing a little before each request breaks the prefix each time, and the trigger is back at once."""
    settings = ContextSettings(keep_results=1)
    files = MemoryFiles()
    keeper = ContextManager(settings, 128_000, files, Calibration(1.0), 0)
    history = numbered(system(), user("go"), *[[user(f"more {n}"), answer("word " * 3_000)] for n in range(24)])
    rewrites = passes = 0
    while True:
        arrivals = [Arrival(ToolCall(f"c{len(history)}", "read_file", '{"path":"a.py"}'), "line\n" * 500)]
        [admitted] = keeper.admit(arrivals, keeper.new_round())
        asking = Message("assistant", "Looking.", tool_calls=(arrivals[0].call,))
        history = numbered(history, asking, admitted.message)
        if keeper.used(history, rewrites) < keeper.marks.summary_at:
            continue
        done = keeper.clear(history, rewrites)
        if done is None:
            continue
        passes += 1
        history = [done.replaced.get(message.uid, message) for message in history]
        rewrites += 1
        if keeper.must_summarise(history, rewrites):
            break
        # A single small pass that was enough makes no summary.
        assert keeper.used(history, rewrites) < keeper.marks.summary_at
        history = numbered(history, answer("word " * 600), user("on"))
        assert passes <= SMALL_PASSES
    assert passes == SMALL_PASSES + 1

    async def good(instruction: str, text: str) -> str:
        return "\n".join(f"{heading}\nThe work goes on as it was asked for." for heading in PROMPTS["en"].headings)

    made = asyncio.run(keeper.summarise(history, rewrites, good, PROMPTS["en"]))
    assert not keeper.must_summarise(made.messages, rewrites + 1)


def test_a_fixed_overhead_above_the_trigger_starts_no_summary() -> None:
    keeper = keeper_for(8_000)
    history = numbered(system("rule " * 5_000), user("go"), tool_round("a"), tool_round("b"))
    assert keeper.used(history, 0) > keeper.marks.summary_at
    assert not keeper.must_summarise(history, 0)


def test_a_giant_message_is_named_and_not_looped_on() -> None:
    keeper = keeper_for(8_000)
    history = numbered(system(), user("first"), answer("ok"), user("数据" * 9_000))
    asked: list[str] = []

    async def model(instruction: str, text: str) -> str:
        asked.append(text)
        return "\n".join(f"{heading}\nThe work goes on as it was asked for." for heading in PROMPTS["en"].headings)

    for _ in range(5):
        if not keeper.must_summarise(history, 0):
            break
        with pytest.raises(Fruitless):
            asyncio.run(keeper.summarise(history, 0, model, PROMPTS["en"]))
    assert keeper.breaker_open and keeper.breaker_cause == "giant"
    assert len(asked) <= 6
