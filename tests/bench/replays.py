"""Recorded sessions under both policies at several windows, as one table for notes.

``python tests/bench/replays.py FOLDER`` replays every ``*.jsonl`` of a folder; without the folder it says so and
ends well. The figures of one recording do not depend on the machine, but for the time of a check.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.locale import Words
from paitui.replay import PolicyName, command
from paitui.replay.figures import Figures
from paitui.replay.recording import read_recording
from paitui.settings import ContextSettings

WINDOWS = (32_000, 128_000, 200_000)
POLICIES: tuple[PolicyName, ...] = ("paitui", "baseline")
COLUMNS = (
    *(
        "recording",
        "window",
        "policy",
        "invalid",
        "over",
        "lost",
        "clears",
        "summaries",
        "breaks by clearing",
        "allowed",
    ),
    *(
        "cost",
        "without resends",
        "requests",
        "paths",
        "commands",
        "numbers",
        "p95",
        "worst",
        "too low",
        "check p99 ms",
    ),
)


def row(figures: Figures) -> str:
    """One line of the table."""
    found = json.loads(figures.as_json())
    kept, estimator, tally = found["retention"], found["estimator"], figures.tally
    worth = 10_000 if figures.window >= 128_000 else figures.window // 20
    cells = (
        figures.file.removesuffix(".jsonl"),
        f"{figures.window:,}",
        figures.policy,
        found["invalid"],
        found["over_window"],
        found["lost"],
        found["clears"],
        found["summaries"],
        found["clear_breaks"],
        f"{(tally.cleared_tokens - tally.late_tokens) / worth:.1f}",
        f"{found['cost']:,}",
        f"{round(figures.costs.cost - figures.costs.resends):,}",
        *(f"{kept[name]:.3f}" for name in ("requests", "paths", "commands", "numbers")),
        *("-" if value is None else f"{value:.2%}" for value in (estimator["p95"], estimator["worst"])),
        "-" if figures.scored.too_low is None else f"{figures.scored.too_low:.1%}",
        found["check_ms"]["p99"],
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the recordings lie")
    parser.add_argument("--windows", type=int, nargs="+", default=WINDOWS, help="context sizes in tokens")
    wanted = parser.parse_args()
    files = sorted(wanted.folder.glob("*.jsonl"))
    if not files:
        print(f"skipped: no recordings in {wanted.folder}")
        return 0
    print(f"| {' | '.join(COLUMNS)} |")
    print(f"|{' --- |' * len(COLUMNS)}")
    for file in files:
        recording = read_recording(file, wanted.folder)
        for window in wanted.windows:
            for policy in POLICIES:
                print(
                    row(command.replay(recording, file.name, window, ContextSettings(), Words("en"), policy)),
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
