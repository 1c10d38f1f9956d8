"""Showing parts of results in an answer: indented and bounded, never to be taken for the engine's own words."""

import re
from collections.abc import Iterable, Sequence

from paitui.model.offline.ground import Ground
from paitui.model.offline.outline import names_in
from paitui.model.offline.results import Result, plain_lines

_COLUMNS = re.compile(r" -> |\s{2,}|\t| \(")
_FRAME = " \t-•*├└│─"


def quoted(lines: Iterable[str], limit: int, width: int = 160) -> str:
    """Quote lines as an indented block, at most `limit` of them, each cut at `width` characters."""
    return "\n".join(f"    {line[:width]}" for line, _ in zip(lines, range(limit), strict=False))


def listed(items: Sequence[str], limit: int = 8) -> str:
    """Name items in code signs, the rest as a number."""
    shown = ", ".join(f"`{item}`" for item in items[:limit])
    return f"{shown} (+{len(items) - limit:,})" if len(items) > limit else shown


def digest(path: str, result: Result) -> str:
    """A file in a few words: ``a.py`` with its number of lines and the names in it; `parse_digests` reads it back."""
    lines = plain_lines(result.text)
    count = result.lines or len(lines)
    names = names_in(path, "\n".join(lines))
    return f"`{path}` ({count:,}{': ' + ', '.join(names) if names else ''})"


_DIGEST = re.compile(r"`([^`\n]+)`(?: \(([\d,]+)(?:: ([^)\n]*))?\))?")


def parse_digests(text: str) -> dict[str, str]:
    """The files of a line of digests: path to what stands in brackets (empty if nothing does)."""
    return {m[1]: f"{m[2]}{': ' + m[3] if m[3] else ''}" if m[2] else "" for m in _DIGEST.finditer(text)}


def entries(text: str) -> list[str]:
    """The names in a listing, one a line, without sizes and ornaments."""
    found: list[str] = []
    for line in text.splitlines():
        bare = line.strip(_FRAME)
        if not bare or bare.startswith(("[", "(", "（")) or bare.endswith((":", "：")):
            continue
        columns = [column for column in _COLUMNS.split(bare) if column.strip()]
        named = next((c for c in columns if re.search(r"[A-Za-z\u4e00-\u9fff]", c) and not _SIZE.fullmatch(c)), "")
        if named:
            found.append(named.strip().removeprefix("./"))
    return found


_SIZE = re.compile(r"[\d,.]+ ?(?:[KMGT]?i?B|bytes?|lines?|字节|行)?", re.IGNORECASE)


def why(ground: Ground, result: Result | None) -> str:
    """Why a call failed, in one line, as the tool said it."""
    text = result.text.strip() if result is not None else ""
    # The sentence around it has a full stop of its own.
    return text.splitlines()[0][:300].removesuffix(".").removesuffix("。") if text else ground.speech("no_reason")


def left_out(ground: Ground, result: Result) -> str:
    """Say that only a part of a result was looked at, and where the whole is, if anywhere."""
    return ground.speech("read_offloaded", stored=result.stored) if result.stored else ground.speech("read_lost")
