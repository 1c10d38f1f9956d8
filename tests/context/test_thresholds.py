import pytest

from paitui.context.thresholds import clear_trigger, summary_trigger, thresholds


@pytest.mark.parametrize(
    ("window", "summary", "clear"),
    [
        (8_000, 5_000, 3_000),
        (32_000, 20_000, 12_000),
        (64_000, 40_000, 24_000),
        (128_000, 95_000, 57_000),
        (200_000, 167_000, 100_000),
        (256_000, 223_000, 100_000),
        (1_000_000, 967_000, 100_000),
    ],
)
def test_the_table(window: int, summary: int, clear: int) -> None:
    marks = thresholds(window)
    assert (marks.summary_at, marks.clear_at) == (summary, clear)
    assert marks.summary_at + marks.reserve + marks.buffer == window


def test_a_tiny_window_counts_as_the_smallest() -> None:
    assert thresholds(10) == thresholds(8_000)


@pytest.mark.parametrize(("override", "expected"), [(1, 1), (4_999, 4_999), (5_000, 4_999), (10**9, 4_999)])
def test_an_override_stays_below_the_summary_trigger(override: int, expected: int) -> None:
    assert clear_trigger(5_000, override) == expected


def test_triggers_keep_their_order_for_every_window() -> None:
    for window in range(8_000, 1_100_000, 997):
        summary = summary_trigger(window)
        assert 1 <= clear_trigger(summary) < summary < window
