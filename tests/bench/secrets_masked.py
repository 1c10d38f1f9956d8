"""Whether secrets get into what is kept, and how much of ordinary source code is taken for one.

`python tests/bench/secrets_masked.py [--code DIR ...] [--show]` prints one JSON object. Planted secrets go through a
running session as the user's words, a tool's result, arguments, what is approved, a fault's and a model's error text,
a notice, a summary, a queued message and attempts to remember them; then ledger, memory and log are searched for
every one of them, byte for byte (``leaks``). The files of the session itself keep the bytes, since the agent works
with them, and are not searched.

`--code` (the standard library and the installed packages if not given) counts the Python files and lines in which
something is found. Nobody says which of those are real, so all count as false hits; only e-mail addresses are told
apart, since those that are found are addresses. ``share_of_files`` and ``per_1000_lines`` leave them out.
"""

import argparse
import asyncio
import json
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from paitui import diagnostics
from paitui.engine import assembly, events, ops
from paitui.engine.prompts import summary_prompts
from paitui.locale import Words, phrase
from paitui.messages.message import Message, ToolCall, ToolSpec
from paitui.model.port import ModelEvent, ModelFault, ModelInfo, Reply, Request
from paitui.paths import Paths
from paitui.settings import Settings
from paitui.tools.base import Access, Effect, Toolbox, ToolContext, ToolOutcome
from paitui.tools.registry import builtin_tools
from paitui.trust.secrets import find

_MIXED = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2cD4eF6g"
# Put together here, so that no scanner takes this file for a leak.
PLANTED: dict[str, str] = {
    "OpenAI": "sk-" + "proj-" + _MIXED,
    "Anthropic": "sk-" + "ant-api03-" + _MIXED,
    "DeepSeek": "sk-" + "0123456789abcdef0123456789abcdef",
    "Zhipu": "0123456789abcdef0123456789abcdef" + "." + "AbCdEfGh12345678",
    "Google": "AIza" + "Sy" + _MIXED[:33],
    "AWS": "AKIA" + "IOSFODNN7EXAMPL2",
    "Alibaba Cloud": "LTAI" + "5tAbCdEfGhIjKlMnOpQr",
    "Tencent Cloud": "AKID" + _MIXED[:32],
    "GitHub": "ghp_" + _MIXED[:36],
    "GitHub, fine": "github_pat_" + "11ABCDEFG0_" + _MIXED,
    "GitLab": "glpat-" + _MIXED[:20],
    "Slack": "xoxb-" + "123456789012-" + _MIXED[:24],
    "Stripe": "sk_live_" + _MIXED[:24],
    "Hugging Face": "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "Groq": "gsk_" + _MIXED,
    "xAI": "xai-" + _MIXED,
    "npm": "npm_" + _MIXED[:36],
    "JWT": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + _MIXED[:20],
    "private key": "-----BEGIN RSA PRIVATE "
    + "KEY-----\nMIIEowIBAAKCAQEAqwertyui\n-----END RSA PRIVATE "
    + "KEY-----",
    "mobile number": "13912345678",
    "mobile number, spaced": "+86 139 1234 5678",
    "identity number": "11010519491231002X",
    "e-mail address": "li.lei+shop@corp-mail.example.com",
    "bank card": "6222021234567890128",
    "credit card": "4111 1111 1111 1111",
}
PLACED: dict[str, tuple[str, str]] = {
    "password in an URL": ("postgres://shop:{}@db.local:5432/x", "Tr0ub4dor"),
    "password in an address": ("https://deploy:{}@git.example.com/a.git", "p4ssw0rdX"),
    "password by its word": ("DB_PASSWORD={}", "correcthorse7"),
    "password in Chinese": ("数据库密码是 {}", "Xiaoming2024"),
    "bearer": ("Authorization: Bearer {}", "abc123def456ghi789"),
    "verification code": ("验证码：{}", "482913"),
}


