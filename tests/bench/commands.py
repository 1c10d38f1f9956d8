"""What running a command costs, and whether a flood of output stays in bounds.

``python tests/bench/commands.py`` prints the cost of a command over a bare ``sh -c`` in the same run, and a flood
of 200 MB; with ``--full`` the flood is 2 GB, and fifty commands that try to leave something behind are run.
"""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.locale import Words
from paitui.settings import CommandSettings
from paitui.tools.base import Spool, ToolContext, ToolOutcome
from paitui.tools.shell import ExecuteCommand
from paitui.trust.fence import Fence

STUBBORN = (
    "sleep 600 & sleep 600",
    "trap '' TERM; sleep 600; sleep 600",
    "setsid sh -c \"trap '' TERM; sleep 600; sleep 600\" & sleep 600",
    "(setsid sh -c 'setsid sleep 600 &' &) ; sleep 600",
    "yes",
)


def context_in(folder: Path) -> ToolContext:
    count = iter(range(1, 10_000))

    def open_spool(tool: str) -> Spool:
        path = f".paitui/tool-outputs/bench/{next(count):04d}-{tool}.txt"
        return Spool(Fence(folder).create_exclusive(path), path)

    settings = CommandSettings(timeout_s=120, env_allow=("PAITUI_BENCH_MARK",))
    return ToolContext(folder, folder / "home", Words("en"), 32_000, settings, open_spool)


async def run(context: ToolContext, command: str, timeout_s: float = 120) -> ToolOutcome:
    return await ExecuteCommand().run({"command": command, "timeout_s": timeout_s}, context)


def left(mark: str) -> int:
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{name}/environ").read_bytes()
        except OSError:
            continue
        count += mark.encode() in environment and int(name) != os.getpid()
    return count


async def cost(context: ToolContext) -> None:
    bare, supervised = [], []
    for _ in range(15):
        begin = time.perf_counter()
        subprocess.run(["/bin/sh", "-c", "true"], check=True)
        bare.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        await run(context, "true")
        supervised.append(time.perf_counter() - begin)
    extra = (statistics.median(supervised) - statistics.median(bare)) * 1000
    print(f"a command costs {extra:.0f} ms more than a bare sh -c (medians of 15)")


async def flood(context: ToolContext, size: int) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    outcome = await run(context, f"yes 0123456789abcdef | head -c {size}")
    seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", f"yes 0123456789abcdef | head -c {size} | cat > /dev/null"], check=True)
    ratio = seconds / (time.perf_counter() - begin)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    stored = (context.project / outcome.stored).stat().st_size
    assert outcome.total_chars == size and stored == 16 * 1024**2 and len(outcome.text) < 8_000
    print(f"{size / 1e6:,.0f} MB: {ratio:.1f} times a bare pipe, {grown:.0f} MB more memory, {stored:,} bytes kept")


async def stubborn(context: ToolContext, mark: str, rounds: int) -> None:
    worst = 0.0
    for number in range(rounds):
        begin = time.perf_counter()
        await run(context, STUBBORN[number % len(STUBBORN)], timeout_s=0.5)
        worst = max(worst, time.perf_counter() - begin - 0.5)
    time.sleep(0.3)
    print(f"{rounds} stubborn commands: at most {worst:.2f} s over their limit, {left(mark)} processes left")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="2 GB, and fifty stubborn commands")
    full = parser.parse_args().full
    mark = os.environ["PAITUI_BENCH_MARK"] = uuid.uuid4().hex
    with tempfile.TemporaryDirectory() as folder:
        context = context_in(Path(folder).resolve())
        await cost(context)
        await flood(context, 2_000_000_000 if full else 200_000_000)
        await stubborn(context, mark, 50 if full else 5)


if __name__ == "__main__":
    asyncio.run(main())
