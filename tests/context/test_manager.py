import asyncio

import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user

from paitui.context.manager import ContextManager, Fruitless
from paitui.context.meter import Calibration
from paitui.context.trend import TrendPoint, forecast
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message
from paitui.messages.validity import violations
from paitui.settings import ContextSettings

PROMPTS = summary_prompts("en")
GOOD = "\n".join(f"{heading}\nSomething that was done in src/a.py, with 3 errors." for heading in PROMPTS.headings)


def manager(window: int = 16_000, **settings) -> ContextManager:  # type: ignore[no-untyped-def]
    return ContextManager(ContextSettings(**settings), window, MemoryFiles(), Calibration(1.0), 500)


async def good(instruction: str, text: str) -> str:
    return GOOD


def long_task(rounds: int, size: int = 2_000) -> list[Message]:
    return numbered(system(), user("do it"), *[tool_round("x" * size) for _ in range(rounds)])


def test_the_gauge_shows_the_number_that_decides() -> None:
    history = long_task(3)
    keeper = manager()
    report = keeper.report(history, 0)
    assert report.used == keeper.used(history, 0) == sum(tokens for _, tokens in report.parts)
    assert report.next_step == "none" and keeper.clear(history, 0) is None


@pytest.mark.parametrize("rounds", [3, 6, 9, 13, 19, 30])
@pytest.mark.parametrize("held", [False, True])
def test_the_gauge_foretells_what_the_next_check_does(rounds: int, held: bool) -> None:
    history = long_task(rounds)
    used = manager().used(history, 0)
    for clear_at in (used + 1, used, used // 2):
        keeper = manager(clear_at=clear_at)
        keeper.hold = held
        report = keeper.report(history, 0)
        done = keeper.clear(history, 0)
        after = [done.replaced.get(message.uid, message) for message in history] if done else history
        if keeper.must_summarise(after, int(done is not None)):
            assert report.next_step == "summary"
        else:
            assert report.next_step == ("clear" if done else "none")
        assert report.paused == ("undone" if held else "")
        freed = used - keeper.used(after, int(done is not None))
        assert done is None or abs(report.freeable - freed) <= 0.05 * freed


@pytest.mark.parametrize("rounds", [13, 19, 30, 60])
def test_where_a_summary_would_cut_is_foretold_about_right(rounds: int) -> None:
    history = long_task(rounds)
    keeper = manager()
    foretold = keeper.next_cut(history, 0)
    chosen = keeper.compaction(history, 0, PROMPTS).choose(keeper.marks.summary_at // 2, 3)
    assert abs(foretold - chosen.end) <= 4, "two rounds at most"
    done = asyncio.run(keeper.summarise(history, 0, good, PROMPTS))
    assert done.cut.end <= foretold, "a summary that turns out short leaves room for newer rounds"
    assert manager().next_cut(long_task(2), 0) == 0, "nothing to win"
    keeper.pinned = frozenset({history[6].uid})
    assert keeper.next_cut(history, 0) <= 6, "a pin holds it back"


@pytest.mark.parametrize(
    ("used", "freed", "expected"),
    [
        (40, 0, [("clear", 2), ("summary", 6)]),
        (40, 20, [("clear", 2), ("summary", 8)]),
        (60, 0, [("summary", 4)]),
        (120, 0, [("summary", 0)]),
    ],
)
def test_the_thresholds_ahead_are_foretold_by_the_growth_of_the_last_checks(
    used: int, freed: int, expected: list[tuple[str, int]]
) -> None:
    trend = [TrendPoint(10), TrendPoint(20), TrendPoint(30, "offload"), TrendPoint(5, "clear"), TrendPoint(15)]
    assert [(one.step, one.calls) for one in forecast(trend, used, 60, 100, freed)] == expected
    assert forecast(trend[:1], used, 60, 100, freed) == ()


def test_clear_comes_before_summary_and_may_save_it() -> None:
    history = long_task(19)
    keeper = manager()
    assert keeper.must_summarise(history, 0)
    cleared = keeper.clear(history, 0)
    assert cleared is not None
    after = [cleared.replaced.get(message.uid, message) for message in history]
    assert not keeper.must_summarise(after, 1)


def test_a_summary_leaves_half_the_trigger_and_a_valid_history() -> None:
    history = long_task(40, size=1_200)
    keeper = manager()
    done = asyncio.run(keeper.summarise(history, 0, good, PROMPTS))
    assert not violations(done.messages)
    assert done.after <= keeper.marks.summary_at // 2
    again = numbered(done.messages, *[tool_round("y" * 1_200) for _ in range(20)])
    twice = asyncio.run(keeper.summarise(again, 1, good, PROMPTS))
    assert not violations(twice.messages)
    assert sum(message.origin == "summary" for message in twice.messages) == 1
    assert "do it" in [message.content for message in twice.messages]


def test_no_summary_request_is_larger_than_the_window() -> None:
    asked: list[str] = []

    async def model(instruction: str, text: str) -> str:
        asked.append(instruction + text)
        return GOOD

    keeper = manager(8_000)
    history = numbered(system(), user("字" * 50_000), *[tool_round("字" * 900) for _ in range(10)])
    asyncio.run(keeper.summarise(history, 0, model, PROMPTS, by_hand=True))
    assert len(asked) > 5
    from paitui.context.estimate import text_tokens

    assert max(text_tokens(text) for text in asked) < 8_000 - 1_000


def test_three_fruitless_summaries_open_the_breaker_and_one_by_hand_closes_it() -> None:
    async def useless(instruction: str, text: str) -> str:
        return "no"

    history = long_task(40)
    keeper = manager()
    for _ in range(3):
        assert keeper.must_summarise(history, 0)
        with pytest.raises(Fruitless) as caught:
            asyncio.run(keeper.summarise(history, 0, useless, PROMPTS))
        assert caught.value.cause == "refused"
    assert keeper.breaker_open and not keeper.must_summarise(history, 0)
    asyncio.run(keeper.summarise(history, 0, good, PROMPTS, by_hand=True))
    assert not keeper.breaker_open


def test_a_summary_that_gains_too_little_is_dropped() -> None:
    history = numbered(system(), user("a"), answer("b"), user("c"), *[tool_round("x" * 5_000)])
    with pytest.raises(Fruitless) as caught:
        asyncio.run(manager().summarise(history, 0, good, PROMPTS, by_hand=True))
    assert caught.value.cause == "gain"
