"""A page's HTML as Markdown: asks the page worker, and decides which of its two readings counts."""

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE_S = 15.0
"""Seconds after which reading a page is ended; a page of 5 MB that is all links takes 5."""
KEEPS = 0.7
"""The extractor's text counts if it keeps this share of what the page says outside links. Measured on API
documentation it dropped two thirds, examples and whole sections among it, which is worse than a menu too many."""
SPARSE_CHARS = 200
"""A page that says less than this, and has scripts, is probably empty without them."""

_ROOT = Path(__file__).resolve().parents[3]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from paitui.tools.web.page_worker import main; main()"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says."""

    title: str = ""
    """One line; empty if it has none."""
    date: str = ""
    """Of its last change or publication, ``YYYY-MM-DD``; empty if it names none."""
    text: str = ""
    """Markdown."""
    needs_scripts: bool = False
    """It holds nearly nothing but scripts."""


class PageError(Exception):
    """A page cannot be read as text within the limits."""


async def read_page(html: str, url: str, limit_s: float = PAGE_S) -> Page:
    """Bring a page to Markdown.

    Args:
        html: The page.
        url: Its address, for its links.
        limit_s: Seconds that it may take. What was found until then counts.

    Raises:
        PageError: Nothing came in time, or the reader broke on it.
    """
    records = await _ask(json.dumps({"html": html, "url": url}).encode("utf-8", "surrogatepass"), limit_s)
    return choose(records)


def choose(records: list[dict[str, Any]]) -> Page:
    """Make the page from the worker's lines: the whole page, then perhaps what an extractor takes for its text.

    Raises:
        PageError: There is no line.
    """
    if not records:
        raise PageError
    whole, main = records[0], records[1] if len(records) > 1 else {"text": ""}
    text = whole["text"]
    if main["text"] and len(main["text"]) >= KEEPS * whole["loose"] and len(main["text"]) < len(text):
        text = main["text"]
    sparse = len("".join(text.split())) < SPARSE_CHARS
    return Page(whole["title"], whole["date"] or main.get("date", ""), text.strip(), whole["scripts"] and sparse)


async def _ask(request: bytes, limit_s: float) -> list[dict[str, Any]]:
    """Let the worker read; gives the lines that it wrote until it ended."""
    try:
        worker = subprocess.Popen(
            [sys.executable, "-I", "-c", _START, str(_ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise PageError from error
    exchange = asyncio.ensure_future(asyncio.to_thread(worker.communicate, request))
    try:
        await asyncio.wait({exchange}, timeout=limit_s)
    finally:
        worker.kill()  # does nothing to one that has ended
    output, _ = await exchange
    return [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
