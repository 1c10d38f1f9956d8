"""Damage memory files in many ways, and see what is salvaged.

Run it as ``python tests/bench/memory_damage.py [--full] [--seed N]``: 120 files, or 2,000; half cut off, half with
one to three bits flipped. Prints JSON; the exit code is 0 if every broken file was copied byte for byte, every entry
that the damage did not touch was kept, and a process that knew the entries lost none.
"""

import argparse
import json
import random
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_race import add, file_in

from paitui.clock import FixedClock
from paitui.memory.document import build
from paitui.memory.document import read as read_document
from paitui.memory.entry import new_entry, render
from paitui.memory.spans import elements
from paitui.memory.store import MemoryStore

NOW = datetime(2026, 10, 2, 9, 14, 3, tzinfo=UTC)
TEXTS = (
    "本项目使用 Java 17，构建用 Maven。",
    'We write "tabs", never {spaces}; see [style] \\ "guide".',
    "部署脚本在 ops/deploy.sh，先跑 `make check`。\n第二行",
    "The default branch is `main` 🚀, not {master}",
    'A JSON sample: {"id": "fact-00000000", "content": "not an entry", "type": "FACT"}',
)


def sample(chance: random.Random, entries: int) -> bytes:
    """A file as paitui writes it, or on one line, or as Jackson's printer does."""
    made = []
    for number in range(entries):
        notes = {"scope": "project", "project": "/home/me/项目", "source": "typed", "turn": str(number)}
        content = f"{chance.choice(TEXTS)} {number}"
        made.append(render(new_entry(content, notes, NOW, lambda n: chance.randbytes(n))))
    match chance.randrange(3):
        case 0:
            return build(made).data()
        case 1:
            return json.dumps([json.loads(raw) for raw in made], ensure_ascii=False, separators=(",", ":")).encode()
        case _:
            return b"[ " + b", ".join(raw.replace(b'": ', b'" : ').replace(b"\n  ", b"\n") for raw in made) + b" ]"


def damaged(data: bytes, chance: random.Random) -> tuple[bytes, list[int]]:
    """Cut a file off, or flip bits; give the bytes and the offsets of the damage."""
    if chance.random() < 0.5:
        end = chance.randrange(1, len(data))
        return data[:end], [end]
    broken, places = bytearray(data), sorted(chance.sample(range(len(data)), chance.randrange(1, 4)))
    for place in places:
        broken[place] ^= 1 << chance.randrange(8)
    return bytes(broken), places


@dataclass
class Tally:
    """What came of all files."""

    files: int = 0
    broken: int = 0
    untouched: int = 0
    lost: int = 0
    not_copied: int = 0
    forgotten: int = 0
    rescued_in_part: int = 0
    failed_after: int = 0


def check(folder: Path, data: bytes, chance: random.Random, tally: Tally) -> None:
    """Damage one file under a process that knows it and one that does not."""
    path = file_in(folder)
    path.write_bytes(data)
    document = read_document(data)
    clock = FixedClock(NOW)
    knowing = MemoryStore(path, clock)
    known = {entry.id for entry in knowing.read()}
    broken, places = damaged(data, chance)
    cut = len(broken) < len(data)
    spans = list(elements(data))
    whole = {
        entry.id: entry.raw
        for (start, end), entry in zip(spans, document.entries, strict=True)
        if (end <= places[0] if cut else not any(start <= place < end for place in places))
    }
    path.write_bytes(broken)
    fresh = MemoryStore(path, clock)
    found = {entry.raw for entry in fresh.read()}
    tally.files += 1
    tally.untouched += len(whole)
    tally.lost += sum(raw not in found for raw in whole.values())
    copies = list(folder.glob("*.corrupt-*"))
    if fresh.problems:
        tally.broken += 1
        tally.not_copied += [copy.read_bytes() for copy in copies] != [broken]
        tally.rescued_in_part += sum(entry.metadata.get("salvaged") == "part" for entry in fresh.read())
        after = {entry.id for entry in knowing.read()}
        tally.forgotten += len(known - after)
        entry = add(knowing, "the next change")
        rebuilt = {entry.id for entry in MemoryStore(path, clock).read()}
        tally.failed_after += rebuilt != after | {entry.id}
        read_document(path.read_bytes())  # valid again
    for copy in copies:
        copy.unlink()


def run(files: int, seed: int) -> Tally:
    """Damage that many files."""
    chance, tally = random.Random(seed), Tally()
    with tempfile.TemporaryDirectory() as name:
        for _ in range(files):
            check(Path(name), sample(chance, chance.randrange(1, 12)), chance, tally)
    return tally


def good(tally: Tally) -> bool:
    """Whether nothing was lost."""
    return not (tally.lost or tally.not_copied or tally.forgotten or tally.failed_after)


def main() -> int:
    """Damage, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally = run(2_000 if given.full else 120, given.seed)
    print(json.dumps(vars(tally), indent=2))
    return 0 if good(tally) else 1


if __name__ == "__main__":
    sys.exit(main())
