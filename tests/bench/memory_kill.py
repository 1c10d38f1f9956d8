"""Kill writers of the memory at random moments: what they confirmed is there, and the file is always whole.

Run it as ``python tests/bench/memory_kill.py [--full] [--seed N]``: 24 kills over 4 writers, or 500. Prints JSON; the
exit code is 0 if no confirmed change is lost and no temporary file is left after the next start.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from memory_race import add, file_in

from paitui.clock import SystemClock
from paitui.jsontext import decode
from paitui.memory.changes import Drop, Put
from paitui.memory.files import temporary_of
from paitui.memory.store import Change, MemoryStore

KEPT = 40
"""Memories that a writer keeps at most; then it deletes its oldest, so that the file does not grow for ever."""


def writer(folder: Path, name: str) -> None:
    """Add, reword and delete own memories until killed; say what will be done, and then that it is."""
    store = MemoryStore(file_in(folder), SystemClock())
    own: list[str] = []
    number = 0
    while True:
        number += 1
        print(f"? {name}.{number}", flush=True)
        entry = add(store, f"{name}.{number}")
        own.append(entry.id)
        print(f"+ {entry.id} {name}.{number}", flush=True)
        if number % 3 == 0:
            changed = entry.reworded(f"{name}.{number}.again")
            print(f"~ {entry.id}", flush=True)
            store.change(lambda _, new=changed: Change(None, (Put(new, "replace"),)))  # type: ignore[misc]
            print(f"+ {entry.id} {changed.content}", flush=True)
        if len(own) > KEPT:
            gone = own.pop(0)
            print(f"~ {gone}", flush=True)
            store.change(lambda _, old=gone: Change(None, (Drop(old),)))  # type: ignore[misc]
            print(f"- {gone}", flush=True)


@dataclass
class Confirmed:
    """What writers said of the memories."""

    there: dict[str, str] = field(default_factory=dict)
    """Content by id."""
    gone: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    """Ids of which the last word was that they will be changed."""

    def take(self, printed: str) -> None:
        """Read what a writer printed before it was killed; a torn last line says nothing."""
        for line in printed.split("\n")[:-1]:
            sign, name, *content = line.split(" ")
            if sign == "~":
                self.doubtful.add(name)
            elif sign == "+":
                self.there[name] = content[0]
                self.doubtful.discard(name)
            elif sign == "-":
                self.there.pop(name)
                self.gone.add(name)
                self.doubtful.discard(name)


def run(kills: int, seed: int) -> dict[str, object]:
    """Kill writers one by one, each time at another moment, and start another in their place."""
    chance = random.Random(seed)
    confirmed = Confirmed()
    unreadable = leftovers = checked = 0
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        begin = 0

        def begin_one() -> tuple[subprocess.Popen[bytes], Path]:
            nonlocal begin
            begin += 1
            output = folder / f"output-{begin}"
            with output.open("wb") as file:
                return subprocess.Popen([sys.executable, __file__, "write", where, f"w{begin}"], stdout=file), output

        writers = [begin_one() for _ in range(4)]
        for _ in range(kills):
            while not all(output.stat().st_size > 200 for _, output in writers):
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.02))  # the moment of the kill
            child, output = writers.pop(chance.randrange(4))
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            confirmed.take(output.read_text())
            checked += 1
            try:
                found = {entry["id"] for entry in decode(file_in(folder).read_bytes())}
            except (ValueError, KeyError):
                unreadable += 1
                found = set()
            if not set(confirmed.there) - confirmed.doubtful <= found:
                break
            writers.append(begin_one())
        for child, output in writers:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            confirmed.take(output.read_text())
        store = MemoryStore(file_in(folder), SystemClock())
        before = sum(temporary_of(store.path, name) for name in os.listdir(folder))
        store.tidy()
        leftovers = sum(temporary_of(store.path, name) for name in os.listdir(folder))
        entries = {entry.id: entry.content for entry in store.read()}
    sure = {name: content for name, content in confirmed.there.items() if name not in confirmed.doubtful}
    return {
        "kills": checked,
        "confirmed": len(confirmed.there) + len(confirmed.gone),
        "lost": sum(entries.get(name) != content for name, content in sure.items()),
        "came_back": len(confirmed.gone & set(entries)),
        "unreadable": unreadable,
        "temporary_before_start": before,
        "temporary_after_start": leftovers,
        "problems": len(store.problems),
    }


def good(result: dict[str, object]) -> bool:
    """Whether nothing went wrong."""
    return not any(result[key] for key in ("lost", "came_back", "unreadable", "temporary_after_start", "problems"))


def main() -> int:
    """Kill, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = run(500 if given.full else 24, given.seed)
    print(json.dumps(result, indent=2))
    return 0 if good(result) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        writer(Path(sys.argv[2]), sys.argv[3])
    else:
        sys.exit(main())
