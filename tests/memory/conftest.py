"""What the tests of the memory's store share."""

from pathlib import Path

import pytest
from memory_builders import NOW

from paitui.clock import FixedClock
from paitui.memory.store import MemoryStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the memory lies; nothing is there yet."""
    return tmp_path / "memory" / "long_term_memory.json"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def store(file: Path, clock: FixedClock) -> MemoryStore:
    return MemoryStore(file, clock)
