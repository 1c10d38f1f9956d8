"""What a hostile server can cost: memory, bytes and time, each in a process of its own.

``python tests/bench/web.py`` unpacks 100 MB and reads pages that are made to be slow; with ``--full`` the bomb holds
1 GB and a slow server is waited for as long as the real limit allows. Peak memory is given over that of fetching a
small page in the same way.
"""

import argparse
import asyncio
import gzip
import json
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from paitui.locale import Words
from paitui.settings import CommandSettings, WebSettings
from paitui.tools.base import Spool, ToolContext, ToolError
from paitui.tools.web.client import Client, Limits
from paitui.tools.web.fetch import WebFetch
from paitui.tools.web.rate import RateLimit
from tests.tools.web_server import answer, serving

Sent = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
LINKS = "<p>text <a href=x>y</a>"
KINDS = ("small", "bomb", "chunks", "headers", "drip", "links", "nested", "attributes", "text")


def bomb(megabytes: int) -> bytes:
    """A gzip of that many zeros, packed without ever holding them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(bytes(1_000_000)) for _ in range(megabytes)]
    return b"".join([*parts, packer.flush()])


async def endless(writer: asyncio.StreamWriter, head: bytes, piece: bytes, pause_s: float = 0.0) -> None:
    writer.write(head)
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause_s)


def sent(kind: str, full: bool) -> Sent:
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    match kind:
        case "bomb":
            return answer(bomb(1_000 if full else 100), "text/plain", 200, "Content-Encoding: gzip")
        case "chunks":
            chunk = b"10000\r\n" + b"z" * 65_536 + b"\r\n"
            return lambda writer: endless(writer, plain + b"Transfer-Encoding: chunked\r\n\r\n", chunk)
        case "headers":
            return lambda writer: endless(writer, plain, b"X-Filler: " + b"y" * 1_000 + b"\r\n")
        case "drip":
            return lambda writer: endless(writer, plain + b"\r\n", b".", 0.1)
        case "links":
            return answer(gzip.compress((LINKS * 230_000).encode()), "text/html", 200, "Content-Encoding: gzip")
        case "nested":
            return answer(b"<div>" * 900_000 + b"x")
        case "attributes":
            return answer(("<div " + " ".join(f"a{n}=1" for n in range(400_000)) + ">x").encode())
        case "text":
            return answer(b"<p>" + b"word " * 990_000)
    return answer("<p>a small page")


async def measure(kind: str, full: bool) -> dict[str, object]:
    seconds = 30 if full or kind != "drip" else 3
    # The client is a process of its own: what the server holds is not counted.
    async with serving({"/": sent(kind, full)}) as served:
        call = f"fetch({served.url('/')!r}, {seconds})"
        code = f"import asyncio; from tests.bench.web import fetch; asyncio.run({call})"
        began = time.monotonic()
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
        )
        out, _ = await child.communicate()
    return {"kind": kind, "seconds": round(time.monotonic() - began, 1), **json.loads(out)}


async def fetch(url: str, seconds: float) -> None:
    """The client's half: fetch, and print what it cost."""
    limits = Limits(WebSettings().max_mb * 1_000_000, seconds)
    tool = WebFetch(Client(RateLimit(30, time.monotonic), ("127.0.0.1",), limits))

    def no_spool(name: str) -> Spool:
        raise OSError(name)

    folder = Path.cwd()
    context = ToolContext(folder, folder, Words("en"), 32_000, CommandSettings(), no_spool)
    try:
        outcome = await tool.run({"url": url}, context)
        said, chars = outcome.text.partition("\n\n")[0].rpartition("\n")[2], len(outcome.text)
    except ToolError as error:
        said, chars = Words("en").say(error.phrase), 0
    # On Linux in kilobytes; the page worker, another process, is counted by itself.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_000
    print(json.dumps({"own_mb": round(own), "worker_mb": round(worker), "chars": chars, "said": said[:110]}))


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="1 GB, and the real limit of time")
    full = parser.parse_args().full
    base = 0
    for kind in KINDS:
        got = await measure(kind, full)
        own = int(str(got["own_mb"]))
        base = base or own
        print(
            f"{kind:>10}: {got['seconds']:>5} s, {own:>4} MB (+{own - base}), worker {got['worker_mb']:>4} MB, "
            f"{got['chars']:>9,} characters; {got['said']}"
        )


if __name__ == "__main__":
    asyncio.run(main())
