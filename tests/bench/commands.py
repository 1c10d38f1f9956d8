"""What a command costs, and whether any shape of one leaves something behind, runs over its time or fills memory.

``python tests/bench/commands.py`` prints one JSON object: the cost of a command over a bare ``sh -c``, a flood of
200 MB, and every shape of `SHAPES` once. With ``--full`` the flood is 2 GB, the shapes run three times, and some of
them alone, so that their time over the limit is not that of a busy machine.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.locale import Words
from paitui.settings import CommandSettings
from paitui.tools.base import Spool, ToolContext, ToolError, ToolOutcome
from paitui.tools.shell import ExecuteCommand
from paitui.trust.fence import Fence

LIMIT_S = 0.5
"""Time limit of each shape, which most of them exceed."""
TOGETHER = 8
"""Shapes that run side by side."""

# `N` becomes a number that only this run uses: whatever holds it in its arguments is a survivor, even with an empty
# environment. `PY` is Python.
SHAPES: Mapping[str, str] = {
    "plain": "sleep N",
    "child in the background": "sleep N &",
    "child in the background, output closed": "sleep N >/dev/null 2>&1 &",
    "holds the pipe": "sleep N & sleep N",
    "many children": "for i in 1 2 3 4 5 6 7 8 9 10; do sleep N & done; wait",
    "a hundred children": "i=0; while [ $i -lt 100 ]; do sleep N & i=$((i+1)); done; sleep N",
    "subshell in the background": "(sleep N; sleep N) &",
    "nested subshells": "(((((sleep N) &) &) &) &); sleep N",
    "group in the background": "{ sleep N; sleep N; } & sleep N",
    "pipeline": "sleep N | sleep N | sleep N",
    "pipeline whose reader leaves": "yes N | head -1; sleep N",
    "nohup": "nohup sleep N & sleep N",
    "nohup, parent gone": "(nohup sleep N >/dev/null 2>&1 &)",
    "own session": "setsid sleep N & sleep N",
    "own session, parent gone": "setsid sleep N >/dev/null 2>&1 &",
    "own session twice": "setsid sh -c 'setsid sleep N & setsid sleep N' & sleep N",
    "own session, a chain of parents gone": "(setsid sh -c '(setsid sh -c \"(setsid sleep N &)\" &)' &); sleep N",
    "own session, ignores TERM": "setsid sh -c \"trap '' TERM; sleep N; sleep N\" & sleep N",
    "own session, ignores all": "setsid sh -c \"trap '' TERM HUP INT QUIT USR1 USR2; while :; do sleep N; done\" &",
    "own group": "PY -c 'import os,time; os.setpgid(0,0); time.sleep(N)'",
    "empty environment": "env -i PATH=/usr/bin:/bin sleep N & sleep N",
    "empty environment, own session": "env -i PATH=/usr/bin:/bin setsid sleep N >/dev/null 2>&1 &",
    "ignores TERM": "trap '' TERM; sleep N; sleep N",
    "ignores TERM and goes on": "trap 'sleep N' TERM; sleep N; sleep N",
    "starts a child when told to end": "trap 'setsid sleep N & exit' TERM; sleep N",
    "starts children for ever when told to end": "trap 'while :; do sleep N & done' TERM; sleep N",
    "starts a child on its way out": "trap 'setsid sleep N >/dev/null 2>&1 &' EXIT; true",
    "ignores HUP and INT": "trap '' HUP INT; sleep N",
    "stopped": "kill -STOP $$",
    "child stopped": "sh -c 'kill -STOP $$; sleep N' & sleep N",
    "child stopped in its own session": "setsid sh -c 'kill -STOP $$; sleep N' & sleep N",
    "busy": "while :; do :; done",
    "busy children": "while :; do : N; done & while :; do : N; done",
    "respawns": "while :; do sleep 0.01; done & sleep N",
    "respawns itself": "f() { sleep 0.02; f & }; f; sleep N",
    "a relay of sessions": "PY relay.py N & sleep N",
    "daemon": "PY daemon.py N; sleep N",
    "daemon, parent gone": "PY daemon.py N",
    "daemon, another name": 'PY -c \'import os; os.execv("/bin/sleep", ["kworker", "N"])\' & sleep N',
    "forks without exec": "PY -c 'import os,time; [os.fork() for _ in range(4)]; time.sleep(N)'",
    "vfork and exec": 'PY -c \'import os,time; os.posix_spawn("/bin/sleep", ["sleep","N"], {}); time.sleep(N)\'',
    "threads": "PY -c 'from threading import *; import time; [Timer(N, print).start() for _ in range(20)]'",
    "blocks every signal": "PY -c 'import signal,time; signal.pthread_sigmask(0, range(1,64)); time.sleep(N)'",
    "a zombie": "PY -c 'import os,time; os.fork() or os._exit(0); time.sleep(N)'",
    "stops its supervisor": "kill -STOP $PPID; sleep N",
    "stops its supervisor, child in its own session": "kill -STOP $PPID; setsid sleep N & sleep N",
    "kills its supervisor": "kill -9 $PPID; sleep N",
    "kills its supervisor, child in its own session": "setsid sleep N & kill -9 $PPID; sleep N",
    "kills its supervisor and is gone": "setsid sleep N >/dev/null 2>&1 & kill -9 $PPID",
    "tells its supervisor to end": "kill -TERM $PPID; sleep N",
    "kills its group": "sleep N & kill -9 0",
    "kills itself": "sleep N & kill -9 $$",
    "dumps core": "sleep N & kill -SEGV $$",
    "floods": "yes N",
    "floods from a child": "yes N & sleep N",
    "floods errors": "yes N >&2",
    "floods without line breaks": "cat /dev/zero | tr '\\0' N",
    "floods zeros": "cat /dev/zero",
    "floods bytes that are no text": "cat /dev/urandom",
    "floods after its end": "yes N & true",
    "floods and ignores TERM": "trap '' TERM; yes N",
    "closes its output": "exec >&- 2>&-; sleep N",
    "asks on the terminal": "read x < /dev/tty; sleep N",
    "asks for a password": "PY -c 'import getpass; getpass.getpass()'; sleep N",
    "reads its input": "cat; sleep N",
    "asks for input": "PY -c 'input()'; sleep N",
    "a terminal of its own": "script -qc 'sleep N' /dev/null; sleep N",
    "a terminal of its own, in the background": "script -qc 'setsid sleep N' /dev/null & sleep N",
    "a terminal multiplexer": "tmux -S ./socket new -d 'sleep N'; sleep N",
    "waits for a pipe that nobody fills": "mkfifo pipe$$; cat pipe$$; : N",
    "waits for a lock": "flock lock$$ sleep N & flock lock$$ sleep N",
    "a namespace of its own": "unshare -pf --mount-proc sleep N; sleep N",
    "a limit on its files": "ulimit -n 3; sleep N",
    "a limit on its time": "ulimit -t 1; while :; do : N; done",
    "another folder, removed": "mkdir gone$$ && cd gone$$ && rmdir ../gone$$; sleep N",
    "nice": "nice -n 19 sleep N",
    "timeout inside": "timeout 9999 sleep N",
    "timeout inside, in the background": "timeout -k 9999 9999 setsid sh -c \"trap '' TERM; sleep N\" & sleep N",
    "xargs": "echo N N N | xargs -n 1 -P 3 sleep",
    "find": "find / -maxdepth 1 -exec sleep N ';'",
    "make": "printf 'all:\\n\\tsleep N & sleep N\\n' > make$$; make -f make$$",
    "perl": "perl -e 'fork; fork; sleep N'",
    "a coprocess": "bash -c 'coproc sleep N; sleep N'",
    "a process substitution": "bash -c 'cat <(sleep N)'",
    "disowned": "bash -c 'sleep N & disown; sleep N'",
    "an exec": "exec sleep N",
    "a long line": "sleep N #" + "x" * 90_000,
}
ALONE = (
    "stops its supervisor",
    "ignores TERM",
    "floods",
    "own session, ignores TERM",
    "starts a child when told to end",
)
"""Shapes that the long form also runs one by one."""

_HELPERS = {
    # Forks twice, a session in between, every descriptor closed: how daemons begin.
    "daemon.py": """import os, sys, time
