import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user

from paitui.context.manager import ContextManager
from paitui.context.meter import Calibration
from paitui.context.session_memory import Prepared, plan, tail_start, usable
from paitui.engine.prompts import summary_prompts
from paitui.messages.message import Message
from paitui.messages.validity import violations
from paitui.settings import ContextSettings

PROMPTS = summary_prompts("en")
GOOD = "\n".join(f"{heading}\nSomething in src/a.py, with 3 errors." for heading in PROMPTS.headings)
HISTORY = numbered(system(), *[part for n in range(30) for part in (user(f"q{n}"), *tool_round("x"), answer("y"))])
COSTS = [500] * len(HISTORY)


def test_the_tail_grows_until_it_holds_enough() -> None:
    at = tail_start(HISTORY, COSTS, 1, 10_000, 40_000)
    assert at is not None and sum(COSTS[at:]) >= 10_000 and HISTORY[at].role in ("user", "assistant")
    nearest = tail_start(HISTORY, COSTS, 1, 1, 40_000)
    assert nearest is not None
    texts = [m for m in HISTORY[nearest:] if m.role in ("user", "assistant")]
    assert len(texts) == 5 and sum(COSTS[nearest:]) < 10_000


def test_the_tail_has_a_limit_but_keeps_the_newest_round() -> None:
    wide = numbered(system(), user("go"), *[tool_round("x") for _ in range(9)])
    costs = [15_000] * len(wide)
    at = tail_start(wide, costs, 1, 10_000, 40_000)
    assert at is not None and sum(costs[at:]) <= 40_000
    giant = tail_start(wide, [90_000] * len(wide), 1, 10_000, 40_000)
    assert giant == len(wide) - 2


def test_nothing_is_prepared_too_early_or_for_too_little() -> None:
    assert plan(HISTORY, COSTS, 0.59, 95_000, 0, None) is None
    first = plan(HISTORY, COSTS, 0.6, 95_000, 0, None)
    assert first is not None and first.messages == tuple(HISTORY[1 : first.end])
    ready = Prepared(GOOD, 1, first.end, 0)
    assert plan(HISTORY, COSTS, 0.7, 95_000, 0, ready) is None
    longer = numbered(HISTORY, *[part for n in range(3) for part in (user("more"), *tool_round("x"), answer("y"))])
    update = plan(longer, [500] * len(longer), 0.7, 95_000, 0, ready)
    assert update is not None
    assert update.messages == (Message("user", GOOD, origin="summary"), *longer[first.end : update.end])


def test_a_change_of_the_prefix_makes_it_void() -> None:
    ready = Prepared(GOOD, 1, 40, 3)
    assert usable(ready, 3) and not usable(ready, 4) and not usable(None, 3)
    again = plan(HISTORY, COSTS, 0.7, 95_000, 4, ready)
    assert again is not None and again.messages[0] == HISTORY[1]


@pytest.mark.parametrize("results", [False, True])
def test_what_can_be_cleared_is_not_summarised(results: bool) -> None:
    rounds = [tool_round("line\n" * 1_200) if results else [answer("y"), user("q" * 6_000)] for _ in range(16)]
    history = numbered(system(), user("go"), *rounds, [] if results else [answer("z")])
    keeper = ContextManager(ContextSettings(session_memory=True), 32_000, MemoryFiles(), Calibration(1.0), 500)
    assert keeper.used(history, 0) >= keeper.marks.summary_at
    done = keeper.use_prepared(history, 0, Prepared(GOOD, 1, 20, 0), PROMPTS)
    if results:
        assert done is None
    else:
        assert done is not None and not violations(done.messages)
        assert done.messages[-5:] == history[-5:]
