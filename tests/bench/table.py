"""All that makes paitui quick or slow, in one table, each figure beside a baseline of the same run.

`python tests/bench/table.py [--full] [--write]` prints the table as Markdown. `--full` takes a ledger of 1 GB and
more keys; `--write` puts the table into the README, between its marks.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
HERE = Path(__file__).parent
BEGIN, END = "<!-- benchmarks: made by python tests/bench/table.py --full --write -->\n", "<!-- end of benchmarks -->"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    ours: str
    """The figure with its unit."""
    base: str
    """The baseline of the same run, with what it is."""
    ratio: float | None = None
    """Ours over the baseline; None where the two are not alike."""

    def markdown(self) -> str:
        """The line."""
        return f"| {self.what} | {self.ours} | {self.base} | {'' if self.ratio is None else f'{self.ratio:.2f}'} |"


def run(script: str, *arguments: str) -> str:
    """Run one of the benchmarks beside this one, in a process of its own."""
    command = [sys.executable, str(HERE / script), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def starts() -> list[Row]:
    """Start of the program and of the screen."""
    from tests.bench.startup import typing_against_hello, version_against_bare

    rows = []
    for what, base_is, measure, rounds in (
        ("`paitui --version`", "bare interpreter", version_against_bare, 11),
        ("start to the first typed character", "hello-world Textual app", typing_against_hello, 7),
    ):
        base, ours = measure(rounds)
        rows.append(Row(what, f"{1000 * ours:,.0f} ms", f"{1000 * base:,.0f} ms, {base_is}", ours / base))
    return rows


def screen(full: bool) -> list[Row]:
    """The screen at 100 and 5,000 blocks."""
    found = json.loads(run("screen.py", *(("--full",) if full else ())))
    rows = []
    for key, what in (("echo_idle", "key echo, idle"), ("echo_streaming", "key echo, streaming")):
        for quantile in ("p50", "p95"):
            one = found[key][quantile]
            rows.append(
                Row(
                    f"{what}, 5,000 blocks, {quantile}",
                    f"{one['many_ms']} ms",
                    f"{one['few_ms']} ms, 100 blocks",
                    one["ratio"],
                )
            )
    resize, rss, cpu = found["resize"], found["rss"], found["idle_cpu"]
    base = f"{resize['few_ms']} ms, 100 blocks"
    rows.append(Row("resize of 5,000 blocks", f"{resize['many_ms']} ms", base, resize["ratio"]))
    rows.append(Row("resume of 5,000 blocks", f"{found['resume_ms']} ms", "", None))
    base = f"{rss['hello_mb']} MB, hello-world Textual app"
    rows.append(Row("memory of the process, 5,000 blocks", f"{rss['paitui_mb']} MB", base, None))
    base = f"{cpu['hello_ms_a_s']} ms/s, hello-world Textual app"
    rows.append(Row("processor time while idle", f"{cpu['paitui_ms_a_s']} ms/s", base, cpu["ratio"]))
    return rows


def ledger(full: bool) -> list[Row]:
    """A very large ledger."""
    found = json.loads(run("ledger.py", *(("--full",) if full else ())))
    size = f"ledger of {found['size_mb']:,} MB"
    plain_s = found["plain_read_s"]
    plain = f"{plain_s} s, reading the file once"
    return [
        Row(f"{size}: first page", f"{1000 * found['first_page_s']:,.0f} ms", plain),
        Row(f"{size}: peak memory", f"{found['peak_mb']} MB", f"{found['plain_peak_mb']} MB, reading the file once"),
        Row(f"{size}: whole index", f"{found['index_s']} s", plain, found["index_s"] / plain_s if plain_s else None),
        Row(f"{size}: jump to a boundary, p99", f"{found['jump_p99_ms']} ms", ""),
        Row(f"{size}: a new record is seen, p99", f"{found['follow_p99_ms']} ms", ""),
    ]


def memory() -> list[Row]:
    """Choosing from 10,000 memories against 100."""
    from paitui.clock import FixedClock
    from paitui.memory.changes import Put
    from paitui.memory.entry import new_entry
    from paitui.memory.opening import open_library
    from paitui.memory.store import Change
    from paitui.paths import Paths

    now = datetime(2026, 12, 1, tzinfo=UTC)

    def measured(count: int) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as name:
            paths = Paths(Path(name) / "home", Path(name))
            library = open_library(paths, FixedClock(now), "en")
            facts = [f"service {n} listens on port {n} 并且用 module_{n % 97} 读取订单" for n in range(count)]
            puts = tuple(Put(new_entry(fact, {"scope": "global"}, now)) for fact in facts)
            library.service.store.change(lambda _: Change(None, puts))
            fresh = open_library(paths, FixedClock(now), "en")
            begin = time.perf_counter()
            fresh.attach("which port does service 5 use", 200_000, ())
            first = time.perf_counter() - begin
            took = []
            for n in range(60):
                begin = time.perf_counter()
                fresh.attach(f"which port does service {n} use? 订单 module_{n}", 200_000, ())
                took.append(time.perf_counter() - begin)
        return first, statistics.quantiles(took, n=20)[-1]

    measured(100)  # the words are loaded once, whoever asks
    (base_first, base), (first, ours) = measured(100), measured(10_000)
    return [
        Row(
            "memory of 10,000 entries: first use",
            f"{1000 * first:,.0f} ms",
            f"{1000 * base_first:,.0f} ms, 100 entries",
        ),
        Row(
            "memory of 10,000 entries: choosing for a message, p95",
            f"{1000 * ours:.1f} ms",
            f"{1000 * base:.1f} ms, 100 entries",
            ours / base,
        ),
    ]


def context() -> list[Row]:
    """The check before a request at 10,000 messages against 100."""
    from paitui.context.manager import ContextManager
    from paitui.context.meter import Calibration
    from paitui.context.outputs import OutputFolder
    from paitui.messages.message import Message, ToolCall
    from paitui.settings import ContextSettings
    from paitui.trust.fence import Fence

    def measured(count: int) -> float:
        with tempfile.TemporaryDirectory() as name:
            files = OutputFolder(Fence(Path(name)), "bench")
            manager = ContextManager(ContextSettings(), 10_000_000, files, Calibration(1.0), 500)
            history = [Message("system", "s", uid=1), Message("user", "go", uid=2)]

            def grow() -> None:
                n = len(history)
                call = ToolCall(f"c{n}", "read_file", '{"path":"a.py"}')
                history.append(Message("assistant", "look", tool_calls=(call,), uid=n + 1))
                result = "x" * 800
                history.append(Message("tool", result, tool_call_id=f"c{n}", name="read_file", uid=n + 2))

            while len(history) < count:
                grow()
            manager.check(history, 0)
            took = []
            for _ in range(300):
                grow()
                begin = time.perf_counter()
                manager.check(history, 0)
                manager.report(history, 0)
                took.append(time.perf_counter() - begin)
        return statistics.quantiles(took, n=100)[-1]

    base, ours = measured(100), measured(10_000)
    what = "context check and report at 10,000 messages, p99"
    return [Row(what, f"{1000 * ours:.2f} ms", f"{1000 * base:.2f} ms, 100 messages", ours / base)]


def table(full: bool) -> str:
    """Measure everything."""
    parts: list[Callable[[], list[Row]]] = [
        starts,
        lambda: screen(full),
        lambda: ledger(full),
        memory,
        context,
    ]
    rows = [row for part in parts for row in part()]
    title = "| what | paitui | baseline of the same run | ratio |\n| --- | ---: | ---: | ---: |\n"
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    lines = "\n".join(row.markdown() for row in rows)
    return f"{title}{lines}\n\n{machine}; medians where no quantile is named.\n"


def main() -> None:
    """Print the table, or put it into the README."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a ledger of 1 GB, more keys")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    asked = parser.parse_args()
    made = table(asked.full)
    print(made)
    if asked.write:
        readme = ROOT / "README.md"
        before, _, rest = readme.read_text("utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        readme.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