if os.fork(): sys.exit()
os.setsid()
if os.fork(): sys.exit()
os.closerange(0, 64)
time.sleep(int(sys.argv[1]))
""",
    # Each generation starts the next in a session of its own and ends.
    "relay.py": """import os, sys, time
for _ in range(2_000):
    time.sleep(0.01)
    if os.fork(): os._exit(0)
    os.setsid()
""",
}


@dataclass(frozen=True, slots=True)
class Result:
    """How one shape went."""

    name: str
    over_s: float
    """Seconds over its limit; negative if it ended before."""
    survivors: int
    fault: str = ""


def context_in(folder: Path) -> ToolContext:
    """What the tool is given, in a folder."""
    count = iter(range(1, 100_000))

    def open_spool(tool: str) -> Spool:
        path = f".paitui/tool-outputs/bench/{next(count):05d}-{tool}.txt"
        return Spool(Fence(folder).create_exclusive(path), path)

    settings = CommandSettings(timeout_s=120, env_allow=("PAITUI_BENCH_MARK",))
    return ToolContext(folder, folder / "home", Words("en"), 32_000, settings, open_spool)


async def run(context: ToolContext, command: str, timeout_s: float = 120) -> ToolOutcome:
    """Run one command line."""
    return await ExecuteCommand().run({"command": command, "timeout_s": timeout_s}, context)


def survivors(number: str, mark: str) -> int:
    """Processes that carry a run's number in their arguments or a mark in their environment."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        if int(name) == os.getpid():
            continue
        try:
            told = Path(f"/proc/{name}/cmdline").read_bytes() + Path(f"/proc/{name}/environ").read_bytes()
        except OSError:
            continue
        count += number.encode() in told or mark.encode() in told
    return count


