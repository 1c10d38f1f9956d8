"""An agent loop around the engine: simple tools on a real folder, and the real context manager between the rounds."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from paitui.context.manager import ContextManager, Fruitless
from paitui.context.meter import Calibration
from paitui.context.offload import Arrival
from paitui.context.summary import SummaryPrompts
from paitui.engine.prompts import language_of, summary_prompts
from paitui.messages.message import Message, Origin, ToolCall, ToolSpec
from paitui.messages.validity import guard
from paitui.model.offline import OfflineModel
from paitui.model.port import Purpose, Reply, Request
from paitui.settings import ContextSettings


def _spec(name: str, *arguments: str) -> ToolSpec:
    return ToolSpec(name, name, {"type": "object", "properties": {a: {"type": "string"} for a in arguments}})


SPECS = (
    _spec("read_file", "path", "offset", "limit"),
    _spec("write_file", "path", "content"),
    _spec("edit_file", "path", "old", "new", "replace_all"),
    _spec("list_dir", "path"),
    _spec("glob_files", "pattern"),
    _spec("grep_code", "pattern", "path"),
    _spec("execute_command", "command"),
)


@dataclass
class Outputs:
    """Offloaded results, in the project."""

    project: Path
    saved: int = 0

    def save(self, tool: str, text: str) -> str:
        self.saved += 1
        path = f".paitui/tool-outputs/s/{self.saved:03}-{tool}.txt"
        (self.project / path).parent.mkdir(parents=True, exist_ok=True)
        (self.project / path).write_text(text)
        return path


@dataclass
class Loop:
    """One history and what is around it."""

    project: Path
    window: int = 32_000
    deny: Callable[[str, dict[str, Any]], bool] = lambda tool, arguments: False
    before_ask: Callable[["Loop"], None] = lambda loop: None
    messages: list[Message] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    boundaries: list[str] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    rewrites: int = 0
    uid: int = 0

    def __post_init__(self) -> None:
        self.model = OfflineModel(self.window)
        self.files = Outputs(self.project)
        self.manager = ContextManager(ContextSettings(), self.window, self.files, Calibration(1.3), schema_tokens=900)
        self.append(Message("system", "You are a coding agent. " * 60))

    def append(self, message: Message) -> Message:
        self.uid += 1
        self.messages.append(replace(message, uid=self.uid))
        return self.messages[-1]

    async def ask(self, purpose: Purpose = "turn") -> Message:
        guard(self.messages)
        tools = SPECS if purpose == "turn" else ()
        return await reply_of(self.model, Request(tuple(self.messages), tools, purpose))

    async def say(self, text: str, origin: Origin = "typed", rounds: int = 200) -> str:
        """Send a message and run the loop to its answer."""
        self.append(Message("user", text, origin=origin))
        for _ in range(rounds):
            await self.make_room()
            self.before_ask(self)
            message = self.append(await self.ask())
            if not message.tool_calls:
                return message.content
            self.run_calls(message.tool_calls)
        raise AssertionError(f"no answer after {rounds} rounds")

    def run_calls(self, calls: tuple[ToolCall, ...]) -> None:
        room = self.manager.new_round()
        arrivals = []
        for call in calls:
            text, ok = self._run(call)
            bounded = call.name == "read_file" and (
                "offset" in orjson.loads(call.arguments) or ".paitui" in call.arguments
            )
            arrivals.append(Arrival(call, text, ok, bounded))
        for admitted in self.manager.admit(arrivals, room):
            self.append(admitted.message)
            if admitted.offloaded:
                self.boundaries.append("offload")

    async def make_room(self) -> None:
        clearing = self.manager.clear(self.messages, self.rewrites)
        if clearing and clearing.replaced:
            self.boundaries.append("clear")
            self.messages = [clearing.replaced.get(message.uid, message) for message in self.messages]
            self.rewrites += 1
        if self.manager.must_summarise(self.messages, self.rewrites):
            await self.compact()

    async def compact(self, by_hand: bool = False) -> None:
        said = [message.content for message in self.messages if message.is_users_words]
        prompts: SummaryPrompts = summary_prompts(language_of(said, "en"))

        async def ask(instruction: str, text: str) -> str:
            messages = (Message("system", instruction), Message("user", text, origin="program"))
            return (await reply_of(self.model, Request(messages, (), "summary"))).content

        try:
            done = await self.manager.summarise(self.messages, self.rewrites, ask, prompts, by_hand)
        except Fruitless as fruitless:
            self.boundaries.append(f"fruitless {fruitless}")
            return
        self.boundaries.append("summary")
        self.summaries.append(done.text)
        rebuilt, self.messages = done.messages, []
        for message in rebuilt:
            self.messages.append(message) if message.uid else self.append(message)
        self.rewrites += 1

    def _run(self, call: ToolCall) -> tuple[str, bool]:
        arguments = orjson.loads(call.arguments)
        self.calls.append((call.name, arguments))
        if self.deny(call.name, arguments):
            return "The user did not allow this call. Not today.", False
        try:
            return _TOOLS[call.name](self.project, arguments)
        except OSError as error:
            return f"{arguments.get('path', '')}: {error.strerror}", False


async def reply_of(model: OfflineModel, request: Request) -> Message:
    """The message that ends a stream."""
    last = None
    async for event in model.stream(request):
        last = event
    assert isinstance(last, Reply)
    return last.message


def _read(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    text = (project / arguments["path"]).read_text()
    if "offset" not in arguments:
        return text, True
    lines = text.splitlines(keepends=True)
    start = arguments["offset"] - 1
    part = lines[start : start + arguments.get("limit", 200)]
    end = start + len(part)
    note = (
        f'\n[Go on with read_file {{"path": "{arguments["path"]}", "offset": {end + 1}}}]' if end < len(lines) else ""
    )
    return "".join(part) + note, True


def _files(project: Path) -> list[str]:
    found = (path.relative_to(project) for path in sorted(project.rglob("*")) if path.is_file())
    return [str(path) for path in found if not str(path).startswith(".paitui")]


def _grep(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    pattern = re.compile(arguments["pattern"])
    hits = [
        f"{path}:{number}:{line}"
        for path in _files(project)
        if path.startswith(arguments.get("path", ""))
        for number, line in enumerate((project / path).read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    return "\n".join(hits) or "(no match)", True


def _glob(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    pattern = (
        re.escape(arguments["pattern"]).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    )
    return "\n".join(path for path in _files(project) if re.fullmatch(pattern, path)) or "(no file matches)", True


def _list(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    folder = project / arguments["path"]
    return "\n".join(p.name + ("/" if p.is_dir() else "") for p in sorted(folder.iterdir())), True


def _write(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    path = project / arguments["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(arguments["content"])
    return f"Created {arguments['path']}", True


def _edit(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    path = project / arguments["path"]
    text = path.read_text()
    if text.count(arguments["old"]) != 1 and not arguments.get("replace_all"):
        return "The text in `old` does not occur exactly once.", False
    path.write_text(text.replace(arguments["old"], arguments["new"]))
    return "done", True


def _execute(project: Path, arguments: dict[str, Any]) -> tuple[str, bool]:
    done = subprocess.run(arguments["command"], shell=True, cwd=project, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}[exit {done.returncode}]", done.returncode == 0


_TOOLS: dict[str, Callable[[Path, dict[str, Any]], tuple[str, bool]]] = {
    "read_file": _read,
    "write_file": _write,
    "edit_file": _edit,
    "list_dir": _list,
    "glob_files": _glob,
    "grep_code": _grep,
    "execute_command": _execute,
}
