"""Paths that try to lead out of a project, against every file tool; links swapped while tools work; special files.

``python tests/bench/fence.py`` prints one JSON object: attacks, what was read or written outside (must be nothing),
a race of 5 seconds in each way of opening, and milliseconds for the slowest of the special files. ``--full``:
`grep_code` meets every attack too, and the races take 60 seconds (``--seconds`` says otherwise).
"""

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
import threading
import time
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.context.outputs import OutputFolder
from paitui.locale import Words
from paitui.settings import CommandSettings
from paitui.tools.base import Spool, ToolContext, ToolError
from paitui.tools.files import EditFile, ListDir, WriteFile
from paitui.tools.read import ReadFile
from paitui.tools.search import GlobFiles, GrepCode
from paitui.trust import fence as fence_module
from paitui.trust.fence import Fence

CANARY = "canary-that-lies-outside"
"""Stands in every file outside, and in the names of some."""
OWN = "[ui]\nlanguage = 'en'\n"
"""What paitui's own settings hold; no tool may change it."""


@dataclass(slots=True)
class Found:
    """What went wrong."""

    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    calls: int = 0
    refused: int = 0


class Place:
    """A project among folders that nothing may touch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.outside = folder / "outside"
        self.home = folder / "home"
        for path in (self.project / "src" / "deep", self.outside / "sub", self.home, folder / "project-two"):
            path.mkdir(parents=True)
        (self.project / ".paitui").mkdir()
        (self.project / ".paitui" / "settings.toml").write_text(OWN)
        (self.home / "settings.toml").write_text(f"{OWN}# {CANARY}")
        for path in (
            self.outside / "key",
            self.outside / f"{CANARY}.txt",
            self.outside / "sub" / "key",
            folder / "project-two" / "key",
            folder / "key",
        ):
            path.write_text(f"{CANARY}\n")
        for name in ("a.txt", "src/a.txt", "src/deep/a.txt"):
            (self.project / name).write_text("inside\n")
        self.open_outside = os.open(self.outside / "key", os.O_RDONLY)
        self._make_links()
        self.before = self.state()

    def _make_links(self) -> None:
        away = {
            "file": "../outside/key",
            "folder": "../outside",
            "up": "..",
            "up2": "src/../..",
            "absolute": str(self.outside / "key"),
            "absolute-folder": str(self.outside),
            "absolute-inside": str(self.project / "a.txt"),
            "root": "/",
            "proc": "/proc/self/root",
            "cwd": "/proc/self/cwd",
            "descriptor": f"/proc/self/fd/{self.open_outside}",
            "device": f"/dev/fd/{self.open_outside}",
            "chain": "file",
            "chain2": "src/chain",
            "dangling": "../outside/new",
            "dangling-folder": "../outside/new/folder",
            "dangling-absolute": str(self.outside / "new"),
            "loop": "loop",
            "loop2": "loop3",
            "loop3": "loop2",
            "home": "../home",
            "own": ".paitui",
            "own-file": ".paitui/settings.toml",
            "key\n": "../outside/key",
            ". ": "..",
            "...": "..",
            "src/chain": "../../outside/key",
            "src/deep/up": "../../..",
            "src/deep/file": "../../../outside/key",
            "src/through": "deep/up/outside/key",
        }
        for name, target in away.items():
            (self.project / name).symlink_to(target)
        target = "../outside/key"
        for number in range(50):
            (self.project / f"long{number}").symlink_to(target)
            target = f"long{number}"

    def state(self) -> dict[str, bytes | None]:
        """Everything outside, and paitui's own settings."""
        found: dict[str, bytes | None] = {}
        for top in (self.outside, self.home, self.folder / "project-two"):
            for path in top.rglob("*"):
                found[str(path)] = path.read_bytes() if path.is_file() else None
        found |= {name: None for name in os.listdir(self.folder)}
        found["key"] = (self.folder / "key").read_bytes()
        own = self.project / ".paitui" / "settings.toml"
        found["own"] = own.read_bytes()
        return found

    def context(self) -> ToolContext:
        """What tools are given."""

        def open_spool(tool: str) -> Spool:
            raise OSError

        return ToolContext(self.project, self.home, Words("en"), 32_000, CommandSettings(), open_spool)

    def attacks(self) -> list[str]:
        """Paths, each of them once."""
        here, out = str(self.project), str(self.outside)
        ends = ("outside/key", "outside", "outside/new", "outside/sub/key", "home/settings.toml", "project-two/key")
        ups = (
            "../", "./../", ".//../", "src/../../", "src/./../../", "src//..//..//", "src/deep/../../../",
            "missing/../../", "a.txt/../../", "up/", "up2/", "./up/", "src/../up/", "src/deep/up/",
            "src/deep/../../up/",
            "loop/../../", ". /", ".../", "up/project/../", "up/project/up/", "root/proc/self/cwd/../",
            f"{here}/../", f"{here}/src/../../", f"{here}/up/", f"{here}//..//", f"/proc/self/root{self.folder}/",
            f"//{self.folder}/", f"/.{self.folder}/", f"{self.folder}/./", f"{here}-two/../", "cwd/../",
            f"/proc/{os.getpid()}/root{self.folder}/", f"/proc/{os.getpid()}/cwd/../", f"root{self.folder}/",
            f"proc{self.folder}/", f"file://{self.folder}/", f"file:{self.folder}/", "..\\", "..%2f", "%2e%2e/",
            "\uff0e\uff0e/", "\u2025/", "..\u2215", "..;/", "..\t/", ".. /", " ../", "\\..\\", "\\\\localhost\\",
            "~/../",
            f"~{self.folder}/", "~root/../", "$HOME/../", "${PWD}/../", "-/../", "--/../", "@/../",
        )  # fmt: skip
        found = [up + end for up in ups for end in ends[:3]] + ["../" + end for end in ends]
        tails = (
            "/",
            "/.",
            "//",
            "/..",
            "/../key",
            ".",
            " ",
            "\n",
            "\r",
            "\0",
            "\0.txt",
            "\t",
            "/\n",
            "/./.",
            ":x",
            "::$DATA",
        )
        found += [
            f"{link}{tail}" for link in ("file", "folder", "../outside/key", "up/outside/key") for tail in tails
        ]
        links = (
            "file", "folder/key", "folder/sub/key", "folder/sub/../key", "up/outside/key", "up2/outside/key",
            "absolute",
            "absolute-folder/key", "absolute-inside", f"root{out}/key", f"proc{out}/key", "cwd/../outside/key",
            "descriptor", "device", "chain", "chain2", "dangling", "dangling-folder/x", "dangling-absolute", "loop",
            "loop/x", "loop2", "loop3/../file", "home/settings.toml", "home/new.toml", "own/settings.toml",
            "own-file",
            "own/mcp.json", "key\n", ". /outside/key", ".../outside/key", "src/chain", "src/deep/up/outside/key",
            "src/deep/file", "src/through", "src/../file", "long0", "long30", "long49", "dangling/", "dangling/x/y",
            "folder", "up", "up2", "absolute-folder", "root", "proc", "cwd", "home", "own", "folder/", "up/",
            "src/deep/up",
        )  # fmt: skip
        found += links
        found += [f"{here}/{link}" for link in links]
        found += [
            ".paitui/settings.toml", ".paitui/mcp.json", ".PAITUI/settings.toml", ".Paitui/Settings.TOML",
            ".paitui/./settings.toml", ".paitui//settings.toml", ".paitui/x/../settings.toml",
            ".paitui/settings.toml/",
            ".paitui/settings.toml/.", ".paitui/settings.toml.", ".paitui/settings.toml ", ".paitui /settings.toml",
            ".paitui./settings.toml", "./.paitui/settings.toml", f"{here}/.paitui/settings.toml",
            "src/../.paitui/mcp.json",
            ".paitu\u0131/settings.toml", ".pa\u0130tui/settings.toml", ".paitui\u200d/settings.toml",
            unicodedata.normalize("NFD", ".pa\u00eftui/settings.toml"), ".paitui\0/settings.toml",
            f"{self.home}/settings.toml", f"{self.home}/new.toml", f"{self.home}", "../home/settings.toml",
        ]  # fmt: skip
        found += [
            "/etc/passwd", "/etc/shadow", "/proc/self/environ", "/proc/self/mem", "/proc/1/environ", "/proc/kcore",
            "/dev/zero", "/dev/mem", "/dev/stdin", "/dev/fd/0", f"/dev/fd/{self.open_outside}", "/dev/tty",
            f"/proc/self/fd/{self.open_outside}", f"/proc/thread-self/fd/{self.open_outside}", "/sys/kernel/notes",
            "/", "//", "/.", "/..", "..", "../", "../..", "../.", "", ".", "~", "~/", "~/.ssh/id_rsa", "~root", "\0",
            "\n",
            "\ud800", "a" * 300, "a/" * 3_000, "../" * 1_500 + "etc/passwd", "src/../" * 600 + "../outside/key",
            "/" * 4_000 + "etc/passwd", "con", "nul", "C:\\Windows", "\\\\?\\C:\\x", "\\\\server\\share\\x",
            "http://localhost/x", "data:text/plain,x", "file:///etc/passwd", "|cat /etc/passwd", "$(cat /etc/passwd)",
            "`id`", "-rf", "--help", "*", "**", "../*", "{../outside/key,x}", "[.][.]/outside/key", "?./outside/key",
        ]  # fmt: skip
        return list(dict.fromkeys(found))


