import pytest

from paitui.messages.message import Message
from paitui.replay.cost import Costs


def history(*texts: str) -> list[Message]:
    return [Message("user", text, uid=n) for n, text in enumerate(texts, 1)]


def test_a_growing_prefix_is_read_from_the_cache_and_the_rest_written() -> None:
    costs = Costs(fixed=100)
    assert costs.turn(history("a"), [10], set()) == 110
    costs.turn(history("a", "b"), [10, 20], set())
    assert (costs.requests, costs.breaks, costs.reused) == (2, 0, 110)
    assert costs.cost == pytest.approx(110 * 1.25 + 110 * 0.1 + 20 * 1.25)
    assert costs.reuse == pytest.approx(110 / 240)


def test_a_change_in_the_middle_breaks_the_prefix_there() -> None:
    costs = Costs(fixed=0)
    costs.turn(history("a", "b", "c"), [1, 2, 4], set())
    costs.turn(history("a", "B", "c", "d"), [1, 2, 4, 8], {"clear"})
    assert (costs.breaks, costs.clear_breaks, costs.reused) == (1, 1, 1)


@pytest.mark.parametrize("causes", [{"late_clear"}, {"summary"}, {"clear", "summary"}, {"other"}])
def test_only_clearing_below_the_summary_trigger_counts_as_a_break_by_clearing(causes: set[str]) -> None:
    costs = Costs(fixed=0)
    costs.turn(history("a", "b"), [1, 2], set())
    costs.turn(history("a"), [1], causes)  # type: ignore[arg-type]
    assert (costs.breaks, costs.clear_breaks) == (1, 0)


def test_summaries_and_what_is_sent_again_are_fresh() -> None:
    costs = Costs(fixed=0)
    costs.summary(1_000, 50)
    costs.resent(300)
    assert (costs.sent, costs.cost, costs.resends, costs.reuse) == (1_300, 1_350, 300, 0.0)
