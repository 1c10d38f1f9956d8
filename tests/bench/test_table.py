"""What the standing table says of growth: a message costs the same in a long session and a small one."""

from tests.bench.table import Row, context


def test_a_check_costs_the_same_at_ten_thousand_messages() -> None:
    (row,) = context()
    assert row.ratio is not None and row.ratio < 3


def test_a_line_of_the_table() -> None:
    assert Row("echo", "1 ms", "2 ms, hello", 0.5).markdown() == "| echo | 1 ms | 2 ms, hello | 0.50 |"
    assert Row("echo", "1 ms", "").markdown() == "| echo | 1 ms |  |  |"