def arguments_of(path: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every tool with a path, but for `grep_code`."""
    yield ReadFile(), {"path": path}
    yield ReadFile(), {"path": path, "offset": 1, "limit": 5}
    yield ListDir(), {"path": path}
    yield GlobFiles(), {"path": path, "pattern": "**"}
    yield GlobFiles(), {"pattern": path}
    yield EditFile(), {"path": path, "old": CANARY, "new": "changed"}
    yield EditFile(), {"path": path, "old": "language", "new": "changed"}
    yield WriteFile(), {"path": path, "content": "written\n"}
    yield WriteFile(), {"path": f"{path}/new.txt", "content": "written\n"}


async def call(tool: Any, arguments: Mapping[str, Any], context: ToolContext, found: Found) -> None:
    """Call a tool as the engine does: what it would do is shown first, then it is done."""
    found.calls += 1
    told: list[str] = []
    try:
        effect = tool.effect(arguments, context)
        if effect is not None:
            told.append(effect.detail)
        outcome = await tool.run(arguments, context)
        told += [outcome.text, outcome.diff]
    except ToolError as error:
        found.refused += 1
        told.append(context.words.say(error.phrase))
    # A refusal repeats the path; only what a file holds, or a folder lists, is a read.
    text = "\n".join(told)
    for given in arguments.values():
        text = text.replace(str(given), "")
    if CANARY in text:
        found.reads.append(f"{tool.spec.name} {arguments}"[:200])


def clean(place: Place) -> None:
    """Take away what a write may have made inside, so that every attack meets the same project."""
    for name in ("a.txt", "src/a.txt", "src/deep/a.txt"):
        (place.project / name).write_text("inside\n")


async def attack(place: Place, paths: list[str], grep_every: int) -> Found:
    """Let every tool meet every path, and look at the world after each path."""
    found, context = Found(), place.context()
    for number, path in enumerate(paths):
        for tool, arguments in arguments_of(path):
            await call(tool, arguments, context, found)
        if number % grep_every == 0:
            await call(GrepCode(), {"pattern": CANARY, "path": path}, context, found)
            await call(GrepCode(), {"pattern": CANARY, "glob": path}, context, found)
        if place.state() != place.before:
            found.writes.append(repr(path)[:200])
            place.before = place.state()
        clean(place)
    return found


def attack_outputs(place: Place) -> Found:
    """Where whole results go, behind links that a project may have planted."""
    found = Found()
    own = place.project / ".paitui"
    kept = own / "settings.toml"
    for name, target in (
        ("tool-outputs", "../../outside"),
        ("tool-outputs", str(place.outside)),
        ("s1", "../../../outside"),
    ):
        (own / "tool-outputs").mkdir(exist_ok=True) if name == "s1" else None
        link = own / "tool-outputs" / "s1" if name == "s1" else own / "tool-outputs"
        link.symlink_to(target)
        found.calls += 1
        try:
            OutputFolder(Fence(place.project), "s1").save("x", "written")
        except OSError:
            found.refused += 1
        link.unlink()
    if place.state() != place.before or not kept.exists():
        found.writes.append("outputs")
    return found


class Swapper(threading.Thread):
    """Swaps a file, a folder and a folder above for links that lead out, and back, as fast as it can."""

    def __init__(self, place: Place) -> None:
        super().__init__(daemon=True)
        self.race = place.project / "race"
        (self.race / "top" / "folder").mkdir(parents=True)
        (self.race / "top" / "folder" / "key").write_text("inside\n")
        self.swaps = 0
        self.stop = threading.Event()
        self._pairs = (("file", "../../outside/key"), ("folder", "../../outside"), ("parent", "../.."))

    def run(self) -> None:
        """Swap until told to stop."""
        race = self.race
        while not self.stop.is_set():
            for name, out in self._pairs:
                inside = "top/folder/key" if name == "file" else "top/folder" if name == "folder" else "top"
                for target in (out, inside):
                    with suppress(FileNotFoundError):
                        (race / "new").unlink()
                    os.symlink(target, race / "new")
                    os.rename(race / "new", race / name)
                    self.swaps += 1
            # The same with a real folder in place of a link.
            with suppress(OSError):
                os.rename(race / "top" / "folder", race / "top" / "away")
                os.symlink("../../../outside", race / "top" / "folder")
                os.unlink(race / "top" / "folder")
                os.rename(race / "top" / "away", race / "top" / "folder")
                self.swaps += 2


async def race(place: Place, seconds: float) -> tuple[Found, int]:
    """Let tools work on paths that are swapped meanwhile."""
    found, context, swapper = Found(), place.context(), Swapper(place)
    paths = ("race/file", "race/folder/key", "race/parent/folder/key", "race/top/folder/key", "race/folder/new.txt")
    swapper.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            for path in paths:
                for tool, arguments in arguments_of(path):
                    with suppress(OSError):
                        await call(tool, arguments, context, found)
            if found.calls % 900 < 45:
                await call(GrepCode(), {"pattern": CANARY, "path": "race"}, context, found)
    finally:
        swapper.stop.set()
        swapper.join()
    if place.state() != place.before:
        found.writes.append("race")
    return found, swapper.swaps


def make_specials(project: Path) -> dict[str, str]:
    """Files that are none, or that have no end; gives their paths by what they are."""
    folder = project / "special"
    folder.mkdir()
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(folder, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{here}/socket")
        finally:
            os.close(here)
    with open(folder / "sparse", "wb") as file:
        file.truncate(50 * 1024**3)
    (folder / "loop").symlink_to("loop")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "environ").symlink_to("/proc/self/environ")
    found = {
        "FIFO": "special/fifo",
        "link to a FIFO": "special/to-fifo",
        "socket": "special/socket",
        "50 GB": "special/sparse",
        "loop of links": "special/loop",
        "link to /dev/zero": "special/zero",
        "link to /proc": "special/environ",
        "/dev/zero": "/dev/zero",
        "/proc/self/environ": "/proc/self/environ",
    }
    (folder / "to-fifo").symlink_to("fifo")
    with suppress(PermissionError):  # Only the superuser may make one, and not everywhere.
        os.mknod(folder / "device", 0o600 | 0o020000, os.makedev(1, 5))
        found["device in the project"] = "special/device"
    return found


async def specials(place: Place, rounds: int = 3) -> dict[str, dict[str, float]]:
    """Milliseconds that each tool takes for each special file: the least of a few rounds.

    `grep_code` has a process of its own; what that takes for an ordinary file is taken off.
    """
    context = place.context()
    paths = make_specials(place.project)
    (place.project / "special" / "plain").write_text("x\n")
    calls: list[tuple[Any, dict[str, Any]]] = [
        (ReadFile(), {}),
        (ReadFile(), {"offset": 2_000_000, "limit": 2}),
        (ListDir(), {}),
        (GlobFiles(), {"pattern": "*"}),
        (EditFile(), {"old": "a", "new": "b"}),
        (GrepCode(), {"pattern": "x"}),
    ]
    found: dict[str, dict[str, float]] = {}

    async def least(tool: Any, arguments: dict[str, Any]) -> float:
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            await call(tool, arguments, context, Found())
            times.append((time.perf_counter() - begin) * 1000)
        return min(times)

    ordinary = await least(GrepCode(), {"pattern": "x", "path": "special/plain"})
    for what, path in paths.items():
        found[what] = {}
        for tool, arguments in calls:
            took = await least(tool, {"path": path, **arguments})
            name = tool.spec.name + (" far" if "offset" in arguments else "")
            found[what][name] = round(took - (ordinary if name == "grep_code" else 0), 1)
        # Writing may replace what is there, so it is measured once and last.
        begin = time.perf_counter()
        await call(WriteFile(), {"path": path, "content": "x\n"}, context, Found())
        found[what]["write_file"] = round((time.perf_counter() - begin) * 1000, 1)
    return found


@contextmanager
def walking() -> Iterator[None]:
    """Open component by component, as where `openat2` is missing."""
    known = fence_module._has_openat2
    fence_module._has_openat2 = lambda: False  # type: ignore[assignment]
    try:
        yield
    finally:
        fence_module._has_openat2 = known


async def measure(folder: Path, seconds: float, grep_every: int) -> dict[str, object]:
    """Do all of it in both ways of opening; gives the report."""
    report: dict[str, object] = {}
    reads: list[str] = []
    writes: list[str] = []
    for name, way in (("openat2", nullcontext()), ("walk", walking())):
        (folder / name).mkdir()
        place = Place((folder / name).resolve())
        with way:
            found = await attack(place, place.attacks(), grep_every)
            stored = attack_outputs(place)
            raced, swaps = await race(place, seconds)
            slowest = await specials(place)
        os.close(place.open_outside)
        for one in (found, stored, raced):
            reads += one.reads
            writes += one.writes
        what, tool = max(((w, t) for w in slowest for t in slowest[w]), key=lambda at: slowest[at[0]][at[1]])
        report[name] = {
            "attacks": len(place.attacks()),
            "calls": found.calls + stored.calls,
            "refused": found.refused + stored.refused,
            "race_s": seconds,
            "race_calls": raced.calls,
            "race_swaps": swaps,
            "special_worst_ms": slowest[what][tool],
            "special_worst": f"{tool}, {what}",
        }
    return {"reads_outside": len(reads), "writes_outside": len(writes), "which": (reads + writes)[:10], **report}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="a minute's race, grep_code for every path")
    parser.add_argument("--seconds", type=float, help="how long the race takes, in each way")
    given = parser.parse_args()
    seconds = given.seconds or (60 if given.full else 5)
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(measure(Path(folder), seconds, 1 if given.full else 12))
    print(json.dumps(report, indent=1))
    return 1 if report["reads_outside"] or report["writes_outside"] else 0


if __name__ == "__main__":
    sys.exit(main())
