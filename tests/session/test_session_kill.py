import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_was_confirmed_survives_a_kill_at_any_moment():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "bench" / "session_kill.py"), "--kills", "10"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 kills" in done.stdout
