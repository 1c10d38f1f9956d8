from pathlib import Path

import pytest

from tests.bench import replays
from tests.replay.replay_builders import long_session


def test_the_table_has_a_line_for_each_recording_window_and_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["replays.py", str(tmp_path), "--windows", "32000", "64000"])
    assert replays.main() == 0
    assert capsys.readouterr().out.startswith("skipped")
    long_session(turns=3).write(tmp_path)
    assert replays.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 4 and len({line.count("|") for line in lines}) == 1
    assert [line.split(" | ")[2] for line in lines[2:]] == ["paitui", "baseline"] * 2
