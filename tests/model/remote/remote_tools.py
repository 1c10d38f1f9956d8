"""Shared by the tests of remote models: requests, reading them to the end, and children of another kind."""

import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paitui.model.remote.connection import ProviderError
from paitui.model.remote.host import ModelHost
from tests.provider.refusals import Wire
from tests.provider.server import Provider, Route
from tests.provider.wire import Answer, agent

WIRES: tuple[Wire, ...] = ("openai", "anthropic")
ROOT = Path(__file__).parents[3]


def params(route: Route, wire: Wire = "openai", **more: Any) -> dict[str, Any]:
    """Arguments of a completion call to a route, by the library's own names for the two formats."""
    return {
        "model": "openai/gpt-x" if wire == "openai" else "anthropic/claude-sonnet-4-5",
        "api_base": route.openai if wire == "openai" else route.url,
        "api_key": "key-for-tests",
        "messages": [{"role": "user", "content": "hi"}],
        "stream_options": {"include_usage": True},
        "timeout": 30,
        **more,
    }


async def read_all(
    host: ModelHost, wanted: Mapping[str, Any]
) -> tuple[list[Mapping[str, Any]], dict[str, Any] | None]:
    """Give the chunks of a request, and its error if it had one."""
    chunks: list[Mapping[str, Any]] = []
    answer = await host.request(wanted)
    try:
        async for chunk in answer:
            chunks.append(chunk)
    except ProviderError as failed:
        return chunks, dict(failed.error)
    finally:
        answer.close()
    return chunks, None


async def warm(host: ModelHost, provider: Provider) -> None:
    """Ask once in both formats: the library loads a provider's code with its first request."""
    route = provider.route(agent(lambda messages, tools: Answer("warm")))
    for wire in WIRES:
        await read_all(host, params(route, wire))


def text_of(chunks: list[Mapping[str, Any]]) -> str:
    return "".join(c["delta"].get("content") or "" for chunk in chunks for c in chunk.get("choices", ()))


def fake_python(folder: Path, body: str) -> str:
    """Make an interpreter that plays a model process: `body` runs with `reader`, `writer` and the protocol."""
    file = folder / "fake-python"
    indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
    file.write_text(
        f"#!{sys.executable}\n"
        "import asyncio, os, socket, sys, time\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from paitui.model.remote.protocol import *\n"
        "async def play():\n"
        "    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=int(sys.argv[-1])))\n"
        f"{indented}\n"
        "asyncio.run(play())\n",
        "utf-8",
    )
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)
