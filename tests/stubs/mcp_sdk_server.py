"""An MCP server written with the SDK, over stdio or (`--http PORT`) over HTTP; tests start it as a program."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("demo", version="1.2.3")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


@server.tool()
def fail() -> str:
    """Fail always."""
    raise ValueError("the disk is on fire")


@server.resource("docs://readme")
def readme() -> str:
    """The manual."""
    return "Turn it on, then off."


@server.prompt()
def review(path: str) -> str:
    """Review a file."""
    return f"Please review {path}."


if __name__ == "__main__":
    if "--http" in sys.argv:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[sys.argv.index("--http") + 1]))
    else:
        server.run("stdio")
