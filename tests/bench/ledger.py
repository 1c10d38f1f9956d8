"""How a very large ledger is looked through: first page, index, jumps, search, following.

`python tests/bench/ledger.py [--full] [--short-lines] [--folder DIR]` writes a ledger of 30 MB, or of 1 GB, measures
in fresh processes and prints one JSON object. `--short-lines` makes it of the shortest records there are.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.ledger.index import EVERYTHING, LedgerFilter
from paitui.ledger.records import Record, to_line
from paitui.ledger.view import LedgerView

MEGA = 1 << 20
JUMPS = 400
PAGE = 50
RARE = "needle 针尖"
"""Stands in one record, in the middle."""
SENTENCE = "金额 一律 用分 项目 使用 Java 读取 测试 通过 error warning def return import class value index 数据库"
WORDS = SENTENCE.split()


def text(chance: random.Random, chars: int) -> str:
    """Make up a text of English, Chinese and line ends."""
    words = chance.choices(WORDS, k=max(1, chars // 5))
    return "".join(word + ("\n" if at % 12 == 11 else " ") for at, word in enumerate(words))


def records(chance: random.Random, size: int, short: bool) -> Iterator[bytes]:
    """Make up records of about so many bytes in all."""
    stock = [text(chance, chars) for chars in ((20, 40) if short else (40, 200, 500, 900, 2_500, 8_000, 28_000))]
    seq, uid, written, turn = 0, 0, 0, 0
    recent: list[int] = []
    huge = [] if short else [size // 8, size // 3, size // 2, size - size // 20]

    def record(event: str, payload: dict[str, Any], unit: str = "react") -> bytes:
        nonlocal seq, written
        seq += 1
        stamp = f"2026-12-{seq // 86_400 % 28 + 1:02}T{seq // 3_600 % 24:02}:{seq // 60 % 60:02}:{seq % 60:02}.000Z"
        line = to_line(Record(seq, stamp, "20261201-041502-3fa9", unit, event, payload)) + b"\n"
        written += len(line)
        return line

    def message(role: str, content: str | None, **more: Any) -> bytes:
        nonlocal uid
        uid += 1
        recent.append(uid)
        noted = {"uid": uid, "origin": "typed" if role == "user" else "", "stored": ""}
        return record(
            "message",
            {"role": role, "content": content, **more, **noted},
            f"task-{turn % 40}" if turn % 9 == 0 else "react",
        )

    planted = False
    while written < size:
        turn += 1
        yield record("turn", {"turn": turn, "state": "started"})
        yield message("user", chance.choice(stock[:3]))
        if not planted and written > size // 2:
            planted = True
            yield message("user", f"here is the {RARE} \n of it")
        for step in range(chance.randint(1, 8)):
            name = chance.choice(["read_file", "grep_code", "execute_command", "write_file", "list_dir"])
            call = {
                "id": f"c{uid}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps({"path": f"src/模块{step}.py"})},
            }
            yield message("assistant", None, tool_calls=[call])
            if name == "write_file":
                yield record(
                    "approval",
                    {"tool": name, "call": call["id"], "subject": "x", "decision": "once", "allowed": True},
                )
            yield message("tool", chance.choice(stock), tool_call_id=call["id"], name=name)
        yield message("assistant", chance.choice(stock[:4]))
        yield record("turn", {"turn": turn, "state": "done", "reason": ""})
        if turn % 7 == 0:
            ids, kind = recent[-30:], chance.choice(["clear", "clear", "offload", "summary"])
            texts = (
                [chance.choice(stock)[:3_000]] if kind == "summary" else [f"cleared, see file {one}" for one in ids]
            )
            yield record(
                "boundary",
                {
                    "kind": kind,
                    "why": "over the threshold",
                    "before": 90_000,
                    "after": 40_000,
                    "ids": ids,
                    "texts": texts,
                },
            )
            del recent[:-10]
        if huge and written > huge[0]:
            huge.pop(0)
            yield message(
                "tool", stock[-1] * max(1, size // 12 // len(stock[-1].encode())), tool_call_id="c", name="read_file"
            )


def peak_mb() -> float:
    """The most memory this process had, in megabytes."""
    status = Path("/proc/self/status").read_text()  # what getrusage reports is inherited from who started it
    return round(int(status.partition("VmHWM:")[2].split()[0]) / 1_024, 1)


def now_mb() -> float:
    """The memory this process has, in megabytes."""
    return round(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / MEGA, 1)


def open_first(path: Path) -> dict[str, Any]:
    """Open the newest page."""
    begin = time.perf_counter()
    rows = LedgerView(path).tail(PAGE)
    return {
        "first_page_s": round(time.perf_counter() - begin, 4),
        "first_page_rows": len(rows),
        "first_page_peak_mb": peak_mb(),
    }


def look_through(path: Path) -> dict[str, Any]:
    """Index, jump, search and follow."""
    chance = random.Random(7)
    view = LedgerView(path)
    steps = []
    begin = time.perf_counter()
    view.poll()
    while True:
        step = time.perf_counter()
        progress = view.build_index()
        steps.append(time.perf_counter() - step)
        if progress.complete:
            break
    indexed = time.perf_counter() - begin
    found: dict[str, Any] = {
        "lines": view.lines,
        "index_s": round(indexed, 2),
        "index_step_max_ms": round(max(steps) * 1_000, 1),
    }
    found |= {"index_peak_mb": peak_mb(), "index_rss_mb": now_mb()}
    jumps, details = [], []
    boundaries = view.count(LedgerFilter(event="boundary"))
    for _ in range(min(JUMPS, boundaries)):
        at = chance.randrange(view.lines)
        begin = time.perf_counter()
        line = view.next_boundary(at) or view.previous_boundary(at)
        assert line is not None
        rows = view.rows(EVERYTHING, max(0, line - PAGE // 2), PAGE)
        jumps.append((time.perf_counter() - begin) * 1_000)
        assert any(row.line == line and row.event == "boundary" for row in rows)
        begin = time.perf_counter()
        detail = view.boundary(line)
        details.append((time.perf_counter() - begin) * 1_000)
        assert detail is not None and not detail.unknown
    found["boundaries"] = boundaries
    for name, times in (("jump", jumps), ("detail", details)):
        found |= {
            f"{name}_p50_ms": round(statistics.median(times), 2),
            f"{name}_p99_ms": round(sorted(times)[int(len(times) * 0.99)], 2),
            f"{name}_max_ms": round(max(times), 2),
        }
    which, pages = LedgerFilter(role="tool", tool="grep_code"), []
    matching = view.count(which)
    for _ in range(100):
        begin = time.perf_counter()
        view.rows(which, chance.randrange(max(1, matching)), PAGE)
        pages.append((time.perf_counter() - begin) * 1_000)
    found |= {"filtered": matching, "filtered_page_p99_ms": round(sorted(pages)[98], 2)}
    size = path.stat().st_size
    for name, sought in (("rare", RARE.upper()), ("absent", "no such thing 没有")):
        begin = time.perf_counter()
        hits = [step.row for step in view.search(sought) if step.row]
        found[f"search_{name}_mb_s"] = round(size / MEGA / (time.perf_counter() - begin))
        assert len(hits) == (name == "rare"), hits
    waits = []
    for number in range(50):
        line = (
            to_line(Record(view.lines + 1, "2026-12-31T00:00:00.000Z", "s", "react", "turn", {"turn": number}))
            + b"\n"
        )
        with path.open("ab") as file:
            file.write(line)
        begin = time.perf_counter()
        assert view.poll() == "grown" and view.build_index().complete
        assert view.rows(EVERYTHING, -1, 1)[0].words == str(number)
        waits.append((time.perf_counter() - begin) * 1_000)
    return {**found, "follow_p99_ms": round(sorted(waits)[48], 2), "peak_mb": peak_mb()}


def read_plainly(path: Path) -> dict[str, Any]:
    """Read the file from end to end, to compare with."""
    begin = time.perf_counter()
    with path.open("rb") as file:
        while file.read(MEGA):
            pass
    return {"plain_read_s": round(time.perf_counter() - begin, 2), "plain_peak_mb": peak_mb()}


PARTS = {"plain": read_plainly, "first": open_first, "through": look_through}


def main() -> None:
    """Write the ledger, measure each part in a process of its own, print, remove the ledger."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="1 GB instead of 30 MB")
    parser.add_argument("--short-lines", action="store_true", help="only very short records")
    parser.add_argument("--folder", type=Path, help="where there is room")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--path", type=Path)
    asked = parser.parse_args()
    if asked.part:
        print(json.dumps(PARTS[asked.part](asked.path)))
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / "big.jsonl"
        with path.open("wb") as file:
            lines = records(random.Random(1), 1_000_000_000 if asked.full else 30_000_000, asked.short_lines)
            while some := b"".join(islice(lines, 2_000)):
                file.write(some)
        found: dict[str, Any] = {"size_mb": round(path.stat().st_size / MEGA)}
        for part in PARTS:
            command = [sys.executable, __file__, "--part", part, "--path", str(path)]
            found |= json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
