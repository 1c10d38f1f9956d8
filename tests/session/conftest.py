import pytest

from paitui import appendlog, atomic
from tests.stubs.faulty_disk import FaultyDisk


@pytest.fixture
def disk(monkeypatch):
    """The disk under everything that a session writes; healthy until told otherwise."""
    disk = FaultyDisk()
    monkeypatch.setattr(atomic, "os", disk)
    monkeypatch.setattr(appendlog, "os", disk)
    return disk
