"""Shared by all tests: helpers beside the tests can be imported by their own unique names."""

import sys
from pathlib import Path

import pytest

for folder in ("context", "stubs", "engine", "e2e", "bench", "replay", "memory"):
    sys.path.insert(0, str(Path(__file__).parent / folder))

TERMINALS = ("e2e", "faults", "bench")
"""Rooms whose tests run whole programs under pseudo-terminals, or measure time: never two of them at once."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say what may run side by side: the files, but for what waits for the screen of a whole program."""
    here = Path(__file__).parent
    for item in items:
        room = item.path.relative_to(here).parts[0]
        item.add_marker(pytest.mark.xdist_group("terminals" if room in TERMINALS else str(item.path)))
