"""Servers for a test, started for real and ended whatever happens."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from paitui.tools.mcp.config import ServerConfig
from paitui.tools.mcp.offer import ServerView, Surroundings
from paitui.tools.mcp.servers import Servers

STUBS = Path(__file__).parent


class Started:
    """Servers, and a way to wait for them."""

    def __init__(self, configs: list[ServerConfig], project: Path, start_s: float, call_s: float) -> None:
        self._news = asyncio.Event()
        self.seen: list[ServerView] = []
        around = Surroundings(project, {"PATH": os.environ["PATH"]}, start_s, call_s)
        self.servers = Servers(configs, around, self._take)

    def _take(self, view: ServerView) -> None:
        self.seen.append(view)
        self._news.set()

    async def until(self, done: Callable[[], bool], seconds: float = 20) -> None:
        async with asyncio.timeout(seconds):
            while not done():
                self._news.clear()
                await self._news.wait()

    async def settled(self) -> ServerView:
        """Wait until no server is starting; gives the first one's state."""
        await self.until(lambda: all(v.state not in ("waiting", "starting") for v in self.servers.views))
        return self.servers.views[0]


def rough(*how: str, name: str = "rough", **more: Any) -> ServerConfig:
    """A server that behaves as asked."""
    return ServerConfig(name, "home", "stdio", sys.executable, (str(STUBS / "mcp_rough_server.py"), *how), **more)


def by_sdk(name: str = "demo") -> ServerConfig:
    """A server written with the SDK."""
    return ServerConfig(name, "home", "stdio", sys.executable, (str(STUBS / "mcp_sdk_server.py"),))


@asynccontextmanager
async def started(
    *configs: ServerConfig, project: Path, start_s: float = 20, call_s: float = 20
) -> AsyncIterator[Started]:
    """Start servers; they are ended at the end."""
    bench = Started(list(configs), project, start_s, call_s)
    bench.servers.start()
    try:
        yield bench
    finally:
        await bench.servers.close()


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return b") Z" not in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False


def quiet(text: str) -> None:
    """Take progress and tell nobody."""
