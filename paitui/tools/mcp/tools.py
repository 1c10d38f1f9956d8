"""The tools of servers as tools of the session, and two more to list and read what servers let be read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from paitui.locale import Phrase, Words, phrase
from paitui.messages.message import ToolSpec
from paitui.tools.access import counted
from paitui.tools.base import Access, Effect, Tool, ToolContext, ToolError, ToolOutcome
from paitui.tools.mcp.offer import CallFailed, Resource, ServerTool, ServerView
from paitui.tools.mcp.shape import called
from paitui.trust.external import External

LIST = "list_mcp_resources"
READ = "read_mcp_resource"
LISTED = 200
"""Resources that one call lists."""


class Way(Protocol):
    """What tools need of the servers."""

    @property
    def views(self) -> tuple[ServerView, ...]:
        """How each server stands."""
        ...

    async def call(self, server: str, tool: str, arguments: Mapping[str, Any], on_progress: Any) -> Any:
        """Call a tool."""
        ...

    async def read(self, server: str, uri: str) -> Any:
        """Read a resource."""
        ...


def tools_for(way: Way, views: Sequence[ServerView]) -> list[Tool]:
    """Make the tools of all servers that are ready.

    Args:
        way: To the servers.
        views: How they stand.

    Returns:
        In a fixed order, by server and then as the server has them.
    """
    ready = sorted((view for view in views if view.state == "ready"), key=lambda view: view.name)
    tools: list[Tool] = []
    names = {LIST, READ}
    for view in ready:
        for tool in view.offer.tools:
            name = called(tool.server, tool.name, names)
            names.add(name)
            tools.append(ServerCall(way, tool, ToolSpec(name, tool.description, tool.schema)))
    if any(view.offer.resources for view in ready):
        tools += [ListResources(way), ReadResource(way)]
    return tools


@dataclass(frozen=True, slots=True)
class ServerCall:
    """One tool of a server."""

    way: Way
    tool: ServerTool
    spec: ToolSpec
    access: Access = "mcp"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Show the whole call. That a server says of a tool that it only reads spares nobody the question.

        Raises:
            ToolError: The server is not what it was when the model was told of the tool.
        """
        self._check()
        name = f"{self.tool.server}/{self.tool.name}"
        said = json.dumps(arguments, ensure_ascii=False, indent=1) if arguments else ""
        always = f"{name}#{self.tool.mark}" if name.isprintable() else ""
        return Effect("mcp", f"{name}\n{said}".rstrip(), always=always)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Call it.

        Raises:
            ToolError: The server is gone, or the call failed.
        """
        self._check()
        try:
            answer = await self.way.call(self.tool.server, self.tool.name, arguments, context.on_output)
        except CallFailed as error:
            raise ToolError(error.phrase) from error
        source = f"{self.tool.server}/{self.tool.name}"
        return _outcome(answer, source, context.words)

    def _check(self) -> None:
        view = next((view for view in self.way.views if view.name == self.tool.server), None)
        if view is None or view.state != "ready":
            raise ToolError(phrase("mcp.not_ready", server=self.tool.server))
        now = next((tool for tool in view.offer.tools if tool.name == self.tool.name), None)
        if now is None or now.mark != self.tool.mark:
            raise ToolError(phrase("mcp.tool_changed", server=self.tool.server, tool=self.spec.name))


_LIST_SPEC = ToolSpec(
    LIST,
    "List what connected MCP servers let be read.",
    {
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "only of this server"},
            "offset": {"type": "integer", "minimum": 0, "description": "entries to skip"},
        },
    },
)
_READ_SPEC = ToolSpec(
    READ,
    "Read a resource of an MCP server.",
    {
        "type": "object",
        "properties": {"server": {"type": "string"}, "uri": {"type": "string"}},
        "required": ["server", "uri"],
    },
)


@dataclass(frozen=True, slots=True)
class ListResources:
    """Lists what servers offered; no server is asked."""

    way: Way
    spec: ToolSpec = _LIST_SPEC
    access: Access = "read"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """It only reads."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """List them.

        Raises:
            ToolError: There is no such server.
        """
        server, skip = arguments.get("server", ""), arguments.get("offset", 0)
        found = [
            resource
            for view in self.way.views
            if view.state == "ready" and server in ("", view.name)
            for resource in view.offer.resources
        ]
        if server and not any(view.name == server for view in self.way.views):
            raise ToolError(phrase("mcp.unknown", name=server, known=", ".join(v.name for v in self.way.views)))
        lines = [_line(resource) for resource in found[skip : skip + LISTED]]
        if (left := len(found) - skip - LISTED) > 0:
            lines.append(context.words("mcp.more_resources", n=left, offset=skip + LISTED))
        headline = counted("mcp.resources_found", len(found))
        return ToolOutcome("\n".join(lines), headline=headline, external=External("mcp", server or LIST))


@dataclass(frozen=True, slots=True)
class ReadResource:
    """Reads a resource; the user is asked unless the server itself listed the address."""

    way: Way
    spec: ToolSpec = _READ_SPEC
    access: Access = "mcp"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Nothing is asked for an address that the server itself listed; any other one is the model's own idea.

        Such an address can carry anything out of the session.
        """
        server, uri = arguments["server"], arguments["uri"]
        view = next((view for view in self.way.views if view.name == server), None)
        listed = view is not None and any(r.uri == uri and not r.is_pattern for r in view.offer.resources)
        return None if listed else Effect("mcp", f"{READ} {server}\n{uri}")

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Read it.

        Raises:
            ToolError: The server is gone, or will not give it.
        """
        server, uri = arguments["server"], arguments["uri"]
        try:
            answer = await self.way.read(server, uri)
        except CallFailed as error:
            raise ToolError(error.phrase) from error
        return _outcome(answer, f"{server}:{uri}", context.words)


def _line(resource: Resource) -> str:
    about = " - ".join(part for part in (resource.name, resource.description, resource.kind) if part)
    return f"{resource.server}:{resource.uri}  {about}".rstrip().replace("\n", " ")


def _outcome(answer: Any, source: str, words: Words) -> ToolOutcome:
    text = answer.text
    if answer.cut_bytes:
        text = f"{text}\n{words('mcp.cut', bytes=answer.cut_bytes)}"
    headline: Phrase | None = None
    if not answer.ok:
        headline = phrase("mcp.answered_error")
    elif answer.cut_bytes:
        headline = phrase("mcp.cut_headline")
    return ToolOutcome(text, ok=answer.ok, headline=headline, external=External("mcp", source))
