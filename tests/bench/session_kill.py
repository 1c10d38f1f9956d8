"""Kill a process that saves a session at random moments, and see whether anything it confirmed is lost.

Run it as ``python tests/bench/session_kill.py [--full]``: 10 kills, or 200. The exit code is 0 if after every
kill the session held every confirmed change, and at most the one in flight besides.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from paitui.clock import SystemClock
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import INTERRUPTED, repair
from paitui.session.listing import list_sessions
from paitui.session.state import Append, Change, ReplaceAll, Replay, Rewrite, SessionState, Set, SetExtra
from paitui.session.store import SessionStore

CYCLE = 8


def change(number: int) -> Change:
    """Give the change of a number; a cycle of them is a turn with one call."""
    call = f"c{number // CYCLE}"
    match number % CYCLE:
        case 0:
            return Set("turn", number)
        case 1:
            return Append("react", Message("user", f"do {number}", uid=number, origin="typed"))
        case 2:
            calls = (ToolCall(call, "read_file", "{}"),)
            return Append("react", Message("assistant", "", calls, uid=number))
        case 3:
            text = "结果 " * (number % 97) * 40
            return Append("react", Message("tool", text or "-", tool_call_id=call, name="read_file", uid=number))
        case 4:
            cleared = Message("tool", "cleared", tool_call_id=call, name="read_file", uid=number - 1, state="cleared")
            return Rewrite("react", {number - 1: cleared})
        case 5:
            return Append("react", Message("assistant", f"done {number}", uid=number))
        case 6 if number % 5 == 0:
            summary = Message("user", f"summary {number}", uid=number, origin="summary")
            return ReplaceAll("react", (summary, Message("assistant", "understood", uid=number + 1)))
        case 6:
            return Set("queue", ((number, f"queued {number}", ()),))
        case _:
            return SetExtra("step", {"number": number, "text": "x" * (number * 7_919 % 50_000)})


def child(folder: Path, start: int) -> None:
    """Save changes until killed, and confirm each on standard output."""
    store = SessionStore(folder, SystemClock())
    replay = Replay(store.load().state)
    os.write(1, b"ready\n")
    for number in range(start, sys.maxsize):
        store.append(change(number))
        os.write(1, b"%d\n" % number)
        replay.apply(change(number))
        if number % 13 == 0 or store.wants_snapshot:
            store.snapshot(replay.state())
        if number % 11 == 0:
            store.sync()


def comparable(state: SessionState) -> SessionState:
    """Give the state as a repair leaves it, without the ids that a repair makes up."""
    units = {}
    for unit, messages in state.units.items():
        mended = repair(messages)
        units[unit] = tuple(replace(m, uid=0) if m.content == INTERRUPTED else m for m in mended)
    return replace(state, units=units, next_uid=0)


def kill_once(folder: Path, state: SessionState, start: int, chance: random.Random) -> tuple[SessionState, int, str]:
    """Start a child, kill it at a random moment, and compare what it left with what it confirmed.

    Returns:
        The state found, the number to go on with, and how it went.
    """
    command = [sys.executable, __file__, "--child", str(folder), "--start", str(start)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    if chance.random() < 0.15:
        time.sleep(chance.uniform(0.0, 0.3))
    else:
        process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.06))
    process.kill()
    confirmed = process.stdout.read().split(b"\n")
    process.stdout.close()
    process.wait()
    numbers = [int(line) for line in confirmed if line.isdigit()]
    last = numbers[-1] if numbers else start - 1

    store = SessionStore(folder, SystemClock())
    loaded = store.load()
    store.close()
    listed, problems = list_sessions(folder.parent)
    if [info.id for info in listed] != [folder.name] or problems:
        raise SystemExit(f"the session is not listed after change {last}: {listed} {problems}")
    replay = Replay(state)
    for number in range(start, last + 1):
        replay.apply(change(number))
    if comparable(loaded.state) == comparable(replay.state()):
        how, reached = "confirmed", last
    else:
        replay.apply(change(last + 1))
        if comparable(loaded.state) != comparable(replay.state()):
            raise SystemExit(f"LOST: change {last} was confirmed, the session in {folder} does not hold it")
        how, reached = "in flight", last + 1
    if any(not problem.key.endswith((".repaired", ".torn")) for problem in loaded.problems):
        raise SystemExit(f"unexpected problems after change {last}: {loaded.problems}")
    return loaded.state, (reached // CYCLE + 1) * CYCLE, how


def main() -> None:
    """Run the kills and print what they did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="200 kills instead of 10")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0, help="0 takes one from the clock")
    parser.add_argument("--child", type=Path)
    parser.add_argument("--start", type=int, default=0)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.start)
        return
    seed = options.seed or time.time_ns() % 1_000_000
    chance = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="paitui-kill-")) / "sessions" / "s1"
    store = SessionStore(folder, SystemClock())
    state = store.create("/project", "offline").state
    store.close()
    start, outcomes = 8, Counter[str]()
    kills = options.kills or (200 if options.full else 10)
    for _ in range(kills):
        state, start, how = kill_once(folder, state, start, chance)
        outcomes[how] += 1
    shutil.rmtree(folder.parent.parent)
    print(f"{kills} kills (seed {seed}), {start} changes, nothing lost; the session ended with the last change")
    print(f"confirmed {outcomes['confirmed']} times, in flight {outcomes['in flight']} times")


if __name__ == "__main__":
    main()
