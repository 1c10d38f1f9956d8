"""Shorter waits: the pilot waits after every key until the process rests, and looks only every 20 ms."""

import pytest
from textual import _wait

LOOK_EVERY_S = 0.005


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    """Look more often; what counts as rest stays the same share of the time between two looks."""
    rest = _wait.SLEEP_IDLE / _wait.SLEEP_GRANULARITY
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", LOOK_EVERY_S)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", LOOK_EVERY_S * rest)