def values() -> dict[str, str]:
    """What must be found nowhere, by name; of a private key its body."""
    found = {name: value.split("\n")[1] if "\n" in value else value for name, value in PLANTED.items()}
    return found | {name: value for name, (_, value) in PLACED.items()}


def each() -> list[str]:
    """Each as it stands in a text."""
    return [*PLANTED.values(), *(around.format(value) for around, value in PLACED.values())]


def text() -> str:
    """All of them, one on each line or more."""
    return "\n".join(each())


class Breaking:
    """A tool that fails with a text of its own."""

    access: Access = "read"
    spec = ToolSpec("broken", "Fails.", {"type": "object", "properties": {}, "required": []})

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Nothing to judge."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Fail."""
        raise RuntimeError(text())


@dataclass
class Talking:
    """A model that hands secrets to everything it can reach."""

    info: ModelInfo = field(default_factory=lambda: ModelInfo("scripted", 200_000))
    requests: int = 0

    async def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        """Play the next step."""
        if request.purpose == "extraction":
            lines = [{"quote": line} for line in text().splitlines()[-3:]]
            yield Reply(Message("assistant", json.dumps({"facts": lines}, ensure_ascii=False)), None)
            return
        if request.purpose == "summary":
            parts = [f"{heading}\n{text()}" for heading in summary_prompts("en").headings]
            yield Reply(Message("assistant", "\n".join(parts)), None)
            return
        self.requests += 1
        yield Reply(self._step(self.requests), None)

    def _step(self, number: int) -> Message:
        words = text()
        steps = {
            1: (("read_file", {"path": "keys.txt"}), ("broken", {})),
            2: (
                ("write_file", {"path": "a.txt", "content": words}),
                ("execute_command", {"command": f"echo '{words}'"}),
            ),
            3: (("save_memory", {"fact": words}), *(("save_memory", {"fact": one}) for one in each())),
            4: (("grep_code", {"pattern": words.splitlines()[0]}), (words.splitlines()[0], {"x": words})),
        }
        if number in steps:
            calls = tuple(ToolCall(f"c{number}_{at}", n, json.dumps(a)) for at, (n, a) in enumerate(steps[number]))
            return Message("assistant", words, tool_calls=calls, reasoning=words)
        if number == 6:
            raise ModelFault("quota", phrase("cli.fault", why=words, log="x"), partial=words)
        if number == 7:
            raise RuntimeError(words)
        return Message("assistant", f"done\n{words}")

    async def close(self) -> None:
        """Nothing is open."""


async def session(folder: Path) -> None:
    """Lead a session in which secrets are everywhere."""
    project = folder / "project"
    project.mkdir(parents=True)
    (project / "keys.txt").write_text(text(), "utf-8")
    (project / "PAI.md").write_text(f"# Keys\n{text()}\n", "utf-8")
    paths = Paths(home=folder / "home", project=project.resolve())

    def with_broken(*given: Any, **more: Any) -> Toolbox:
        return Toolbox({**builtin_tools(*given, **more).tools, "broken": Breaking()})

    with patch.object(assembly, "builtin_tools", with_broken):
        opening = assembly.OpenOptions(Settings(), paths, Words("en"), approve="all", model=Talking())
        worker = await assembly.open_worker(replace(opening, problems=(phrase("cli.fault", why=text(), log="x"),)))
    ended, done = asyncio.Semaphore(0), asyncio.Semaphore(0)

    def take(event: events.Event) -> None:
        if isinstance(event, events.TurnEnded):
            ended.release()
        elif isinstance(event, events.OpDone):
            done.release()

    worker.subscribe(take)
    running = asyncio.create_task(worker.run())
    said = f"remember what I always use, our project needs it:\n{text()}"
    for _ in range(4):
        worker.send(ops.Submit(said))  # those behind the first wait in the queue
    await ended.acquire()
    await ended.acquire()
    worker.send(ops.RunQueue())  # a turn that failed holds it
    await ended.acquire()
    worker.send(ops.Compact(text()))
    for one in each():
        worker.send(ops.Memory("save", text=one))
    for _ in each():
        await done.acquire()
    worker.send(ops.Close(wait_s=5))
    await running


