"""The MCP servers of a session: when they start, when their tools join, what is told of them."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from paitui.engine.events import CommandOutput, Event, Notice, ServersChanged
from paitui.engine.ops import Servers as ServersOp
from paitui.locale import Phrase, Words, phrase
from paitui.settings import McpSettings
from paitui.tools.base import Tool, Toolbox
from paitui.tools.mcp.offer import CallFailed, Resource, ServerView
from paitui.tools.mcp.servers import Servers
from paitui.tools.mcp.tools import tools_for
from paitui.trust.boundary import wrap
from paitui.trust.external import External

LOG_LINES = 60
"""Lines that `/mcp logs` shows."""
MAX_TOOLS = 256
"""Tools of all servers together; a request with more of them is refused by some providers."""
MAX_ATTACHED = 8
"""Resources that one message may bring along."""
_MENTION = re.compile(r"(?<![A-Za-z0-9._%+-])@(?P<server>[A-Za-z0-9][A-Za-z0-9_.-]*):(?P<uri>[^\s\"'“”‘’<>]+)")
_BEHIND = ".,;:!?)]}，。；：！？、）》」"
"""Signs that end a sentence and no address."""


@dataclass(slots=True)
class McpDesk:
    """Between the worker and the servers."""

    servers: Servers
    toolbox: Toolbox
    """The session's own tools come first in it and stay."""
    follow: Callable[[Toolbox], None]
    """Told when the toolbox changed, which it does only between turns."""
    touched: Callable[[External], None]
    """Told when text of a server enters the session."""
    emit: Callable[[Event], None]
    settings: McpSettings
    words: Words
    problems: tuple[Phrase, ...] = ()
    """What was wrong with the files."""
    watched: bool = False
    """Somebody looks at the screen, and sees at once what is only starting."""
    resource_chars: Callable[[], int] = lambda: 32_000
    """Longest text that one resource may bring into a message."""
    _own: dict[str, Tool] = field(default_factory=dict)
    _offered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _waited: bool = False
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Note the session's own tools."""
        self._own = dict(self.toolbox.tools)

    def start(self) -> None:
        """Start the servers beside everything else; returns at once."""
        for problem in self.problems:
            self.emit(Notice("warning", problem))
        self.servers.start()

    async def close(self) -> None:
        """End them."""
        await self.servers.close()

    def changed(self, view: ServerView) -> None:
        """A server stands otherwise than before."""
        self._moved.set()
        if view.state in ("failed", "ended"):
            why = view.why or phrase("mcp.closed")
            self.emit(Notice("warning", phrase(f"mcp.server_{view.state}", name=view.name, why=why)))
        self.emit(ServersChanged(self.servers.views))

    # -- between turns

    async def ready(self) -> None:
        """Before a turn's first request: wait for servers that are starting, once, then let their tools join."""
        if not self._waited:
            await self._wait()
            self._waited = True
        self._join()

    async def _wait(self) -> None:
        starting = self._starting()
        if not starting:
            return
        seconds = self.settings.wait_s
        self.emit(Notice("info", phrase("mcp.waiting", names=", ".join(starting), seconds=seconds)))
        if not await self._settled(seconds):
            self.emit(Notice("info", phrase("mcp.went_on", names=", ".join(self._starting()))))

    async def _settled(self, seconds: float) -> bool:
        """Wait until no server is starting; False if that takes longer."""
        try:
            async with asyncio.timeout(seconds):
                while self._starting():
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            return False
        return True

    def _starting(self) -> list[str]:
        return [view.name for view in self.servers.views if view.state in ("waiting", "starting")]

    def _join(self) -> None:
        """Put the tools that there are now into the toolbox, where anything changed."""
        views = self.servers.views
        tools = tools_for(self.servers, views)
        if len(tools) > MAX_TOOLS:
            self._say_once("*", (str(len(tools)),), phrase("mcp.too_many_in_all", n=len(tools), most=MAX_TOOLS))
            tools = tools[:MAX_TOOLS]
        now = {**self._own, **{tool.spec.name: tool for tool in tools}}
        if tools:
            # Their descriptions stand in every request, and somebody else wrote them.
            self.touched(External("mcp", ", ".join(sorted(v.name for v in views if v.offer.tools))))
        if now == self.toolbox.tools:
            return
        self.toolbox.tools = now
        self.follow(self.toolbox)
        for view in views:
            if view.state == "ready":
                for note in view.offer.notes:
                    self.emit(Notice("warning", note))
            marks = tuple(tool.mark for tool in view.offer.tools) if view.state == "ready" else ()
            n = len(marks)
            if self._offered.get(view.name, ()) and n:
                self._say_once(view.name, marks, phrase("mcp.tools_changed", name=view.name, n=n))
            self._offered[view.name] = marks

    def _say_once(self, name: str, marks: tuple[str, ...], what: Phrase) -> None:
        if self._offered.get(name, ()) != marks:
            self._offered[name] = marks
            self.emit(Notice("info", what))

    # -- resources in a message

    async def attach(self, text: str) -> str:
        """Read the resources that a message names as ``@server:uri``.

        Args:
            text: What the user typed and pasted; only servers that there are count.

        Returns:
            Their texts, each wrapped as what a tool gives, to stand behind the user's words; empty if there are none.
        """
        blocks: list[str] = []
        for server, uri in self._mentioned(text):
            name = f"{server}:{uri}"
            try:
                blocks.append(wrap(name, await self._read(server, uri)))
            except _NotRead as error:
                self.emit(Notice("warning", phrase("mcp.not_attached", name=name, why=error.phrase)))
                continue
            self.touched(External("mcp", name))
        return "\n\n".join(blocks)

    def _mentioned(self, text: str) -> list[tuple[str, str]]:
        known = {view.name for view in self.servers.views}
        found = [(m["server"], m["uri"].rstrip(_BEHIND)) for m in _MENTION.finditer(text) if m["server"] in known]
        return [pair for pair in dict.fromkeys(found) if pair[1]][:MAX_ATTACHED]

    async def _read(self, server: str, uri: str) -> str:
        try:
            answer = await self.servers.read(server, uri)
        except CallFailed as error:
            raise _NotRead(error.phrase) from error
        most = self.resource_chars()
        if len(answer.text) <= most:
            return str(answer.text)
        note = self.words("mcp.attached_part", kept=most, chars=len(answer.text), server=server, uri=uri)
        return f"{answer.text[:most]}\n{note}"

    # -- commands

    async def carry_out(self, op: ServersOp) -> None:
        """Do what `/mcp` asks for, and answer with a `CommandOutput`."""
        if op.verb in ("list", "logs", "prompts") and not self.watched:
            await self._settled(self.settings.wait_s)
        if op.verb == "list":
            self.emit(self._list())
            return
        if op.verb == "prompts" and not op.name:
            self.emit(self._prompts(self.servers.views))
            return
        view = next((view for view in self.servers.views if view.name == op.name), None)
        if view is None:
            known = ", ".join(view.name for view in self.servers.views) or "-"
            self.emit(Notice("warning", phrase("mcp.unknown", name=op.name, known=known)))
            return
        match op.verb:
            case "logs":
                lines = self.servers.log(op.name)[-LOG_LINES:]
                said = [phrase("mcp.log_line", line=line) for line in lines] or [phrase("mcp.log_empty")]
                self.emit(CommandOutput(phrase("mcp.log_title", name=op.name), tuple(said)))
            case "prompts":
                self.emit(self._prompts([view]))
            case "disable":
                self.servers.disable(op.name)
                self.emit(CommandOutput(phrase("mcp.disabled", name=op.name), ()))
            case "restart" | "enable":
                self.servers.restart(op.name)
                self._waited = False  # the next turn has its tools again
                self.emit(CommandOutput(phrase("mcp.restarting", name=op.name), ()))

    def _list(self) -> CommandOutput:
        views = self.servers.views
        lines = [line for view in views for line in _told(view)]
        if not views:
            lines = [phrase("mcp.none")]
        return CommandOutput(phrase("mcp.title"), tuple(lines))

    def _prompts(self, views: Sequence[ServerView]) -> CommandOutput:
        lines = [
            phrase(
                "mcp.prompt_line",
                name=f"{prompt.server}/{prompt.name}",
                arguments=" ".join(name if needed else f"[{name}]" for name, needed in prompt.arguments),
                what=prompt.description.split("\n")[0],
            )
            for view in views
            if view.state == "ready"
            for prompt in view.offer.prompts
        ]
        return CommandOutput(phrase("mcp.prompts_title"), tuple(lines or [phrase("mcp.prompts_none")]))


class _NotRead(Exception):
    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def _told(view: ServerView) -> list[Phrase]:
    offer = view.offer
    counts = phrase("mcp.counts", tools=len(offer.tools), resources=len(offer.resources), prompts=len(offer.prompts))
    lines = [
        phrase(
            "mcp.line",
            name=view.name,
            state=phrase(f"mcp.state_{view.state}"),
            transport=view.transport,
            source=phrase(f"mcp.source_{view.source}"),
        )
    ]
    if view.state == "ready":
        lines.append(phrase("mcp.line_ready", counts=counts, seconds=view.seconds, said=view.said or "-"))
        lines += [phrase("mcp.line_tool", name=tool.name, what=_first(tool.description)) for tool in offer.tools[:40]]
        lines += [phrase("mcp.line_note", what=note) for note in offer.notes]
    elif view.why is not None:
        lines.append(phrase("mcp.line_why", why=view.why))
    return lines


def _first(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 80 else line[:79] + "…"


def resources(views: Sequence[ServerView]) -> list[Resource]:
    """What can be named in a message as ``@server:uri``."""
    return [resource for view in views if view.state == "ready" for resource in view.offer.resources]
