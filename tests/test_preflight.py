import os
from pathlib import Path

from paitui import preflight


def test_permissions_are_asked_of_the_system(tmp_path: Path) -> None:
    def only_reading(path: Path, mode: int) -> bool:
        return not mode & os.W_OK

    def nothing(path: Path, mode: int) -> bool:
        return False

    assert preflight.home_fault(tmp_path) is None
    assert preflight.home_fault(tmp_path / "new" / "deep") is None
    for home in (tmp_path, tmp_path / "new" / "deep"):
        fault = preflight.home_fault(home, only_reading)
        assert fault is not None and fault.key == "preflight.home_unusable"
    assert preflight.project_fault(tmp_path, only_reading) is None
    fault = preflight.project_fault(tmp_path, nothing)
    assert fault is not None and fault.key == "preflight.project_unreadable"
