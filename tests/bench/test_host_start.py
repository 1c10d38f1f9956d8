import statistics

from tests.bench.host_start import measure


def test_starting_the_model_process_does_not_disturb_typing() -> None:
    without, with_host = measure(1)
    assert len(without) > 20 < len(with_host)
    assert statistics.median(with_host) - statistics.median(without) < 0.01
