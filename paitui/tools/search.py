"""`glob_files` and `grep_code`."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from paitui.locale import Words, phrase
from paitui.messages.message import ToolSpec
from paitui.tools.access import counted, fence_of, fenced
from paitui.tools.base import Access, Effect, ToolContext, ToolError, ToolOutcome
from paitui.tools.globbing import matcher
from paitui.tools.grep_worker import MOST_BYTES
from paitui.tools.listing import files_below

MOST_PATHS = 500
"""Paths that `glob_files` lists."""
MOST_HITS = 100
"""Lines that `grep_code` shows if not told otherwise."""
SEARCH_S = 20.0
"""Seconds after which a search is ended; patterns can be written that never finish."""

_ROOT = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from paitui.tools.grep_worker import main; main()"

_GLOB_SPEC = ToolSpec(
    "glob_files",
    "Find files by glob, such as src/**/*.py. Ignored files are left out.",
    {
        "type": "object",
        "properties": {"pattern": {"type": "string"}, "path": {"type": "string", "description": "folder"}},
        "required": ["pattern"],
    },
)
_GREP_SPEC = ToolSpec(
    "grep_code",
    "Search file contents with a Python regular expression. Gives path:line: text.",
    {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "folder or file"},
            "glob": {"type": "string", "description": "only files like *.py"},
            "ignore_case": {"type": "boolean"},
            "max": {"type": "integer", "minimum": 1, "description": "lines shown, default 100"},
        },
        "required": ["pattern"],
    },
)


@dataclass(frozen=True, slots=True)
class GlobFiles:
    """Finds files by name."""

    spec: ToolSpec = _GLOB_SPEC
    access: Access = "read"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Reading needs no approval."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """List what matches.

        Raises:
            ToolError: The folder is outside or missing, or the pattern leads out.
        """
        found = await _matching(context, arguments.get("path", "."), arguments["pattern"])
        lines = [_one_line(path) for path in found[:MOST_PATHS]]
        if len(found) > MOST_PATHS:
            lines.append(f"[{context.words('tools.more_files', n=len(found) - MOST_PATHS)}]")
        text = "\n".join(lines) or context.words("tools.no_files")
        return ToolOutcome(text, headline=counted("tools.files", len(found)))


@dataclass(frozen=True, slots=True)
class GrepCode:
    """Searches the content of files, in a process of its own that can be ended at any moment."""

    spec: ToolSpec = _GREP_SPEC
    access: Access = "read"
    limit_s: float = SEARCH_S

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Reading needs no approval."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Search.

        Raises:
            ToolError: The path is outside or missing, or the pattern is no regular expression.
        """
        files = await _matching(context, arguments.get("path", "."), arguments.get("glob", ""))
        most = min(arguments.get("max", MOST_HITS), 1_000)
        request = {
            "root": str(context.project),
            "files": files,
            "pattern": arguments["pattern"],
            "ignore_case": arguments.get("ignore_case", False),
            "most": most,
        }
        records, in_time = await _ask_worker(json.dumps(request).encode(), self.limit_s)
        return _hits(records, in_time, self.limit_s, context.words)


async def _matching(context: ToolContext, path: str, glob: str) -> list[str]:
    """The files below a path that match a glob."""
    fence = fence_of(context)
    stop = Event()
    with fenced():
        folder = fence.relative(path)
        if glob.startswith("/"):
            glob = fence.relative(glob)
            folder = "."
    if ".." in glob.split("/"):
        raise ToolError(phrase("tools.bad_glob", pattern=glob))
    try:
        with fenced():
            files = await asyncio.to_thread(files_below, fence, folder, stop)
    finally:
        stop.set()
    if not glob:
        return files
    fits = matcher(glob)
    prefix = "" if folder == "." else f"{folder}/"
    return [file for file in files if fits(file.removeprefix(prefix) if file != folder else file)]


async def _ask_worker(request: bytes, seconds: float) -> tuple[list[dict[str, Any]], bool]:
    """Let the worker search; gives what it found until it ended, and whether it ended in time."""
    # Not asyncio's own: its waiting and its killing can both take a child's end, and the loser complains.
    try:
        worker = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(_ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(phrase("tools.search_failed", why=error.strerror or str(error))) from error
    exchange = asyncio.ensure_future(asyncio.to_thread(worker.communicate, request))
    try:
        done, _ = await asyncio.wait({exchange}, timeout=seconds)
    finally:
        worker.kill()  # does nothing to one that has ended
    output, complaint = await exchange
    records = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
    if not done:
        return records, False
    if not records or not {"total", "error"} & records[-1].keys():
        raise ToolError(phrase("tools.search_failed", why=complaint.decode("utf-8", "replace").strip()[-300:]))
    return records, True


def _hits(records: list[dict[str, Any]], in_time: bool, seconds: float, words: Words) -> ToolOutcome:
    last = records[-1] if records else {}
    if "error" in last:
        raise ToolError(phrase("tools.bad_pattern", why=last["error"]))
    hits = [record for record in records if "line" in record]
    lines = [f"{_one_line(hit['path'])}:{hit['line']}: {hit['text']}" for hit in hits]
    total = last.get("total", len(hits))
    notes: list[str] = []
    if total > len(hits):
        notes.append(words("tools.more_hits", n=total - len(hits)))
    if last.get("skipped"):
        notes.append(words("tools.skipped", n=last["skipped"], mb=MOST_BYTES // 1_000_000))
    if not in_time:
        notes.append(words("tools.search_stopped", seconds=round(seconds)))
    if not lines:
        lines.append(words("tools.no_hits"))
    text = "\n".join([*lines, *(f"[{note}]" for note in notes)])
    return ToolOutcome(text, ok=in_time, headline=counted("tools.hits", total))


def _one_line(path: str) -> str:
    # A line break in a name would forge a line.
    return path.replace("\n", "\\n").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
