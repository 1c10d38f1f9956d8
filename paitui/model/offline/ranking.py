"""Which files of a project tell most about it, and in which order to read them. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from paitui.model.offline.outline import MANIFESTS, suffix_of

_SOURCE = frozenset(
    {
        ".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".java", ".kt", ".scala", ".cs", ".go",
        ".rs", ".c", ".cc", ".cpp", ".h", ".hpp", ".rb", ".php", ".swift", ".sh", ".lua", ".sql", ".vue",
        ".svelte", ".ex", ".exs", ".erl", ".hs", ".ml", ".clj", ".dart", ".r", ".jl", ".pl", ".zig",
    }
)  # fmt: skip
_TEXT = frozenset(
    {
        ".md", ".markdown", ".rst", ".txt", ".toml", ".yaml", ".yml", ".json", ".cfg", ".ini", ".xml",
        ".gradle", ".html", ".css", ".scss", ".properties", ".env",
    }
)  # fmt: skip
_SKIPPED = re.compile(
    r"(?:^|/)(?:node_modules|\.git|\.hg|dist|build|target|out|__pycache__|\.venv|venv|vendor|third_party|\.paitui|\.idea"
    r"|\.\w+_cache|coverage|htmlcov)(?:/|$)|\.min\.\w+$"
    r"|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|Cargo\.lock|go\.sum)$"
    r"|\.(?:svg|snap|map|log|csv|jsonl|ipynb|lock)$"
)
_FIRST = re.compile(r"^(?:readme|agents|pai|contributing|architecture)(?:\.\w+)?$", re.IGNORECASE)
_BUILD = frozenset(
    {"Makefile", "Dockerfile", "setup.py", "setup.cfg", "tox.ini", "docker-compose.yml", "tsconfig.json"}
)
_ENTRY = re.compile(
    r"^(?:main|__main__|app|cli|index|server|manage|lib|mod|run|program|application)\.\w+$", re.IGNORECASE
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_[^/]*$|_test\.\w+$|\.(?:test|spec)\.\w+$|Tests?\.java$"
)

MAX_TESTS = 8


def is_test(path: str) -> bool:
    """Whether a file belongs to a test suite, by its path."""
    return _TEST.search(path) is not None


def readable(paths: Iterable[str]) -> list[str]:
    """The files that are source or text of the project's own."""
    return [path for path in paths if not path.endswith("/") and not _SKIPPED.search(path) and _rank(path) < 9]


def plan(paths: Iterable[str], limit: int) -> list[str]:
    """Choose files to read: what explains the project first, then source from all its folders in turn.

    Args:
        paths: Files of the project.
        limit: Most files.

    Returns:
        Paths in reading order, each once.
    """
    ranked: dict[int, list[str]] = {}
    for path in dict.fromkeys(readable(paths)):
        ranked.setdefault(_rank(path), []).append(path)
    ordered: list[str] = []
    for rank in sorted(ranked):
        group = sorted(ranked[rank], key=lambda path: (path.count("/"), path.endswith("/__init__.py"), path))
        if rank == _RANK_SOURCE:
            group = _in_turn(group)
        ordered += group[:MAX_TESTS] if rank == _RANK_TEST else group
    return ordered[:limit]


_RANK_SOURCE, _RANK_TEST = 4, 6


def _rank(path: str) -> int:
    name, depth, suffix = PurePosixPath(path).name, path.count("/"), suffix_of(path)
    if depth == 0 and _FIRST.match(name):
        return 0
    if name in MANIFESTS and depth <= 1:
        return 1
    if depth == 0 and name in _BUILD:
        return 2
    if is_test(path) and suffix in _SOURCE:
        return _RANK_TEST
    if _ENTRY.match(name) and suffix in _SOURCE:
        return 3
    if suffix in _SOURCE:
        return _RANK_SOURCE
    if suffix in (".md", ".rst", ".txt") or name in MANIFESTS:
        return 5
    return 7 if suffix in _TEXT or name in _BUILD else 9


def _in_turn(paths: Sequence[str]) -> list[str]:
    """Take from each folder in turn, so that a bound leaves out some of each rather than all of one."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(str(PurePosixPath(path).parent), []).append(path)
    result: list[str] = []
    at = 0
    while len(result) < len(paths):
        result += [group[at] for group in folders.values() if at < len(group)]
        at += 1
    return result


def tops(paths: Iterable[str], limit: int = 10) -> list[tuple[str, int]]:
    """The top folders with their number of files, the largest first; files at the top are left out."""
    counts = Counter(path.split("/", 1)[0] + "/" for path in paths if "/" in path)
    return counts.most_common(limit)


def kinds(paths: Iterable[str], limit: int = 6) -> list[tuple[str, int]]:
    """The file endings with their number, the most frequent first."""
    return Counter(suffix_of(path) for path in paths if suffix_of(path)).most_common(limit)