def children() -> int:
    """Children of this process, those included that have ended and were not waited for."""
    found = 0
    for task in os.listdir("/proc/self/task"):
        try:
            found += len(Path(f"/proc/self/task/{task}/children").read_text().split())
        except OSError:
            continue
    return found


async def run_shape(context: ToolContext, name: str) -> Result:
    """Run one shape and look for what it left."""
    number = str(random.randrange(10**8, 10**9))
    command = SHAPES[name].replace("N", number).replace("PY", sys.executable)
    fault = ""
    begin = time.perf_counter()
    try:
        await run(context, command, LIMIT_S)
    except ToolError as error:
        fault = error.phrase.key
    over = time.perf_counter() - begin - LIMIT_S
    for _ in range(20):  # The system clears away in its own time what was killed.
        if not (left := survivors(number, number)):
            break
        await asyncio.sleep(0.02)
    return Result(name, over, left, fault)


async def run_shapes(context: ToolContext, names: list[str], together: int) -> list[Result]:
    """Run shapes, some of them side by side."""
    for name, text in _HELPERS.items():
        (context.project / name).write_text(text)
    places = asyncio.Semaphore(together)

    async def one(name: str) -> Result:
        async with places:
            return await run_shape(context, name)

    return list(await asyncio.gather(*map(one, names)))


async def cost(context: ToolContext) -> float:
    """Milliseconds that a command takes more than a bare ``sh -c``."""
    bare, supervised = [], []
    for _ in range(15):
        begin = time.perf_counter()
        subprocess.run(["/bin/sh", "-c", "true"], check=True)
        bare.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        await run(context, "true")
        supervised.append(time.perf_counter() - begin)
    return (statistics.median(supervised) - statistics.median(bare)) * 1000


async def flood(context: ToolContext, size: int) -> dict[str, float]:
    """Take a flood of a known size."""
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
    return {
        "flood_mb": size / 1e6,
        "flood_times_a_pipe": round(ratio, 1),
        "flood_more_memory_mb": round(grown, 1),
        "flood_kept_bytes": stored,
    }


async def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="2 GB; shapes three times, and some alone")
    full = parser.parse_args().full
    mark = os.environ["PAITUI_BENCH_MARK"] = uuid.uuid4().hex
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        context = context_in(folder)
        report: dict[str, object] = {"cost_ms": round(await cost(context), 1)}
        report |= await flood(context, 2_000_000_000 if full else 200_000_000)
        alone = await run_shapes(context, list(ALONE), 1) if full else []
        results = alone + await run_shapes(context, list(SHAPES) * (3 if full else 1), TOGETHER)
        worst = max(results, key=lambda result: result.over_s)
        left = sum(result.survivors for result in results) + survivors(mark, mark)
        report |= {
            "shapes": len(SHAPES),
            "runs": len(results),
            "survivors": left,
            "survivors_of": sorted({result.name for result in results if result.survivors}),
            "children": children(),
            "worst_over_s": round(worst.over_s, 2),
            "worst_over": worst.name,
            "faults": sorted({f"{result.name}: {result.fault}" for result in results if result.fault}),
            "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        }
        if alone:
            report["worst_over_alone_s"] = round(max(result.over_s for result in alone), 2)
        print(json.dumps(report, indent=1))
    return 1 if left or worst.over_s > 3 or report["children"] else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
