"""Kill the program at random moments, go on, and look for what was lost.

Run ``python tests/bench/kill.py --full`` for 50 kills on a copy of this repository; the suite runs three.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from paitui.clock import FixedClock  # noqa: E402
from paitui.ledger.index import LedgerFilter  # noqa: E402
from paitui.ledger.pages import LedgerPages  # noqa: E402
from paitui.messages.validity import violations  # noqa: E402
from paitui.session.store import SessionStore  # noqa: E402

TASK = "survey this project"


@dataclass
class Result:
    """What one kill showed."""

    after_s: float
    messages: int
    lost: list[int]
    invalid: list[str]
    status: str


def make_project(folder: Path) -> Path:
    project = folder / "project"
    keep = shutil.ignore_patterns(
        "__pycache__", ".git", ".venv*", ".paitui", "__snapshots__", ".*_cache", "*.svg", ".hypothesis"
    )
    shutil.copytree(ROOT, project, ignore=keep)
    return project


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "paitui", *arguments, "--window", "16000", "--output", "json"]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "PAITUI_HOME": str(home), "PYTHONPATH": str(ROOT)}


def start(project: Path, home: Path) -> "subprocess.Popen[bytes]":
    """Start the task; give it back when the user's message is on record."""
    shutil.rmtree(home, ignore_errors=True)
    running = subprocess.Popen(command("-p", TASK), cwd=project, env=environment(home), stdout=subprocess.DEVNULL)
    ledgers = home / "history" / "raw"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not any(TASK.encode() in f.read_bytes() for f in ledgers.glob("*.jsonl")):
        time.sleep(0.005)
    return running


def kill_once(project: Path, home: Path, wait_s: float) -> Result:
    """Start the task, kill it after a while, check what is on disk, go on to the end."""
    running = start(project, home)
    time.sleep(wait_s)
    running.send_signal(signal.SIGKILL)
    running.wait()

    [ledger] = (home / "history" / "raw").glob("*.jsonl")
    store = SessionStore(home / "sessions" / ledger.stem, FixedClock(datetime.now(UTC)))
    loaded = store.load()
    store.close()
    history = loaded.state.units["react"]
    kept = {message.uid for message in history}
    summary = max((message.uid for message in history if message.origin == "summary"), default=0)
    recorded = [row.uid for row in LedgerPages(ledger).newer(0, sys.maxsize, LedgerFilter(event="message"))]
    lost = [uid for uid in recorded if uid not in kept and uid > summary]
    invalid = violations(history)

    done = subprocess.run(
        command("-p", "continue", "--continue"),
        cwd=project,
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=120,
    )
    status = json.loads(done.stdout)["status"] if done.stdout else f"exit {done.returncode}: {done.stderr[-300:]}"
    return Result(wait_s, len(history), lost, invalid, status)


def undisturbed(project: Path, home: Path) -> float:
    """Seconds that the task takes from its first record on."""
    running = start(project, home)
    began = time.monotonic()
    running.wait()
    return time.monotonic() - began


def run(kills: int, seed: int = 7) -> list[Result]:
    """Kill at moments spread over the time that the whole task takes."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        project, home = make_project(Path(folder)), Path(folder) / "home"
        whole = undisturbed(project, home)
        return [kill_once(project, home, chance.uniform(0, whole)) for _ in range(kills)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--full", action="store_true")
    results = run(50 if options.parse_args().full else 3)
    for result in results:
        print(result)
    print(
        f"{len(results)} kills, {sum(map(len, (r.lost for r in results)))} messages lost, "
        f"{sum(bool(r.invalid) for r in results)} invalid histories, "
        f"{sum(r.status == 'done' for r in results)} went on to the end"
    )


if __name__ == "__main__":
    main()
