"""Many processes and threads write to one memory: nothing is lost, nobody starves.

Run it as ``python tests/bench/memory_race.py [--full]``: 4 processes with 2 threads and 50 adds each, or 8 with 4 and
250; then writers that hold the lock for 2 ms each, as often as they get it. Prints JSON; the exit code is 0 if every
memory is there once, no wait took 500 ms, and nobody got less than half the turns of the busiest.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from paitui.clock import SystemClock
from paitui.memory.changes import Put
from paitui.memory.entry import Entry, new_entry
from paitui.memory.lock import Kind, MemoryLock
from paitui.memory.store import Change, MemoryStore

HOLD = 0.002
"""Seconds for which a writer of the second part holds the lock."""
PATIENCE = 120.0
"""Seconds that a writer waits for its turn before it gives up; far more than any should need."""


def file_in(folder: Path) -> Path:
    return folder / "long_term_memory.json"


def add(store: MemoryStore, content: str) -> Entry:
    """Add one memory, and give it as it stands in the file."""
    entry = new_entry(content, {"scope": "global"}, SystemClock().now())
    outcome = store.change(lambda _: Change(None, (Put(entry),)))
    after = outcome.records[0].after
    assert after is not None
    return after


def adder(folder: Path, name: str, threads: int, adds: int) -> None:
    """One process: all its threads share a store, as units of a session do."""
    lock = MemoryLock(file_in(folder).with_name("long_term_memory.json.lock"), PATIENCE)
    store = MemoryStore(file_in(folder), SystemClock(), lock=lock)

    def run(thread: int) -> None:
        for number in range(adds):
            add(store, f"{name}/{thread}/{number}")

    workers = [threading.Thread(target=run, args=(thread,)) for thread in range(threads)]
    sys.stdin.readline()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def holder(folder: Path, seconds: float, kind: Kind | None) -> None:
    """One process that takes the lock again and again; prints its turns and its longest wait in seconds."""
    lock = MemoryLock(folder / "lock", PATIENCE, kind)
    sys.stdin.readline()
    turns, longest, end = 0, 0.0, time.monotonic() + seconds
    while (asked := time.monotonic()) < end:
        with lock:
            longest = max(longest, time.monotonic() - asked)
            turns += 1
            time.sleep(HOLD)  # the work that is done under the lock
    print(json.dumps([turns, longest]))


def start(arguments: Iterable[object]) -> subprocess.Popen[str]:
    """Start this file as a child; it begins when it is sent a line."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(children: list[subprocess.Popen[str]]) -> list[str]:
    """Let the children begin together; give what they printed."""
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    printed = [child.communicate()[0] for child in children]
    assert all(child.returncode == 0 for child in children)
    return printed


def adding(folder: Path, processes: int, threads: int, adds: int) -> dict[str, object]:
    """Let many add at once, and count what is there."""
    begun = time.monotonic()
    go([start(("add", folder, name, threads, adds)) for name in range(processes)])
    wanted = {f"{p}/{t}/{n}" for p in range(processes) for t in range(threads) for n in range(adds)}
    entries = MemoryStore(file_in(folder), SystemClock()).read()
    contents = [entry.content for entry in entries]
    return {
        "wanted": len(wanted),
        "lost": len(wanted - set(contents)),
        "twice": len(contents) - len(set(contents)),
        "ids_twice": len(entries) - len({entry.id for entry in entries}),
        "seconds": round(time.monotonic() - begun, 1),
    }


def holding(folder: Path, processes: int, seconds: float, kind: Kind | None = None) -> dict[str, object]:
    """Let many take the lock as often as they can, and compare their turns."""
    printed = go([start(("hold", folder, seconds, kind or "")) for _ in range(processes)])
    results = [json.loads(line) for line in printed]
    turns = sorted(result[0] for result in results)
    return {"turns": turns, "longest_wait_ms": round(1000 * max(result[1] for result in results), 1)}


def main() -> int:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    with tempfile.TemporaryDirectory() as name:
        added = adding(Path(name), *((8, 4, 250) if full else (4, 2, 50)))
        held = holding(Path(name), 8, 10 if full else 2)
    print(json.dumps({"adding": added, "holding": held}, indent=2))
    turns = held["turns"]
    assert isinstance(turns, list)
    fair = 2 * turns[0] >= turns[-1] and float(str(held["longest_wait_ms"])) < 500
    return 0 if fair and not added["lost"] and not added["twice"] else 1


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["add", where, name, threads, adds]:
            adder(Path(where), name, int(threads), int(adds))
        case ["hold", where, seconds, kind]:
            holder(Path(where), float(seconds), kind or None)  # type: ignore[arg-type]
        case _:
            sys.exit(main())
