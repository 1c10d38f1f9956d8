from context_builders import answer, numbered, system, tool_round, user

from paitui.context.estimate import messages_tokens
from paitui.context.meter import Calibration, Meter
from paitui.messages.message import Message, Usage


def make(prior: float = 1.3, schemas: int = 100) -> Meter:
    return Meter(Calibration(prior), schemas)


def test_before_any_report_the_count_is_cautious() -> None:
    history = numbered(system(), user("x" * 400))
    assert make().count(history, 0) == round((messages_tokens(history) + 100) * 1.3)


def test_a_report_anchors_and_teaches() -> None:
    meter = make()
    history = numbered(system(), user("x" * 4_000))
    meter.count(history, 0)
    history.append(answer("y" * 400))
    meter.report(Usage(prompt=2_000, completion=150), history, 0)
    assert meter.measured
    assert meter.count(history, 0) == 2_150
    history += tool_round("z" * 4_000)
    grown = messages_tokens(history[-2:])
    assert meter.count(history, 0) == 2_150 + round(grown * meter.calibration.ratio)
    history.append(answer("ok"))
    meter.report(Usage(prompt=2_150 + grown * 2, completion=10), history, 0)
    assert meter.count(history, 0) == 2_150 + grown * 2 + 10
    assert meter.calibration.ratio > 1.5  # it learned that its estimate is half of what is counted


def reported_growths(meter: Meter, *growths: tuple[int, float]) -> None:
    """Report requests that each grow by an answer of so many letters, counted so many times what is estimated."""
    history = numbered(system(), user("hello"), answer("hi"))
    total = 10_000
    meter.report(Usage(prompt=total, completion=0), history, 0)
    for letters, times in growths:
        history += [user("x" * letters)]
        total += round(messages_tokens(history[-1:]) * times)
        history += [answer("y")]
        meter.report(Usage(prompt=total, completion=0), history, 0)


def test_what_a_provider_adds_to_a_short_first_request_teaches_nothing() -> None:
    meter = make()
    reported_growths(meter)
    assert meter.calibration.ratio == 1.3
    reported_growths(meter, (4_000, 1.5))
    assert 1.4 < meter.calibration.ratio < 1.6


def test_growth_that_the_estimate_cannot_have_seen_teaches_nothing() -> None:
    meter = make()
    reported_growths(meter, (4_000, 1.5))
    ratio = meter.calibration.ratio
    reported_growths(meter, (400, 40.0), (400, 0.01), (40, 3.0))
    assert meter.calibration.ratio == ratio


def test_the_ratio_follows_the_content_but_not_at_once() -> None:
    meter = make()
    reported_growths(meter, *[(40_000, 1.2)] * 10)
    reported_growths(meter, (40_000, 2.0))
    assert 1.25 < meter.calibration.ratio < 1.5
    reported_growths(meter, *[(40_000, 2.0)] * 10)
    assert meter.calibration.ratio > 1.8


def test_reasoning_that_is_not_sent_back_is_not_counted() -> None:
    meter = Meter(Calibration(1.3), 0, reasoning_sent=False)
    history = numbered(user("hello"), Message("assistant", "hi", reasoning="long " * 100))
    meter.report(Usage(prompt=50, completion=200, reasoning=190), history, 0)
    assert meter.count(history, 0) == 60


def test_a_report_of_zero_is_none() -> None:
    meter = make()
    history = numbered(user("hello"), answer("hi"))
    meter.report(Usage(0, 0), history, 0)
    assert not meter.measured


def test_a_change_in_the_middle_drops_the_anchor_and_keeps_the_ratio() -> None:
    meter = make()
    history = numbered(system(), user("x" * 4_000), answer("y"))
    meter.report(Usage(prompt=3_000, completion=1), history, 0)
    ratio = meter.calibration.ratio
    shorter = [history[0], history[2]]
    assert meter.count(shorter, 1) == round((messages_tokens(shorter) + 100) * ratio)
    assert not meter.measured


def test_parts_add_up_to_the_number_that_decides() -> None:
    meter = make(prior=1.37)
    meter.instructions_tokens = 3
    history = numbered(system("x" * 77), user("hello"), tool_round("a" * 1_001, "b" * 333), answer("done"))
    used = meter.count(history, 0)
    parts = meter.parts(used)
    assert sum(tokens for _, tokens in parts) == used
    assert dict(parts)["instructions"] >= 3


class CountingList(list[Message]):
    """Counts how many of its items are looked at."""

    looked = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.looked += 1
        return super().__getitem__(at)


def test_a_check_costs_what_was_added() -> None:
    meter = make()
    history = CountingList(numbered(*[user("hello") for _ in range(5_000)]))
    meter.count(history, 0)
    history.looked = 0
    history.append(user("one more"))
    meter.count(history, 0)
    assert history.looked == 1
