from tests.bench.startup import version_against_bare


def test_version_costs_little_over_a_bare_interpreter() -> None:
    # The aim is 40 ms on an idle machine; a busy one is given slack, what loads too much shows all the same.
    bare, version = version_against_bare(7)
    assert version - bare < 0.1
