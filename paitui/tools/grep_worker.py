"""The searching half of `grep_code`, in a process of its own: a bad pattern can then be ended at any moment.

Python cannot interrupt a running match, and the match holds the interpreter's lock. Reads one JSON object from
standard input, writes JSON lines: ``{"path": …, "line": …, "text": …}`` per hit, at last ``{"total": …,
"skipped": …}``, or ``{"error": …}`` for a pattern that does not compile.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paitui.tools.encoding import SAMPLE_BYTES, sniff
from paitui.trust.fence import Fence, FenceError

MOST_BYTES = 10_000_000
"""Larger files are not searched."""
_SHOWN_CHARS = 240
"""Of a matching line, around the match."""
_COUNTED = 100_000
"""Matching lines are counted up to here."""


def search(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Search files.

    Args:
        request: `root`, `files` (relative), `pattern`, `ignore_case`, `most` (hits that are given).

    Yields:
        Hits, then the totals.
    """
    try:
        pattern = re.compile(request["pattern"], re.IGNORECASE if request["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        yield {"error": str(error)}
        return
    fence = Fence(Path(request["root"]))
    total = skipped = 0
    for path in request["files"]:
        text = _text(fence, path)
        if text is None:
            skipped += 1
            continue
        for number, line in enumerate(text.split("\n"), 1):
            match = pattern.search(line)
            if match is None:
                continue
            total += 1
            if total <= request["most"]:
                yield {"path": path, "line": number, "text": _shown(line.rstrip("\r"), match.start())}
        if total >= _COUNTED:
            break
    yield {"total": total, "skipped": skipped}


def _text(fence: Fence, path: str) -> str | None:
    """The text of a file; empty for what cannot be searched, None for what is too large."""
    try:
        with fence.open_read(path) as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                return None
            data = file.read(MOST_BYTES)
    except (FenceError, OSError):
        return ""  # Listed, but gone or closed to us: it holds no hit for this user.
    encoding = sniff(data[:SAMPLE_BYTES], len(data) <= SAMPLE_BYTES)
    if encoding is None:
        return ""
    text = encoding.decoder().decode(data[len(encoding.mark) :], True)
    return text.removesuffix("\n")


def _shown(line: str, at: int) -> str:
    if len(line) <= _SHOWN_CHARS:
        return line
    start = max(0, min(at - _SHOWN_CHARS // 3, len(line) - _SHOWN_CHARS))
    end = start + _SHOWN_CHARS
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def main() -> None:
    """Answer one request."""
    request = json.loads(sys.stdin.buffer.read())
    for record in search(request):
        sys.stdout.buffer.write(json.dumps(record).encode() + b"\n")
        sys.stdout.buffer.flush()