def leaks(home: Path) -> dict[str, list[str]]:
    """Say which planted secret stands in which file of ledger, memory, log and command history."""
    found: dict[str, list[str]] = {}
    for file in sorted(path for path in home.rglob("*") if path.is_file()):
        if "sessions" in file.relative_to(home).parts:
            continue
        data = file.read_bytes()
        for name, value in values().items():
            if value.encode() in data:
                found.setdefault(name, []).append(str(file.relative_to(home)))
    return found


def plant(folder: Path) -> dict[str, Any]:
    """Lead the session in an empty folder, fail into the log, and search."""
    home = folder / "home"
    log = home / "paitui.log"
    with diagnostics.written_to(log):
        asyncio.run(session(folder))
        try:
            raise RuntimeError(text())
        except RuntimeError as error:
            diagnostics.fault(f"while {text()}", error)
            diagnostics.fault("long", RuntimeError("x" * 13_320 + "\n" + text() + "y" * 90_000))
    kept = [path for path in home.rglob("*") if path.is_file() and "sessions" not in path.relative_to(home).parts]
    [ledger] = (home / "history/raw").glob("*.jsonl")
    return {
        "planted": len(values()),
        "searched_files": len(kept),
        "searched_bytes": sum(path.stat().st_size for path in kept),
        "ledger_events": dict(Counter(json.loads(line)["event"] for line in ledger.read_bytes().splitlines())),
        "logged": log.stat().st_size,
        "leaks": leaks(home),
    }


def _elsewhere(path: Path, folder: Path) -> bool:
    """Whether a file below the standard library is none of it, but an installed package."""
    return "site-packages" in path.relative_to(folder).parts


def count(folders: list[Path]) -> dict[str, Any]:
    """Count what is found in Python files."""
    files = lines = hit_files = hit_lines = addresses = 0
    kinds: Counter[str] = Counter()
    examples: list[str] = []
    found = {path for folder in folders for path in folder.rglob("*.py") if not _elsewhere(path, folder)}
    for file in sorted(found):
        try:
            source = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        files, lines = files + 1, lines + source.count("\n")
        spans = find(source)
        addresses += sum(span.kind == "e-mail" for span in spans)
        places = {source.count("\n", 0, span.start) for span in spans if span.kind != "e-mail"}
        kinds.update(span.kind for span in spans if span.kind != "e-mail")
        hit_files, hit_lines = hit_files + bool(places), hit_lines + len(places)
        examples += [f"{file.name}:{place + 1}" for place in sorted(places)[:1]]
    return {
        "files": files,
        "lines": lines,
        "hit_files": hit_files,
        "share_of_files": round(hit_files / max(1, files), 4),
        "hit_lines": hit_lines,
        "per_1000_lines": round(1_000 * hit_lines / max(1, lines), 4),
        "kinds": dict(kinds),
        "addresses": addresses,
        "examples": examples,
    }


def main() -> int:
    """Print the counts; 1 if anything leaked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--code", type=Path, nargs="*", help="folders of ordinary source code")
    parser.add_argument("--show", action="store_true", help="say where something was found in code")
    given = parser.parse_args()
    paths = sysconfig.get_paths()
    code = count(given.code if given.code is not None else [Path(paths["stdlib"]), Path(paths["purelib"])])
    if not given.show:
        del code["examples"]
    with tempfile.TemporaryDirectory(prefix="paitui-secrets-") as name:
        found = {**plant(Path(name).resolve()), "code": code}
    print(json.dumps(found, ensure_ascii=False))
    return int(bool(found["leaks"]))


if __name__ == "__main__":
    raise SystemExit(main())
